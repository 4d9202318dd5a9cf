"""The missing layer."""

from dataclasses import replace

import numpy as np
import pytest

from osmofuse import Sources, gallery
from osmofuse.methods.statistics import Statistics
from osmofuse.methods.union.layer import cleaned, ground_level, layer_of
from osmofuse.methods.union.missing import missing_of
from osmofuse.methods.union.pair import log_pair
from osmofuse.methods.union.settings import UnionSettings
from osmofuse.methods.union.target import measured

K = UnionSettings()


def test_the_level_is_that_of_the_ground():
    psi = np.zeros((80, 90), np.float32)
    psi[10:70:6] = -1.0
    psi += np.linspace(0.0, 0.2, 90, dtype=np.float32)
    level = ground_level(psi, 10.0, Statistics())
    np.testing.assert_allclose(
        level, np.broadcast_to(np.linspace(0, 0.2, 90), psi.shape), atol=0.05
    )


@pytest.fixture(scope="module")
def found():
    page = gallery.manuscript((240, 180), 1)
    pair = log_pair(Sources(page.foreground, page.background, 0.0), 1, K.offset, Statistics())
    structure, windows, fit = measured(pair, K, Statistics())
    missing = missing_of(pair, windows, fit, K, Statistics())
    psi = layer_of(structure, missing, 3 * structure.scale, K, Statistics())
    return page, pair, structure, missing, psi


def test_it_is_the_logarithm_of_what_was_lost(found):
    page, pair, structure, missing, psi = found
    true = np.mean(np.log(page.truth + pair.offset) - np.log(page.foreground + pair.offset), axis=2)
    psi = cleaned(psi, structure, missing, K, Statistics())
    lost = true < -0.1
    slope = float((psi * true)[lost].sum() / np.square(true[lost]).sum())
    assert slope == pytest.approx(1.0, abs=0.1)
    assert np.abs(psi[np.abs(true) < 0.01]).mean() < 0.01


def test_ink_has_no_bright_side(found):
    _, _, structure, missing, psi = found
    psi = np.where(psi > 0, 0.1 * psi, psi)
    assert cleaned(psi, structure, missing, K, Statistics()).max() < 0.05


@pytest.mark.parametrize("width", [4, 8, 16])
def test_strokes_of_any_width_lose_the_same_part_of_their_contrast(found, rng, width):
    _, _, structure, missing, _ = found
    bars = -(np.arange(128) // width % 2).astype(np.float32) * np.ones((96, 1), np.float32)
    noise = (0.01**2 / missing.gain**2,)
    wide = replace(structure, scale=width / K.reach, noise=noise)
    psi = bars + 0.01 * rng.standard_normal(bars.shape).astype(np.float32)
    kept = cleaned(psi, wide, missing, replace(K, one_sided=(0.0, 1e-9)), Statistics())
    contrast = kept[bars == 0].mean() - kept[bars < 0].mean()
    assert 1.0 - contrast == pytest.approx(2 * K.smoothing * 0.01, rel=0.4)
    # What is left of the noise falls with the width.
    assert kept[bars < 0].std() < 0.01 / (1 + 0.1 * width)
