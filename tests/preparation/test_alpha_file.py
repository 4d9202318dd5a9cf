"""What people hand in as a map (and what they get): a table of files as programs write them."""

from __future__ import annotations

import re

import cv2
import numpy as np
import pytest
import tifffile
from PIL import Image

import osmofuse
from osmofuse import InputError, OsmofuseError, UnreadableError, gallery
from osmofuse.picture import Picture
from osmofuse.preparation import alpha_of_picture, read_alpha, soften

SHAPE = (96, 120)
ROWS, COLS = np.indices(SHAPE)
MASK = np.hypot(ROWS - 44, COLS - 66) < 33  # True keeps the foreground
BYTES = MASK.astype(np.uint8) * 255
SOFT = soften(MASK, 4)
TRIMAP = np.where(SOFT > 0.98, 255, np.where(SOFT < 0.02, 0, 128)).astype(np.uint8)
THREE = TRIMAP / 255
PHOTO = np.round(gallery.portrait(SHAPE).foreground * 255).astype(np.uint8)
SCRIBBLES = np.full((*SHAPE, 3), 255, np.uint8)
SCRIBBLES[40:46, 50:80], SCRIBBLES[4:9, 10:100] = (0, 200, 0), (230, 20, 20)


def pil(pixels, mode=None, **options):
    def save(path):
        picture = Image.fromarray(pixels)
        (picture.convert(mode) if mode else picture).save(path, **options)

    return save


def opencv(pixels, *options):
    def save(path):
        assert cv2.imwrite(str(path), pixels, list(options))

    return save


def tiff(pixels, **options):
    return lambda path: tifffile.imwrite(path, pixels, **options)


def bands(*planes):
    return np.dstack([np.broadcast_to(plane, SHAPE).astype(np.uint8) for plane in planes])


def palette(path):
    picture = Image.fromarray(MASK.astype(np.uint8)).convert("L").convert("P")
    picture.putpalette([0, 0, 0, 128, 0, 0] + [0, 0, 0] * 254)
    picture.save(path)


def labels(path):
    picture = Image.fromarray((MASK + 2 * (COLS > 100)).astype(np.uint8)).convert("P")
    picture.putpalette([0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255] + [0, 0, 0] * 252)
    picture.save(path)


