"""Directions of known structures, also across a band; the tensors made of them."""

import numpy as np
import pytest

from osmofuse.errors import MismatchError, SettingError
from osmofuse.maps.directions import directions


def stripes(angle, shape=(90, 80), frequency=0.5):
    """Stripes along an angle from the rows' direction, and a band across the picture."""
    i, j = np.indices(shape)
    x = 0.5 + 0.3 * np.sin(frequency * (np.cos(angle) * i - np.sin(angle) * j))
    return x, abs(i - shape[0] // 2 + 0.3 * (j - shape[1] // 2)) < 5


def error(found, angle):
    """Largest difference of directions, in degrees."""
    return np.degrees(np.abs(np.angle(np.exp(2j * (found - angle)))) / 2).max()


@pytest.mark.parametrize("degrees", [0, 20, 45, 90, 120, 170])
def test_stripes_are_continued_into_a_band_that_is_not_looked_at(degrees, rng):
    angle = np.radians(degrees)
    x, band = stripes(angle)
    x[band] = rng.random(np.count_nonzero(band))
    found = directions(x, band, rho=4.0)
    inner = np.s_[15:-15, 15:-15]
    assert error(found.angle[inner][band[inner]], angle) < 8
    assert found.coherence[inner][band[inner]].min() > 0.9


@pytest.mark.parametrize("degrees", [30, 60, 90, 135])
def test_votes_continue_an_edge_across_a_wide_band(degrees, rng):
    angle = np.radians(degrees)
    i, j = np.indices((101, 101)) - 50
    across = np.cos(angle) * i - np.sin(angle) * j
    x, band = 1.0 / (1.0 + np.exp(-2.0 * across)), abs(i) < 12
    x[band] = rng.random(np.count_nonzero(band))
    found = directions(x, band, method="voting")
    assert error(found.angle[band & (abs(across) < 0.4)], angle) < 7


def test_votes_continue_an_arc():
    """In a gap of a circle's edge the direction is that of its tangent."""
    i, j = np.indices((101, 101)) - 50
    radius, x = np.hypot(i, j), 1.0 / (1.0 + np.exp(2.0 * (np.hypot(i, j) - 35)))
    band = (abs(i) < 8) & (j > 0)
    found = directions(x, band, method="voting")
    here = band & (abs(radius - 35) < 1)
    tangent = np.arctan2(i, j)[here] + np.pi / 2
    assert error(found.angle[here], tangent) < 6


@pytest.mark.parametrize("method", ["structure", "voting"])
def test_what_is_in_the_band_does_not_matter(method, rng):
    x, band = stripes(0.4)
    other = x.copy()
    other[band] = rng.random(np.count_nonzero(band))
    np.testing.assert_array_equal(
        *(directions(y, band, method=method, sigma=0.0).angle for y in (x, other))
    )


@pytest.mark.parametrize("method", ["structure", "voting"])
def test_channels_add_up_and_a_flat_picture_has_no_direction(method):
    x, _ = stripes(0.4)
    one = directions(x, method=method)
    two = directions(np.dstack([x, np.full_like(x, 0.3)]), method=method)
    np.testing.assert_allclose(one.angle, two.angle, atol=1e-9)
    flat = directions(np.full((40, 30), 0.3), method=method)
    assert not flat.strength.any()
    W = flat.tensors(np.ones((40, 30), bool))
    assert (W == np.array([1.0, 0.0, 1.0])[:, None, None]).all()


def test_tensors_have_the_eigenvalues_and_the_directions(rng):
    x, band = stripes(0.4)
    found = directions(x, band, rho=4.0)
    W = found.tensors(band, along=0.8, across=0.01)
    for k in rng.choice(np.flatnonzero(band), 20):
        p = np.unravel_index(k, band.shape)
        values, vectors = np.linalg.eigh([[W[0][p], W[1][p]], [W[1][p], W[2][p]]])
        np.testing.assert_allclose(values, [0.01, 0.8], atol=1e-12)
        along = np.array([np.sin(found.angle[p]), np.cos(found.angle[p])])
        assert abs(vectors[:, 1] @ along) == pytest.approx(1)
    assert (W[:, ~band] == np.array([1.0, 0.0, 1.0])[:, None]).all()


@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (5, 1)], ids=str)
@pytest.mark.parametrize("method", ["structure", "voting"])
def test_small_pictures(shape, method, rng):
    found = directions(rng.random(shape), method=method)
    assert found.angle.shape == shape
    assert np.isfinite(found.angle).all()


@pytest.mark.parametrize(
    ("name", "value"), [("method", "guess"), ("sigma", -1), ("rho", 0), ("scales", (5.0, 0.0))]
)
def test_settings_are_checked(name, value):
    with pytest.raises(SettingError, match=f"^{name}: "):
        directions(np.zeros((4, 5)), **{name: value})


def test_a_band_of_another_size_is_refused():
    with pytest.raises(MismatchError, match=r"^where: "):
        directions(np.zeros((4, 5)), np.zeros((5, 4), bool))
