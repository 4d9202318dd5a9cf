"""Fusing one channel after the other, for methods that have no energy to bring down."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from osmofuse.methods.contract import Fusion, Method, Sources, WatchFunction
from osmofuse.optimise import Progress, Status, Watch
from osmofuse.typing import FloatArray


def fuse_channels(
    method: Method,
    sources: Sources,
    watch: WatchFunction | None,
    planes: Callable[[Watch], Iterator[FloatArray]],
) -> Fusion:
    """Return the fusion whose channels are given one by one.

    Parameters
    ----------
    method : Method
        What they are made with.
    sources : Sources
        The pictures.
    watch : callable or None
        Called between the channels; where it cancels, channels that are not finished are
        the foreground's.
    planes : callable
        Yields the channels. It is given the guard of the watch, to pulse it between passes;
        what it yields once that is cancelled is dropped.

    Returns
    -------
    Fusion
        With status ``direct``, or ``cancelled``.
    """
    guard, channels = Watch(watch), sources.channels
    image: FloatArray = np.empty((*sources.shape, channels), sources.dtype)
    fused = planes(guard)
    for c in range(channels):
        guard.tell(Progress(c, channels, 0, 0.0, None, 0.0))
        guard.pulse()
        plane = None if guard.cancelled else next(fused)
        kept = plane is None or guard.cancelled
        image[..., c] = sources.image(0, c, sources.dtype) if kept else plane
    return Fusion(
        image=image.reshape(sources.foreground.shape),
        structure=None,
        energy=None,
        reach=None,
        history=(),
        status=Status.cancelled if guard.cancelled else Status.direct,
        seconds=guard.seconds,
        method=method,
    )
