"""What is judged: scenes of the gallery with nuisances, and real pairs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from osmofuse import gallery
from osmofuse.gallery.wear import NUISANCES
from osmofuse.io import read

REAL = Path(os.environ.get("OSMOFUSE_DATA", Path(__file__).parents[3] / "shared" / "data")) / "real"

# The scenes on which bare calls are judged; their figures are means over seeds.
MAIN = ("manuscript", "gold_leaf", "noisy_infrared", "cloud")
SCENES = (
    *MAIN,
    "overwritten",
    "palimpsest",
    "modalities",
    "portrait",
    "clone",
    "recolouring",
)
NUISANCE_NAMES = ("none", "dark", "hard", *NUISANCES, "all")
SHAPES = ((240, 180), (360, 270))
# Nothing is tuned on seeds from 100 on.
SEEDS = (100, 101, 102, 103, 104, 105)
GRID_SEEDS = (0, 1)


@dataclass(frozen=True)
class Case:
    """One scene of the gallery: name, nuisance, shape and seed."""

    scene: str
    nuisance: str
    shape: tuple[int, int]
    seed: int

    @property
    def key(self) -> str:
        return f"{self.scene}/{self.nuisance}/{self.shape[0]}x{self.shape[1]}/{self.seed}"

    def drawn(self) -> gallery.Scene:
        nuisance = () if self.nuisance == "none" else self.nuisance
        return getattr(gallery, self.scene)(self.shape, self.seed, nuisance=nuisance)


def all_cases() -> Iterator[Case]:
    """Yield every scene, nuisance and shape: main scenes of the first shape with every seed."""
    for scene in SCENES:
        for nuisance in NUISANCE_NAMES:
            for shape in SHAPES:
                many = scene in MAIN and shape == SHAPES[0]
                for seed in SEEDS if many else SEEDS[:1]:
                    yield Case(scene, nuisance, shape, seed)


def grid_cases() -> Iterator[Case]:
    for scene in MAIN:
        for nuisance in ("none", "dark", "hard"):
            for seed in GRID_SEEDS:
                yield Case(scene, nuisance, SHAPES[0], seed)


@dataclass(frozen=True, eq=False)
class RealPair:
    """A real pair, and the map of its ink: 0 ink, 255 ground, else undecided."""

    name: str
    foreground: np.ndarray
    background: np.ndarray
    ink: np.ndarray


def real_pairs() -> list[RealPair]:
    """Return the real pairs with known ink; none where the data are not there."""
    found = []
    for name, f, b, ink in (
        ("manuscript", "visible_f.png", "infrared_b.png", "ink.png"),
        ("mstex", "F8s.png", "F2s.png", "z35GT.png"),
    ):
        folder = REAL / name
        if folder.is_dir():
            images = [read(folder / file).pixels for file in (f, b, ink)]
            known = images[2] if images[2].ndim == 2 else images[2][..., 0]
            if name == "mstex":  # black on white, nothing undecided
                known = np.where(known < 128, 0, 255).astype(np.uint8)
            found.append(RealPair(name, _colour(images[0]), images[1], known))
    return found


def _colour(picture: np.ndarray) -> np.ndarray:
    if picture.ndim == 2:
        picture = picture[..., None]
    return np.repeat(picture, 3, axis=2) if picture.shape[2] == 1 else picture
