"""Mistyped names are answered with the nearest one, in Python and on the command line."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

import osmofuse
from osmofuse import SettingError, VariationalOsmosis, cli
from osmofuse.methods import Sources
from pairs import write_pair

PAGE, INFRARED = np.full((8, 8, 3), 0.5), np.full((8, 8), 0.5)
PAIR = (PAGE, INFRARED)
SOURCES = Sources(PAGE, [INFRARED], 0.5)

CALLS = {
    "method": (lambda: osmofuse.fuse(*PAIR, method="poison"), "poisson"),
    "methods": (lambda: osmofuse.compare(*PAIR, methods=["dirct"]), "direct"),
    "alphas": (
        lambda: osmofuse.compare(*PAIR, methods=["direct"], alphas={"dirct": 1.0}),
        "direct",
    ),
    "setting": (lambda: osmofuse.fuse(*PAIR, etta=0.1), "eta"),
    "setting of a sweep": (lambda: osmofuse.sweep(*PAIR, epsilo=0.1), "epsilon"),
    "setting of a flow": (
        lambda: VariationalOsmosis().prepare(SOURCES).solve(gama=0.1),
        "gamma",
    ),
    "option": (lambda: osmofuse.fuse(*PAIR, levles="match"), "levels"),
    "option of compare": (lambda: osmofuse.compare(*PAIR, softn=1), "soften"),
    "value": (lambda: VariationalOsmosis(solver="ipano"), "ipiano"),
    "levels": (lambda: osmofuse.prepare(*PAIR, levels="macth"), "match"),
    "recipe": (lambda: osmofuse.recipe("tetx"), "text"),
    "metrics": (lambda: osmofuse.score(PAGE, *PAIR, 0.5, metrics="vfib"), "vifb"),
    "metric": (lambda: osmofuse.score(PAGE, *PAIR, 0.5, metrics=["entrpy"]), "entropy"),
    "method of align": (lambda: osmofuse.align(*PAIR, method="featurs"), "features"),
    "transform of align": (lambda: osmofuse.align(*PAIR, transform="afine"), "affine"),
    "method of matte": (lambda: osmofuse.matte(PAGE, INFRARED, method="combind"), "combined"),
}


@pytest.mark.parametrize("name", CALLS)
def test_in_python(name):
    call, meant = CALLS[name]
    with pytest.raises(SettingError, match=rf"\(did you mean '{meant}'\?\)"):
        call()


def test_nothing_is_made_up():
    with pytest.raises(SettingError) as caught:
        osmofuse.fuse(*PAIR, method="photoshop")
    assert "did you mean" not in str(caught.value)


FUSE = ("fuse", "visible.tif", "infrared.tif", "-o", "out.tif")
COMPARE = ("compare", "visible.tif", "infrared.tif", "-o", "out")
SCORE = ("score", "visible.tif", "visible.tif", "infrared.tif")
COMMANDS = {
    "command": (("fues",), "fuse"),
    "method": ((*FUSE, "--method", "poison"), "poisson"),
    "recipe": ((*FUSE, "--recipe", "tetx"), "text"),
    "levels": ((*FUSE, "--levels", "macth"), "match"),
    "alpha": ((*FUSE, "--alpha", "atuo"), "auto"),
    "methods": ((*COMPARE, "--methods", "dirct"), "direct"),
    "metrics": ((*SCORE, "--metrics", "vfib"), "vifb"),
    "metric": ((*SCORE, "--metrics", "fmi,entrpy"), "entropy"),
    "recipes": (("recipes", "tetx"), "text"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_on_the_command_line(name, tmp_path, monkeypatch):
    write_pair(tmp_path)
    monkeypatch.chdir(tmp_path)
    arguments, meant = COMMANDS[name]
    done = CliRunner().invoke(cli.commands, arguments)
    told = done.stderr if isinstance(done.exception, SystemExit) else str(done.exception)
    assert f"(did you mean '{meant}'?)" in told
    assert not (tmp_path / "out.tif").exists()
