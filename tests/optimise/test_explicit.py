"""The explicit step, and the parts that a long one is made of."""

import numpy as np
import pytest

from osmofuse.linalg import SplitMatrix
from osmofuse.optimise import Evolution
from osmofuse.optimise.explicit import Explicit


def test_a_short_step_is_one_product(rng):
    A, u = SplitMatrix(rng.uniform(-1, 1, (2, 5, 4))), rng.random((5, 4))
    new = Explicit(A, 0.1)(Evolution(u, 2.0))
    np.testing.assert_allclose(new.u, u + 0.1 * A(u), atol=1e-15)
    assert (new.time, new.inner) == (2.1, 1)


@pytest.mark.parametrize("tau", [0.125, 1.0, 50.0])
def test_a_long_step_is_made_of_parts_that_are_stable(rng, tau):
    A = SplitMatrix(rng.uniform(-1.9, 1.9, (2, 5, 4)))
    new = Explicit(A, tau)(Evolution(rng.random((5, 4))))
    assert tau / new.inner * A.rate <= 1.0 + 1e-9
    assert tau / max(new.inner - 1, 1) * A.rate >= 1.0 or new.inner == 1
