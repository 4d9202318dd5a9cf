"""Raw files of cameras, developed by LibRaw (extra ``raw``) into linear light."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from osmofuse.errors import MissingExtraError
from osmofuse.typing import Array

# Remark on pictures that were developed.
NOTE = "a raw file, developed by LibRaw: camera white balance, linear light, sRGB primaries, 16 bit"
_TURNED = (5, 6)  # LibRaw's codes for quarter turns, which it applies itself


def size_of_raw(path: Path, kind: str) -> tuple[int, int]:
    """Return rows and columns of a raw file, upright; `kind` names its kind in messages."""
    with _opened(path, kind) as file:
        sizes = file.sizes
        rows, cols = sizes.iheight, sizes.iwidth
        return (cols, rows) if sizes.flip in _TURNED else (rows, cols)


def develop(path: Path, kind: str) -> Array:
    """Develop a raw file: (rows, cols, 3) of uint16, proportional to light.

    White is the camera's white level, not the picture's maximum.
    """
    with _opened(path, kind) as file:
        array = file.postprocess(
            use_camera_wb=True,
            gamma=(1, 1),
            no_auto_bright=True,
            adjust_maximum_thr=0.0,
            output_bps=16,
        )
        return np.ascontiguousarray(array)


@contextmanager
def _opened(path: Path, kind: str) -> Iterator[Any]:
    try:
        import rawpy
    except ImportError as error:
        raise MissingExtraError(
            f"{path}: holds {kind}, which must be developed first; install rawpy with "
            'pip install "osmofuse[raw]", or export a TIFF from a raw converter'
        ) from error
    try:
        with path.open("rb") as stream, rawpy.imread(stream) as file:
            yield file
    except rawpy.LibRawError as error:
        raise ValueError(f"LibRaw: {error}") from error
