"""Limits are checked from the header: nothing is decoded, allocated or waited for."""

from __future__ import annotations

import struct
import zlib

import pytest
import tifffile

from osmofuse.errors import LimitError
from osmofuse.io import Limits, read, write
from picture_files import noise


@pytest.mark.parametrize("isolated", [False, True])
@pytest.mark.parametrize("limit", ["pixels", "bands", "bytes"])
def test_each_limit_names_the_file_and_the_fix(tmp_path, limit, isolated):
    path = write(noise((6, 7, 3), "uint16"), tmp_path / "a.tif")
    most = {"pixels": 42, "bands": 3, "bytes": 252}[limit]
    assert read(path, limits=Limits(**{limit: most}), isolated=isolated).shape == (6, 7)
    with pytest.raises(LimitError, match=rf"a\.tif: {most} {limit} .*Limits\({limit}={most}\)"):
        read(path, limits=Limits(**{limit: most - 1}), isolated=isolated)


def bomb(rows, cols):
    """Declare a PNG of any size, with no pixels in it."""
    header = b"IHDR" + struct.pack(">IIBBBBB", cols, rows, 16, 2, 0, 0, 0)
    chunks = [header, b"IDAT" + zlib.compress(bytes(1000)), b"IEND"]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
        for chunk in chunks
    )


def test_the_defaults_stop_a_bomb(tmp_path):
    (tmp_path / "a.png").write_bytes(bomb(60_000, 60_000))
    with pytest.raises(LimitError, match="3,600,000,000 pixels"):
        read(tmp_path / "a.png")


def test_the_defaults_stop_a_thousand_bands(tmp_path):
    tifffile.imwrite(
        tmp_path / "a.tif", noise((4, 4, 1000), "uint8"), photometric="minisblack",
        planarconfig="contig", metadata=None,
    )  # fmt: skip
    with pytest.raises(LimitError, match="1,000 bands"):
        read(tmp_path / "a.tif")


def test_a_tile_beyond_the_picture_counts(tmp_path):
    tifffile.imwrite(tmp_path / "a.tif", noise((8, 8), "float64"), tile=(2048, 2048))
    with pytest.raises(LimitError, match="33,554,432 bytes"):
        read(tmp_path / "a.tif", limits=Limits(bytes=1_000_000))


def test_a_hundred_megapixels_are_allowed():
    assert Limits().pixels >= 100_000_000
    assert Limits().bytes >= 100_000_000 * 3 * 4
