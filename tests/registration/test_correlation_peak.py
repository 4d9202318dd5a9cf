"""Significance: high where fields fit, low beside it, for chance, and where only a part fits."""

import numpy as np
import pytest

from osmofuse import gallery
from osmofuse.registration.correlation_peak import significance, widespread_significance
from osmofuse.registration.local_shifts import orientation
from osmofuse.registration.views import View

SHAPE = (240, 200)
SIGMA = 0.8


def field(picture):
    return orientation(View(picture).whole(picture.size), SIGMA)


@pytest.fixture(scope="module")
def fields():
    page = gallery.modalities(SHAPE, seed=3)
    return field(page.foreground), field(page.background[0])


def test_it_is_high_where_the_fields_fit_only(fields):
    one, other = fields
    assert significance(one, other, SIGMA) > 20
    assert significance(one, np.roll(other, 10, axis=1), SIGMA) < 5


def test_noise_is_chance(rng):
    one, other = (field(rng.random(SHAPE)) for _ in range(2))
    assert abs(significance(one, other, SIGMA)) < 5


def test_most_quarters_must_fit(fields):
    one, other = fields
    half = other.copy()
    half[:, 100:] = np.roll(other, 20, axis=0)[:, 100:]
    assert widespread_significance([(one, other, SIGMA)]) > 10
    assert significance(one, half, SIGMA) > 10
    assert widespread_significance([(one, half, SIGMA)]) < 5


@pytest.mark.parametrize("shape", [(20, 200), (40, 40), (16, 16)])
def test_small_and_empty_fields_prove_nothing(shape, rng):
    some = rng.random((*shape, 2)).astype(np.float32)
    assert significance(some, np.zeros_like(some), SIGMA) == 0
    assert np.isfinite(widespread_significance([(some, some, SIGMA)]))
    assert widespread_significance([(some, np.zeros_like(some), SIGMA)]) == 0
