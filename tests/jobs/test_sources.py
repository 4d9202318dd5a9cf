from __future__ import annotations

from pathlib import Path

import pytest

from osmofuse.errors import SettingError
from osmofuse.jobs import FuseJob
from osmofuse.methods import DirectMatting, VariationalOsmosis
from osmofuse.optimise.plan import Plan


def test_paths_may_be_text_and_numbers_stay_numbers():
    job = FuseJob("v.tif", "i.tif", "o.tif", alpha="m.png", structure="s.tif")
    assert job.inputs == {
        "foreground": Path("v.tif"),
        "background": Path("i.tif"),
        "alpha": Path("m.png"),
    }
    assert job.outputs == {"structure": Path("s.tif"), "output": Path("o.tif")}
    assert "alpha" not in FuseJob("v.tif", "i.tif", "o.tif", alpha=0.25).inputs


def test_the_method_has_its_settings():
    job = FuseJob("v.tif", "i.tif", "o.tif", settings={"eta": 0.2})
    assert job.fuser == VariationalOsmosis(eta=0.2)
    assert FuseJob("v.tif", "i.tif", "o.tif", method="direct").fuser == DirectMatting()


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"alpha": 1.5}, r"alpha: 1.5; must be a number from 0 to 1"),
        ({"alpha": -0.1}, "alpha: -0.1"),
        ({"alpha": float("nan")}, "alpha: nan"),
        ({"soften": 3.0}, "soften: alpha is a number"),
        ({"alpha": "m.png", "soften": -1.0}, "soften: -1.0"),
        ({"levels": "auto"}, "levels: 'auto'; must be one of"),
        ({"working_space": "log"}, "working_space: 'log'; must be one of"),
        ({"max_memory": 0}, "max_memory: 0"),
        ({"structure": "s.tif", "method": "direct"}, "structure: 'direct' finds none"),
        ({"structure": "s.tif", "method": "magic"}, "method: 'magic' is unknown"),
        ({"settings": None}, "settings: None; must be an object"),
        ({"settings": [1]}, r"settings: \[1\]; must be an object"),
        ({"align": 5}, "align: 5; must be an object"),
        ({"alpha": "m.png", "soften": 1e6}, "soften: 1000000.0; must be a number from 0 to 1000"),
        ({"max_memory": 10**30}, "max_memory: 1000"),
        ({"method": "direct", "plan": Plan((1.0,), (2,))}, "plan: 'direct' follows none"),
        ({"settings": {"solver": "ipiano"}, "plan": Plan((1.0,), (2,))}, "plan: 'variational'"),
    ],
)
def test_what_cannot_be_is_refused_at_once(changes, match):
    with pytest.raises(SettingError, match=match):
        FuseJob("v.tif", "i.tif", "o.tif", **changes)
