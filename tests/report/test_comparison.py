"""The sheets of a comparison: who is on them, where they look, and one scale for all maps."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from osmofuse.errors import InputError, SettingError
from osmofuse.report import comparison, contact_sheet, zoom_sheet
from osmofuse.report.colours import coloured
from osmofuse.tasks import Comparison

SHAPE = (40, 60)


def found(name, image, seconds=0.25):
    fusion = None if image is None else SimpleNamespace(image=image, seconds=seconds)
    return Comparison(name, fusion, {}, None if image is not None else "it could not")


def solid(*colour):
    return np.broadcast_to(np.array(colour), (*SHAPE, 3))


@pytest.fixture
def panels(monkeypatch):
    """Keep what is handed to the sheet beneath."""
    kept = {}

    def keep(given, **options):
        kept.update(options, panels=given)
        return np.zeros((1, 1, 3), np.uint8)

    monkeypatch.setattr(comparison, "side_by_side", keep)
    return kept


GREY = solid(0.5, 0.5, 0.5)
RED = solid(0.8, 0.4, 0.4)


def test_the_contact_sheet_shows_the_pair_and_who_made_a_picture_in_which_time(panels):
    made = [found("one", RED, 0.25), found("two", None), found("three", GREY, 61.4)]
    contact_sheet(made, GREY, np.full(SHAPE, 0.3))
    captions = [caption for caption, _ in panels["panels"]]
    assert captions == ["Foreground", "Background", "one (0.25 s)", "three (61 s)"]
    np.testing.assert_array_equal(panels["panels"][2][1], RED)


def test_the_zoom_looks_where_the_map_is_low(panels):
    alpha = np.ones(SHAPE)
    alpha[10:20, 30:50] = 0.4
    ramp = np.indices(SHAPE).transpose(1, 2, 0) / 100
    u = np.dstack([ramp, ramp[..., :1]])
    zoom_sheet([found("one", u)], GREY, alpha)
    shown = panels["panels"][0][1]
    times = shown.shape[1] // 26
    part = shown[::times, ::times]
    assert part.shape[:2] == (14, 26), "a tenth and a pixel more on every side"
    np.testing.assert_allclose(part[0, 0], u[8, 27], atol=0.5 / 255)


@pytest.mark.parametrize("alpha", [0.7, np.ones(SHAPE), np.full((*SHAPE, 3), 0.6)])
def test_the_zoom_looks_everywhere_if_the_map_is_low_nowhere(panels, alpha):
    zoom_sheet([found("one", RED)], GREY, alpha)
    times = 480 // 60
    assert panels["panels"][0][1].shape == (SHAPE[0] * times, SHAPE[1] * times, 3)


def test_the_maps_have_one_scale_and_their_own_means(panels):
    box = slice(0, 20), slice(0, 20)
    zoom_sheet([found("same", GREY), found("red", RED)], GREY, 0.5, box=box)
    zooms, maps = panels["panels"][:2], panels["panels"][2:]
    assert [caption for caption, _ in zooms] == ["same", "red"]
    assert maps[0][0] == "error 0.0000"
    # Chromaticities of 8-bit samples, a grey level added: 205, 103, 103 against grey.
    c = np.array([205, 103, 103]) / np.prod([205.0, 103, 103]) ** (1 / 3)
    expected = np.abs(c - 1).mean()
    assert maps[1][0] == f"error {expected:.4f}"
    assert panels["bar"].highest == pytest.approx(expected, rel=0.05)
    np.testing.assert_array_equal(maps[0][1][0, 0], coloured(np.zeros(1), 1.0)[0])
    assert maps[1][1].mean() > maps[0][1].mean()


@pytest.mark.parametrize(("count", "columns"), [(1, 1), (4, 4), (5, 3), (6, 3), (7, 4), (9, 3)])
def test_each_row_of_maps_stands_below_its_zooms(panels, count, columns):
    zoom_sheet([found(f"m{i}", RED) for i in range(count)], GREY, 0.5)
    assert panels["columns"] == columns
    captions = [caption for caption, _ in panels["panels"]]
    rows = [captions[i : i + columns] for i in range(0, len(captions), columns)]
    for zooms, maps in zip(rows[::2], rows[1::2], strict=True):
        for zoom, below in zip(zooms, maps, strict=True):
            assert below.startswith("error") == bool(zoom)


def test_the_sheet_itself_is_drawn_with_a_bar_and_empty_places():
    sheet = zoom_sheet([found(f"m{i}", RED) for i in range(5)], GREY, 0.5)
    assert sheet.dtype == np.uint8
    assert sheet.shape[2] == 3
    brightest = np.rint(255 * coloured(np.ones(1), 1.0)[0]).astype(np.uint8)
    assert (sheet == brightest).all(axis=2).any(), "the end of the colour bar"


def test_a_narrow_sheet_is_as_wide_as_its_bar():
    box = slice(0, SHAPE[0]), slice(0, 2)
    sheet = zoom_sheet([found("one", RED)], GREY, 0.5, box=box)
    right = np.flatnonzero((sheet < 128).all(axis=2).any(axis=0))[-1]
    assert 0 < right < sheet.shape[1] - 14, "the last letters, and a margin"
    brightest = np.rint(255 * coloured(np.ones(1), 1.0)[0]).astype(np.uint8)
    assert (sheet == brightest).all(axis=2).any(), "the end of the colour bar"


def test_without_colours_without_pictures_or_outside_there_is_no_zoom():
    with pytest.raises(InputError, match="more than one channel"):
        zoom_sheet([found("one", np.ones(SHAPE))], np.ones(SHAPE), 0.5)
    with pytest.raises(InputError, match="none has a picture"):
        zoom_sheet([found("one", None)], GREY, 0.5)
    with pytest.raises(SettingError, match="holds no pixel"):
        zoom_sheet([found("one", RED)], GREY, 0.5, box=(slice(50, 60), slice(0, 9)))
