"""Settings for a call without any."""

import pytest

from osmofuse.methods.targets import Product
from osmofuse.methods.union import UnionTarget
from osmofuse.tasks.best_guess import WITH_MAP, WITHOUT_MAP, best_guess


def test_what_is_given_decides():
    assert best_guess("variational", {}, "nothing") == WITHOUT_MAP
    assert best_guess("variational", {}, "map") == WITH_MAP
    assert best_guess("variational", {}, "number") == {}
    assert WITHOUT_MAP["target"] == "union"
    assert (WITH_MAP["target"], WITH_MAP["band"]) == ("seamless", "coarse")


@pytest.mark.parametrize("given", ["nothing", "map", "number"])
def test_a_target_decides_more(given):
    assert best_guess("variational", {"target": "product"}, given) == {"target": "product"}
    product = Product()
    assert best_guess("variational", {"target": product}, given) == {"target": product}
    own = UnionTarget(rounds=4)
    assert best_guess("variational", {"target": own}, given) == WITHOUT_MAP | {"target": own}


def test_other_methods_and_solvers_have_their_own():
    assert best_guess("poisson", {"threshold": 0.5}, "nothing") == {"threshold": 0.5}
    assert best_guess("variational", {"solver": "ipiano"}, "nothing") == {"solver": "ipiano"}
