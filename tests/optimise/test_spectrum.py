"""Bands of total variation: they add up, keep the mean, and know the size of a disc."""

import numpy as np
import pytest

from osmofuse.optimise.spectrum import Scales, decompose, filtered
from osmofuse.progress import Guard, Status

TIMES = tuple(np.geomspace(0.01, 1.0, 5))
both = pytest.mark.parametrize("transform", ["flow", "inverse"])


def disc(size, radius, height):
    """A disc whose pixels at the rim are grey by their share."""
    x = (np.arange(8 * size) + 0.5) / 8 - size / 2
    inside = x[:, None] ** 2 + x[None] ** 2 <= radius**2
    return height * inside.reshape(size, 8, size, 8).mean(axis=(1, 3))[None]


@pytest.fixture
def x(rng):
    return rng.random((2, 21, 26))


@both
@pytest.mark.parametrize("accuracy", [10.0, 0.01, 1e-4])
def test_bands_sum_to_the_picture_however_roughly_they_were_found(x, transform, accuracy):
    found = decompose(x, Scales(TIMES, transform, accuracy))
    assert found.bands.shape == (6, *x.shape)
    assert np.abs(found.bands.sum(axis=0) - x).max() < 1e-13
    assert found.limits.tolist() == [np.inf, *TIMES[::-1], 0.0]
    assert found.status is Status.converged


@both
def test_the_first_band_has_the_mean_and_the_others_none(x, transform):
    means = decompose(x, Scales(TIMES, transform)).bands.mean(axis=(2, 3))
    np.testing.assert_allclose(means[0], x.mean(axis=(1, 2)), atol=1e-13)
    np.testing.assert_allclose(means[1:], 0.0, atol=1e-13)


@both
def test_bands_come_from_coarse_to_fine(x, transform):
    total = [np.abs(np.diff(b, axis=2)).sum() for b in decompose(x, Scales(TIMES, transform)).bands]
    assert total[0] < 0.1 * total[2]


@pytest.mark.parametrize(("radius", "height"), [(32, 0.5), (26, 3.0)])
def test_a_disc_is_a_peak_at_half_its_radius_times_its_height(radius, height):
    """In a finite picture the ground rises meanwhile: by the disc's share of the area."""
    size = 224
    alone = height * radius / 2
    expected = alone * (1 - np.pi * radius**2 / size**2)
    times = [*np.geomspace(alone / 20, 0.8 * expected, 4), *np.linspace(0.9, 1.1, 21) * expected]
    found = decompose(disc(size, radius, height), Scales(times, "flow", 2e-3 * height))
    peak = found.spectrum().argmax()
    assert found.limits[peak + 1 : peak + 3].mean() == pytest.approx(expected, rel=0.03)
    near = np.abs(found.bands[peak : peak + 3].sum(axis=0)).sum()
    assert near > 0.8 * np.abs(disc(size, radius, height)).sum()


def test_the_inverse_scale_space_has_the_disc_in_the_same_band():
    x = disc(64, 12, 1.0)  # of the scale 6, but for its share of the area
    found = decompose(x, Scales((1.0, 2.0, 4.0, 8.0), "inverse", 1e-3))
    size = np.abs(found.bands - found.bands.mean(axis=(2, 3), keepdims=True)).sum(axis=(1, 2, 3))
    assert size[0] < 0.02 * size.sum()
    # A step leaves some of what it lets appear to the next one.
    assert size[1:3].sum() > 0.9 * size.sum()


@both
@pytest.mark.parametrize("weights", [[1, 0, 0, 0, 0, 0], [0, 1, 1, 0.5, 0, 2], [0, 0, 0, 0, 0, 1]])
def test_filtering_needs_no_bands_to_be_kept(x, transform, weights):
    scales = Scales(TIMES, transform)
    total, status = filtered(x, scales, weights)
    np.testing.assert_allclose(total, decompose(x, scales).filtered(weights), atol=1e-13)
    assert status is Status.converged


def test_weights_may_differ_from_place_to_place(x, rng):
    found = decompose(x, Scales(TIMES))
    weights = rng.random((6, 1, *x.shape[1:]))
    expected = (weights * found.bands).sum(axis=0)
    np.testing.assert_allclose(found.filtered(weights), expected, atol=1e-14)


@both
def test_equal_weights_ask_for_no_step(x, transform, monkeypatch):
    monkeypatch.setattr(Scales, "levels", None)
    total, _ = filtered(x, Scales(TIMES, transform), [0.25] * 6)
    assert np.array_equal(total, 0.25 * x)


def test_steps_beyond_the_last_change_are_not_taken(x, monkeypatch):
    taken = []
    step = Scales.step
    monkeypatch.setattr(Scales, "step", lambda s, *a: taken.append(a[1]) or step(s, *a))
    filtered(x, Scales(TIMES, "inverse"), [1, 0, 0, 0, 0, 0])
    assert taken == [pytest.approx(1.0)]
    filtered(x, Scales(TIMES, "flow"), [1, 1, 1, 1, 1, 0])
    assert taken[1:] == [pytest.approx(0.01)]


def test_what_is_not_found_in_time_is_said(x):
    scales = Scales(TIMES, "flow", 1e-9, max_iter=20)
    assert filtered(x, scales, [1, 0, 0, 0, 0, 0])[1] is Status.max_iter
    assert decompose(x, scales).status is Status.max_iter


def test_a_cancel_ends_it(x):
    guard = Guard(lambda _: True)
    guard.pulse()
    assert filtered(x, Scales(TIMES), [1, 0, 0, 0, 0, 0], guard)[1] is Status.cancelled


@both
def test_a_brighter_picture_has_its_bands_at_larger_scales(x, transform):
    plain = decompose(x, Scales(TIMES, transform, 1e-5))
    bright = decompose(3 * x, Scales([3 * t for t in TIMES], transform, 3e-5))
    np.testing.assert_allclose(bright.bands, 3 * plain.bands, atol=1e-2)


@pytest.mark.parametrize(("time", "height"), [(5.0, 0.0), (3.0, 0.4)])
def test_steps_of_the_inverse_scale_space_add_up_in_inverse_time(time, height):
    """Halves of width w and difference h appear below t = h w / 2, whatever steps lead there.

    After a step to t1 that shows nothing, the next one, of length s, gives s (h / t - 2 / w).
    """
    x = np.repeat([[[0.0, 1.0]]], 16, axis=1).repeat(8, axis=2)
    scales = Scales(times=(time, 8.0), transform="inverse", accuracy=1e-4)
    last = list(scales.levels(x))[-1]
    assert last.index == 0
    assert np.ptp(last.x) == pytest.approx(height, abs=2e-3)
