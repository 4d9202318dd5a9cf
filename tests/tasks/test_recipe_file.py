"""What stands in a recipe: every wrong field is named with the file and what would be right."""

from __future__ import annotations

import math

import pytest

from osmofuse.errors import SettingError
from osmofuse.tasks.lengths import in_pixels
from osmofuse.tasks.recipe_file import parsed

HEAD = 'format = 1\nname = "own"\ntitle = "My own"\nfor = "Me."\n'


def test_the_least_recipe_is_the_default():
    assert parsed(HEAD, "own.toml") == {
        "name": "own",
        "title": "My own",
        "purpose": "Me.",
        "scene": None,
        "command": "fuse",
        "alpha": 0.5,
        "needs_map": False,
        "soften": 0.0,
        "levels": "as-is",
        "working_space": "encoded",
        "align": None,
        "depth": None,
        "method": "variational",
        "settings": {"target": "product"},
    }


def test_all_that_can_be_said():
    found = parsed(
        HEAD + 'scene = "cloud"\n[input]\nlevels = "match"\nworking_space = "linear"\n'
        '[alpha]\nfrom = "map"\nsoften = "1 %"\n'
        '[method]\nname = "variational"\nreach = "2.5 %"\ngamma = inf\neta = 0\n',
        "own.toml",
    )
    assert (found["alpha"], found["soften"], found["scene"]) == (None, "1 %", "cloud")
    assert (found["levels"], found["working_space"]) == ("match", "linear")
    settings = {"reach": "2.5 %", "gamma": math.inf, "eta": 0}
    assert found["settings"] == {"target": "product", **settings}


def test_a_table_shadow_makes_it_a_recipe_for_shadows():
    found = parsed(HEAD + '[shadow]\nmodel = "nonlinear"\nwidth = 9\n', "own.toml")
    assert (found["command"], found["method"]) == ("shadow", "nonlinear")
    assert found["settings"] == {"model": "nonlinear", "width": 9}
    assert (found["alpha"], found["needs_map"], found["align"]) == (None, False, None)
    assert parsed(HEAD + "[shadow]\n", "own.toml")["method"] == "linear"


WRONG = {
    "shadow and method": (HEAD + "[shadow]\n[method]\n", r"method is unknown; there may be"),
    "unknown of shadow": (HEAD + '[shadow]\nmodle = "x"', r"\[shadow\]: modle is unknown \(did"),
    "map in shadow": (HEAD + "[shadow]\nmask = true", r"\[shadow\]: mask is unknown"),
    "unknown model": (HEAD + '[shadow]\nmodel = "best"', r"model: 'best'; must be one of"),
    "text for texture": (HEAD + '[shadow]\ntexture = "yes"', r"texture: 'yes'; must be"),
    "contradiction": (HEAD + '[shadow]\nextent = "local"\nlevel = "mean"', r"level: 'mean'"),
    "value for shadow": (HEAD + "shadow = 1", r"shadow is 1; must be a table, \[shadow\]"),
    "no TOML": ("format = ", "not valid TOML"),
    "no format": ('name = "own"', r"format is missing; write format = 1"),
    "later format": ("format = 2", r"format is 2; write format = 1"),
    "true is no format": ("format = true", r"format is True; write format = 1"),
    "no name": ("format = 1", r'name is missing; must be text, name = "…"'),
    "number for a name": ("format = 1\nname = 3", r"name is 3; must be text"),
    "path for a name": (HEAD.replace("own", "a/b", 1), r"name is 'a/b'; must have letters"),
    "empty title": (HEAD.replace("My own", " "), r"title is ' '; must be text"),
    "no purpose": (HEAD.replace("for =", "# for ="), r"for is missing"),
    "number for a scene": (HEAD + "scene = 1", r"scene is 1; must be text"),
    "unknown part": (HEAD + "[metod]\n", r"metod is unknown \(did you mean 'method'"),
    "value for a table": (HEAD + "alpha = 0.5", r"alpha is 0.5; must be a table, \[alpha\]"),
    "unknown input": (HEAD + "[input]\nlevel = 1", r"\[input\]: level is unknown \(did"),
    "unknown of align": (HEAD + '[align]\nkind = "affine"', r"\[align\]: kind is unknown"),
    "unknown transform": (HEAD + '[align]\ntransform = "bent"', r"align: transform: 'bent'; must"),
    "unknown depth": (HEAD + '[output]\ndepth = "uint12"', r"depth: 'uint12' .*; must be one of"),
    "unknown levels": (HEAD + '[input]\nlevels = "max"', r"levels: 'max'; must be one of"),
    "unknown space": (HEAD + '[input]\nworking_space = "lab"', r"working_space: 'lab'; must be"),
    "unknown of alpha": (HEAD + "[alpha]\nvalue = 1", r"\[alpha\]: value is unknown; there may"),
    "file for alpha": (HEAD + '[alpha]\nfrom = "a.png"', r"from is 'a.png'; must be \"nothing\""),
    "alpha too large": (HEAD + "[alpha]\nfrom = 7", r"alpha: 7; must be a number from 0 to 1"),
    "list for alpha": (HEAD + "[alpha]\nfrom = [1]", r"alpha: \[1\]; must be a number"),
    "blur of a number": (HEAD + "[alpha]\nsoften = 2", r"soften: alpha is a number"),
    "blur": (HEAD + '[alpha]\nfrom = "map"\nsoften = "a lot"', r"soften: 'a lot'; must be a num"),
    "negative blur": (HEAD + '[alpha]\nfrom = "map"\nsoften = -1', r"soften: -1; must be a number"),
    "unknown method": (HEAD + '[method]\nname = "magic"', r"'magic' is unknown"),
    "number for a method": (HEAD + "[method]\nname = 3", r"method: 3"),
    "unknown setting": (HEAD + "[method]\nzeal = 1", r"zeal: no setting of 'variational'"),
    "strange setting": (HEAD + '[method]\nname = "poisson"\neta = 1', r"eta: no setting of"),
    "wrong setting": (HEAD + "[method]\neta = -1", r"eta: -1; must be a number from 0"),
    "text for a setting": (HEAD + '[method]\neta = "2 %"', r"eta: '2 %'; must be a number"),
    "no length": (HEAD + '[method]\nreach = "far"', r"reach: 'far'; must be a number of pixels"),
    "no reach at all": (HEAD + '[method]\nreach = "0 %"', r"reach: 0.0; must be a number from"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named_with_the_file_and_the_fix(case):
    text, words = WRONG[case]
    with pytest.raises(SettingError, match=rf"^folder/own\.toml: .*{words}"):
        parsed(text, "folder/own.toml")


@pytest.mark.parametrize(
    ("written", "pixels"),
    [("2 %", 4.0), ("2%", 4.0), ("0.5 %", 1.0), (7, 7), (math.inf, math.inf), (None, None)],
)
def test_lengths_become_pixels_by_the_size_of_the_picture(written, pixels):
    assert in_pixels({"reach": written}, (400, 100, 3)) == {"reach": pixels}


def test_other_settings_stay_as_they_are():
    assert in_pixels({"drift": "soft", "eta": 0.1}, (4, 4)) == {"drift": "soft", "eta": 0.1}
