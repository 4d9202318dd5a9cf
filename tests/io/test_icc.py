"""ICC profiles: names, spaces, curves, matrices; damage gives nothing and raises nothing."""

from __future__ import annotations

import struct

import numpy as np
import pytest
import pyvips
import tifffile

from osmofuse.io import describe, read, write
from osmofuse.io.icc import colorants, colour_space, is_sound, parametric, profile_name, tone_curves
from osmofuse.picture import Picture
from picture_files import GREY_PROFILE, PROFILE, described, gamma_curve, icc_profile

SRGB = bytes(pyvips.Image.profile_load("srgb"))
X = np.linspace(0, 1, 101)


def with_curve(data):
    return icc_profile(b"GRAY", {b"desc": described("x"), b"kTRC": data})


def para(kind, *numbers):
    fixed = [round(n * 65536) for n in numbers]
    return b"para\0\0\0\0" + struct.pack(f">HH{len(fixed)}i", kind, 0, *fixed)


def table(values):
    levels = np.round(np.asarray(values) * 65535).astype(">u2")
    return b"curv\0\0\0\0" + struct.pack(">I", len(levels)) + levels.tobytes()


def test_names():
    assert profile_name(None) is None
    assert profile_name(GREY_PROFILE) == "Grey 2.2"
    assert profile_name(SRGB).startswith("sRGB")
    text = "Größe".encode("utf-16-be")
    mluc = b"mluc\0\0\0\0" + struct.pack(">2I4s2I", 1, 12, b"deDE", len(text), 28) + text
    assert profile_name(icc_profile(b"RGB ", {b"desc": mluc})) == "Größe"
    assert profile_name(b"rubbish") == "unnamed profile"


def test_spaces():
    assert (colour_space(PROFILE), colour_space(GREY_PROFILE)) == ("RGB", "GRAY")
    assert colour_space(b"") == ""


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (gamma_curve(2.2), X ** (round(2.2 * 256) / 256)),
        (b"curv\0\0\0\0\0\0\0\0", X),
        (table(np.linspace(0, 1, 4096) ** 2), X**2),
        (para(0, 1.8), X**1.8),
        (para(1, 2, 0.5, 0.25), np.where(X >= -0.5, (0.5 * X + 0.25) ** 2, 0)),
        (para(1, 2, 2, -0.5), np.where(X >= 0.25, (2 * X - 0.5) ** 2, 0)),
        (para(2, 2, 0.5, 0.25, 0.125), (0.5 * X + 0.25) ** 2 + 0.125),
        (para(3, 2, 0.75, 0.25, 0.5, 0.25), np.where(X >= 0.25, (0.75 * X + 0.25) ** 2, 0.5 * X)),
        (
            para(4, 2, 0.75, 0.25, 0.5, 0.25, 0.125, 0.0625),
            np.where(X >= 0.25, (0.75 * X + 0.25) ** 2 + 0.125, 0.5 * X + 0.0625),
        ),
    ],
)
def test_curves(data, expected):
    ((decode, encode),) = tone_curves(with_curve(data))
    np.testing.assert_allclose(decode(X), expected, atol=2e-5)
    inside = decode(X) > 1e-3  # where a curve is flat there is no way back
    back = encode(decode(X))
    np.testing.assert_allclose(back[inside], X[inside], atol=1e-6)


def test_the_curve_of_srgb_is_that_of_its_standard():
    expected = np.where(X <= 0.04045, X / 12.92, ((X + 0.055) / 1.055) ** 2.4)
    for decode, _ in tone_curves(SRGB):
        np.testing.assert_allclose(decode(X), expected, atol=2e-5)
    np.testing.assert_allclose(
        parametric(2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)[0](X), expected, atol=1e-12
    )


def test_tables_go_on_above_white():
    ((decode, encode),) = tone_curves(with_curve(table(np.linspace(0, 1, 1001) ** 2)))
    above = np.array([1.0, 1.5, 3.0])
    assert (np.diff(decode(above)) > 0).all()
    np.testing.assert_allclose(encode(decode(above)), above)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"curv",
        table([0, 1, 0.5, 1]),
        table([1, 1]),
        table([0, 0.5, 1])[:-2],
        gamma_curve(0),
        para(0, -1),
        para(1, 2, 0, 0),
        para(9, 2),
        para(3, 2),
    ],
)
def test_curves_that_cannot_be_used(data):
    assert tone_curves(with_curve(data)) == ()


def test_colorants_of_srgb():
    # IEC 61966-2-1, adapted to D50
    expected = [[0.4361, 0.3851, 0.1431], [0.2225, 0.7169, 0.0606], [0.0139, 0.0971, 0.7139]]
    np.testing.assert_allclose(colorants(SRGB), expected, atol=2e-4)
    np.testing.assert_allclose(colorants(SRGB).sum(axis=1), (0.9642, 1, 0.8249), atol=5e-4)


def test_no_colorants():
    assert colorants(GREY_PROFILE) is None
    assert colorants(SRGB.replace(b"cprt", b"A2B0", 1)) is None


def test_damage_raises_nothing():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        damaged = bytearray(SRGB[: rng.integers(len(SRGB) + 1)])
        for at in rng.integers(0, max(len(damaged), 1), 5 if damaged else 0):
            damaged[at] = rng.integers(256)
        profile = bytes(damaged)
        assert isinstance(tone_curves(profile), tuple)
        colorants(profile)
        profile_name(profile)


@pytest.mark.parametrize("damage", [b"garbage" * 30, PROFILE[:100], PROFILE[:-1], b"x" + PROFILE])
def test_a_damaged_profile_is_ignored_and_told(tmp_path, damage):
    pixels = np.zeros((5, 6, 3), np.uint8)
    tifffile.imwrite(tmp_path / "a.tif", pixels, metadata=None, iccprofile=damage)
    assert read(tmp_path / "a.tif").profile is None
    found = describe(tmp_path / "a.tif")
    assert found.profile is None
    assert found.note == "its colour profile is damaged, and is ignored"


def test_a_sound_profile_needs_no_note(tmp_path):
    path = write(Picture(np.zeros((5, 6, 3), np.uint8), PROFILE), tmp_path / "a.tif")
    assert describe(path).note is None
    assert read(path).profile == PROFILE


@pytest.mark.parametrize(
    ("stated", "sound"), [(128, False), (129, True), (140, True), (141, False)]
)
def test_a_profile_is_as_long_as_it_says(stated, sound):
    profile = stated.to_bytes(4, "big") + bytes(32) + b"acsp" + bytes(100)
    assert is_sound(profile) is sound
