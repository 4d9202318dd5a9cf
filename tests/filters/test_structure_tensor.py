"""The structure tensor against sums of products; hidden pixels do not count."""

import numpy as np

from osmofuse.filters import derivatives, gaussian, structure_tensor


def test_it_is_the_mean_of_products_over_all_planes(rng):
    planes = rng.random((2, 12, 11))
    slopes = [derivatives(x, 0.25) for x in planes]
    expected = [sum(a[p] * a[q] for a in slopes) for p, q in ((0, 0), (0, 1), (1, 1))]
    found = structure_tensor(planes, 0.25, 1.0)
    for plane, products in zip(found, expected, strict=True):
        np.testing.assert_allclose(plane, gaussian(products, 1.0, radius=3), atol=1e-15)


def test_hidden_pixels_do_not_count(rng):
    x, hidden = rng.random((1, 20, 21)), np.zeros((20, 21), bool)
    hidden[8:12] = True
    other = x.copy()
    other[:, 9:11] += 5.0
    found = [structure_tensor(y, 0.0, 2.0, hidden=hidden) for y in (x, other)]
    np.testing.assert_array_equal(*found)


def test_tensors_are_semidefinite(rng):
    down, mixed, right = structure_tensor(rng.random((3, 15, 16)), 0.25, 2.0)
    assert (down >= 0).all()
    assert (down * right - mixed**2 >= -1e-15).all()
