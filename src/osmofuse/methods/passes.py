"""Methods that process the pictures in a few passes.

Such a method is a generator. It yields None after a pass that only prepares, and each channel of
the fused picture as a plane, in order. The watching function is called between passes.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import TypeAlias, TypeVar

import numpy as np

from osmofuse.methods.contract import Fusion, Method
from osmofuse.methods.sources import Sources
from osmofuse.pixels import scaled
from osmofuse.progress import Guard, Progress, Status, worst
from osmofuse.typing import FloatArray

Found = TypeVar("Found")
Passes: TypeAlias = Iterator[FloatArray | None]
Pass: TypeAlias = Generator[None, None, Found]  # passes that prepare, and their result


def fuse_by_passes(
    method: Method,
    sources: Sources,
    passes: Passes,
    guard: Guard,
    *,
    found: Sequence[Status] = (Status.direct,),
    keep_holes: bool = True,
) -> Fusion:
    """Run the passes of a method.

    The iterator yields None or the next channel; after the last channel it is not resumed. The
    guard is called before every pass, and a long pass may call it too; planes yielded after a
    cancel are dropped. With `keep_holes` the result has the foreground's own bits where the
    backgrounds are not valid. The status is the worst of `found`, to which passes may add, or
    ``cancelled`` with the foreground in the channels that were not finished.
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
        status=Status.cancelled if guard.cancelled else worst(found),
        seconds=guard.seconds,
        method=method,
    )
