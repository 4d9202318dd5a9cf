"""Arrays as images of libvips and back."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse.io.libvips import attach, blob, depth_of, image_of, pixels_of, reason, vips
from picture_files import noise


@pytest.mark.parametrize("shape", [(1, 1), (3, 4), (1, 1, 3), (2, 3, 5)])
@pytest.mark.parametrize("dtype", ["uint8", ">u2", "int16", "float32", "float64"])
def test_there_and_back(shape, dtype):
    pixels = noise(shape, "uint8").astype(dtype)
    image = image_of(pixels, (2.0, 3.0))
    found = pixels_of(image)
    np.testing.assert_array_equal(found, pixels)
    assert found.dtype == depth_of(image) == pixels.dtype.newbyteorder("=")
    assert (image.yres, image.xres) == (2, 3)


def test_blobs():
    image = image_of(np.zeros((2, 2), np.uint8)).copy()
    attach(image, {"xmp-data": b"<x/>", "exif-data": None})
    assert (blob(image, "xmp-data"), blob(image, "exif-data")) == (b"<x/>", None)


def test_a_reason_is_told_once():
    assert reason(ValueError("a\n b \na\n\nc\nd")) == "a; b; c"


def test_loaders_that_are_not_fuzzed_are_blocked(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"1,2")
    with pytest.raises(vips().Error, match="blocked"):
        vips().Image.csvload(str(path))
