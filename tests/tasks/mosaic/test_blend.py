from __future__ import annotations

import numpy as np
import pytest

from osmofuse.tasks.mosaic.blend import Blend
from osmofuse.tasks.mosaic.light import Light
from osmofuse.tasks.mosaic.pairs import pairs_of
from osmofuse.tasks.mosaic.panels import Panel

SHAPE = 40, 64


def even(panel):
    rows, cols = panel.shape
    return Light(np.zeros((5, 5)), 0.0, ((rows - 1) / 2, (cols - 1) / 2, rows / 2, cols / 2))


def blended(panels):
    blend = Blend(panels, pairs_of(panels), SHAPE, np.float64)
    return blend.plane([even(panel) for panel in panels], 0, lambda: True)


def two(truth, left, right, *, gain=1.0):
    """Return panels that end and begin at two columns, the second brighter."""
    first = Panel("a", truth[:, :left].copy(), (slice(0, 40), slice(0, left)))
    return [first, Panel("b", gain * truth[:, right:], (slice(0, 40), slice(right, 64)))]


@pytest.fixture
def truth(rng):
    return rng.uniform(0.3, 0.5, SHAPE)


@pytest.mark.parametrize(("left", "right"), [(40, 24), (32, 32)])
def test_panels_that_agree_are_the_picture(truth, left, right):
    np.testing.assert_allclose(blended(two(truth, left, right)), truth, atol=3e-4)


@pytest.mark.parametrize(("left", "right"), [(40, 24), (32, 32)])
def test_a_difference_that_is_left_has_no_step(left, right):
    flat = np.full(SHAPE, 0.4)
    found = blended(two(flat, left, right, gain=1.2))
    assert np.abs(np.diff(found, axis=1)).max() < 0.15 * 0.08
    assert 0.39 < found.min() < found.max() < 0.49


def test_clipped_samples_are_replaced_by_the_other_panel(truth):
    panels = two(truth, 48, 16)
    panels[0].pixels[10:20, 30:40] = 1.0
    found = blended(panels)
    np.testing.assert_allclose(found[12:18, 32:38], truth[12:18, 32:38], atol=0.02)
