"""Methods that go through the pictures in a few passes: from passes to a fusion.

Such a method is a generator. It yields None after a pass that only prepares, and each channel of
the fused picture as a plane, in order. Between passes the watching function has its turn.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TypeAlias, TypeVar

import numpy as np

from osmofuse.methods.contract import Fusion, Method
from osmofuse.methods.sources import Sources
from osmofuse.pixels import scaled
from osmofuse.progress import Guard, Progress, Status
from osmofuse.typing import FloatArray

Found = TypeVar("Found")
Passes: TypeAlias = Iterator[FloatArray | None]
Pass: TypeAlias = Generator[None, None, Found]  # passes that prepare, and what they found


def fuse_by_passes(
    method: Method, sources: Sources, passes: Passes, guard: Guard, *, keep_holes: bool = True
) -> Fusion:
    """Run the passes of a method.

    Parameters
    ----------
    method : Method
        Whose they are.
    sources : Sources
        The pictures.
    passes : iterator of array or None
        Yields None or the next channel; no further pass is run after the last of them.
    guard : Guard
        Has its turn before every pass. A pass that is long may pulse it too; what is yielded
        after a cancel is dropped.
    keep_holes : bool
        Where the backgrounds are not valid, put the foreground's own bits over what was
        yielded.

    Returns
    -------
    Fusion
        With status ``direct``; or ``cancelled``, and then with the foreground in the channels
        that were not finished.
    """
    image = scaled(sources.foreground, sources.dtype).reshape(*sources.shape, -1)
    known = sources.valid if keep_holes and sources.valid is not None else True
    channel = count = 0
    while channel < sources.channels:
        guard.tell(Progress(channel, sources.channels, count, None, None, 0.0))
        plane = next(passes) if guard.beat() else None
        if guard.cancelled:
            break
        count += 1
        if plane is not None:
            np.copyto(image[..., channel], plane, casting="same_kind", where=known)
            channel += 1
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
