"""Settings of variational osmosis that fit what is given: no map, a map, or a number.

The class `VariationalOsmosis` has the paper's defaults. A person who gives two pictures wants the
best result there is: without a map, the layer that the foreground lacks; with one, a target that
does not depend on how bright the background is. A number as alpha asks for the paper's model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from osmofuse.methods.planes import WholeTarget
from osmofuse.methods.targets import TARGETS

AlphaKind: TypeAlias = Literal["nothing", "number", "map"]
WITHOUT_MAP: dict[str, Any] = {
    "target": "union",
    "gamma": 0.0,
    "start": "target",
    "mu": 10.0,
    "reach": "auto",
    "eta": "auto",
    "offset": "auto",
    "background_bands": "auto",
}
# Starting at the foreground with offset 1, an object comes only as far as the reach of the paper's
# rule, and a gain of the background changes it: 26 dB on the scene `clone` instead of 35. With
# the band "keep" the colour of covering ink stays: 23 dB on `overwritten` instead of 33.
WITH_MAP: dict[str, Any] = {
    "target": "seamless",
    "tie": "auto",
    "start": "target",
    "offset": "auto",
    "band": "coarse",
    "background_bands": "auto",
}


def best_guess(method: object, settings: Mapping[str, Any], given: AlphaKind) -> dict[str, Any]:
    """Return settings of a method, completed for the kind of alpha that was given.

    Given settings win one by one. A given target that needs a map has the paper's defaults, one
    that needs none those of the call without a map.

    >>> best_guess("variational", {"eta": 0.1}, "number")
    {'eta': 0.1}
    >>> best_guess("variational", {"eta": 0.1}, "map")["target"]
    'seamless'
    """
    found = dict(settings)
    if method != "variational" or found.get("solver", "flow") != "flow":
        return found
    usual = {"nothing": WITHOUT_MAP, "map": WITH_MAP, "number": {}}[given]
    if "target" not in found:
        return usual | found
    target = found["target"]
    rule = TARGETS.get(target) if isinstance(target, str) else target
    finds_map = isinstance(rule, WholeTarget) and rule.finds_map
    return WITHOUT_MAP | found if finds_map else found
