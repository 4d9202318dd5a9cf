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
from osmofuse.maps import (
    alpha_of_picture,
    read_alpha,
    read_trimap,
    soften,
    trimap_of_mask,
    trimap_of_picture,
)
from osmofuse.maps.map_file import (
    _without_jpeg_errors,
    is_painted,
    mask_of_two,
    middle_level,
    painted_words,
    strokes_in,
)
from osmofuse.picture import Picture

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


DISC = np.hypot(*(np.indices((80, 90)) - np.array([40, 45])[:, None, None])) < 25
DISC_TRIMAP = trimap_of_mask(DISC, 6)
DISC_BYTES = np.round(DISC_TRIMAP * 255).astype(np.uint8)


@pytest.mark.parametrize("grey", [60, 127, 128, 200])
def test_three_greys_are_a_trimap(tmp_path, grey):
    path = osmofuse.write(
        np.where(DISC_BYTES == 128, grey, DISC_BYTES).astype(np.uint8),
        tmp_path / "t.png",
    )
    found = read_trimap(path)
    assert np.array_equal(found.alpha, DISC_TRIMAP)
    assert found.notes == ()


def test_so_they_are_in_a_jpeg(tmp_path):
    cv2.imwrite(str(tmp_path / "t.jpg"), DISC_BYTES, [cv2.IMWRITE_JPEG_QUALITY, 70])
    found = read_trimap(tmp_path / "t.jpg")
    assert np.mean(found.alpha != DISC_TRIMAP) < 0.05
    assert "nearly black or white" in found.notes[0]


def test_scribbles_in_green_and_red_are_one_too(tmp_path):
    painted = np.full((80, 90, 3), 255, np.uint8)
    painted[35:45, 40:50], painted[2:6] = (20, 180, 30), (250, 10, 10)
    found = read_trimap(osmofuse.write(painted, tmp_path / "s.png"))
    expected = np.full((80, 90), 0.5)
    expected[35:45, 40:50], expected[2:6] = 1, 0
    assert np.array_equal(found.alpha, expected)
    assert "1.4% of the pixels are green and 5.0% red" in found.notes[0]
    layer = np.dstack([painted, np.where(expected == 0.5, 0, 255).astype(np.uint8)])
    layer[..., :3][expected == 0.5] = (0, 255, 0)  # what lies under nothing does not count
    transparent = trimap_of_picture(Picture(layer, transparency=True), name="layer.png")
    assert np.array_equal(transparent.alpha, expected)


def test_a_mask_is_told_that_nothing_is_open():
    with pytest.raises(InputError, match=r"^m\.png: 2 grey values, black and white but no grey"):
        trimap_of_picture(Picture(DISC.astype(np.uint8) * 255), name="m.png")


def test_a_soft_map_is_asked_whether_it_is_a_trimap():
    soft = np.round(soften(DISC, 5) * 255).astype(np.uint8)
    count = len(np.unique(soft))
    with pytest.raises(InputError, match=rf"{count} grey values: did you mean a trimap\?"):
        trimap_of_picture(Picture(soft), name="m.png")


def test_strokes_of_one_colour_are_not_enough():
    painted = np.full((80, 90, 3), 255, np.uint8)
    painted[2:6] = (250, 10, 10)
    with pytest.raises(InputError, match=r"5% red\), but nothing in green"):
        trimap_of_picture(Picture(painted), name="s.png")


PAPER = np.ones((20, 30, 3))


def painted(*colours):
    page = PAPER.copy()
    for k, colour in enumerate(colours):
        page[4 * k : 4 * k + 4] = colour
    return page


def test_two_colours_are_a_mask_of_the_lighter():
    page = np.zeros((4, 5, 3), np.uint8)
    page[1:3, 2] = (128, 0, 0)
    mask = mask_of_two(page)
    assert mask.sum() == 2
    assert mask[1:3, 2].all()
    assert np.array_equal(mask_of_two(page[::-1]), mask[::-1])


@pytest.mark.parametrize("page", [PAPER, painted((1, 0, 0), (0, 1, 0)), painted((1, 0, 0))[:8]])
def test_one_three_or_equally_light_colours_are_none(page):
    page = page.copy()
    page[page.sum(axis=2) == 3] = (0, 1, 0) if len(page) == 8 else (1, 1, 1)
    assert mask_of_two(page) is None


def test_few_colours_are_a_painting(rng):
    assert is_painted(painted((1, 0, 0), (0, 0.8, 0)))
    assert not is_painted(painted((0.5, 0.5, 0.5)))
    assert not is_painted(rng.random((20, 30, 3)))
    assert painted_words(painted((1, 0, 0))) == "80% white, 20% red"


def test_strokes_are_green_and_red():
    kept, entered = strokes_in(painted((0.9, 0.1, 0), (0.1, 0.7, 0.2), (0, 0, 1)), "s.png")
    assert entered[:4].all()
    assert kept[4:8].all()
    assert not (kept | entered)[8:].any()
    with pytest.raises(InputError, match=r"s\.png: .*nothing in red"):
        strokes_in(painted((0, 1, 0)), "s.png")


@pytest.mark.parametrize(("share", "is_mask"), [(0.15, True), (0.3, False)])
def test_a_mask_has_few_pixels_between_its_levels(rng, share, is_mask):
    blurred = rng.choice([0.05, 0.95], 1000)
    count = round(share * 1000)
    blurred[:count] = np.linspace(0.2, 0.8, count)
    found, notes = _without_jpeg_errors(blurred[None])
    assert bool(notes) == is_mask
    np.testing.assert_array_equal(np.isin(found[0, count:], (0, 1)), is_mask)
    np.testing.assert_array_equal(found[0, :count], blurred[:count])


@pytest.mark.parametrize(("share", "level"), [(0.85, 0.4), (0.7, None)])
def test_a_trimap_has_one_level_between_black_and_white(share, level):
    between = np.full(100, 0.4)
    between[: round((1 - share) * 100)] = 0.7
    assert middle_level(between) == level
