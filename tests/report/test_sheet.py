"""The contact sheet: its size, where the pictures lie, what they show, and refusals."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest

from osmofuse.errors import InputError, LimitError, MismatchError, MissingExtraError, SettingError
from osmofuse.io import read, write
from osmofuse.report import contact_sheet, side_by_side, zoom_sheet
from osmofuse.report import sheet as module
from osmofuse.report.canvas import coloured
from osmofuse.tasks import Comparison

RED, GREEN, BLUE = np.eye(3)


def solid(colour, size=(45, 60)):
    return np.broadcast_to(np.asarray(colour, float), (*size, 3))


def box(sheet, colour):
    """Find the rectangle of a colour; it must be full."""
    found = (sheet == np.rint(255 * np.asarray(colour)).astype(np.uint8)).all(axis=2)
    rows, cols = np.flatnonzero(found.any(1)), np.flatnonzero(found.any(0))
    area = slice(rows[0], rows[-1] + 1), slice(cols[0], cols[-1] + 1)
    assert found[area].all()
    return area


def size(area):
    return tuple(part.stop - part.start for part in area)


def shown(picture, **options):
    """Give the part of a sheet of one panel that shows the picture."""
    place = box(side_by_side([("caption", solid(RED, picture.shape[:2]))], **options), RED)
    return side_by_side([("caption", picture)], **options)[place]


# Sizes


@pytest.mark.parametrize(
    ("picture", "count", "grid"),
    [
        ((450, 600), 4, (2, 2)),
        ((600, 450), 4, (1, 4)),
        ((450, 600), 1, (1, 1)),
        ((450, 600), 3, (1, 3)),
        ((360, 640), 3, (1, 3)),
        ((100, 800), 3, (3, 1)),
        ((450, 600), 6, (2, 3)),
    ],
)
def test_pictures_of_usual_size_are_shown_pixel_for_pixel(picture, count, grid):
    colours = [(0.2, 0.2 + 0.1 * i, 0.9) for i in range(count)]
    sheet = side_by_side([("a", solid(colour, picture)) for colour in colours])
    assert sheet.dtype == np.uint8
    assert sheet.flags.c_contiguous
    assert sheet.shape[1] <= (2000 if count == 4 else 2400)
    places = [box(sheet, colour) for colour in colours]
    assert {size(place) for place in places} == {picture}
    assert (
        len({rows.start for rows, _ in places}),
        len({cols.start for _, cols in places}),
    ) == grid
    around = np.subtract(sheet.shape[:2], np.multiply(grid, picture))
    assert (around <= 100 + 65 * np.array(grid)).all()  # generous, but not wasteful


@pytest.mark.parametrize("picture", [(1500, 2000), (2000, 500), (300, 4000), (4000, 40)])
def test_large_pictures_are_reduced_to_the_page_and_keep_their_form(picture):
    sheet = side_by_side([("a", solid(RED, picture)), ("b", solid(BLUE, picture))], columns=2)
    assert sheet.shape[1] <= 2400
    assert sheet.shape[0] <= 3400
    assert max(sheet.shape[1] / 2400, sheet.shape[0] / 3400) > 0.5
    rows, cols = size(box(sheet, RED))
    assert (rows, cols) == size(box(sheet, BLUE))
    assert cols == pytest.approx(
        rows * picture[1] / picture[0], abs=0.51 * picture[1] / rows + 0.51
    )


@pytest.mark.parametrize("picture", [(1, 1), (16, 24), (100, 30), (160, 160)])
def test_small_pictures_are_magnified_to_sharp_squares(picture):
    values = np.random.default_rng(0).random((*picture, 3))
    area = shown(values)
    factor = area.shape[0] // picture[0]
    assert factor >= 2
    assert 160 < max(area.shape) <= 320
    expected = np.rint(values * 255).repeat(factor, axis=0).repeat(factor, axis=1)
    np.testing.assert_array_equal(area, expected)


def test_columns_are_obeyed():
    panels = [("a", solid(RED)), ("b", solid(GREEN)), ("c", solid(BLUE))]
    tall = side_by_side(panels, columns=1)
    wide = side_by_side(panels, columns=3)
    assert tall.shape[0] > 2 * wide.shape[0]
    np.testing.assert_array_equal(side_by_side(panels, columns=9), wide)


# What is shown


def test_pictures_stand_in_reading_order():
    colours = [RED, GREEN, BLUE, (1, 1, 0), (0, 1, 1)]
    sheet = side_by_side([("a", solid(colour)) for colour in colours], columns=3)
    corners = [(rows.start, cols.start) for rows, cols in (box(sheet, c) for c in colours)]
    assert corners == sorted(corners)
    assert [top == corners[0][0] for top, _ in corners] == [True, True, True, False, False]
    assert [left for _, left in corners[3:]] == [left for _, left in corners[:2]]


def test_pixels_are_exact_where_nothing_is_reduced():
    values = np.random.default_rng(0).random((350, 410, 3)).astype(np.float32)
    np.testing.assert_array_equal(shown(values), np.rint(values * np.float32(255)))


def test_one_band_is_grey_from_0_to_1():
    values = np.linspace(0.25, 0.5, 350 * 400).reshape(350, 400)
    expected = np.rint(values * 255)[..., np.newaxis].repeat(3, axis=2)
    np.testing.assert_array_equal(shown(values), expected)


def test_values_are_clipped_not_stretched_or_wrapped():
    values = np.full((350, 400), 0.5)
    values[0, :4] = -3, 7, np.inf, -np.inf
    assert shown(values)[0, :5, 0].tolist() == [0, 255, 255, 0, 128]


@pytest.mark.parametrize("value", [0.0, 0.2, 1.0])
def test_a_reduced_picture_has_no_fringe(value):
    area = shown(np.full((500, 2600), value))
    assert area.shape[1] < 2400
    assert np.ptp(area) == 0
    assert area[0, 0, 0] == round(255 * value)


def test_fine_stripes_are_averaged_when_reduced():
    stripes = np.zeros((200, 5000))
    stripes[:, ::2] = 1
    inner = shown(stripes)[5:-5, 5:-5].astype(int)
    assert abs(inner - 127.5).max() < 30


def test_a_white_picture_has_an_edge_and_the_page_is_white():
    sheet = side_by_side([("", np.ones((350, 400)))])
    assert (sheet[[0, -1]] == 255).all()
    rows, cols, _ = np.nonzero(sheet < 255)
    assert (np.ptp(rows), np.ptp(cols)) == (351, 401)


def test_pictures_are_left_alone():
    values = np.full((30, 40), 2.0)
    values.flags.writeable = False
    side_by_side([("a", values)])
    assert (values == 2).all()


def test_settings_of_the_user_change_nothing():
    rng = np.random.default_rng(0)
    panels = [("fused", rng.random((20, 30))), ("alpha", rng.random((20, 30)))]
    plain = side_by_side(panels, title="Folio")
    settings = {
        "figure.autolayout": True, "figure.facecolor": "black", "font.family": "serif",
        "image.interpolation": "bicubic", "image.origin": "lower", "text.usetex": True,
    }  # fmt: skip
    with matplotlib.rc_context(settings):
        np.testing.assert_array_equal(side_by_side(panels, title="Folio"), plain)


# Captions


def below(sheet):
    """Count the rows with ink under the (red) pictures, and those above."""
    place = box(sheet, RED)
    inked = (sheet < 128).all(axis=2).any(axis=1)
    return inked[place[0].stop + 1 :].sum(), inked[: place[0].start - 1].sum()


def test_captions_stand_below_and_the_title_above():
    picture = solid(RED)
    assert below(side_by_side([("", picture)])) == (0, 0)
    under, above = below(side_by_side([("fused", picture)]))
    assert under > 5
    assert above == 0
    titled = below(side_by_side([("fused", picture)], title="Folio"))
    assert titled[0] == under
    assert titled[1] > 5


def test_another_caption_changes_the_sheet_under_its_picture_only():
    sheets = [side_by_side([("left", solid(RED)), (name, solid(GREEN))]) for name in ("one", "two")]
    rows, cols, _ = np.nonzero(sheets[0] != sheets[1])
    place = box(sheets[0], GREEN)
    assert rows.min() > place[0].stop
    assert place[1].start <= cols.min() <= cols.max() < place[1].stop


@pytest.mark.parametrize("text", ["many words " * 12, "ManuscriptFolio12v_infrared_850nm_" * 4])
def test_long_captions_are_broken_within_their_column(text):
    panels = [("", solid(RED)), (text, solid(GREEN)), ("", solid(BLUE))]
    sheet = side_by_side(panels, columns=3)
    short = side_by_side([("", solid(RED)), ("a", solid(GREEN)), ("", solid(BLUE))], columns=3)
    assert sheet.shape[0] > short.shape[0]
    assert sheet.shape[1] == short.shape[1]
    place = box(sheet, GREEN)
    _, cols = np.nonzero((sheet < 128).all(axis=2)[place[0].stop + 1 :])
    assert place[1].start <= cols.min() <= cols.max() <= place[1].stop


def test_signs_of_formulas_are_plain_text():
    widths = []
    for text in ("eta", r"$\eta$"):
        _, cols = np.nonzero((side_by_side([(text, solid(RED))]) < 128).all(axis=2))
        widths.append(np.ptp(cols))
    assert widths[0] < widths[1]  # a Greek letter would be narrower


def test_a_sheet_can_be_written(tmp_path):
    sheet = side_by_side([("a", solid(RED))])
    np.testing.assert_array_equal(read(write(sheet, tmp_path / "a.png")).pixels, sheet)


# Refusals


def test_no_panels():
    with pytest.raises(InputError, match="no picture"):
        side_by_side([])


def test_another_size_is_named():
    panels = [
        ("visible", solid(RED)),
        ("alpha", np.zeros((45, 60))),
        ("infrared", np.zeros((45, 61))),
    ]
    with pytest.raises(MismatchError, match=r"'infrared': 45 x 61 .* 'visible' has 45 x 60"):
        side_by_side(panels)


@pytest.mark.parametrize(
    "picture",
    [
        np.zeros(5),
        np.zeros((5, 5, 4)),
        np.zeros((5, 5, 1)),
        np.zeros((0, 5)),
        np.zeros((5, 5), np.uint8),
        np.full((5, 5), np.nan),
    ],
)
def test_what_is_no_picture_of_floats_is_named(picture):
    with pytest.raises(InputError, match="'odd'"):
        side_by_side([("odd", picture)])


@pytest.mark.parametrize("columns", [0, -1])
def test_columns_must_be_positive(columns):
    with pytest.raises(SettingError, match="columns"):
        side_by_side([("a", solid(RED))], columns=columns)


@pytest.mark.parametrize("columns", [1, 200, None])
def test_too_many_panels(columns):
    with pytest.raises(LimitError, match="too many"):
        side_by_side([("a", solid(RED, (3, 4)))] * 2000, columns=columns)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        MissingExtraError, match=r"needs matplotlib: pip install 'osmofuse\[plot\]'"
    ):
        side_by_side([("a", solid(RED))])


def test_importing_costs_no_matplotlib_and_drawing_no_pyplot():
    code = (
        "import sys, numpy, osmofuse.report as r; assert 'matplotlib' not in sys.modules;"
        "r.side_by_side([('a', numpy.zeros((3, 4)))]);"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


SHAPE = (40, 60)


def found(name, image, seconds=0.25):
    fusion = None if image is None else SimpleNamespace(image=image, seconds=seconds)
    return Comparison(name, fusion, {}, None if image is not None else "it could not")


def fused_in(*colour):
    return np.broadcast_to(np.array(colour), (*SHAPE, 3))


@pytest.fixture
def panels(monkeypatch):
    """Keep what is handed to the sheet beneath."""
    kept = {}

    def keep(given, **options):
        kept.update(options, panels=given)
        return np.zeros((1, 1, 3), np.uint8)

    monkeypatch.setattr(module, "side_by_side", keep)
    return kept


GREY = fused_in(0.5, 0.5, 0.5)
RED_PICTURE = fused_in(0.8, 0.4, 0.4)


def test_the_contact_sheet_shows_the_pair_and_who_made_a_picture_in_which_time(panels):
    made = [found("one", RED_PICTURE, 0.25), found("two", None), found("three", GREY, 61.4)]
    contact_sheet(made, GREY, np.full(SHAPE, 0.3))
    captions = [caption for caption, _ in panels["panels"]]
    assert captions == ["Foreground", "Background", "one (0.25 s)", "three (61 s)"]
    np.testing.assert_array_equal(panels["panels"][2][1], RED_PICTURE)


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
    zoom_sheet([found("one", RED_PICTURE)], GREY, alpha)
    times = 480 // 60
    assert panels["panels"][0][1].shape == (SHAPE[0] * times, SHAPE[1] * times, 3)


def test_the_maps_have_one_scale_and_their_own_means(panels):
    box = slice(0, 20), slice(0, 20)
    zoom_sheet([found("same", GREY), found("red", RED_PICTURE)], GREY, 0.5, box=box)
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
    zoom_sheet([found(f"m{i}", RED_PICTURE) for i in range(count)], GREY, 0.5)
    assert panels["columns"] == columns
    captions = [caption for caption, _ in panels["panels"]]
    rows = [captions[i : i + columns] for i in range(0, len(captions), columns)]
    for zooms, maps in zip(rows[::2], rows[1::2], strict=True):
        for zoom, below in zip(zooms, maps, strict=True):
            assert below.startswith("error") == bool(zoom)


def test_the_sheet_itself_is_drawn_with_a_bar_and_empty_places():
    sheet = zoom_sheet([found(f"m{i}", RED_PICTURE) for i in range(5)], GREY, 0.5)
    assert sheet.dtype == np.uint8
    assert sheet.shape[2] == 3
    brightest = np.rint(255 * coloured(np.ones(1), 1.0)[0]).astype(np.uint8)
    assert (sheet == brightest).all(axis=2).any(), "the end of the colour bar"


def test_a_narrow_sheet_is_as_wide_as_its_bar():
    box = slice(0, SHAPE[0]), slice(0, 2)
    sheet = zoom_sheet([found("one", RED_PICTURE)], GREY, 0.5, box=box)
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
        zoom_sheet([found("one", RED_PICTURE)], GREY, 0.5, box=(slice(50, 60), slice(0, 9)))
