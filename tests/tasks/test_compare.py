"""Methods side by side: their names, their maps, and what becomes of one that fails."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest

from osmofuse import (
    Fusion,
    InputError,
    MismatchError,
    Picture,
    SettingError,
    Status,
    VariationalOsmosis,
    fuse,
    score,
)
from osmofuse.methods import METHODS
from osmofuse.tasks import Comparison, compare


@dataclass(frozen=True)
class Blend:
    """A method of the test's own: alpha f + (1 - alpha) b, times a gain."""

    gain: float = 1.0
    status: Status = Status.direct

    def __call__(self, sources, *, watch=None):
        planes = [
            sources.weight(0, c, np.float64) * sources.image(0, c, np.float64)
            + sources.weight(1, c, np.float64) * sources.image(1, c, np.float64)
            for c in range(sources.channels)
        ]
        image = self.gain * np.stack(planes, axis=-1).reshape(sources.foreground.shape)
        return Fusion(image, None, None, None, (), self.status, 0.25, self)


@dataclass(frozen=True)
class Picky:
    """A method that cannot deal with any pair."""

    def __call__(self, sources, *, watch=None):
        raise InputError("alpha: no pixel is free; lower it somewhere")


@pytest.fixture
def pair(rng):
    return rng.random((2, 12, 13, 3))


QUICK = {"variational": VariationalOsmosis(max_iter=3), "blend": Blend()}


def test_every_method_by_default(pair):
    assert [found.name for found in compare(*pair, 0.5)] == list(METHODS)


def test_a_comparison_is_a_fusion_with_its_scores(pair):
    for found in compare(*pair, 0.4, methods=QUICK):
        assert found.reason is None
        method = QUICK[found.name]
        assert found.fusion.method is method
        assert found.fusion.seconds > 0
        assert np.array_equal(found.fusion.image, fuse(*pair, 0.4, method=method).image)
        assert found.scores == score(found.fusion.image, *pair, 0.4)
        assert list(found.scores) == ["chromaticity", "structure", "fmi", "brisque"]


def test_a_truth_is_scored_too(pair, rng):
    truth = rng.random(pair[0].shape)
    (found,) = compare(*pair, 0.4, methods=Blend(), truth=truth)
    assert found.scores == score(found.fusion.image, *pair, 0.4, truth=truth)
    assert "psnr" in found.scores


@pytest.mark.parametrize(
    ("methods", "names"),
    [
        ("variational", ["variational"]),
        (["variational"], ["variational"]),
        (VariationalOsmosis(max_iter=2), ["variational"]),
        ((Blend(), VariationalOsmosis(max_iter=2)), ["Blend", "variational"]),
        ({"a": Blend(), "b": Blend(0.5), "c": "variational"}, ["a", "b", "c"]),
        ([], []),
    ],
)
def test_methods_by_name_instance_or_both(pair, methods, names):
    assert [found.name for found in compare(*pair, 0.5, methods=methods)] == names


def test_a_function_is_called_by_its_name(pair):
    def brighter(sources, *, watch=None):
        return Blend(1.1)(sources)

    (found,) = compare(*pair, 0.5, methods=[brighter])
    assert found.name == "brighter"


def test_two_of_one_name(pair):
    with pytest.raises(SettingError, match=r"^methods: two are called 'Blend'; give a mapping"):
        compare(*pair, 0.5, methods=[Blend(), Blend(0.5)])


@pytest.mark.parametrize("methods", ["magic", ["magic"], {"mine": "magic"}, [42], [Blend]])
def test_what_is_no_method(pair, methods):
    with pytest.raises(SettingError, match=r"^method: "):
        compare(*pair, 0.5, methods=methods)


def test_a_map_of_its_own_is_for_the_method_alone(pair, rng):
    """All are scored with the common one."""
    alpha, own = rng.random((2, 12, 13))
    methods = {"common": Blend(), "own": Blend()}
    common, other = compare(*pair, alpha, methods=methods, alphas={"own": own})
    assert np.array_equal(common.fusion.image, fuse(*pair, alpha, method=Blend()).image)
    assert np.array_equal(other.fusion.image, fuse(*pair, own, method=Blend()).image)
    assert other.scores == score(other.fusion.image, *pair, alpha)
    assert other.scores != score(other.fusion.image, *pair, own)


