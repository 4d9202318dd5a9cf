"""Resampling by a transform: Lanczos interpolation, in blocks, in the stored depth."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from osmofuse.registration.opencv import in_threads, opencv
from osmofuse.registration.transform import Transform, carried
from osmofuse.typing import Array, BoolArray, FloatArray

_WARP_BLOCK = 1024  # pixels of a block's side: bounds memory, without effect on the result
_REACH = 6  # pixels around a block that are needed: 4 of Lanczos' kernel, and a margin


def warped(
    pixels: Array, transform: Transform, shape: tuple[int, int], *, valid: BoolArray | None = None
) -> tuple[Array, BoolArray]:
    """Resample a picture in the frame of another.

    Parameters
    ----------
    pixels : array, (rows, cols) or (rows, cols, bands)
        In stored depth; never changed.
    transform : Transform
        Transform from the picture to the frame.
    shape : tuple of int
        Rows and columns of the frame.
    valid : array of bool, (rows, cols), optional
        False where the picture has no data.

    Returns
    -------
    tuple of array and array of bool
        The picture, of the same depth, 0 where it has no data; the mask of pixels with data.
        Lanczos' kernel overshoots at edges: values are clipped to the picture's range.
    """
    back = np.linalg.inv(transform.matrix)
    result = np.zeros((*shape, *pixels.shape[2:]), pixels.dtype)
    shown = np.zeros(shape, np.bool_)
    low, high = _range(pixels, valid)

    def fill(corner: tuple[int, int]) -> None:
        place = _part(corner[0]), _part(corner[1])
        across, down = _sources(transform, back, place, shape)
        block = _block(pixels, valid, across, down)
        if block is not None:
            values, known = block
            np.clip(values, low, high, out=values)
            if not known.all():
                values[~known] = 0
            result[place], shown[place] = values, known

    tops, lefts = (range(0, side, _WARP_BLOCK) for side in shape)
    in_threads(fill, product(tops, lefts))
    return result, shown


def _part(start: int) -> slice:
    return slice(start, start + _WARP_BLOCK)


def _range(pixels: Array, valid: BoolArray | None) -> tuple[Any, Any]:
    """Return the least and the greatest value."""
    shown = pixels if valid is None or not valid.any() else pixels[valid]
    return shown.min(), shown.max()


def _sources(
    transform: Transform, back: FloatArray, place: tuple[slice, slice], shape: tuple[int, int]
) -> tuple[FloatArray, FloatArray]:
    """Return the source coordinates of the pixels of a block: columns, rows."""
    rows = np.arange(place[0].start, min(place[0].stop, shape[0]), dtype=np.float64)
    cols = np.arange(place[1].start, min(place[1].stop, shape[1]), dtype=np.float64)
    if transform.deformation is not None:
        down, across = np.meshgrid(rows, cols, indexing="ij")
        points = np.column_stack([across.ravel(), down.ravel()])
        ends = carried(back, points + transform.deformation.at(points))
        return ends[:, 0].reshape(across.shape), ends[:, 1].reshape(across.shape)
    depth = (back[2, 0] * cols + back[2, 2]) + (back[2, 1] * rows)[:, None]
    x, y = ((back[k, 0] * cols + back[k, 2]) + (back[k, 1] * rows)[:, None] for k in (0, 1))
    x /= depth
    y /= depth
    return x, y


def _block(
    pixels: Array, valid: BoolArray | None, across: FloatArray, down: FloatArray
) -> tuple[Array, BoolArray] | None:
    cv2 = opencv()
    rows, cols = pixels.shape[:2]
    known = _within(across, cols) & _within(down, rows)
    if not known.any():
        return None
    step = _coarseness(across, down)
    margin = math.ceil(_REACH * max(1.0, step))
    seen = (down, across) if known.all() else (down[known], across[known])
    first = [max(0, math.floor(p.min()) - margin) for p in seen]
    last = [math.ceil(p.max()) + margin + 1 for p in seen]
    source = slice(first[0], last[0]), slice(first[1], last[1])
    # Relative to the part, so that single precision is fine enough.
    maps = (across - first[1]).astype(np.float32), (down - first[0]).astype(np.float32)
    part = _smoothed(pixels[source], step)
    values = _remapped(part, maps)
    if valid is not None:
        some = valid[source].astype(np.float32)
        known &= cv2.remap(some, *maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE) > 0.999
    return values.astype(pixels.dtype, copy=False), known


def _within(places: FloatArray, length: int) -> BoolArray:
    """Return the mask of coordinates that lie on pixels 0 to `length` - 1."""
    return np.asarray((places > -0.5) & (places < length - 0.5))


def _coarseness(across: FloatArray, down: FloatArray) -> float:
    """Return the largest step in the source between neighbouring pixels of the block."""
    steps = [
        float(np.hypot(*(p[-1, -1] - p[k] for p in (across, down)))) / max(1, n - 1)
        for k, n in (((0, -1), across.shape[0]), ((-1, 0), across.shape[1]))
    ]
    return float(max(steps))


def _smoothed(part: Array, step: float) -> Array:
    """Blur a part before reduction, against aliasing."""
    cv2 = opencv()
    part = part.astype(np.float32) if part.dtype == np.float16 else np.ascontiguousarray(part)
    if step < 1.4:
        return part
    sigma = 0.5 * math.sqrt(step**2 - 1)
    return np.asarray(cv2.GaussianBlur(part, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE))


def _remapped(part: Array, maps: tuple[FloatArray, FloatArray]) -> Array:
    cv2 = opencv()

    def one(bands: Array) -> Array:
        found: Any = cv2.remap(bands, *maps, cv2.INTER_LANCZOS4, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(found)

    if part.ndim == 2:
        return one(part)
    # OpenCV takes four bands at a time, and drops the axis of a single one.
    groups = [part[..., k : k + 4] for k in range(0, part.shape[2], 4)]
    done = [one(group).reshape(*maps[0].shape, -1) for group in groups]
    return done[0] if len(done) == 1 else np.concatenate(done, axis=2)
