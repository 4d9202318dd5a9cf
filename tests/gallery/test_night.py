"""People in the dark: hidden in visible light, warm for the thermal camera."""

import numpy as np
import pytest

from osmofuse import gallery


@pytest.fixture(scope="module")
def scene():
    return gallery.night((200, 260), 2)


def test_truth_is_the_foreground_bit_for_bit_where_nobody_stands(scene):
    kept = scene.alpha == 1
    assert 0.8 < kept.mean() < 0.98
    assert np.array_equal(scene.foreground[kept], scene.truth[kept])


def test_people_are_dark_in_the_foreground_warm_in_the_background_and_seen_in_the_truth(scene):
    people = scene.alpha == 0
    assert scene.foreground[people].mean() < 0.15
    assert scene.background[people].mean() > scene.background[~people].mean() + 0.15
    assert scene.truth[people].mean() > scene.foreground[people].mean() + 0.15