def test_maps_must_be_for_methods_that_are_compared(pair):
    with pytest.raises(SettingError, match=r"^alphas: 'poison' is not compared; these are: blend"):
        compare(*pair, 0.5, methods={"blend": Blend()}, alphas={"poison": 0.5})


def test_a_bad_map_is_named(pair):
    with pytest.raises(MismatchError, match=r"^alphas\['blend'\]: alpha: shape \(3, 3\)"):
        compare(*pair, 0.5, methods={"blend": Blend()}, alphas={"blend": np.ones((3, 3))})


def test_a_method_that_fails_does_not_lose_the_others(pair):
    methods = {"first": Blend(), "picky": Picky(), "last": Blend(0.9)}
    first, picky, last = compare(*pair, 0.5, methods=methods)
    assert first.fusion is not None
    assert last.fusion is not None
    assert (picky.fusion, picky.scores) == (None, {})
    assert picky.reason == "alpha: no pixel is free; lower it somewhere"


def test_a_picture_that_cannot_be_scored_is_kept(pair):
    broken, whole = compare(*pair, 0.5, methods={"nan": Blend(np.nan), "blend": Blend()})
    assert np.isnan(broken.fusion.image).all()
    assert broken.scores == {}
    assert "NaN" in broken.reason
    assert whole.scores


def test_a_bug_is_not_swallowed(pair):
    def buggy(sources, *, watch=None):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        compare(*pair, 0.5, methods=[buggy])


def never(sources, *, watch=None):
    pytest.fail("a method ran on pictures that do not fit")


@pytest.mark.parametrize(
    ("wrong", "name", "kind"),
    [
        ({"foreground": np.full((12, 13, 3), np.nan)}, "foreground", InputError),
        ({"background": np.ones((3, 3, 3))}, "background", MismatchError),
        ({"background": [np.ones((12, 13)), np.ones((12, 13))]}, "background", InputError),
        ({"alpha": 2.0}, "alpha", InputError),
        ({"truth": np.ones((12, 13))}, "truth", MismatchError),
        ({"watch": 3}, "watch", SettingError),
    ],
)
def test_mistakes_are_told_before_a_method_runs(pair, wrong, name, kind):
    arguments = {"foreground": pair[0], "background": pair[1], "alpha": 0.5} | wrong
    with pytest.raises(kind, match=rf"^{name}: "):
        compare(**arguments, methods=[never])


def test_cancelling_ends_the_comparison(pair):
    """The one at work gives what it has; those after it were not begun, and say so."""
    calls = []
    methods = {"first": Blend(), "second": VariationalOsmosis(), "third": never, "fourth": never}

    def watch(progress):
        calls.append(progress)
        return True

    found = compare(*pair, 0.5, methods=methods, watch=watch)
    assert len(calls) == 1
    assert [c.name for c in found] == list(methods)
    assert found[0].fusion.status is Status.direct
    assert found[1].fusion.status is Status.cancelled
    for comparison in found[2:]:
        assert (comparison.fusion, comparison.scores) == (None, {})
        assert comparison.reason == "cancelled before it began"


def test_one_band_and_pictures(rng):
    f = rng.integers(0, 256, (12, 13, 3), np.uint8)
    b = rng.integers(0, 256, (12, 13), np.uint8)
    arrays = compare(f, b, 0.5, methods=QUICK)
    pictures = compare(Picture(f), Picture(b), 0.5, methods=QUICK)
    for one, other in zip(arrays, pictures, strict=True):
        assert np.array_equal(one.fusion.image, other.fusion.image)
        assert one.scores == other.scores


def test_inputs_are_never_changed(pair):
    alpha = np.full((12, 13), 0.5)
    inputs = [*pair, alpha]
    before = [x.copy() for x in inputs]
    for x in inputs:
        x.flags.writeable = False
    compare(*inputs, methods=QUICK, alphas={"blend": alpha}, truth=pair[0])
    assert all(np.array_equal(x, y) for x, y in zip(inputs, before, strict=True))


def test_a_comparison_is_frozen():
    comparison = Comparison("direct", None, {})
    with pytest.raises(FrozenInstanceError):
        comparison.name = "other"