# name, writer; the map; how far it may be off; words of the note, or None if there is none
MAPS = {
    "one bit.png": (pil(BYTES, "1"), MASK, 0, None),
    "one bit.tif": (pil(BYTES, "1"), MASK, 0, None),
    "zeros and ones.png": (pil(MASK.astype(np.uint8)), MASK, 0, None),
    "black and white.png": (pil(BYTES), MASK, 0, None),
    "soft.png": (opencv(np.round(SOFT * 255).astype(np.uint8)), SOFT, 0.002, None),
    "deep.png": (opencv(np.round(SOFT * 65535).astype(np.uint16)), SOFT, 1e-5, None),
    "float.tif": (tiff(SOFT.astype(np.float32)), SOFT, 1e-7, None),
    "double.tif": (tiff(SOFT), SOFT, 0, None),
    "grey in colour bands.png": (pil(bands(BYTES, BYTES, BYTES)), MASK, 0, "3 bands are the same"),
    "opaque layer.png": (pil(bands(BYTES, BYTES, BYTES, 255)), MASK, 0, "3 bands are the"),
    "grey opaque layer.png": (pil(BYTES, "LA"), MASK, 0, None),
    "transparency.png": (pil(bands(255, 255, 255, BYTES)), MASK, 0, "in the transparency"),
    "cut out.png": (pil(np.dstack([PHOTO, BYTES])), MASK, 0, "in the transparency"),
    "palette.png": (palette, MASK, 0, "two colours; the lighter counts as white"),
    "mask.jpg": (opencv(BYTES, cv2.IMWRITE_JPEG_QUALITY, 75), MASK, 0.45, "mask that JPEG"),
    "colour mask.jpg": (
        pil(bands(BYTES, BYTES, BYTES), quality=60), MASK, 0.45, "mask that JPEG",
    ),
    "mask.webp": (pil(BYTES, "RGB", quality=60), MASK, 0.5, "mask that JPEG"),
    "trimap.png": (pil(TRIMAP), THREE, 0, r"a trimap\? It is used as it is, 0.50"),
    "trimap.jpg": (opencv(TRIMAP), THREE, 0.4, "trimap that JPEG"),
    "soft.jpg": (opencv(np.round(COLS * 255 / 119).astype(np.uint8)), COLS / 119, 0.02, None),
    "black.png": (pil(0 * BYTES), 0 * MASK, 0, "all black: the background's structure enters"),
    "white.png": (pil(0 * BYTES + 255), MASK | True, 0, "all white: the foreground is kept"),
    "faint.png": (pil(BYTES // 2), BYTES // 2 / 255, 0, r"alpha is at most 0\.50"),
    "grey photograph.png": (
        pil(PHOTO[..., 0] // 2 + 110), (PHOTO[..., 0] // 2 + 110) / 255, 0,
        r"\d+ grey values and hardly any black",
    ),
}  # fmt: skip

REFUSALS = {
    "photograph.png": (pil(PHOTO), r"a coloured picture, [\d.]+% of its pixels are not grey"),
    "photograph.jpg": (pil(PHOTO), r"a coloured picture, [\d.]+% of its pixels are not grey"),
    "scribbles.png": (pil(SCRIBBLES), r"painted in colours \(9\d% white, .*red.*green\)"),
    "labels.png": (labels, r"painted in colours \(.*black.*red.*green"),
    "two maps.png": (pil(bands(PHOTO[..., 0], PHOTO[..., 0], PHOTO[..., 0], BYTES)),
                     "a picture with transparency, and its colours vary too"),
    "not a number.tif": (tiff(np.where(MASK, np.nan, 0).astype(np.float32)), "NaN or infinite"),
    "float to 255.tif": (tiff(BYTES.astype(np.float32)), r"leave \[0, 1\]; divide by 255\?"),
    "negative.tif": (tiff(SOFT.astype(np.float32) - 0.5), r"from -0.5 to 0.5 leave"),
    "bytes in 16 bits.png": (opencv(BYTES.astype(np.uint16)), "255 of 65535: 8-bit levels"),
}  # fmt: skip


@pytest.mark.parametrize("name", MAPS)
def test_files_that_are_maps(tmp_path, name):
    write, expected, tolerance, words = MAPS[name]
    write(tmp_path / name)
    found = read_alpha(tmp_path / name)
    assert found.alpha.dtype == np.float64
    np.testing.assert_allclose(found.alpha, expected, rtol=0, atol=tolerance)
    if words is None:
        assert found.notes == ()
    else:
        assert any(re.search(words, note) for note in found.notes), found.notes


@pytest.mark.parametrize("name", REFUSALS)
def test_files_that_are_none_are_told_what_was_found(tmp_path, name):
    write, words = REFUSALS[name]
    write(tmp_path / name)
    with pytest.raises(InputError, match=words) as caught:
        read_alpha(tmp_path / name)
    assert name in str(caught.value)


def test_a_file_for_printing_is_unreadable(tmp_path):
    pil(bands(BYTES, BYTES, BYTES), "CMYK")(tmp_path / "print.jpg")
    with pytest.raises(UnreadableError, match=r"print\.jpg"):
        read_alpha(tmp_path / "print.jpg")


@pytest.mark.parametrize("name", ["mask.jpg", "colour mask.jpg", "mask.webp", "trimap.jpg"])
def test_away_from_edges_nothing_of_jpeg_is_left(tmp_path, name):
    write, expected, _, _ = MAPS[name]
    write(tmp_path / name)
    off = read_alpha(tmp_path / name).alpha
    off = np.abs(off - expected) > 0.01
    edge = cv2.dilate(BYTES, np.ones((9, 9))) != cv2.erode(BYTES, np.ones((9, 9)))
    if "trimap" in name:
        edge = cv2.dilate(TRIMAP, np.ones((9, 9))) != cv2.erode(TRIMAP, np.ones((9, 9)))
    assert np.mean(off[~edge]) < 0.001
    assert np.mean(off) < 0.06


def test_the_wrong_size_is_told_before_anything_is_read(tmp_path):
    osmofuse.write(PHOTO, tmp_path / "photo.png")
    osmofuse.write(BYTES[:50], tmp_path / "small.png")
    from osmofuse.jobs import FuseJob

    job = FuseJob(
        tmp_path / "photo.png", tmp_path / "photo.png", tmp_path / "out.png",
        alpha=tmp_path / "small.png",
    )  # fmt: skip
    with pytest.raises(OsmofuseError, match=r"small\.png: .*50") as caught:
        job.run()
    assert caught.value.exit_code == 4


@pytest.mark.parametrize("depth", ["uint8", "uint16", "float32"])
def test_a_coloured_picture_is_no_map(depth):
    white = {"uint8": 255, "uint16": 65535, "float32": 1}[depth]
    planes = (np.dstack([MASK, SOFT, COLS / 119]) * white).astype(depth)
    with pytest.raises(InputError, match=r"^page\.tif: a coloured picture, \d\d\.\d% of its"):
        alpha_of_picture(Picture(planes), name="page.tif")


def test_bands_that_are_nearly_the_same_are_grey(rng):
    noisy = np.clip(BYTES[..., None] + rng.integers(-2, 3, (*SHAPE, 3)), 0, 255).astype(np.uint8)
    found = alpha_of_picture(Picture(noisy), name="scan.png")
    np.testing.assert_allclose(found.alpha, MASK, atol=2 / 255)
    assert "the same up to 0.0" in found.notes[0]


def test_a_lossless_map_is_never_touched(rng):
    levels = rng.integers(0, 256, SHAPE, dtype=np.uint8)
    found = alpha_of_picture(Picture(levels), name="any.png")
    assert np.array_equal(found.alpha, levels / 255)


def test_a_soft_map_in_a_jpeg_is_not_touched_either():
    ramp = np.round(COLS * 255 / 119).astype(np.uint8)
    found = alpha_of_picture(Picture(ramp, lossy=True), name="ramp.jpg")
    assert np.array_equal(found.alpha, ramp / 255)


@pytest.mark.parametrize(
    ("level", "words"),
    [
        (255, "all white: the background's structure enters everywhere"),
        (0, "all black: the foreground is kept everywhere"),
        (128, "alpha is at most 0.50"),
    ],
)
def test_an_inverted_map_is_remarked_upon_as_it_is_used(level, words):
    found = alpha_of_picture(Picture(np.full((9, 8), level, np.uint8)), name="map", invert=True)
    np.testing.assert_array_equal(found.alpha, 1.0 - level / 255)
    assert words in found.notes[0]
