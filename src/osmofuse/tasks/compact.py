r"""Compact representation of a picture by its edges (Weickert et al. 2013, section 4).

The drift :math:`d = \nabla \log v` is kept on the edges of the grid that touch an edge of the
picture, and is 0 elsewhere. Osmosis from a constant, the picture's mean, ends in a picture with
these edges and nothing between them but smooth transitions (doi:10.1007/978-3-642-40395-8_3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from osmofuse.checks import number, whole
from osmofuse.errors import InputError
from osmofuse.filters.edges import edges, ridges
from osmofuse.linalg import FREE, DriftSystem
from osmofuse.metrics.truth import psnr as peak_ratio
from osmofuse.operators.osmosis_edges import at_edges, canonical_drift
from osmofuse.picture import Picture, checked, samples
from osmofuse.progress import Guard, Status, Watch, check_watch, worst
from osmofuse.tasks.edited import Edited
from osmofuse.tasks.prepare import Given
from osmofuse.typing import BoolArray, FloatArray

OFFSET = 0.2  # added to samples for their ratios, in parts of white; 0.05..1 works
SIGMA = 1.0  # of the smoothing before edges are found, in pixels
SEARCH = 20  # halvings of the interval of the threshold: finer than a pixel of a gigapixel
RTOL, MAX_ITER = 1e-8, 200
WIDEST = 10  # pixels


@dataclass(frozen=True, eq=False, repr=False)
class Compacted(Edited):
    """Result of `compact`.

    Attributes
    ----------
    edges : array of bool, (rows, cols)
        Pixels whose surroundings are kept.
    share : float
        Their share of the picture.
    bits : float
        Estimated size: the entropy of the map of edges, plus the stored depth for each sample of
        these pixels and of their four neighbours (which give the drift), plus a mean per channel.
        No coder is involved.
    psnr : float
        Peak signal-to-noise ratio of the reconstruction, in decibels.
    """

    edges: BoolArray = field(default_factory=lambda: np.zeros((1, 1), bool))
    share: float = 0.0
    bits: float = 0.0
    psnr: float = math.inf


def compact(
    picture: Given, *, share: float = 0.1, width: int = 1, watch: Watch | None = None
) -> Compacted:
    """Reconstruct a picture from its edges.

    Parameters
    ----------
    picture : array or Picture
        Any depth, one or more channels.
    share : float, 0.001 to 1
        Largest share of pixels to keep; strong edges come first. 1 keeps the whole picture.
    width : int, 0 to 10
        Pixels by which edges are widened on each side.
    watch : callable, optional
        Called with a `Progress` at intervals; if it returns True, other channels stay constant.

    Returns
    -------
    Compacted
        The reconstruction, and what it was made from.

    Examples
    --------
    >>> import numpy as np
    >>> halves = np.full((32, 32), 60, np.uint8)
    >>> halves[:, 16:] = 200
    >>> made = compact(halves, share=0.2)
    >>> bool(made.psnr > 60), made.share < 0.2
    (True, True)
    """
    began = perf_counter()
    check_settings(share, width)
    check_watch(watch)
    original = picture if isinstance(picture, Picture) else Picture(checked(picture, "picture"))
    checked(original, "picture", valid=original.valid)
    v = samples(original.filled(), "picture", dtype=np.float64)
    planes = v.reshape(*original.shape, -1)
    kept = _kept(planes, share, width)
    u, status = _reconstructed(planes, kept, Guard(watch))
    decibels = peak_ratio(u, planes)
    dtype = np.float64 if original.depth == np.float64 else np.float32
    part = float(kept.mean())
    bits = _bits(kept, planes.shape[2], 8 * original.depth.itemsize)
    return Compacted(
        image=u.reshape(v.shape).astype(dtype),
        status=status,
        notes=(
            f"picture: {part:.1%} of the pixels kept, on edges: {bits / 8e3:.3g} kB by estimate; "
            f"reconstructed to {decibels:.1f} dB",
        ),
        seconds=perf_counter() - began,
        original=original,
        edges=kept,
        share=part,
        bits=bits,
        psnr=decibels,
    )


def check_settings(share: object, width: object) -> None:
    """Check the settings of `compact`."""
    number("share", share, least=1e-3, most=1.0)
    whole("width", width, least=0, most=WIDEST)


def _kept(planes: FloatArray, share: float, width: int) -> BoolArray:
    """Return the strongest edges that cover at most a share of the pixels."""
    from scipy.ndimage import binary_dilation

    if share == 1.0:
        return np.ones(planes.shape[:2], bool)
    strength = ridges(np.log(np.maximum(planes, 0.0) + OFFSET), SIGMA)

    def wide(threshold: float) -> BoolArray:
        lines = edges(strength, threshold)
        return binary_dilation(lines, iterations=width) if width else lines

    low, high = 0.0, float(strength.max())
    least = wide(1e-6)  # rounding is no edge
    if least.mean() <= share:
        return least
    for _ in range(SEARCH):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if wide(middle).mean() > share else (low, middle)
    return wide(high)


def _reconstructed(planes: FloatArray, kept: BoolArray, guard: Guard) -> tuple[FloatArray, Status]:
    """Return the end of osmosis from the mean of each channel."""
    offset = OFFSET
    if float(planes.min()) <= -offset:
        raise InputError("picture: negative samples; add a constant to it first")
    u, found = np.empty_like(planes), [Status.converged]
    kind, near = np.full(kept.shape, FREE, np.uint8), at_edges(kept, np.logical_or)
    for c in range(planes.shape[2]):
        v = planes[..., c] + offset
        flat = np.full_like(v, v.mean())
        u[..., c] = flat - offset
        if not guard.beat():
            found.append(Status.cancelled)
            continue
        drift = canonical_drift(v) * near
        solved = DriftSystem(drift, flat, kind, math.inf).solve(
            flat, rtol=1e-3 * RTOL, max_iter=MAX_ITER, go_on=guard.beat
        )
        u[..., c] = solved.x - offset
        if not solved.converged:
            found.append(Status.cancelled if guard.cancelled else Status.max_iter)
    return u, worst(found)


def _bits(kept: BoolArray, channels: int, depth: int) -> float:
    """Return the estimated size in bits; see `Compacted`."""
    from scipy.ndimage import binary_dilation

    p = float(kept.mean())
    entropy = 0.0 if p in (0.0, 1.0) else -p * math.log2(p) - (1 - p) * math.log2(1 - p)
    touched = int(np.count_nonzero(binary_dilation(kept)))
    return entropy * kept.size + float(depth * channels * (touched + 1))
