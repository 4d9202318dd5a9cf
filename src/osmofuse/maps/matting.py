"""Matting: an alpha map that follows hair and brush strokes, from a picture and a trimap."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from osmofuse.checks import whole
from osmofuse.errors import InputError, MismatchError, MissingExtraError, SettingError, did_you_mean
from osmofuse.filters import LocalFit, reduced
from osmofuse.maps.combined_matting import combined_matte
from osmofuse.maps.knn_matting import knn_matte
from osmofuse.maps.trimap import Trimap
from osmofuse.picture import Picture, samples
from osmofuse.progress import Guard, Status, Watch, check_watch
from osmofuse.typing import ArrayLike, FloatArray

MATTE_SIZE = 1_500_000  # pixels; larger pictures are matted on a reduced copy
MOST_PIXELS = 1_000_000_000  # upper limit of the setting max_pixels
CARRY_RADIUS, CARRY_EPSILON = 2, 1e-5  # window and ridge of the fit that enlarges the map

# Names of the methods in pymatting.
_PYMATTING = {
    "closed-form": "estimate_alpha_cf",
    "lbdm": "estimate_alpha_lbdm",
    "lkm": "estimate_alpha_lkm",
    "random-walk": "estimate_alpha_rw",
}
_OWN = {"combined": combined_matte, "knn": knn_matte}
MattingMethod = Literal["combined", "knn", "closed-form", "lbdm", "lkm", "random-walk"]
MATTING_METHODS: tuple[MattingMethod, ...] = get_args(MattingMethod)
DEFAULT: MattingMethod = "combined"


@dataclass(frozen=True, eq=False)
class Matte:
    """Result of matting.

    Attributes
    ----------
    alpha : array, (rows, cols)
        The map: float64, in [0, 1]. Unless the status is a success, as far as it came.
    status : Status
        ``converged``; ``direct`` where the trimap leaves nothing open; ``max_iter`` or
        ``cancelled``.
    factor : int
        Reduction of the copy on which it was computed; 1: the picture itself.
    notes : tuple of str
        Notes on a reduced copy, or on a method that did not converge.
    seconds : float
        Run time, without the compilation of kernels.
    """

    alpha: FloatArray = field(repr=False)
    status: Status
    factor: int = 1
    notes: tuple[str, ...] = ()
    seconds: float = 0.0


def matte(
    image: ArrayLike | Picture,
    trimap: ArrayLike | Picture,
    *,
    method: str = DEFAULT,
    max_pixels: int = MATTE_SIZE,
    watch: Watch | None = None,
) -> Matte:
    """Compute the alpha map of an object that a trimap roughly outlines.

    Parameters
    ----------
    image : array, (rows, cols) or (rows, cols, channels), or Picture
        The picture that shows it: uint8, uint16, or floats with 1.0 for white.
    trimap : array, (rows, cols), or Picture
        White (1) where the map is sure to be 1, black (0) where it is sure to be 0, anything
        between where it is to be found. Known pixels keep their value.
    method : {"combined", "knn", "closed-form", "lbdm", "lkm", "random-walk"}
        Colour lines within windows, colour mixtures and ties between pixels that look alike,
        together; KNN matting, as in the paper: ties alone; the others need the extra ``prepare``.
    max_pixels : int, 1 to 1e9
        A larger picture is matted on a reduced copy, and the map is carried to its full size
        along the picture's edges; a note says so.
    watch : callable, optional
        Called with a `Progress` now and then; if it returns True the computation stops.
        The methods of the extra call it only before they begin.

    Returns
    -------
    Matte
        The map is its `alpha`. Not converging is a status, and noted.

    Examples
    --------
    >>> import numpy as np
    >>> import osmofuse
    >>> image, trimap = np.full((8, 24), 0.2), np.full((8, 24), 0.5)
    >>> image[:, 15:] = 0.9
    >>> trimap[:, :2], trimap[:, -2:] = 0.0, 1.0
    >>> found = osmofuse.matte(image, trimap)
    >>> bool((found.alpha == (image == 0.9)).all()), str(found.status)
    (True, 'converged')
    """
    check_settings(method, max_pixels)
    check_watch(watch)
    guard = Guard(watch)
    x, parts = np.atleast_3d(samples(image, "image")), Trimap.of(trimap)
    if x.shape[:2] != parts.kept.shape:
        sizes = " × ".join(map(str, parts.kept.shape)), " × ".join(map(str, x.shape[:2]))
        raise MismatchError(f"trimap: {sizes[0]} pixels, but the image has {sizes[1]}")
    factor = math.ceil(math.sqrt(x.shape[0] * x.shape[1] / max_pixels))
    small, known, solve = x, parts, _solver(method)
    if factor > 1:
        small, known = reduced(x, factor), parts.reduced(factor)
    if known.known.all():
        alpha, status = known.levels, Status.direct
    else:
        alpha, status = solve(small, known, guard)
    if factor > 1:
        fit = LocalFit.of(alpha, small, radius=CARRY_RADIUS, epsilon=CARRY_EPSILON)
        alpha = np.clip(fit.carried(x, factor), 0.0, 1.0)
    alpha[parts.kept], alpha[parts.entered] = 1.0, 0.0
    notes = tuple(_notes(factor, small.shape, status))
    return Matte(alpha, status, factor, notes, guard.seconds)


def check_settings(method: str, max_pixels: int) -> None:
    """Check the settings of `matte`."""
    if method not in MATTING_METHODS:
        raise SettingError(
            f"method: {method!r} is unknown{did_you_mean(method, MATTING_METHODS)}; known are "
            f"{', '.join(MATTING_METHODS)}"
        )
    whole("max_pixels", max_pixels, least=1, most=MOST_PIXELS)


def _notes(factor: int, shape: tuple[int, ...], status: Status) -> list[str]:
    notes = []
    if factor > 1:
        notes.append(
            f"found on a copy reduced {factor} times, to {shape[0]} × {shape[1]} pixels, and "
            "carried to the full size along the picture's edges; max_pixels allows more"
        )
    if status is Status.max_iter:
        notes.append("the method did not converge; the map is its last iterate")
    return notes


def _solver(method: str) -> Callable[[FloatArray, Trimap, Guard], tuple[FloatArray, Status]]:
    if method in _OWN:
        return _OWN[method]
    try:
        import pymatting
    except ImportError as error:
        raise MissingExtraError(
            f"the method {method!r} needs pymatting: pip install 'osmofuse[prepare]'"
        ) from error
    estimate = getattr(pymatting, _PYMATTING[method])

    def solve(image: FloatArray, trimap: Trimap, guard: Guard) -> tuple[FloatArray, Status]:
        if image.shape[2] not in (1, 3):
            raise InputError(
                f"image: {image.shape[2]} channels; {method!r} takes 1 or 3, "
                f"and {DEFAULT!r} any number"
            )
        if not guard.next_pass():
            return trimap.levels, Status.cancelled
        colour = np.repeat(image, 3 // image.shape[2], axis=2).astype(np.float64)
        try:
            found = estimate(np.clip(colour, 0.0, 1.0), trimap.levels)
        except (AssertionError, ValueError) as error:  # raised for pictures that it cannot handle
            detail = f" ({error})" if str(error) else ""
            raise InputError(
                f"image: pymatting cannot do {method!r} on {colour.shape[0]} × {colour.shape[1]} "
                f"pixels{detail}; use {DEFAULT!r}"
            ) from error
        return np.clip(found, 0.0, 1.0), Status.converged

    return solve


@dataclass(frozen=True)
class MatteCost:
    """Memory and time to find a map, measured on a portrait and rounded up.

    Bytes for each pixel and seconds for a million pixels; `more_*` in addition for unknown pixels.
    """

    bytes: float
    seconds: float
    more_bytes: float = 0.0
    more_seconds: float = 0.0


_MATTE_COSTS = {
    "combined": MatteCost(170, 5.0, 620, 45.0),
    "knn": MatteCost(590, 15.0, 190, 28.0),
    "closed-form": MatteCost(460, 10.0),
    "lbdm": MatteCost(2600, 20.0),
    "lkm": MatteCost(460, 17.0),
    "random-walk": MatteCost(600, 11.0),
}


def matte_cost_of(method: str) -> MatteCost:
    """Return memory and time of a matting method."""
    return _MATTE_COSTS[method]
