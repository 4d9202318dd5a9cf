"""The working space: the standard's curve, the profile's if it has one, and the way back."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse.errors import SettingError
from osmofuse.tasks.working_space import from_working, to_working
from picture_files import GREY_PROFILE, PROFILE, gamma_curve, icc_profile

RAMP = np.linspace(-0.1, 1.4, 60).reshape(4, 5, 3)


def test_encoded_is_the_array_itself():
    assert to_working(RAMP, "encoded") is RAMP
    assert from_working(RAMP, "encoded", PROFILE) is RAMP


def test_linear_is_the_curve_of_srgb():
    known = np.array([[0.0, 0.04045, 0.5, 1.0]])
    light = [[0.0, 0.0031308, 0.2140411, 1.0]]
    np.testing.assert_allclose(to_working(known, "linear"), light, atol=1e-7)
    np.testing.assert_allclose(from_working(np.array(light), "linear"), known, atol=1e-6)


def test_the_profile_says_otherwise():
    grey = to_working(np.array([[0.5]]), "linear", GREY_PROFILE)
    np.testing.assert_allclose(grey, 0.5**2.2, atol=1e-3)
    assert abs(grey - to_working(np.array([[0.5]]), "linear")) > 1e-3


def test_one_channel_has_the_curve_of_green():
    gammas = {b"rTRC": 1.8, b"gTRC": 2.2, b"bTRC": 2.6}
    profile = icc_profile(b"RGB ", {name: gamma_curve(gamma) for name, gamma in gammas.items()})
    grey = to_working(np.array([[0.5]]), "linear", profile)
    np.testing.assert_allclose(grey, 0.5**2.2, atol=1e-3)


@pytest.mark.parametrize("profile", [None, PROFILE, GREY_PROFILE, b"rubbish"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(12, 5), (4, 5, 3), (60, 1, 1), (3, 5, 4)])
def test_back_again_beyond_black_and_white(profile, dtype, shape):
    array = RAMP.astype(dtype).reshape(shape)
    array.flags.writeable = False
    light = to_working(array, "linear", profile)
    assert light.dtype == dtype
    assert (np.diff(light.ravel()) > 0).all()
    back = from_working(light, "linear", profile)
    np.testing.assert_allclose(back, array, atol=2e-6 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize("way", [to_working, from_working])
def test_other_words(way):
    with pytest.raises(SettingError, match="must be encoded or linear"):
        way(RAMP, "log")
