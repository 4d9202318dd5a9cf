from __future__ import annotations

import numpy as np
import pytest

from osmofuse.filters import robust_deviation


def test_it_is_the_deviation_of_normal_samples_and_ignores_outliers(rng):
    x = rng.normal(5.0, 2.0, 20_000)
    x[:1000] = 1e6
    assert float(robust_deviation(x)) == pytest.approx(2.0, rel=0.1)


def test_it_is_measured_along_an_axis(rng):
    x = rng.normal(size=(101, 3)).astype(np.float32)
    each = [float(robust_deviation(x[:, c])) for c in range(3)]
    np.testing.assert_allclose(robust_deviation(x, axis=0), each, rtol=1e-6)
    np.testing.assert_allclose(robust_deviation(4.0 * x + 1.0, axis=0), 4.0 * np.array(each), 1e-5)
