from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError
from osmofuse.metrics import vif
from plain_information import windows


@pytest.fixture
def pictures(rng):
    f, b = rng.random((2, 42, 43))
    return 0.5 * f + 0.4 * b, f, b


def fidelity(source, u):
    kept, whole = (
        sum(entry[k] for scale in windows(255 * source, 255 * u, 2.0) for entry in scale)
        for k in (1, 2)
    )
    return kept / whole


def test_against_loops(pictures):
    u, f, b = pictures
    assert vif(u, f, b) == pytest.approx(fidelity(f, u) + fidelity(b, u), abs=1e-9)


def test_channels_are_averaged(pictures):
    u, f, b = pictures
    stacks = [np.stack([x, y], axis=-1) for x, y in ((u, f), (f, f), (b, b))]
    assert vif(*stacks) == pytest.approx((vif(u, f, b) + vif(f, f, b)) / 2, abs=1e-12)


def test_a_source_is_faithful_to_itself_and_contrast_counts(pictures):
    u, f, _ = pictures
    assert vif(f, f, f) == pytest.approx(2.0, abs=1e-9)
    assert vif(0.5 * f, f, f) < 2 < vif(1.5 * f, f, f)
    assert vif(u + 0.1, f, f) == pytest.approx(vif(u, f, f), abs=1e-9)


def test_it_is_symmetric_in_the_sources_and_sinks_with_noise(pictures, rng):
    u, f, b = pictures
    assert vif(u, f, b) == pytest.approx(vif(u, b, f), abs=1e-14)
    noise = rng.standard_normal(u.shape)
    values = [vif(f + size * noise, f, b) for size in (0.0, 0.05, 0.2, 1.0)]
    assert values == sorted(values, reverse=True)


def test_reasons(pictures):
    u, f, b = pictures
    with pytest.raises(InputError, match="needs 41 pixels"):
        vif(u[:40], f[:40], b[:40])
    with pytest.raises(InputError, match=r"^background: flat in a channel"):
        vif(u, f, np.full_like(b, 0.3))
    assert vif(np.full_like(u, 0.3), f, b) == 0.0


def test_the_last_bits_of_single_precision_tell_nothing(pictures, nearly_flat):
    u, f, _ = pictures
    with pytest.raises(InputError, match="background: flat"):
        vif(u, f, nearly_flat(f.shape))
    assert vif(nearly_flat(f.shape), f, f) == 0.0


def test_direct_matting_of_the_face(direct_face):
    assert vif(*direct_face) == pytest.approx(1.0283, abs=1e-4)
