"""Padded planes of the flow, with the mean and the minimum of the target.

For the product of two pictures they are computed from stored samples in two passes. All else takes
the general way of `osmofuse.methods.planes.channels_of`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from osmofuse.energies import Channel
from osmofuse.linalg import inside
from osmofuse.linalg.stencil import zeros
from osmofuse.methods.plane_kernels import multiply_powers, read
from osmofuse.methods.planes import Reading, channels_of, chromatic_mean, initial
from osmofuse.methods.sources import Sources
from osmofuse.methods.targets import Product
from osmofuse.pixels import StoredMap, plane_of, white_of
from osmofuse.typing import FloatArray

# With larger offsets, ratios of pictures are far from the limits of single precision.
LEAST_OFFSET = 1e-20


@dataclass(frozen=True, eq=False)
class FlowChannel:
    """Padded planes of a channel, with the mean and the minimum of the target."""

    planes: Channel
    mean: float
    lowest: float


def flow_channels(sources: Sources, reading: Reading) -> Iterator[FlowChannel]:
    """Yield the planes of each channel."""
    if is_direct(sources, reading):
        yield from _direct(sources, reading)
        return
    for c in channels_of(sources, reading, padded=True):
        w = inside(c.w, sources.shape)
        yield FlowChannel(c, float(w.mean(dtype=np.float64)), float(w.min()))


def is_direct(sources: Sources, reading: Reading) -> bool:
    """Return True for the product of two whole pictures in single precision, as they are stored."""
    return (
        isinstance(reading.target, Product)
        and reading.dtype is np.float32
        and not any(reading.single)
        and min(reading.offsets) >= LEAST_OFFSET
        and sources.count == 2
        and sources.valid is None
        and (reading.band != "coarse" or not sources.is_one_band(1))
    )


def _direct(sources: Sources, reading: Reading) -> Iterator[FlowChannel]:
    """Yield the planes of each channel, made from stored samples.

    Channels share the plane of alpha if there is one map for all, and f is the start if it can be.
    """
    shape, stored, weights = sources.shape, sources.maps[0], None
    tinted = _over_mean_colour(sources, reading)
    for c in range(sources.channels):
        f, w = zeros(shape), zeros(shape)
        _read_picture(f, sources, 0, c, reading.offsets[0])
        if weights is None or stored.bands > 1 or reading.held:
            weights = zeros(shape)
            _read_map(weights, stored, c, shape)
        if tinted is None:
            _read_picture(w, sources, 1, c, reading.offsets[1])
        else:
            np.multiply(tinted, f, out=w)
        start = f if reading.start == "foreground" else zeros(shape)
        if reading.start in {"composite", "means"}:
            x, y, alpha = (inside(plane, shape) for plane in (f, w, weights))
            inside(start, shape)[...] = initial([x, y], [alpha, np.float32(1.0) - alpha], reading)
        mean, lowest = multiply_powers(w, f, weights, shape)
        if reading.start == "target":
            np.copyto(start, w)
        if reading.held:
            np.equal(weights, 1.0, out=weights)
        yield FlowChannel(Channel(f, weights, w, start), mean, lowest)


def _read_picture(
    plane: FloatArray, sources: Sources, source: int, channel: int, offset: float
) -> None:
    """Set a plane to a channel of a source, plus the offset."""
    array = sources.pictures[source]
    read(plane, plane_of(array, channel), white_of(array.dtype, "array"), offset)


def _read_map(plane: FloatArray, stored: StoredMap, channel: int, shape: tuple[int, int]) -> None:
    """Set a plane to a channel of a map, or to a number."""
    if stored.samples.ndim < 2:
        inside(plane, shape)[...] = stored.samples
    else:
        read(plane, plane_of(stored.samples, channel), stored.white)


def _over_mean_colour(sources: Sources, reading: Reading) -> FloatArray | None:
    """Return a background of one band divided by the mean of the foreground's channels.

    Times a channel of the foreground it has the foreground's chromaticity. None if it is to have
    its own colours, or none.
    """
    if reading.band == "repeat" or not sources.is_one_band(1):
        return None
    plane = zeros(sources.shape)
    _read_picture(plane, sources, 1, 0, reading.offsets[1])
    inside(plane, sources.shape)[...] /= chromatic_mean(sources, reading.offsets[0], np.float32)
    return plane
