"""Descriptions and limits come from the header: nothing is decoded, allocated or waited for."""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest
import tifffile
from PIL import Image

from osmofuse.errors import LimitError, UnreadableError
from osmofuse.io import Description, Limits, describe, read, write
from osmofuse.picture import Picture
from picture_files import GREY_PROFILE, PROFILE, exif, full, noise


def test_all_that_is_said_of_a_png(tmp_path):
    picture = full(noise((5, 7, 4), "uint16"), transparency=True)
    path = write(picture, tmp_path / "a.png")
    found = describe(path)
    assert found.resolution == pytest.approx((11.8, 23.6), rel=1e-3)
    assert found == Description(
        path=path, format="png", format_of_name=None, rows=5, cols=7, bands=4, depth="uint16",
        transparency=True, profile="sP3C", resolution=found.resolution, orientation=1, page=1,
        pages=1, levels=1, tiled=False, compression="deflate", geo=None, nodata=None,
        decoded_bytes=280,
    )  # fmt: skip
    assert found.has_alpha


@pytest.mark.parametrize("suffix", [".jpg", ".webp", ".png", ".tif"])
def test_rows_and_columns_are_those_of_the_upright_picture(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    options = {"exif": b"Exif\0\0" + exif(_274=6)} if suffix != ".tif" else {"tiffinfo": {274: 6}}
    Image.fromarray(noise((5, 7, 3), "uint8")).save(path, **options)
    found = describe(path)
    assert (found.rows, found.cols, found.orientation) == (7, 5, 6)


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".tif"])
def test_the_resolution_is_that_of_the_upright_picture(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    options = {"exif": b"Exif\0\0" + exif(_274=6)} if suffix != ".tif" else {"tiffinfo": {274: 6}}
    Image.fromarray(noise((5, 7, 3), "uint8")).save(path, dpi=(254, 508), **options)
    assert describe(path).resolution == pytest.approx((10.0, 20.0), rel=1e-3)
    assert read(path).metadata.resolution == pytest.approx((10.0, 20.0), rel=1e-3)


def test_compressions_and_profiles(tmp_path):
    assert describe(write(noise((5, 7, 3), "uint8"), tmp_path / "a.jpg")).compression == "jpeg"
    assert describe(write(noise((5, 7, 3), "uint8"), tmp_path / "a.webp")).compression == "webp"
    grey = Picture(noise((5, 7), "float64"), GREY_PROFILE)
    assert describe(write(grey, tmp_path / "a.tif")).profile == "Grey 2.2"
    assert describe(write(Picture(noise((5, 7, 3), "uint8")), tmp_path / "b.tif")).profile is None
    assert PROFILE != GREY_PROFILE


def test_geography_in_words(tmp_path):
    keys = (1, 1, 0, 1, 3072, 0, 1, 32633)
    tags = [(33550, "d", 3, (0.5, 0.5, 0.0), True), (34735, "H", 8, keys, True)]
    tifffile.imwrite(tmp_path / "a.tif", noise((5, 7), "int16"), extratags=tags, metadata=None)
    assert describe(tmp_path / "a.tif").geo == "projected EPSG:32633, pixel scale"


def test_pixels_are_not_decoded(tmp_path):
    path = write(noise((400, 500, 3), "uint16"), tmp_path / "a.png")
    path.write_bytes(path.read_bytes()[:2000])
    assert describe(path).rows == 400


def test_an_animation_has_pages(tmp_path):
    frames = [Image.fromarray(noise((8, 9, 3), "uint8") // part) for part in (1, 2, 3)]
    frames[0].save(tmp_path / "a.webp", save_all=True, append_images=frames[1:], lossless=True)
    assert describe(tmp_path / "a.webp").pages == 3
    assert describe(tmp_path / "a.webp").rows == 8


def test_orientation_out_of_range_is_upright(tmp_path):
    tags = [(274, "H", 1, 77, True)]
    for dtype in ("uint16", "float64"):
        tifffile.imwrite(tmp_path / "a.tif", np.zeros((5, 7), dtype), extratags=tags, metadata=None)
        assert describe(tmp_path / "a.tif").orientation == 1


@pytest.mark.parametrize("content", [b"", b"II*\0", b"II*\0\x08\0\0\0", b"\x89PNG\r\n\x1a\n"])
def test_refusals_name_the_file(tmp_path, content):
    (tmp_path / "a.tif").write_bytes(content)
    with pytest.raises(UnreadableError, match=r"a\.tif: "):
        describe(tmp_path / "a.tif")


def test_describing_needs_no_kernels_and_no_tifffile(tmp_path):
    path = write(noise((5, 7), "uint16"), tmp_path / "a.tif")
    code = (
        "import sys; from osmofuse.io import describe; describe(sys.argv[1]);"
        "sys.exit(bool({'numba', 'scipy', 'tifffile'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == 0


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
