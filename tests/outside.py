"""Packages that add methods and metrics from outside, laid into a folder as pip would."""

from __future__ import annotations

import os
from pathlib import Path

TOY = '''
from dataclasses import dataclass, replace

import numpy as np

import osmofuse


@dataclass(frozen=True)
class Brighter:
    """Direct matting, brighter.

    Parameters
    ----------
    gain : float
        How much brighter.
    """

    gain: float = 1.5

    def __call__(self, sources, *, watch=None):
        return osmofuse.Fusion(self.gain * osmofuse.DirectMatting()(sources).image)


def darker(sources, *, strength: float = 1.0):
    """Take the darker of both pictures.

    Parameters
    ----------
    strength : float
        How much of the difference is taken.
    """
    plain = osmofuse.DirectMatting()(sources)
    image = plain.image + strength * (np.minimum(plain.image, 0.5) - plain.image)
    return replace(plain, image=image)


def contrast(fused):
    """Standard deviation of all samples."""
    return fused.std()


contrast.better = "high"
SHADE = osmofuse.metrics.Metric(
    lambda pictures: float(np.mean(pictures.fused)), definition="mean of all samples"
)
'''
POINTS = {
    "osmofuse.methods": {"brighter": "toy:Brighter", "darker": "toy:darker"},
    "osmofuse.metrics": {"contrast": "toy:contrast", "shade": "toy:SHADE"},
}


def install(
    folder: Path,
    code: str = TOY,
    points: dict[str, dict[str, str]] = POINTS,
    *,
    package: str = "toy",
) -> Path:
    """Put a package of one module with entry points into a folder, and return the folder."""
    (folder / f"{package}.py").write_text(code, encoding="utf-8")
    told = folder / f"{package}-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [
        line
        for group, names in points.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in names.items()))
    ]
    (told / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder


def environment(folder: Path) -> dict[str, str]:
    """Return the variables with which a process imports from a folder, too."""
    before = os.environ.get("PYTHONPATH", "")
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(folder), before]))}
