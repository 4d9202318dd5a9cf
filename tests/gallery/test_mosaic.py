from __future__ import annotations

import numpy as np
import pytest

from osmofuse import gallery
from osmofuse.gallery.mosaic import _exposures


@pytest.fixture(scope="module")
def picture():
    return gallery.mosaic((270, 225), seed=0)


def test_panels_cover_the_picture_and_overlap(picture):
    count = np.zeros(picture.truth.shape, int)
    for panel in picture.panels:
        assert count[panel.box].shape == panel.picture.shape
        count[panel.box] += 1
    assert count.min() == 1
    assert count.max() == 4
    assert 0.2 < np.mean(count > 1) < 0.7


def test_every_pixel_of_the_mosaic_is_one_of_a_panel(picture):
    found = np.zeros(picture.truth.shape, bool)
    for panel in picture.panels:
        found[panel.box] |= picture.foreground[panel.box] == panel.picture
    assert found.all()


def test_a_panel_is_a_gain_a_falling_off_and_an_offset(picture):
    for panel in picture.panels:
        rows, cols = panel.picture.shape
        down = (np.arange(rows) + 0.5)[:, None] / rows - 0.5
        right = (np.arange(cols) + 0.5)[None, :] / cols - 0.5
        truth = picture.truth[panel.box].astype(float)
        terms = [truth, truth * 2 * (down**2 + right**2), np.ones_like(truth)]
        matrix = np.stack([term.ravel() for term in terms], axis=1)
        (gain, fall, offset), *_ = np.linalg.lstsq(matrix, panel.picture.ravel(), rcond=None)
        assert 0.5 < gain < 1.6
        assert 0.07 < -fall / gain < 0.23
        assert -0.04 < offset < 0.06
        left = panel.picture.ravel() - matrix @ [gain, fall, offset]
        assert left.std() == pytest.approx(0.004, rel=0.1)


def test_steps_lie_where_the_map_is_zero(picture):
    step = np.abs(np.diff(picture.foreground, axis=0)).mean(axis=1)
    seam = (picture.alpha[1:] == 0).all(axis=1) & (picture.alpha[:-1] == 0).all(axis=1)
    assert seam.sum() == 2
    assert step[seam].min() > 1.5 * np.median(step[~seam])


def test_a_small_picture_has_fewer_panels():
    assert len(gallery.mosaic((16, 60)).panels) == 6
    assert len(gallery.mosaic((7, 7)).panels) == 1


def test_the_gains_of_a_scene_have_the_mean_one():
    """Equal seeds give equal noise and offsets, which cancel in the difference."""
    cuts = [0, 40, 80, 120]
    dark, light = (
        _exposures(np.full((120, 120), level, np.float32), cuts, cuts, np.random.default_rng(1))
        for level in (0.2, 0.6)
    )
    gains = [(b.picture - a.picture).max() / 0.4 for a, b in zip(dark, light, strict=True)]
    assert np.mean(gains) == pytest.approx(1.0, abs=2e-3)
    assert np.ptp(gains) > 0.1
