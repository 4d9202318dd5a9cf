"""Seconds and memory of aligning and matting large pictures, each in its own process."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from benchmarks.memory import forget_peak, peak

if TYPE_CHECKING:
    from osmofuse.typing import FloatArray

JOBS = {
    "align, 12 MP": (4000, 3000),
    "align, 100 MP": (11600, 8700),
    "matte, 1 MP": (1100, 910),
    "matte from scribbles, 1 MP": (1100, 910),
}


def run() -> dict[str, float]:
    found = {}
    for name in JOBS:
        command = [sys.executable, "-m", "benchmarks.preparation", name]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found |= {f"{name}, {what}": value for what, value in json.loads(output).items()}
    return found


def one(name: str) -> dict[str, float]:
    """Return the seconds, the peak of memory in GB, and how far off the answer is."""
    shape = JOBS[name]
    if name.startswith("align"):
        seconds, error = aligning(shape)
    else:
        seconds, error = matting(shape, scribbled="scribbles" in name)
    return {"s": seconds, "GB": peak() / 1e9, "error": error}


def aligning(shape: tuple[int, int]) -> tuple[float, float]:
    """Return the seconds of an alignment, and the mean error at the corners in pixels."""
    import cv2
    import numpy as np

    import osmofuse
    from osmofuse import gallery

    rows, cols = shape
    # Drawn small and enlarged, since a page of this size takes minutes to draw.
    page = gallery.manuscript((rows // 8, cols // 8), seed=3)
    foreground, background = (
        cv2.resize(x, (cols, rows), interpolation=cv2.INTER_CUBIC)
        for x in (page.foreground, page.background)
    )
    angle, scale, shift = np.deg2rad(3.0), 1.05, (0.02 * cols, -0.015 * rows)
    c, s = scale * np.cos(angle), scale * np.sin(angle)
    truth = np.array([[c, -s, shift[0]], [s, c, shift[1]], [0.0, 0.0, 1.0]])
    foreground, background = (
        (np.clip(x, 0, 1) * 65535).astype(np.uint16) for x in (foreground, background)
    )
    background = cv2.warpPerspective(background, np.linalg.inv(truth), (cols, rows))
    forget_peak()  # drawing the pictures took more than they do
    start = time.perf_counter()
    found = osmofuse.align(foreground, background)
    seconds = time.perf_counter() - start
    if not found.status.is_success:
        return seconds, float("nan")
    corners = np.array([[0, cols, 0, cols], [0, 0, rows, rows], [1, 1, 1, 1]], float)
    ends = [(m @ corners)[:2] / (m @ corners)[2] for m in (np.asarray(found.transform), truth)]
    return seconds, float(np.hypot(*(ends[0] - ends[1])).mean())


def matting(shape: tuple[int, int], *, scribbled: bool) -> tuple[float, float]:
    """Return the seconds of a matte, and its mean error where the map was open."""
    import numpy as np

    import osmofuse
    from osmofuse import gallery

    scene = gallery.portrait(shape)
    alpha = scene.alpha
    image = alpha[..., None] * scene.foreground + (1 - alpha[..., None]) * scene.background
    trimap = scribbles(shape) if scribbled else band(alpha)
    forget_peak()
    start = time.perf_counter()
    found = osmofuse.matte(image, trimap).alpha
    return time.perf_counter() - start, float(np.abs(found - alpha)[trimap == 0.5].mean())


def band(alpha: FloatArray) -> FloatArray:
    """Return the trimap that is open along the edge of a map."""
    import numpy as np

    from osmofuse.maps.alpha import grow

    trimap = np.full(alpha.shape, 0.5)
    trimap[grow(alpha, -10) > 0.99] = 1.0
    trimap[grow(alpha, 10) < 0.01] = 0.0
    return trimap


def scribbles(shape: tuple[int, int]) -> FloatArray:
    """Return a few strokes around the face of a portrait, and within it."""
    from osmofuse.maps import Stroke, trimap_of_strokes

    rows, cols = shape
    around = [(0.04, 0.05, 0.04, 0.95), (0.1, 0.06, 0.9, 0.06), (0.1, 0.94, 0.9, 0.94)]
    within = [(0.35, 0.35, 0.35, 0.65), (0.42, 0.5, 0.6, 0.5)]
    strokes = [
        Stroke([(a * rows, b * cols), (c * rows, d * cols)], label, 0.006 * cols)
        for label, lines in ((1, around), (0, within))
        for a, b, c, d in lines
    ]
    return trimap_of_strokes(shape, strokes)


if __name__ == "__main__":
    print(json.dumps(one(sys.argv[1])))
