from __future__ import annotations

import numpy as np
import pytest

from osmofuse import MismatchError, gallery
from osmofuse.maps import foreground_colours, soften


def composite():
    land, page = gallery.cloud((90, 100)).truth, np.full((90, 100, 3), (0.9, 0.5, 0.2))
    alpha = soften(np.hypot(*(np.indices((90, 100)) - 45)) < 28, 4)
    return alpha[..., None] * page + (1 - alpha[..., None]) * land, alpha, page


def test_what_shines_through_is_taken_out():
    image, alpha, page = composite()
    edge = (alpha > 0.2) & (alpha < 0.9)
    found = foreground_colours(image, alpha)
    before, after = (np.abs(x - page)[edge].mean() for x in (image, found))
    assert after < 0.5 * before
    assert np.array_equal(found[alpha == 1], image[alpha == 1].astype(found.dtype))


@pytest.mark.parametrize("shape", [(5, 6), (5, 6, 3), (1, 1)])
def test_shape_and_range(rng, shape):
    image, alpha = rng.random(shape).astype(np.float32), rng.random(shape[:2])
    found = foreground_colours(image, alpha)
    assert found.shape == shape
    assert found.dtype == np.float32
    assert 0 <= found.min() <= found.max() <= 1


def test_two_sizes_do_not_fit():
    with pytest.raises(MismatchError, match="alpha: shape"):
        foreground_colours(np.ones((3, 4)), np.ones((4, 3)))


def test_kept_pixels_have_their_own_colours_even_beyond_white(rng):
    image = 1.5 * rng.random((12, 14, 3))
    alpha = np.ones((12, 14))
    alpha[:, :6] = 0.4
    found = foreground_colours(image, alpha)
    np.testing.assert_array_equal(found[:, 6:], image[:, 6:])
    assert found[:, :6].max() <= 1
