from __future__ import annotations

import numpy as np
import pytest

from osmofuse.filters import sobel
from osmofuse.metrics import strips as module
from osmofuse.metrics.strips import strips, sum_over_strips


@pytest.fixture(params=[1, 40, 10**6])
def pixels(request, monkeypatch):
    monkeypatch.setattr(module, "PIXELS", request.param)


@pytest.mark.usefixtures("pixels")
def test_strips_cover_every_row_once():
    assert [i for a, b in strips(23, 7) for i in range(a, b)] == list(range(23))


@pytest.mark.usefixtures("pixels")
@pytest.mark.parametrize("border", ["replicate", "zero"])
def test_sums_are_those_of_the_whole(rng, border):
    x = rng.random((23, 7))

    def local(x):
        return np.abs(np.stack(sobel(x, border=border)))

    expected = local(x).sum(axis=(1, 2))
    np.testing.assert_allclose(sum_over_strips(local, x, reach=1), expected, rtol=1e-13)
