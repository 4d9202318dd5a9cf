from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError, SettingError
from osmofuse.tasks.placing import overlap, turned


def test_unchanged_without_scale_and_turn(rng):
    image, mask = rng.random((5, 7, 3)), np.ones((5, 7))
    known = np.ones((5, 7), bool)
    known[0] = False
    found = turned(image, mask, known, 1.0, 360.0)
    assert found.image is image
    assert not found.mask[0].any()
    assert found.mask[1:].all()


def test_the_frame_holds_all_of_a_turned_picture():
    image = np.ones((40, 60, 1), np.float32)
    found = turned(image, np.ones((40, 60)), np.ones((40, 60), bool), 1.0, 30.0)
    side = np.array([40, 60]) @ np.array([[np.cos(np.pi / 6), 0.5], [0.5, np.cos(np.pi / 6)]])
    assert found.mask.shape == pytest.approx(tuple(side), abs=1)
    assert found.mask.sum() == pytest.approx(40 * 60, rel=0.02)


def test_a_frame_beyond_reason_is_refused():
    with pytest.raises(SettingError, match=r"^scale: 100 makes the object"):
        turned(np.ones((700, 10, 1)), np.ones((700, 10)), np.ones((700, 10), bool), 100.0, 0.0)


def test_overlap_is_cut_at_the_border_and_to_the_mask():
    mask = np.zeros((6, 8))
    mask[2:4, 3:7] = 1
    found = overlap(mask, (-3, 5), (20, 10))
    assert found.place == (slice(0, 1), slice(8, 10))
    assert found.part == (slice(3, 4), slice(3, 5))
    with pytest.raises(InputError, match="outside of INTO"):
        overlap(mask, (-4, 0), (20, 10))


@pytest.mark.parametrize("channels", [1, 3])
def test_any_number_of_bands_is_turned_where_data_are_missing(channels):
    known = np.ones((20, 30), bool)
    known[:3] = False
    image = np.ones((20, 30, channels), np.float32)
    found = turned(image, np.ones((20, 30)), known, 0.5, 30.0)
    assert found.image.shape == (*found.mask.shape, channels)
