"""Timings and accuracy of osmofuse: ``make bench``."""
