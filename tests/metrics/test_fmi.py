"""Feature mutual information: against the definition, window by window, and its laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import osmofuse
from osmofuse import InputError, MismatchError, SettingError
from osmofuse.metrics import fmi
from osmofuse.metrics.fmi_features import FEATURES


def entropy(p):
    """In bits, of the absolute values: a guessed joint distribution may be negative."""
    p = p[p != 0]
    return -np.sum(p * np.log2(np.abs(p)))


def distribution(window):
    values = window.ravel(order="F")
    spread = values.max() - values.min()
    values = (values - values.min()) / spread if spread > 0 else np.ones_like(values)
    return values / values.sum()


def window_score(x, y):
    """The score of two windows, with the whole table of joint probabilities."""
    if np.array_equal(x, y):
        return 1.0
    p, q = distribution(x), distribution(y)
    place = np.arange(1, p.size + 1)
    above = (p - p.mean()) @ (q - q.mean())
    if np.ptp(p) == 0 or np.ptp(q) == 0 or above == 0:
        c = 0.0
    else:
        c = above / np.sqrt(np.sum((p - p.mean()) ** 2) * np.sum((q - q.mean()) ** 2))
    deviations = [np.sqrt(max(z @ place**2 - (z @ place) ** 2, 0)) for z in (p, q)]
    cum_p, cum_q = np.cumsum(p), np.cumsum(q)
    product = np.multiply.outer(cum_q, cum_p)
    if c >= 0:
        bound = np.minimum.outer(cum_q, cum_p)
    else:
        bound = np.maximum(np.add.outer(cum_q, cum_p) - 1, 0)
    if c == 0 or min(deviations) < 1e-7:
        phi = 0.0
    else:
        phi = c / (np.sum(bound - product) / np.prod(deviations))
    mass = np.diff(np.diff(np.pad(bound, ((1, 0), (1, 0))), axis=0), axis=1)
    joint = phi * mass + (1 - phi) * np.multiply.outer(q, p)
    apart = entropy(p) + entropy(q)
    shared = apart - entropy(joint)
    return 2 * shared / apart if abs(shared) > 1e-12 else 0.0


def fmi_by_loops(u, f, b, feature, window=3):
    u, f, b = (FEATURES[feature](255 * x) for x in (u, f, b))
    places = [slice(i, i + window) for i in range(u.shape[0] - window + 1)]
    across = [slice(j, j + window) for j in range(u.shape[1] - window + 1)]
    return np.mean([window_score(s[i, j], u[i, j]) for s in (f, b) for i in places for j in across])


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("window", [3, 5])
def test_against_the_definition(rng, feature, window):
    u, f, b = np.rint(255 * rng.random((3, 12, 11))) / 255
    u[:6, :6] = f[:6, :6]
    expected = fmi_by_loops(u, f, b, feature, window)
    assert fmi(u, f, b, feature=feature, window=window) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("levels", [2, 3, 5])
def test_against_the_definition_with_few_levels(rng, levels):
    """Windows with ties, single pixels and no variation at all."""
    u, f, b = rng.integers(0, levels, (3, 14, 13)) * rng.integers(0, 2, (3, 14, 13)) / 255
    assert fmi(u, f, b, feature="none") == pytest.approx(fmi_by_loops(u, f, b, "none"), abs=1e-9)


@pytest.mark.parametrize("feature", FEATURES)
def test_a_picture_fused_from_itself_has_all(rng, feature):
    x = rng.random((9, 8, 3))
    assert fmi(x, x.copy(), x.copy(), feature=feature) == 1.0


@pytest.mark.parametrize("feature", FEATURES)
def test_sources_may_change_places(rng, feature):
    u, f, b = rng.random((3, 10, 12))
    assert fmi(u, f, b, feature=feature) == fmi(u, b, f, feature=feature)


@pytest.mark.parametrize("feature", ["none", "gradient"])
def test_gain_and_offset_do_not_count(rng, feature):
    u, f, b = rng.integers(0, 100, (3, 10, 12)) / 255
    expected = fmi(u, f, b, feature=feature)
    changed = fmi(u, 2 * f + 30 / 255, b / 2, feature=feature)
    assert changed == pytest.approx(expected, abs=1e-9)


def test_channels_are_averaged(rng):
    u, f, b = rng.random((3, 10, 12, 3))
    each = [fmi(u[..., c], f[..., c], b[..., c], feature="none") for c in range(3)]
    assert fmi(u, f, b, feature="none") == pytest.approx(np.mean(each), abs=1e-15)


@pytest.mark.parametrize("band", [lambda b: b, lambda b: b[..., None]])
def test_one_band_is_compared_with_every_channel(rng, band):
    u, f = rng.random((2, 10, 12, 3))
    b = rng.random((10, 12))
    expected = fmi(u, f, np.repeat(b[..., None], 3, axis=2), feature="none")
    assert fmi(u, f, band(b), feature="none") == expected


def test_more_of_the_sources_is_more(rng):
    f, b, noise = rng.random((3, 30, 30))
    keep = np.arange(30) < 15
    u = np.where(keep, f, b)
    assert fmi(u, f, b, feature="none") > fmi(noise, f, b, feature="none") + 0.2


def constants(*levels):
    return [np.full((5, 6), level / 255) for level in levels]


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("level", [0, 50, 255])
def test_equal_constants_have_all(feature, level):
    assert fmi(*constants(level, level, level), feature=feature) == 1.0


@pytest.mark.parametrize(
    ("feature", "value"), [("edge", 1.0), ("gradient", 1.0), ("none", 0.0), ("dct", 11 / 12)]
)
def test_constants_that_differ(feature, value):
    """No edge and no gradient anywhere; levels that differ; of 12 windows one with the mean."""
    assert fmi(*constants(10, 90, 200), feature=feature) == pytest.approx(value, abs=1e-12)


pictures = arrays(
    np.float64, (3, 4, 5), elements=st.sampled_from([0.0, 1 / 255, 0.2, 0.5, 254 / 255, 1.0, 1e-9])
)


@pytest.mark.parametrize("feature", FEATURES)
@given(x=pictures)
def test_the_value_stays_in_its_range(feature, x):
    assert 0.0 <= fmi(*x, feature=feature) <= 1.0


@pytest.mark.parametrize("feature", FEATURES)
def test_8_bits_count_alike_in_single_and_double_precision(rng, feature):
    x = rng.integers(0, 256, (3, 9, 10)) / 255
    assert fmi(*x.astype(np.float32), feature=feature) == fmi(*x, feature=feature)


def test_inputs_may_be_read_only_and_lie_anyhow(rng):
    x = rng.random((3, 9, 10, 3))
    expected = fmi(*x, feature="none")
    odd = [np.asfortranarray(x[0]), x[1, ::-1][::-1], x[2].astype(">f8").astype(float)]
    for y in odd:
        y.flags.writeable = False
    assert fmi(*odd, feature="none") == expected


@pytest.mark.parametrize("shape", [(2, 9), (9, 2, 3), (1, 1)])
def test_pictures_smaller_than_a_window(rng, shape):
    u, f, b = rng.random((3, *shape))
    with pytest.raises(InputError, match="needs 3 pixels in both directions"):
        fmi(u, f, b)


@pytest.mark.parametrize("feature", FEATURES)
def test_one_window_is_enough(rng, feature):
    assert 0.0 <= fmi(*rng.random((3, 3, 3)), feature=feature) <= 1.0


def test_what_does_not_fit_is_refused(rng):
    x = rng.random((9, 8, 3))
    with pytest.raises(MismatchError, match=r"^foreground: shape \(8, 8, 3\)"):
        fmi(x, x[1:], x)
    with pytest.raises(MismatchError, match=r"^background: shape"):
        fmi(x, x, x[..., :2])


@pytest.mark.parametrize(
    ("setting", "name"),
    [({"feature": "beauty"}, "feature"), ({"window": 4}, "window"), ({"window": 1}, "window"),
     ({"window": 3.0}, "window")],
)  # fmt: skip
def test_bad_settings(rng, setting, name):
    with pytest.raises(SettingError, match=rf"^{name}: "):
        fmi(*rng.random((3, 9, 9)), **setting)


@pytest.fixture(scope="module")
def direct_matting(data):
    """Return direct matting of the face in 8 bits, with its sources."""
    names = ("foreground", "background", "alpha")
    f, b, alpha = (osmofuse.read(data / "paper" / f"4_{name}.png").pixels for name in names)
    alpha = osmofuse.soften(alpha == 255, 5)
    return [x / 255 for x in (np.rint(alpha * f + (1 - alpha) * b), f, b)]


@pytest.mark.parametrize(
    ("feature", "value"),
    [("edge", 0.895), ("gradient", 0.555), ("dct", 0.413), ("wavelet", 0.553), ("none", 0.551)],
)
def test_direct_matting_of_the_face(direct_matting, feature, value):
    """The value of the paper's table for edges; for the others, that of another program."""
    assert fmi(*direct_matting, feature=feature) == pytest.approx(value, abs=6e-4)


@pytest.mark.parametrize(
    ("fused", "source", "end"),
    [
        ([[188, 0, 0], [921, 62, 0], [0, 0, 0]], [[60, 0, 0], [406, 0, 0], [0, 0, 0]], 1.0),
        ([[0, 0, 28], [0, 0, 0], [0, 383, 0]], [[0, 0, 0], [0, 0, 0], [50, 720, 0]], 0.0),
    ],
)
def test_windows_out_of_the_range_are_cut_off(fused, source, end):
    """The estimated joint distribution of these windows is negative somewhere: 1.75 and -0.14."""
    u, f = np.array(fused) / 1000, np.array(source) / 1000
    assert fmi(u, f, f, feature="none") == end
