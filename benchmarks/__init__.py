"""Timings of osmofuse: ``make bench``."""
