from __future__ import annotations

import numpy as np
import pytest

from osmofuse import gallery
from osmofuse.tasks.mosaic.light import lights_of
from osmofuse.tasks.mosaic.pairs import pairs_of
from osmofuse.tasks.mosaic.panels import Panel


def panels_of(truth, gains, *, falling=0.0, offset=0.0, overlap=24):
    """Return a row of panels with gains, falling-off and offsets."""
    width = truth.shape[1] // len(gains)
    found = []
    for k, gain in enumerate(gains):
        left, right = max(k * width - overlap, 0), min((k + 1) * width + overlap, truth.shape[1])
        part = truth[:, left:right].astype(float)
        y, x = (np.linspace(-1, 1, n) for n in part.shape)
        light = gain * (1.0 - falling * (y[:, None] ** 2 + x**2) / 2)
        box = slice(0, len(part)), slice(left, right)
        found.append(Panel(f"p{k}", light * part + offset * (k % 2), box))
    return found


@pytest.fixture(scope="module")
def truth():
    return 0.6 * gallery.mosaic((150, 240), seed=5).truth


def gains_of(panels, **options):
    lights = lights_of(panels, pairs_of(panels), 0, **options)
    return lights, np.array([light.gain for light in lights])


@pytest.mark.parametrize(("overlap", "rtol"), [(24, 0.002), (0, 0.03)])
def test_gains_are_found_where_panels_overlap_or_touch(truth, overlap, rtol):
    gains = np.array([0.7, 1.5, 1.0])
    panels = panels_of(truth, gains, overlap=overlap)
    found = gains_of(panels)[1]
    np.testing.assert_allclose(found / found[2], gains / gains[2], rtol=rtol)
    level = np.average(np.log(found), weights=[panel.size for panel in panels])
    assert abs(level) < 1e-6


def test_the_reference_keeps_its_level(truth):
    found = gains_of(panels_of(truth, [0.7, 1.5, 1.0]), reference=1)[1]
    np.testing.assert_allclose(found, [0.7 / 1.5, 1.0, 1.0 / 1.5], rtol=2e-3)


def test_falling_off_is_removed_along_a_row_of_panels(truth):
    panels = panels_of(truth, [1.0, 1.2, 0.9], falling=0.3)
    lights, _ = gains_of(panels)
    ratios = [
        light.removed_from(panel.plane(0, np.float64)) / truth[panel.box]
        for panel, light in zip(panels, lights, strict=True)
    ]
    # Across the row all panels fall off alike, which nothing tells from the scene.
    along = [ratio.mean(axis=0) for ratio in ratios]
    assert max(ratio.std() / ratio.mean() for ratio in along) < 0.02
    before = [(panel.pixels / truth[panel.box]).mean(axis=0) for panel in panels]
    assert min(ratio.std() / ratio.mean() for ratio in before) > 0.04


def test_black_levels_are_removed(truth):
    lights, _ = gains_of(panels_of(truth, [1.0, 1.0, 1.0], offset=0.03))
    assert lights[1].offset - lights[0].offset == pytest.approx(0.03, abs=0.012)


def test_a_moved_object_in_an_overlap_does_not_matter(truth):
    panels = panels_of(truth, [0.7, 1.5, 1.0])
    panels[0].pixels[40:60, -20:] = 0.8
    found = gains_of(panels)[1]
    np.testing.assert_allclose(found / found[2], [0.7, 1.5, 1.0], rtol=0.01)


def test_panels_without_a_usable_sample_stay_as_they_are():
    black = [Panel("p", np.zeros((9, 9)), (slice(0, 9), slice(9 * k, 9 * k + 9))) for k in (0, 1)]
    assert gains_of(black)[1].tolist() == [1.0, 1.0]
