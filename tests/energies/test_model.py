"""The joint model: its terms, both kinds of edges, and the smooth part with its gradients."""

import numpy as np
import pytest

from osmofuse.energies import (
    HuberTV,
    JointModel,
    Quadratic,
    Tikhonov,
    osmosis,
    osmosis_forward,
    osmosis_gradients,
)
from osmofuse.testing import check_gradient

REGULARISERS = [Tikhonov(0.0), HuberTV(0.2, 0.05), Tikhonov(0.7)]
each = pytest.mark.parametrize("regulariser", REGULARISERS, ids=["none", "huber", "tikhonov"])


@pytest.fixture
def uv(rng):
    return rng.uniform(1, 2, (2, 4, 5))


@pytest.fixture
def make(rng):
    """Return a model with a regulariser; alpha has zeros."""
    w, f = rng.uniform(1, 2, (2, 4, 5))
    alpha = rng.integers(0, 3, (4, 5)) / 2
    return lambda regulariser: JointModel(Quadratic(3.0, w), Quadratic(1.7 * alpha, f), regulariser)


@each
@pytest.mark.parametrize(
    ("kind", "term"), [("harmonic", osmosis), ("forward", osmosis_forward)], ids=["own", "paper"]
)
def test_terms(make, uv, regulariser, kind, term):
    model, (u, v) = make(regulariser), uv
    terms = model.terms(u, v, kind)
    assert terms == {
        "osmosis": term(u, v),
        "structure": pytest.approx(1.5 * ((v - model.structure.target) ** 2).sum()),
        "fidelity": pytest.approx(
            0.5 * (model.fidelity.weight * (u - model.fidelity.target) ** 2).sum()
        ),
        "regulariser": regulariser.value(v) if regulariser else 0.0,
    }


def test_the_edges_differ_and_harmonic_is_the_default(make, uv):
    model = make(Tikhonov(0.0))
    assert model.terms(*uv) == model.terms(*uv, "harmonic")
    assert model.terms(*uv)["osmosis"] != model.terms(*uv, "forward")["osmosis"]


@each
def test_coupling_and_the_rest_make_the_energy(make, uv, regulariser):
    model = make(regulariser)
    terms = model.terms(*uv)
    prox_terms = terms["fidelity"]
    if isinstance(regulariser, HuberTV):
        prox_terms += terms["regulariser"]
    assert model.coupling(*uv) + prox_terms == pytest.approx(sum(terms.values()), rel=1e-13)


@each
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_coupling_gradients_by_taylor(make, uv, regulariser, seed):
    model = make(regulariser)
    check_gradient(
        lambda x: model.coupling(*x),
        lambda x: np.stack(model.coupling_gradients(*x)),
        uv,
        size=1e-3,
        seed=seed,
    )


def test_only_tikhonov_is_descended_on_explicitly(make, uv):
    _, v = uv
    plain, huber, smooth = (make(r).coupling_gradients(*uv)[1] for r in REGULARISERS)
    np.testing.assert_array_equal(huber, plain)
    np.testing.assert_allclose(smooth - plain, Tikhonov(0.7).gradient(v), rtol=0, atol=1e-13)


def test_gradient_in_u_is_that_of_osmosis_alone(make, uv):
    found, _ = make(Tikhonov(0.7)).coupling_gradients(*uv)
    np.testing.assert_array_equal(found, osmosis_gradients(*uv)[0])


def test_equal_pictures_are_stationary(rng):
    """With b = f and no smoothing, u = v = f is the minimum, with energy 0."""
    f = rng.uniform(1, 2, (4, 5))
    model = JointModel(Quadratic(3.0, f), Quadratic(1.0, f), Tikhonov(0.0))
    assert sum(model.terms(f, f).values()) == 0
    for gradient in model.coupling_gradients(f, f):
        assert not gradient.any()
