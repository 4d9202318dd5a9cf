"""Cases for registration: photographs and drawn pages, warped by a known homography."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from osmofuse import gallery

PHOTOGRAPHS = (
    "paper/1_foreground.png", "paper/1_background.png", "paper/4_foreground.png",
    "paper/4_background.png", "shadow/13_shadow.png", "shadow/5_shadow.png",
    "vifb/carLight_visible.jpg", "vifb/manCall_visible.jpg", "vifb/manCall_infrared.jpg",
)  # fmt: skip
INFRARED = (
    ("vifb/carLight_visible.jpg", "vifb/carLight_infrared.jpg"),
    ("vifb/manCall_visible.jpg", "vifb/manCall_infrared.jpg"),
)
MODALITIES = ("none", "gamma and blur", "inverted", "non-monotone", "noise", "low contrast", "band")
BORDERS = (cv2.BORDER_CONSTANT, cv2.BORDER_REFLECT, cv2.BORDER_REPLICATE)


@dataclass(frozen=True, eq=False)
class Case:
    """Two pictures, and the homography that takes the background to the foreground."""

    name: str
    modality: str
    foreground: np.ndarray
    background: np.ndarray
    truth: np.ndarray

    def error(self, matrix) -> float:
        """Return the mean error at the corners of the background, in pixels."""
        rows, cols = self.background.shape[:2]
        return corner_error(matrix, self.truth, (rows, cols))


def corner_error(matrix, truth, shape) -> float:
    """Return how far two homographies take the corners of a picture apart, on average."""
    rows, cols = shape
    corners = np.array([[0, 0], [cols - 1, 0], [0, rows - 1], [cols - 1, rows - 1]], float)
    ends = [
        cv2.perspectiveTransform(corners[None], np.asarray(m, float))[0] for m in (matrix, truth)
    ]
    return float(np.hypot(*(ends[0] - ends[1]).T).mean())


def photographs(data: Path, count: int | None = None) -> list[tuple[str, np.ndarray]]:
    """Return names and pictures with values in [0, 1]; colours in OpenCV's order do not matter."""
    names = PHOTOGRAPHS[:count]
    return [(name, cv2.imread(str(data / name)).astype(np.float32) / 255) for name in names]


def pages(shape=(480, 360)) -> list[tuple[str, np.ndarray]]:
    """Return pages that the gallery draws."""
    scenes = [gallery.manuscript(shape, seed=seed) for seed in (1, 2)]
    return [(f"page {k}", scene.truth) for k, scene in enumerate(scenes)]


def random_homography(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Return a warp about the centre: up to 10°, a scale of 0.8 to 1.25, 8 %, some tilt."""
    rows, cols = shape
    angle = np.deg2rad(rng.uniform(-10, 10))
    scale = np.exp(rng.uniform(np.log(0.8), np.log(1.25)))
    across, down = rng.uniform(-0.08, 0.08, 2) * (cols, rows)
    tilt = rng.uniform(-0.06, 0.06, 2) / max(shape)
    centre = np.array([[1, 0, -(cols - 1) / 2], [0, 1, -(rows - 1) / 2], [0, 0, 1]])
    c, s = scale * np.cos(angle), scale * np.sin(angle)
    turn = np.array([[c, -s, across], [s, c, down], [*tilt, 1]])
    return np.linalg.inv(centre) @ turn @ centre


def changed(picture: np.ndarray, modality: str, rng: np.random.Generator) -> np.ndarray:
    """Return a picture as another camera might have seen it."""
    grey = picture.mean(axis=2)
    changes = {
        "none": lambda: picture,
        "gamma and blur": lambda: cv2.GaussianBlur(picture**2.2, (0, 0), 1.5),
        "inverted": lambda: 1 - picture,
        "non-monotone": lambda: abs(2 * grey - 0.9),
        "noise": lambda: picture + rng.normal(0, 0.08, picture.shape).astype(np.float32),
        "low contrast": lambda: 0.45 + 0.1 * picture,
        "band": lambda: picture[..., int(rng.integers(3))],
    }
    return changes[modality]()


def warped(picture: np.ndarray, matrix: np.ndarray, border: int) -> np.ndarray:
    """Return a picture carried through a homography, in a frame of its own size."""
    return cv2.warpPerspective(
        picture, matrix, picture.shape[1::-1], flags=cv2.INTER_CUBIC, borderMode=border
    )


def as_bytes(picture: np.ndarray) -> np.ndarray:
    return np.rint(np.clip(picture, 0, 1) * 255).astype(np.uint8)


def cases(pictures, count: int, seed: int):
    """Yield cases: pictures and modalities in turn, warps at random."""
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        name, picture = pictures[k % len(pictures)]
        modality = MODALITIES[(k + k // len(pictures)) % len(MODALITIES)]
        yield _case(name, modality, picture, changed(picture, modality, rng), rng)


def infrared_cases(data: Path, count: int, seed: int):
    """Yield warped visible and infrared pictures of one scene."""
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        names = INFRARED[k % len(INFRARED)]
        one, other = (cv2.imread(str(data / name)).astype(np.float32) / 255 for name in names)
        yield _case(names[0], "infrared", one, other, rng)


SCENES = (
    gallery.manuscript, gallery.gold_leaf, gallery.noisy_infrared, gallery.cloud,
    gallery.modalities,
)  # fmt: skip


def gallery_cases(shape, seed: int, scenes=SCENES):
    """Yield warped visible and infrared (or other) pictures of the gallery's scenes."""
    for k, draw in enumerate(scenes):
        scene = draw(shape, seed=seed)
        others = scene.background if isinstance(scene.background, tuple) else (scene.background,)
        for j, other in enumerate(others):
            rng = np.random.default_rng([seed, k, j])
            yield _case(f"{draw.__name__} {j}", "gallery", scene.foreground, other, rng)


def _case(name, modality, one, other, rng) -> Case:
    if rng.integers(2):
        one, other = other, one
    truth = random_homography(rng, one.shape[:2])
    border = BORDERS[int(rng.integers(3))]
    # What is warped moves back to where it came from.
    background = as_bytes(warped(one, np.linalg.inv(truth), border))
    return Case(name, modality, as_bytes(other), background, truth)


def unrelated(pictures, count: int, seed: int):
    """Yield pairs of different pictures, one of them changed and warped."""
    names = [name.replace(" ", "_").split("_")[0] for name, _ in pictures]
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        first = int(rng.integers(len(pictures)))
        others = [j for j, name in enumerate(names) if name != names[first]]
        second = others[int(rng.integers(len(others)))]
        one = changed(pictures[first][1], MODALITIES[k % len(MODALITIES)], rng)
        background = warped(one, random_homography(rng, one.shape[:2]), BORDERS[k % 3])
        foreground = as_bytes(pictures[second][1])
        yield f"{names[first]} / {names[second]}", foreground, as_bytes(background)
