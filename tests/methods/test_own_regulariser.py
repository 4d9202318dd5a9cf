"""A regulariser written here, not in the package, runs in the flow and in iPiano."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

import osmofuse
from osmofuse import SettingError, Sources, VariationalOsmosis
from osmofuse.energies import HuberTV, Regulariser, Tikhonov
from osmofuse.linalg import Stencil, inside, padded
from osmofuse.testing import check_gradient


@dataclass(frozen=True, eq=False)
class WeightedTikhonov:
    r"""The term 1/2 sum eta(x) |D v|^2 with a weight map, on edges."""

    eta: np.ndarray = field(repr=False)

    @property
    def largest_edge(self):
        return float(self.eta.max())

    converges_slowly = False

    def _edges(self, shape):
        rows, cols = shape
        down = np.minimum(self.eta[1:], self.eta[:-1])
        right = np.minimum(self.eta[:, 1:], self.eta[:, :-1])
        return down.reshape(rows - 1, cols), right.reshape(rows, cols - 1)

    def set_edges(self, down, right, structure, channel, shape):
        below, beside = self._edges(shape)
        inside(down, shape)[:-1] = below
        inside(right, shape)[:, :-1] = beside
        return self.value(inside(structure[channel], shape).astype(float))

    def value(self, v):
        below, beside = self._edges(v.shape)
        down, right = np.diff(v, axis=0), np.diff(v, axis=1)
        return 0.5 * float((below * down**2).sum() + (beside * right**2).sum())

    def gradient(self, v):
        below, beside = self._edges(v.shape)
        down, right = below * np.diff(v, axis=0), beside * np.diff(v, axis=1)
        out = np.zeros_like(v)
        out[1:] += down
        out[:-1] -= down
        out[:, 1:] += right
        out[:, :-1] -= right
        return out


SHAPE = (24, 20)


@pytest.fixture
def term(rng):
    eta = np.zeros(SHAPE)
    eta[:, 10:] = 20.0
    return WeightedTikhonov(eta)


@pytest.fixture
def sources(rng):
    f = np.full(SHAPE, 0.5)
    return Sources(f, f + rng.normal(0, 0.05, SHAPE), 0.0)


def test_it_is_a_regulariser_with_its_gradient(term, rng):
    assert isinstance(term, Regulariser)
    check_gradient(term.value, term.gradient, rng.uniform(1, 2, SHAPE))
    v = rng.uniform(1, 2, SHAPE)
    s = Stencil.empty(SHAPE, np.float64)
    value = term.set_edges(s.down, s.right, [padded(v, np.float64)], 0, SHAPE)
    np.testing.assert_allclose(
        inside(s(padded(v, np.float64)), SHAPE), term.gradient(v), atol=1e-12
    )
    assert value == pytest.approx(term.value(v))


@pytest.mark.parametrize("solver", ["flow", "ipiano"])
def test_it_smooths_where_its_map_says(term, sources, solver):
    fusion = VariationalOsmosis(regulariser=term, mu=10.0, solver=solver, rtol=1e-8)(sources)
    rough, smooth = fusion.structure[:, :9].std(), fusion.structure[:, 11:].std()
    assert smooth < 0.5 * rough
    assert fusion.status.is_success


def test_both_solvers_come_to_the_same_structure(term, sources):
    settings = VariationalOsmosis(regulariser=term, mu=10.0, gamma=0.0)
    flow = osmofuse.fuse(
        sources.foreground, sources.backgrounds[0], 0.0,
        method=VariationalOsmosis(regulariser=term, mu=10.0, reach=float("inf")),
    )  # fmt: skip
    slow = VariationalOsmosis(regulariser=term, mu=10.0, solver="ipiano", rtol=1e-12)(sources)
    np.testing.assert_allclose(flow.structure, slow.structure, atol=2e-3)
    assert osmofuse.energy(flow.image, flow.structure, sources, settings).shape == (1,)


def test_ours_as_objects_are_ours_by_name(sources):
    named = VariationalOsmosis(regulariser="tikhonov", eta=0.7, reach=4.0)(sources)
    given = VariationalOsmosis(regulariser=Tikhonov(0.7), reach=4.0)(sources)
    np.testing.assert_array_equal(named.image, given.image)
    named = VariationalOsmosis(eta=0.2, epsilon=0.1, reach=4.0)(sources)
    given = VariationalOsmosis(regulariser=HuberTV(0.2, 0.1), reach=4.0)(sources)
    np.testing.assert_array_equal(named.image, given.image)


def test_the_published_scheme_takes_none(term):
    with pytest.raises(SettingError, match=r"^regulariser: .* another solver than 'published'"):
        VariationalOsmosis(regulariser=term, solver="published")


@pytest.mark.parametrize("value", ["l2", 3, object()])
def test_what_is_none_is_refused(value):
    with pytest.raises(SettingError, match=r"^regulariser: "):
        VariationalOsmosis(regulariser=value)
