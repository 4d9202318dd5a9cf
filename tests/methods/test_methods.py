"""What holds for every method: shapes, types, bits, bands, watching."""

from __future__ import annotations

import inspect
import math
import re
import threading
from dataclasses import FrozenInstanceError, fields, is_dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import osmofuse
from nasty import numbers
from osmofuse import Progress, Sources, Status
from osmofuse.errors import SettingError
from osmofuse.methods import METHODS as KNOWN
from osmofuse.methods.contract import Extendable
from osmofuse.methods.describe import describe
from osmofuse.pixels import scaled
from registry import METHODS, WITHOUT_ALPHA

# Methods that follow no flow; those that do, and can go on, have tests of their own for all this.
PLAIN = [name for name, method in METHODS.items() if not isinstance(method, Extendable)]
COLOURING = [name for name in PLAIN if hasattr(METHODS[name], "band")]

each = pytest.mark.parametrize("name", METHODS)
each_plain = pytest.mark.parametrize("name", PLAIN)
each_colouring = pytest.mark.parametrize("name", COLOURING)


def test_the_registry_has_methods_of_their_own_kind():
    assert all(type(method) is KNOWN[name] for name, method in METHODS.items())


@each
def test_a_method_is_frozen_settings(name):
    method = METHODS[name]
    assert is_dataclass(method)
    assert hash(method) == hash(
        type(method)(**{f.name: getattr(method, f.name) for f in fields(method)})
    )
    with pytest.raises(FrozenInstanceError):
        setattr(method, fields(method)[0].name, None)


@pytest.fixture
def pair(rng):
    return rng.random((2, 8, 7, 3))


@pytest.fixture
def alpha(rng):
    alpha = rng.random((8, 7))
    alpha[:3], alpha[5:, 3:] = 1.0, 0.0
    return alpha


@each_plain
def test_a_fusion_is_complete(pair, alpha, name):
    fusion = osmofuse.fuse(*pair, alpha, method=name)
    assert fusion.image.shape == pair[0].shape
    assert (fusion.structure, fusion.energy, fusion.reach, fusion.plan) == (None,) * 4
    assert fusion.history == ()
    assert fusion.status.is_success
    assert fusion.seconds > 0
    assert fusion.method == METHODS[name]
    with pytest.raises(osmofuse.SettingError, match="has no reach to extend"):
        fusion.extend(10.0)


def _unit(dtype):
    """Samples of a type: black, white, and floats beyond."""
    if np.issubdtype(dtype, np.integer):
        return st.integers(0, np.iinfo(dtype).max)
    return st.floats(0, 16, width=8 * np.dtype(dtype).itemsize)


@st.composite
def _problems(draw):
    """Return pictures, a map and where they are valid; any shape, type and bands."""
    shape = draw(st.tuples(st.integers(1, 9), st.integers(1, 9)))
    bands = draw(st.sampled_from([(), (1,), (2,), (3,)]))
    kinds = st.sampled_from([np.uint8, np.uint16, np.float16, np.float32, np.float64])
    kind, other = draw(kinds), draw(kinds)
    f = draw(arrays.arrays(kind, (*shape, *bands), elements=_unit(kind)))
    fewer = draw(st.sampled_from([bands, ()]))
    b = draw(arrays.arrays(other, (*shape, *fewer), elements=_unit(other)))
    maps = st.one_of(
        arrays.arrays(np.bool_, shape),
        arrays.arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.3, 1.0])),
        arrays.arrays(np.float64, (*shape, *bands), elements=st.sampled_from([0.0, 1.0])),
        st.sampled_from([np.array(a) for a in (0.0, 0.5, 1.0)]),
    )
    valid = draw(st.one_of(st.none(), arrays.arrays(np.bool_, shape)))
    return f, b, draw(maps), valid


