"""Registrations against landmarks set by hand, and mattes against known ones."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

import osmofuse
from benchmarks.judge.cases import REAL
from osmofuse.io import read

WRONG = 5.0  # pixels from the landmarks; their own floor is about one


def registrations() -> dict[str, dict[str, object]]:
    """Return the outcome for each real pair: level, and the median error at its landmarks."""
    found = {}
    for path in sorted((REAL / "registration").glob("*_landmarks.csv")):
        name = path.name.removesuffix("_landmarks.csv")
        fixed, moving = (read(path.with_name(f"{name}_{part}.png")) for part in ("fixed", "moving"))
        result = osmofuse.align(fixed, moving)
        error = None if result.transform is None else landmark_error(result.transform.matrix, path)
        found[name] = {
            "status": str(result.status),
            "level": result.quality.level,
            "figure": result.quality.figure,
            "error": error,
        }
    return found


def landmark_error(matrix: np.ndarray, path: Path) -> float:
    """Return the median distance in pixels between landmarks and where the transform puts them."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    fixed, moving = (
        np.array([[float(row[f"{part}_{axis}"]) - 1 for axis in "xy"] for row in rows])
        for part in ("fixed", "moving")
    )
    put = np.c_[moving, np.ones(len(moving))] @ np.asarray(matrix).T
    return float(np.median(np.hypot(*(put[:, :2] / put[:, 2:] - fixed).T)))


def mattes() -> dict[str, dict[str, float]]:
    """Return the mean difference from the known matte where the trimap is undecided."""
    found = {}
    for path in sorted((REAL / "matting").glob("*_trimap1.png")):
        name = path.name.removesuffix("_trimap1.png")
        image, trimap, known = (
            read(path.with_name(f"{name}_{part}.png")).pixels for part in ("input", "trimap1", "gt")
        )
        trimap, known = (x if x.ndim == 2 else x[..., 0] for x in (trimap, known))
        grey = (trimap > 5) & (trimap < 250)
        alpha = osmofuse.matte(image, trimap).alpha
        found[name] = {"error": float(np.abs(alpha - known / 255.0)[grey].mean())}
    return found
