from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError
from osmofuse.metrics.metric import Pictures


def test_what_was_not_given_is_said():
    x = np.zeros((2, 2))
    without = Pictures(x, x, x, None, None)
    with pytest.raises(InputError, match="no alpha was given"):
        without.required_alpha  # noqa: B018
    with pytest.raises(InputError, match="no truth was given"):
        without.required_truth  # noqa: B018
    given = Pictures(x, x, x, x, x)
    assert given.required_alpha is given.required_truth is x