@pytest.mark.parametrize("name", PLAIN)
@given(problem=_problems())
@settings(max_examples=60)
def test_any_input_gives_a_finite_picture_of_its_shape_and_leaves_it_alone(name, problem):
    before = [None if x is None else x.copy() for x in problem]
    for x in problem:
        if x is not None:
            x.flags.writeable = False
    f, b, alpha, valid = problem
    sources = Sources(f, b, alpha, valid)
    fusion = METHODS[name](sources)
    assert fusion.image.shape == f.shape
    assert fusion.image.dtype == sources.dtype
    assert np.isfinite(fusion.image).all()
    assert not np.shares_memory(fusion.image, f)
    for x, y in zip(problem, before, strict=True):
        assert x is None or np.array_equal(x, y)
    if valid is not None and name != "pyramid":  # a pyramid reaches over borders of the valid
        assert np.array_equal(fusion.image[~valid], scaled(f, sources.dtype)[~valid])


@each_plain
def test_read_only_views_give_the_same_bits(rng, pair, name):
    """Also where arrays are not contiguous, or lie backwards."""
    f, b = np.asfortranarray(pair[0]), pair[1, :, ::-1]
    alpha = np.round(rng.random((16, 7, 3)))[::2]
    for x in (f, b, alpha):
        x.flags.writeable = False
    odd = METHODS[name](Sources(f, b, alpha)).image
    plain = METHODS[name](Sources(*(np.array(x, order="C") for x in (f, b, alpha)))).image
    assert np.array_equal(odd, plain)


@each_plain
def test_the_foreground_alone_comes_back(pair, name):
    """Where alpha is 1 everywhere, or the backgrounds are the foreground."""
    f, b = pair
    if name not in WITHOUT_ALPHA:
        np.testing.assert_allclose(METHODS[name](Sources(f, b, 1.0)).image, f, atol=1e-14)
    np.testing.assert_allclose(METHODS[name](Sources(f, f, 0.4)).image, f, atol=1e-14)
    np.testing.assert_allclose(METHODS[name](Sources(f, f, 0.0)).image, f, atol=1e-14)


@each_plain
def test_values_of_a_background_that_are_not_valid_do_not_count(pair, alpha, rng, name):
    f, b = pair
    valid = rng.random((8, 7)) < 0.7
    images = []
    for unknown in (0.0, 1.0, np.nan):
        background = np.where(valid[..., None], b, unknown)
        images.append(METHODS[name](Sources(f, background, alpha, valid)).image)
    assert np.array_equal(images[0], images[1])
    assert np.array_equal(images[0], images[2])
    nothing = METHODS[name](Sources(f, np.full_like(b, np.nan), alpha, np.zeros((8, 7), bool)))
    np.testing.assert_allclose(nothing.image, f, atol=1e-14)
    everything = METHODS[name](Sources(f, b, alpha, np.ones((8, 7), bool)))
    assert np.array_equal(everything.image, METHODS[name](Sources(f, b, alpha)).image)


@each_colouring
def test_one_band_keeps_the_foregrounds_chromaticity_or_is_repeated(rng, name):
    f, b = rng.uniform(0.2, 0.8, (8, 7, 3)), rng.uniform(0.2, 0.8, (8, 7))
    alpha = np.zeros((8, 7))
    alpha[0] = 1.0
    method = type(METHODS[name])
    coloured = (b + 1)[..., None] * (f + 1) / np.cbrt((f + 1).prod(axis=2, keepdims=True)) - 1
    for band, explicit in (("keep", coloured), ("repeat", np.repeat(b[..., None], 3, axis=2))):
        fused = method(band=band)(Sources(f, b, alpha)).image
        expected = method()(Sources(f, explicit, alpha)).image
        np.testing.assert_allclose(fused, expected, atol=1e-9)
    assert np.array_equal(
        method()(Sources(f, b, alpha)).image, method(band="keep")(Sources(f, b, alpha)).image
    )
    grey = method(band="keep")(Sources(f[..., 0], b, alpha)).image
    assert np.array_equal(grey, method(band="repeat")(Sources(f[..., 0], b, alpha)).image)
    with pytest.raises(osmofuse.SettingError, match=r"^band: "):
        method(band="grey")


# ---- watching ----


@each
def test_a_cancelled_fusion_is_the_foreground(pair, alpha, name):
    fusion = METHODS[name](Sources(*pair, alpha), watch=lambda _: True)
    assert fusion.status is Status.cancelled
    assert fusion.image.shape == pair[0].shape
    assert fusion.method == METHODS[name]
    if name in PLAIN:
        assert np.array_equal(fusion.image, pair[0])


