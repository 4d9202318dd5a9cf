from __future__ import annotations

import numpy as np
import pytest

from osmofuse.preparation.gaps import FADE, kept_around_gaps


@pytest.mark.parametrize("shape", [(), (60, 70), (60, 70, 3)])
def test_the_map_rises_to_one_towards_a_gap_of_any_size(shape):
    for gap in ((slice(0, 60), slice(0, 9)), (30, 40)):
        valid = np.ones((60, 70), bool)
        valid[gap] = False
        (found,) = kept_around_gaps([np.full(shape, 0.25)], valid)
        assert found.shape == (60, 70, *shape[2:])
        line = found[30, 40 if gap == (30, 40) else 8 :]
        line = line if line.ndim == 1 else line[:, 0]
        assert line[0] == 1.0
        assert np.all(np.diff(line) <= 1e-6)
        assert line[1] > 0.9
        np.testing.assert_allclose(line[FADE + 1 :], 0.25, atol=1e-6)


def test_it_never_lets_more_enter(rng):
    alpha, valid = rng.random((40, 30)), rng.random((40, 30)) > 0.01
    (found,) = kept_around_gaps([alpha], valid)
    assert (found >= alpha - 1e-6).all()
    assert (found <= 1.0).all()
    np.testing.assert_array_equal(found[~valid], 1.0)
