from __future__ import annotations

import pytest

from osmofuse import InputError
from osmofuse.metrics.metric import Pictures


def test_the_truth_is_the_right_answer(rng):
    x = rng.random((2, 2))
    assert Pictures(x, x, x, x, truth := x + 1).right_answer is truth
    with pytest.raises(InputError, match="no truth was given"):
        Pictures(x, x, x, x, None).right_answer  # noqa: B018