@each_plain
def test_channels_finished_before_a_cancel_are_kept(pair, alpha, name, monkeypatch):
    monkeypatch.setattr(osmofuse.progress.Guard, "interval", 0.0)
    whole = METHODS[name](Sources(*pair, alpha)).image
    cancelled = METHODS[name](Sources(*pair, alpha), watch=lambda p: p.channel == 1)
    assert cancelled.status is Status.cancelled
    assert np.array_equal(cancelled.image[..., 0], whole[..., 0])
    assert np.array_equal(cancelled.image[..., 1:], pair[0, ..., 1:])


@each_plain
def test_watching_changes_nothing(pair, alpha, name, monkeypatch):
    monkeypatch.setattr(osmofuse.progress.Guard, "interval", 0.0)
    told = []

    def watch(progress):
        told.append((progress, threading.get_ident()))

    watched = METHODS[name](Sources(*pair, alpha), watch=watch)
    assert np.array_equal(watched.image, METHODS[name](Sources(*pair, alpha)).image)
    assert sorted({progress.channel for progress, _ in told}) == [0, 1, 2]
    for progress, thread in told:
        assert isinstance(progress, Progress)
        assert progress.channels == 3
        assert thread == threading.get_ident()
    seconds = [progress.seconds for progress, _ in told]
    assert seconds == sorted(seconds)


@each
def test_an_error_of_the_watching_function_comes_through(pair, name):
    def watch(_):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        METHODS[name](Sources(*pair, 0.0), watch=watch)


NUMERIC = [
    (name, one)
    for name in KNOWN
    for one in describe(name).settings
    if re.search(r"\b(float|int)\b", str(one.kinds))
]


def documented(name, setting):
    """Return what the docstring, or that of a base, says of the kind and range of a setting."""
    every = (inspect.cleandoc(base.__doc__ or "") for base in KNOWN[name].__mro__)
    lines = "\n".join(every).splitlines()
    return next(line for line in lines if re.match(rf"(\w+, )*{setting}(, \w+)* : ", line))


def test_all_numbers_are_among_the_numeric_settings():
    assert len(NUMERIC) > 30
    every = [(name, one) for name in KNOWN for one in describe(name).settings]
    plain = {(name, one.name) for name, one in every if type(one.default) in (int, float)}
    assert plain <= {(name, one.name) for name, one in NUMERIC}


@pytest.mark.parametrize(("name", "setting"), NUMERIC, ids=lambda x: getattr(x, "name", x))
def test_every_number_has_a_least_and_a_most(name, setting):
    kind, said = KNOWN[name], documented(name, setting.name)
    many = "Sequence" in str(setting.kinds)
    kind(**{setting.name: setting.default})
    assert re.search(r"-?[\d.e-]+ to (below )?[\d.e]+", said), said
    endless = [] if re.search(r"\binf\b", said) else [math.inf]
    for value in (*numbers(), *endless):
        with pytest.raises(SettingError, match=f"^{setting.name}: "):
            kind(**{setting.name: [value] if many else value})
    if not endless:
        kind(**{setting.name: math.inf})


@pytest.mark.parametrize(("name", "setting"), NUMERIC, ids=lambda x: getattr(x, "name", x))
def test_the_documented_ends_of_a_range_are_its_ends(name, setting):
    kind, said = KNOWN[name], documented(name, setting.name)
    least, below, most = re.search(r"(-?[\d.e-]+) to (below )?([\d.e]+)", said).groups()
    whole = re.search(r"\bint\b", str(setting.kinds)) is not None
    least, most = (int(float(end)) if whole else float(end) for end in (least, most))
    pack = list if "Sequence" in str(setting.kinds) else lambda values: values[0]
    for value in (least - 1, most + 1 if whole else math.nextafter(most, math.inf)):
        with pytest.raises(SettingError, match=f"^{setting.name}: "):
            kind(**{setting.name: pack([value])})
    if below:
        with pytest.raises(SettingError, match=f"^{setting.name}: "):
            kind(**{setting.name: pack([most])})
    elif setting.name != "finest":  # which must not be above the coarsest
        kind(**{setting.name: pack([most])})
