"""Mosaics: panels at their places, the light of each, and the blend of all."""
