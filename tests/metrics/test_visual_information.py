"""Visual information against loops over windows, and the two metrics."""

from __future__ import annotations

import math

import numpy as np
import pytest

from osmofuse import InputError
from osmofuse.metrics import vif, viff
from osmofuse.metrics.visual_information import VIF_SIDE, scales
from plain_information import windows


@pytest.fixture
def planes(rng):
    x = 255 * rng.random((VIF_SIDE, VIF_SIDE + 2))
    return x, 0.6 * x + 80 * rng.random(x.shape)


def test_against_loops(planes):
    x, y = planes
    for found, expected in zip(scales(x, y, 2.0), windows(x, y, 2.0), strict=True):
        gain, kept, whole = np.array(expected).T
        np.testing.assert_allclose(found.gain.ravel(), gain, atol=1e-9)
        np.testing.assert_allclose(found.kept.ravel(), math.log(10) * kept, atol=1e-8)
        np.testing.assert_allclose(found.whole.ravel(), math.log(10) * whole, atol=1e-8)


def test_nothing_is_kept_of_the_inverse(planes):
    for scale in scales(planes[0], 255 - planes[0], 2.0):
        assert not scale.gain.any()
        assert not scale.kept.any()


def test_flat_planes_have_no_information(planes):
    flat = np.full_like(planes[0], 0.1 * 255)
    assert not any(scale.whole.any() for scale in scales(flat, planes[0], 2.0))
    assert not any(scale.kept.any() for scale in scales(planes[0], flat, 2.0))


def test_the_side_is_the_least(planes):
    assert [scale.gain.shape[0] for scale in scales(*planes, 2.0)] == [25, 9, 3, 1]


@pytest.fixture
def vif_pictures(rng):
    f, b = rng.random((2, 42, 43))
    return 0.5 * f + 0.4 * b, f, b


def vif_fidelity(source, u):
    kept, whole = (
        sum(entry[k] for scale in windows(255 * source, 255 * u, 2.0) for entry in scale)
        for k in (1, 2)
    )
    return kept / whole


def test_vif_against_loops(vif_pictures):
    u, f, b = vif_pictures
    assert vif(u, f, b) == pytest.approx(vif_fidelity(f, u) + vif_fidelity(b, u), abs=1e-9)


def test_vif_channels_are_averaged(vif_pictures):
    u, f, b = vif_pictures
    stacks = [np.stack([x, y], axis=-1) for x, y in ((u, f), (f, f), (b, b))]
    assert vif(*stacks) == pytest.approx((vif(u, f, b) + vif(f, f, b)) / 2, abs=1e-12)


def test_vif_a_source_is_faithful_to_itself_and_contrast_counts(vif_pictures):
    u, f, _ = vif_pictures
    assert vif(f, f, f) == pytest.approx(2.0, abs=1e-9)
    assert vif(0.5 * f, f, f) < 2 < vif(1.5 * f, f, f)
    assert vif(u + 0.1, f, f) == pytest.approx(vif(u, f, f), abs=1e-9)


def test_vif_is_symmetric_in_the_sources_and_sinks_with_noise(vif_pictures, rng):
    u, f, b = vif_pictures
    assert vif(u, f, b) == pytest.approx(vif(u, b, f), abs=1e-14)
    noise = rng.standard_normal(u.shape)
    values = [vif(f + size * noise, f, b) for size in (0.0, 0.05, 0.2, 1.0)]
    assert values == sorted(values, reverse=True)


def test_vif_reasons(vif_pictures):
    u, f, b = vif_pictures
    with pytest.raises(InputError, match="needs 41 pixels"):
        vif(u[:40], f[:40], b[:40])
    with pytest.raises(InputError, match=r"^background: flat in a channel"):
        vif(u, f, np.full_like(b, 0.3))
    assert vif(np.full_like(u, 0.3), f, b) == 0.0


def test_vif_the_last_bits_of_single_precision_tell_nothing(vif_pictures, nearly_flat):
    u, f, _ = vif_pictures
    with pytest.raises(InputError, match="background: flat"):
        vif(u, f, nearly_flat(f.shape))
    assert vif(nearly_flat(f.shape), f, f) == 0.0


def test_vif_direct_matting_of_the_face(direct_face):
    assert vif(*direct_face) == pytest.approx(1.0283, abs=1e-4)


@pytest.fixture
def viff_pictures(rng):
    f, b = rng.random((2, 42, 43))
    return 0.5 * f + 0.4 * b, f, b


def viff_by_loops(u, f, b):
    noise = 0.005 * 255**2
    value = 0.0
    pairs = zip(windows(255 * f, 255 * u, noise), windows(255 * b, 255 * u, noise), strict=True)
    for weight, (of_f, of_b) in zip((1, 0, 0.15, 1), pairs, strict=True):
        kept = whole = 0.0
        for x, y in zip(of_f, of_b, strict=True):
            chosen = x if x[0] < y[0] else y
            kept += chosen[1] + 1e-7
            whole += chosen[2] + 1e-7
        value += weight / 2.15 * kept / whole
    return value


def test_viff_against_loops(viff_pictures):
    assert viff(*viff_pictures) == pytest.approx(viff_by_loops(*viff_pictures), abs=1e-9)


def test_viff_channels_are_averaged_and_a_band_serves_all(viff_pictures):
    u, f, b = viff_pictures
    stacks = [np.stack([x, y], axis=-1) for x, y in ((u, f), (f, f))]
    assert viff(*stacks, b) == pytest.approx((viff(u, f, b) + viff(f, f, b)) / 2, abs=1e-12)


def test_viff_identity_and_flat_pictures(viff_pictures):
    _, f, _ = viff_pictures
    assert viff(f, f, f) == pytest.approx(1.0, abs=1e-9)
    flat = np.full_like(f, 0.3)
    assert viff(flat, flat, flat) == pytest.approx(1.0, abs=1e-12)
    assert viff(flat, f, f) < 1e-5


def test_viff_it_sinks_with_noise(viff_pictures, rng):
    u, f, b = viff_pictures
    noise = rng.standard_normal(u.shape)
    values = [viff(u + size * noise, f, b) for size in (0.0, 0.2, 1.0)]
    assert values == sorted(values, reverse=True)


def test_viff_small_pictures_have_a_reason(viff_pictures):
    with pytest.raises(InputError, match="needs 41 pixels"):
        viff(*(x[:, :40] for x in viff_pictures))


def test_viff_direct_matting_of_the_face(direct_face):
    assert viff(*direct_face) == pytest.approx(0.3185, abs=1e-4)


def test_the_noise_of_a_mere_gain_is_not_negative(planes):
    """The variance left by a gain is a difference of large numbers: it is cut off at 0."""
    x = 1e9 * planes[0]
    with np.errstate(all="raise"):
        for scale in scales(x, x / 3.0, 2.0):
            assert np.isfinite(scale.kept).all()
            assert (scale.kept >= 0).all()
