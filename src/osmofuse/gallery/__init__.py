"""Synthetic scenes with known answers, drawn at any size from a seed; no files, no downloads."""

from __future__ import annotations

from osmofuse.gallery.clone import clone
from osmofuse.gallery.cloud import cloud
from osmofuse.gallery.gold_leaf import gold_leaf
from osmofuse.gallery.manuscript import manuscript, noisy_infrared
from osmofuse.gallery.modalities import modalities
from osmofuse.gallery.mosaic import mosaic
from osmofuse.gallery.night import night
from osmofuse.gallery.overwritten import overwritten
from osmofuse.gallery.palimpsest import palimpsest
from osmofuse.gallery.portrait import portrait
from osmofuse.gallery.recolouring import recolouring
from osmofuse.gallery.scene import Panel, Scene
from osmofuse.gallery.shadow import shadow
from osmofuse.gallery.shots import shots

__all__ = [
    "Panel",
    "Scene",
    "clone",
    "cloud",
    "gold_leaf",
    "manuscript",
    "modalities",
    "mosaic",
    "night",
    "noisy_infrared",
    "overwritten",
    "palimpsest",
    "portrait",
    "recolouring",
    "shadow",
    "shots",
]
