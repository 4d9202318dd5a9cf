"""Synthetic scenes with known answers, drawn at any size from a seed; no files, no downloads."""

from __future__ import annotations

from osmofuse.gallery.cloud import cloud
from osmofuse.gallery.gold_leaf import gold_leaf
from osmofuse.gallery.manuscript import manuscript
from osmofuse.gallery.portrait import portrait
from osmofuse.gallery.scene import Scene
from osmofuse.gallery.shadow import shadow

__all__ = ["Scene", "cloud", "gold_leaf", "manuscript", "portrait", "shadow"]
