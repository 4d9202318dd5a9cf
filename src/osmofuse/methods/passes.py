"""Methods that go once through the pictures: from a few passes to a fusion.

Such a method is a generator. It yields None after a pass that only prepares, and each channel of
the fused picture as a plane, in order. Between passes the watching function has its turn.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TypeAlias, TypeVar

import numpy as np

from osmofuse.methods.contract import Fusion, Method, Sources, WatchFunction
from osmofuse.optimise import Progress, Status, Watch
from osmofuse.typing import BoolArray, FloatArray

Found = TypeVar("Found")
Passes: TypeAlias = Iterator[FloatArray | None]
Pass: TypeAlias = Generator[None, None, Found]  # passes that prepare, and what they found


def fuse_by_passes(
    method: Method, sources: Sources, passes: Passes, watch: WatchFunction | None
) -> Fusion:
    """Run the passes of a method.

    Where the backgrounds are not valid, the fused picture has the foreground's own values.
    Cancelled, it has them also in the channels that were not reached.
    """
    guard, channel = Watch(watch), 0
    known = True if sources.valid is None else sources.valid
    image: FloatArray = np.empty((*sources.shape, sources.channels), sources.dtype)
    for c in range(sources.channels):
        sources.image(0, c, sources.dtype, image[..., c])
    for count, plane in enumerate(passes, 1):
        if plane is not None:
            np.copyto(image[..., channel], plane, casting="same_kind", where=known)
            channel += 1
        if channel == sources.channels:
            break
        guard.tell(Progress(channel, sources.channels, count, 0.0, None, 0.0))
        guard.pulse()
        if guard.cancelled:
            break
    return Fusion(
        image=image.reshape(sources.foreground.shape),
        structure=None,
        energy=None,
        reach=None,
        history=(),
        status=Status.direct if channel == sources.channels else Status.cancelled,
        seconds=guard.seconds,
        method=method,
    )


def fill(plane: FloatArray, foreground: FloatArray, sources: Sources) -> None:
    """Put the foreground's values where a background's plane is not valid.

    To a filter a hole would be something dark, with edges.
    """
    if sources.valid is not None:
        np.copyto(plane, foreground, where=~sources.valid)


def is_own(sources: Sources, source: int, radius: int) -> BoolArray | bool:
    """Tell where all samples of a source up to a radius are its own, not filled in.

    Elsewhere what a filter of that radius finds may be the seam of the filling.
    """
    if source == 0 or sources.valid is None:
        return True
    from scipy.ndimage import minimum_filter

    return np.asarray(minimum_filter(sources.valid, 2 * radius + 1, mode="nearest"))
