"""Geography: pixels stay where they are on the earth, however the picture is turned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import tifffile

from osmofuse.io import describe, read, write
from osmofuse.io.geography import placed_like
from osmofuse.picture import Metadata
from picture_files import TURNS, noise

SCALE, POINT = (0.5, 0.25, 0.0), (2.0, 1.0, 0.0, 440720.0, 3751320.0, 0.0)
MATRIX = (0.4, 0.1, 0, 7e5, 0.1, -0.3, 0, 4e6, 0, 0, 0, 0, 0, 0, 0, 1)
STORED = np.arange(35, dtype=np.uint16).reshape(5, 7)


def place(tags, centre):
    """Return where the centre of each pixel lies, by its tags alone."""
    rows, cols = tags[257].value, tags[256].value
    half = 0.0 if centre else 0.5
    r, c = np.meshgrid(np.arange(rows) + half, np.arange(cols) + half, indexing="ij")
    if 34264 in tags:
        m = tags[34264].value
        return np.stack([m[0] * c + m[1] * r + m[3], m[4] * c + m[5] * r + m[7]], -1)
    (sx, sy, _), (i, j, _, x, y, _) = tags[33550].value, tags[33922].value
    return np.stack([x + (c - i) * sx, y - (r - j) * sy], -1)


@pytest.mark.parametrize("orientation", TURNS)
@pytest.mark.parametrize("centre", [False, True])
@pytest.mark.parametrize("how", ["scale", "matrix"])
def test_every_pixel_stays_where_it_is(tmp_path, orientation, centre, how):
    keys = (1, 1, 0, 2, 1025, 0, 1, 2 if centre else 1, 3072, 0, 1, 32633)
    placed = {"scale": [(33550, "d", 3, SCALE, True), (33922, "d", 6, POINT, True)],
              "matrix": [(34264, "d", 16, MATRIX, True)]}[how]  # fmt: skip
    tifffile.imwrite(
        tmp_path / "a.tif", STORED, metadata=None,
        extratags=[*placed, (34735, "H", 12, keys, True), (274, "H", 1, orientation, True)],
    )  # fmt: skip
    write(read(tmp_path / "a.tif"), tmp_path / "b.tif")
    where = []
    for name in ("a.tif", "b.tif"):
        with tifffile.TiffFile(tmp_path / name) as file:
            page = file.pages[0]
            coordinates = place(page.tags, centre).reshape(-1, 2)
            where.append(coordinates[np.argsort(page.asarray(), axis=None)])
    np.testing.assert_allclose(where[1], where[0], rtol=0, atol=1e-6)
    assert describe(tmp_path / "b.tif").geo.startswith("projected EPSG:32633")


@pytest.mark.parametrize("orientation", TURNS)
def test_tie_points_move_with_their_pixels(tmp_path, orientation):
    points = [(0.5, 0.5, 0, 10, 20, 0), (6.5, 0.5, 0, 11, 21, 0), (2.5, 4.5, 0, 12, 22, 0)]
    tifffile.imwrite(
        tmp_path / "a.tif", STORED, metadata=None,
        extratags=[(33922, "d", 18, np.ravel(points).tolist(), True),
                   (274, "H", 1, orientation, True)],
    )  # fmt: skip
    write(read(tmp_path / "a.tif"), tmp_path / "b.tif")
    with tifffile.TiffFile(tmp_path / "b.tif") as file:
        page = file.pages[0]
        moved = np.reshape(page.tags[33922].value, (3, 6))
        pixels = page.asarray()
    for (c, r, *_), (c2, r2, *_), point in zip(points, moved, points, strict=True):
        assert pixels[int(r2), int(c2)] == STORED[int(r), int(c)], point
    np.testing.assert_array_equal(moved[:, 3:], np.array(points)[:, 3:])


def test_rational_polynomials_are_kept_only_where_they_are_right(tmp_path):
    for orientation in (1, 6):
        tags = [(50844, "d", 92, (1.0,) * 92, True), (274, "H", 1, orientation, True)]
        tifffile.imwrite(tmp_path / "a.tif", noise((5, 7), "int16"), extratags=tags, metadata=None)
        assert describe(tmp_path / "a.tif").geo == "rational polynomials"
        path = write(read(tmp_path / "a.tif"), tmp_path / "b.tif", overwrite=True)
        assert (describe(path).geo is None) == (orientation == 6)


def test_what_is_laid_over_another_takes_its_place(tmp_path):
    matrix = [(34264, "d", 16, MATRIX, True), (315, "s", 0, "Ada", True)]
    scale = [(33550, "d", 3, SCALE, True), (33922, "d", 6, POINT, True), (271, "s", 0, "Bo", True)]
    for name, tags in (("background", matrix), ("foreground", scale)):
        tifffile.imwrite(tmp_path / f"{name}.tif", STORED, metadata=None, extratags=tags)
    background, foreground = (
        read(tmp_path / f"{name}.tif") for name in ("background", "foreground")
    )
    placed = replace(background, metadata=placed_like(background.metadata, foreground.metadata))
    with tifffile.TiffFile(write(placed, tmp_path / "out.tif")) as file:
        tags = file.pages[0].tags
        assert 34264 not in tags
        assert 271 not in tags
        assert tags[33550].value == SCALE
        assert tags[315].value == "Ada"


def test_what_is_laid_over_another_takes_its_resolution():
    for theirs in ((4.0, 5.0), None):
        placed = placed_like(Metadata(resolution=(2.0, 3.0)), Metadata(resolution=theirs))
        assert placed.resolution == theirs
