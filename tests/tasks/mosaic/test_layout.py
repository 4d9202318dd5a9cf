from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import InputError, LimitError, MismatchError, SettingError
from osmofuse.tasks.mosaic.layout import layout_of

ONE = np.full((4, 6), 100, np.uint8)


@pytest.mark.parametrize(
    ("places", "kind"),
    [
        ([(0, 0)], SettingError), ("0,0 4,0", SettingError), ([(0, 0), (0.5, 0)], SettingError),
        ([(0, 0), (0, float("nan"))], SettingError), ([(0, 0), (1, 2, 3)], SettingError),
        ([(0, 0), "ab"], SettingError), ([(0, 0), (True, 0)], SettingError),
        ([(0, 0), (10**6, 10**6)], LimitError), ([(0, 0), (10**12, 0)], LimitError),
        (5, SettingError),
    ],
)  # fmt: skip
def test_wrong_places_are_named(places, kind):
    with pytest.raises(kind, match=r"^places"):
        layout_of([ONE, ONE], places, None)


@pytest.mark.parametrize(
    ("pictures", "kind"),
    [
        ([], InputError), (ONE, InputError), ([ONE, ONE.astype(np.uint16)], MismatchError),
        ([ONE, np.stack([ONE] * 3, axis=2)], MismatchError), ([ONE, ONE[:3]], MismatchError),
        ([ONE, np.full((4, 6), np.nan)], InputError), ([ONE, None], InputError),
        ([np.ma.masked_all((4, 6), np.uint8)], InputError),
    ],
)  # fmt: skip
def test_wrong_pictures_are_named(pictures, kind):
    with pytest.raises(kind, match=r"^pictures"):
        layout_of(pictures, None, None)


@pytest.mark.parametrize(
    ("flat", "kind"),
    [(ONE[:3], MismatchError), (np.zeros_like(ONE), InputError),
     (np.stack([ONE] * 3, axis=2), MismatchError)],
)  # fmt: skip
def test_a_wrong_flat_field_is_named(flat, kind):
    with pytest.raises(kind, match=r"^flat"):
        layout_of([ONE, ONE], None, flat)


def test_the_canvas_holds_all_places():
    layout = layout_of([ONE, ONE], np.array([(-2, 3), (1, -5)]), None)
    assert (layout.corner, layout.shape) == ((-2, -5), (7, 14))
    assert [panel.box for panel in layout.panels] == [
        (slice(0, 4), slice(8, 14)), (slice(3, 7), slice(0, 6)),
    ]  # fmt: skip
    pasted, valid = layout.pasted()
    assert pasted.pixels.dtype == np.uint8
    assert np.array_equal(valid, pasted.pixels == 100)
    assert np.array_equal(pasted.valid, valid)


def test_dead_pixels_of_the_flat_field_hold_no_data():
    flat = np.full((4, 6), 200, np.uint8)
    flat[1, 2] = 0
    (panel,) = layout_of([ONE], None, flat).panels
    assert np.argwhere(~panel.valid).tolist() == [[1, 2]]
    np.testing.assert_allclose(panel.flat[panel.valid].mean(), 24 / 23, rtol=1e-6)


def test_transparency_and_no_data_do_not_count():
    clear = np.dstack([ONE, np.full_like(ONE, 255)])
    clear[:, :2, 1] = 0
    pictures = [osmofuse.Picture(clear, transparency=True), osmofuse.Picture(ONE)]
    layout = layout_of(pictures, [(0, 0), (0, 6)], None)
    assert layout.panels[0].valid.sum() == 16
    pasted, valid = layout.pasted()
    assert pasted.transparency
    assert np.array_equal(pasted.valid, valid)
    assert valid.sum() == 40
