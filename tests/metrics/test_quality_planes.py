from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError, SettingError
from osmofuse.metrics.quality_planes import quality_planes


def test_channels_one_by_one(rng):
    x = rng.random((3, 4, 3))
    planes = list(quality_planes(x, "mean"))
    np.testing.assert_array_equal(np.stack(planes, axis=-1), 255 * x)


def test_grey_is_weighed_and_rounded():
    x = np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]]])
    (grey,) = quality_planes(x, "grey")
    np.testing.assert_array_equal(grey, [[76, 150, 29, 255]])


@pytest.mark.parametrize("shape", [(3, 4), (3, 4, 1)])
def test_one_channel_is_grey_already(rng, shape):
    x = rng.random(shape)
    (grey,) = quality_planes(x, "grey")
    np.testing.assert_array_equal(grey, 255 * x.reshape(3, 4))


def test_what_has_no_grey(rng):
    with pytest.raises(InputError, match=r"^fused: 4 channels have no grey"):
        list(quality_planes(rng.random((3, 4, 4)), "grey"))
    with pytest.raises(SettingError, match=r"^colour: 'lab'; must be"):
        list(quality_planes(rng.random((3, 4, 3)), "lab"))
