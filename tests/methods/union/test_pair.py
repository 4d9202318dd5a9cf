"""A pair in the logarithm."""

import numpy as np
import pytest

from osmofuse import Sources, gallery
from osmofuse.methods.statistics import Statistics
from osmofuse.methods.union.pair import RIM_BLACK, bright_lines, log_pair, rim, without_dead_pixels


@pytest.fixture(scope="module")
def page():
    return gallery.manuscript((120, 90), 1)


def test_a_gain_of_the_background_adds_a_constant(page):
    one, other = (
        log_pair(Sources(page.foreground, gain * page.background, 0.0), 1, 0.05, Statistics())
        for gain in (1.0, 0.2)
    )
    np.testing.assert_allclose(one.b - other.b, np.log(5.0), atol=1e-5)
    np.testing.assert_array_equal(one.y, other.y)


def test_black_regions_at_the_rim_are_no_data():
    b = np.full((40, 30), 0.6, np.float32)
    b[:4], b[20, 15] = 0.001, 0.0
    found = rim(b, 0.01)
    assert found[:6].all()
    assert not found[6:].any(), "a dark pixel inside is ink"
    assert not rim(np.full((40, 30), 0.6, np.float32), 0.01).any()


def test_no_edge_arises_where_there_are_no_data(page):
    b = np.array(page.background)
    b[:12] = 0.0
    pair = log_pair(Sources(page.foreground, b, 0.0), 1, 0.05, Statistics())
    assert not pair.valid[:12].any()
    step = np.abs(np.diff(pair.b - pair.y, axis=0))
    assert step[8:16].max() < 1.5 * step[30:].max()


def test_dead_pixels_go_and_strokes_stay(page):
    b = np.log(page.background + 0.05)
    dead = b.copy()
    dead[5, 7], dead[60, 40] = 2.0, -5.0
    found = without_dead_pixels(dead, Statistics())
    assert abs(found[5, 7] - b[5, 7]) < 0.3
    assert abs(found[60, 40] - b[60, 40]) < 0.6
    assert np.mean(without_dead_pixels(b, Statistics()) != b) < 1e-3
    line = np.zeros((9, 9), np.float32)
    line[:, 4] = -1.0
    np.testing.assert_array_equal(without_dead_pixels(line, Statistics()), line)


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (2, 2), (9, 8)])
def test_a_dead_pixel_gets_the_mean_of_its_neighbours(rng, shape):
    b = (-3.0 + 2.0 * (rng.random(shape) < 0.1) + 0.01 * rng.random(shape)).astype(np.float32)
    wide = np.pad(b, 1, mode="reflect")
    around = [wide[i : i + shape[0], j : j + shape[1]] for i, j in np.ndindex(3, 3)]
    del around[4]
    low, high, mean = np.min(around, axis=0), np.max(around, axis=0), np.mean(around, axis=0)
    dead = np.maximum(b - high, low - b) > np.maximum(0.15, 2.0 * (high - low))
    spread = Statistics({"spread": 0.0})
    np.testing.assert_allclose(without_dead_pixels(b, spread), np.where(dead, mean, b), rtol=1e-6)


def test_a_dark_frame_with_noise_is_no_data(rng):
    b = np.full((60, 50), 0.3, np.float32)
    b[:5], b[:, -4:] = 0.01, 0.01
    frame = b < 0.1
    b[frame] += rng.uniform(0.0, 0.01, np.count_nonzero(frame)).astype(np.float32)
    b[30, 20:] = 0.01  # a stroke that runs into the frame
    found = rim(b, RIM_BLACK * 0.3)
    assert found[frame].all()
    assert not found[9:, :40].any()
    assert not rim(np.full((60, 50), 0.01, np.float32), RIM_BLACK * 0.3).any(), "all is dark"
    assert not rim(b[:, :8], RIM_BLACK * 0.3)[9:].any(), "lines are too short"
    b[...], b[25:35, 20:30] = 0.02, 0.6
    assert not rim(b, RIM_BLACK * 0.6).any(), "the ground is dark beside a bright thing"


def test_what_compression_leaves_beside_a_black_region_is_no_data():
    b = np.full((60, 50), 0.6, np.float32)
    wedge = np.add.outer(np.arange(60), np.arange(50)) < 30
    b[wedge] = 0.0
    b[29, 1:4] = b[27, 4] = 0.04
    found = rim(b, RIM_BLACK * 0.6)
    assert found[wedge].all()
    assert found[b < 0.05].all()
    assert found.mean() < wedge.mean() + 0.1


def test_a_bright_strip_at_the_border_is_no_data(page, rng):
    b = 0.3 * np.array(page.background)
    b[:8] = 1.0 - 0.02 * rng.random((8, 90))
    b[:, -5:] = 1.0
    found = bright_lines(b)
    assert found[:8].all()
    assert found[:, -5:].all()
    assert not found[10:, :-7].any()
    # Neither white nor the picture depend on it.
    pair = log_pair(Sources(page.foreground, b, 0.0), 1, 0.05, Statistics())
    plain = log_pair(Sources(page.foreground, 0.3 * page.background, 0.0), 1, 0.05, Statistics())
    np.testing.assert_allclose(pair.b[40:, :40], plain.b[40:, :40], atol=0.05)


def test_white_things_at_the_border_are_data(page, rng):
    paper = np.full((120, 90), 0.95, np.float32)
    paper[20:100:8, 10:80] = 0.2
    paper[8:12, 10:40] = 0.2  # writing does not fill a line
    assert not bright_lines(paper).any(), "a margin beside writing"
    sky = np.where(np.add.outer(4 * np.arange(120), np.arange(90)) < 60, 1.0, 0.4)
    assert not bright_lines(sky).any(), "a slanted horizon"
    sky[...], sky[:30] = 0.4, 1.0
    assert not bright_lines(sky).any(), "too wide for a strip"
    assert not bright_lines(np.ones((120, 90))).any()
    assert not bright_lines(np.zeros((120, 90))).any()
    assert not bright_lines(np.zeros((0, 90))).any()
