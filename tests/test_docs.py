"""What README, changelog, citation and docs say is true of the package."""

import csv
import inspect
import re
import runpy
import shlex
import shutil
import sys
import tomllib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import yaml

import osmofuse
from osmofuse import gallery
from osmofuse.methods import METHODS
from osmofuse.metrics.catalogue import SETS
from osmofuse.pixels import quantise
from outside import environment, install
from pairs import osmofuse_in, write_pair

ROOT = Path(__file__).parent.parent
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def run_python_blocks(name: str) -> dict:
    """Run the Python of a page from top to bottom, and return its variables."""
    blocks = re.findall(r"^```python\n(.*?)^```", text(name), re.MULTILINE | re.DOTALL)
    variables: dict = {}
    exec(compile("\n".join(blocks), name, "exec"), variables)
    return variables


def gain(fusion: osmofuse.Fusion, scene: gallery.Scene) -> float:
    """Return how many decibels the fusion is closer to the truth than the foreground."""
    pictures = fusion.image, scene.foreground
    fused, before = (osmofuse.metrics.psnr(picture, scene.truth) for picture in pictures)
    return fused - before


def test_readme_example_runs_and_gains(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = run_python_blocks("README.md")
    assert run["fusion"].status.is_success
    assert [found.name for found in run["compared"]] == list(METHODS)
    assert gain(run["fusion"], run["page"]) > 2
    written = osmofuse.read("fused.tif")
    assert written.depth == np.uint16
    assert written.shape == run["page"].foreground.shape[:2]


def test_readme_examples_have_ten_lines():
    blocks = re.findall(r"^```python\n(.*?)^```", text("README.md"), re.MULTILINE | re.DOTALL)
    assert all(len([line for line in block.splitlines() if line.strip()]) <= 10 for block in blocks)


def test_first_fusion_runs_on_the_files_of_the_demo(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "out" / "demo"
    folder.mkdir(parents=True)
    scene = gallery.manuscript((160, 120))
    for name in ("visible", "infrared", "truth"):
        plane = getattr(scene, {"visible": "foreground", "infrared": "background"}.get(name, name))
        osmofuse.write(quantise(plane, np.uint16)[0], folder / f"{name}.tif")
    osmofuse.write(quantise(scene.alpha, np.uint8)[0], folder / "alpha.png")
    run = run_python_blocks("docs/first-fusion.md")
    assert osmofuse.read(folder / "by-hand.tif").depth == np.uint16
    assert gain(run["fusion"], scene) > 0
    assert "samples were clipped" in capsys.readouterr().out


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    from matplotlib import pyplot as plt

    plt.switch_backend("agg")
    try:
        assert "fusion" in runpy.run_path(str(path))
        assert plt.get_fignums()
    finally:
        plt.close("all")


def test_reach_page_runs_and_says_what_happens():
    run = run_python_blocks("docs/reach.md")
    assert run["fusion"].status == "reached"
    assert run["by_rule"].status == "energy_rate"
    assert run["further"].reach == pytest.approx(32)
    assert run["all_the_way"].reach == np.inf
    assert np.array_equal(run["again"].image, run["fusion"].image)


def test_alpha_page_runs_and_its_maps_are_maps(capsys):
    run = run_python_blocks("docs/alpha.md")
    assert gain(run["fusion"], run["page"]) > 2
    for name in ("torn", "softened", "turned", "alpha"):
        assert run[name].shape == run["shape"]
        assert 0 <= run[name].min() < run[name].max() <= 1
    assert "of one kind" in capsys.readouterr().out


def test_recipes_page_runs_and_tells_of_all_recipes(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    run = run_python_blocks("docs/recipes.md")
    assert np.array_equal(run["fusion"].image, run["same"].image)
    assert np.array_equal(run["fusion"].image, run["compared"][0].fusion.image)
    rows = re.findall(
        r"^\| `(\w+)` \| [^|]+ \| [^|]+ \| [^|]+ \|$", text("docs/recipes.md"), re.MULTILINE
    )
    assert rows == [one.name for one in osmofuse.recipes()]
    (own,) = re.findall(r"^```toml\n(.*?)^```", text("docs/recipes.md"), re.MULTILINE | re.DOTALL)
    (tmp_path / "mine.toml").write_text(own, encoding="utf-8")
    assert osmofuse.recipe(tmp_path / "mine.toml").levels == "match"
    (table,) = re.findall(
        r"^(\[shadow\]\n.*?)^```", text("docs/recipes.md"), re.MULTILINE | re.DOTALL
    )
    head = 'format = 1\nname = "own"\ntitle = "Mine"\nfor = "Me."\n'
    (tmp_path / "shadow.toml").write_text(head + table, encoding="utf-8")
    assert osmofuse.recipe(tmp_path / "shadow.toml").command == "shadow"


def test_balance_page_runs(capsys):
    run = run_python_blocks("docs/balance.md")
    assert capsys.readouterr().out.split("\n")[:2] == ["(180, 240, 3)", "(6, 3)"]
    assert run["picture"].shape == run["scene"].truth.shape[:2]


def test_align_page_runs(capsys):
    run = run_python_blocks("docs/align.md")
    assert run["alignment"].status == "converged"
    assert run["fusion"].status.is_success


@pytest.fixture
def pandas(monkeypatch):
    """Stand in for pandas, which is not needed for anything else, where it is not installed."""
    if find_spec("pandas") is None:
        stand_in = ModuleType("pandas")
        stand_in.read_csv = lambda text: list(csv.DictReader(text))
        monkeypatch.setitem(sys.modules, "pandas", stand_in)


def test_methods_page_runs_and_tells_of_all_methods(capsys, pandas):
    run = run_python_blocks("docs/methods.md")
    assert run["fusion"].status.is_success
    assert len(run["frame"]) == len(run["compared"])
    assert [trial.settings["alpha"] for trial in run["swept"]] == ["as drawn"] * 2 + ["soft"] * 2
    assert [(found.name, found.reason) for found in run["own"]] == [
        ("direct", None), ("darker", None),
    ]  # fmt: skip
    assert np.array_equal(run["tried"][0].fusion.image, run["fused"].image)
    assert np.array_equal(run["tried"][1].fusion.image, run["own"][1].fusion.image)
    assert 0 < np.mean(run["fused"].image < run["scene"].foreground) < 1
    assert [found.reason for found in run["compared"]] == [None] * 4
    assert "| imported |" in capsys.readouterr().out
    rows = re.findall(r"^\| `([\w-]+)` \| `(\w+)` \|", text("docs/methods.md"), re.MULTILINE)
    assert dict(rows) == {name: method.__name__ for name, method in METHODS.items()}


def test_metrics_page_runs(capsys):
    run = run_python_blocks("docs/metrics.md")
    assert list(run["scores"]) == list(SETS["vifb"])
    assert run["scores"]["qabf"].value == osmofuse.metrics.qabf(*run["rounded"])
    assert abs(run["own"]["bias"].value) < 255
    assert run["own"]["bias"].better is None


@pytest.mark.parametrize(("kind", "name"), [("methods", "darker"), ("metrics", "bias")])
def test_a_package_with_the_code_of_the_page_is_known_to_its_commands(tmp_path, kind, name):
    """The function, the entry point and the commands as the page has them."""
    page = text(f"docs/{kind}.md").partition(" of your own\n")[2].partition("\n## ")[0]
    code, entry, commands = (
        re.search(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[1]
        for language in ("python", "toml", "console")
    )
    definition = code.partition("\n\n\n")[0]
    assert definition.startswith(f"def {name}(")
    assert len(definition.splitlines()) <= 10
    points = tomllib.loads(entry)["project"]["entry-points"]
    (tmp_path / "site").mkdir()
    head = "import numpy as np\nimport osmofuse\n\n\n"
    site = install(tmp_path / "site", head + definition, points, package="my_package")
    write_pair(tmp_path)
    shutil.copy(tmp_path / "visible.tif", tmp_path / "fused.tif")
    for line in commands.splitlines():
        _, *arguments = shlex.split(line)
        done = osmofuse_in(tmp_path, *arguments, **environment(site))
        assert done.returncode == 0, (line, done.stderr)
    assert name in (tmp_path / "compared" / "table.md").read_text(encoding="utf-8")


def test_page_of_the_new_metrics_runs_and_ranks():
    run = run_python_blocks("docs/boundary.md")
    pictures = run["fused"], run["pasted"]
    seams = [run["seam_visibility"](u, *run["sources"], run["scene"].alpha) for u in pictures]
    casts = [run["natural_chromaticity"](u, run["scene"].alpha) for u in pictures]
    assert seams[0] < seams[1]
    assert casts[0] < casts[1]


def test_report_page_runs_and_its_keys_are_those_of_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = run_python_blocks("docs/report.md")
    assert run["page"] == Path("judged") / "index.html"
    assert run["page"].is_file()
    shown = set(re.findall(r"<kbd>(.)</kbd>", run["page"].read_text(encoding="utf-8")))
    head = "| keys, while the focus or the pointer is in the viewer | |"
    table = text("docs/report.md").partition(head)[2].partition("\n\n")[0]
    told = set(re.findall(r"`(.)`", table))
    assert told - {"-"} <= shown
    assert shown - told <= set("−←→↑↓")


def test_changelog_begins_with_this_version():
    versions = re.findall(r"^## \[(\S+?)\]", text("CHANGELOG.md"), re.MULTILINE)
    assert versions[0] == osmofuse.__version__


def test_citation_names_this_version_and_the_paper():
    citation = yaml.safe_load(text("CITATION.cff"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == osmofuse.__version__
    assert {"message", "title", "authors"} <= set(citation)
    (paper,) = citation["references"]
    assert paper["doi"] == "10.1109/TIP.2020.2983537"
    assert len(paper["authors"]) == 5


def test_reference_covers_the_public_names():
    named = re.findall(r"^\.\. auto\w+:: osmofuse\.(\w+)$", text("docs/api.md"), re.MULTILINE)
    assert sorted(named) == sorted(osmofuse.__all__)


def test_extras_in_the_install_page_exist():
    for extra in re.findall(r"`\.\[(\w+)\]`", text("docs/install.md")):
        assert re.search(rf"^{extra} = \[", text("pyproject.toml"), re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]
    missing = [target for target in local if not (page.parent / target).exists()]
    assert not missing


def test_pictures_are_all_shown_and_small():
    pictures = list((ROOT / "docs" / "pictures").iterdir())
    shown = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [path.name for path in pictures if path.name not in shown] == []
    assert sum(path.stat().st_size for path in pictures) <= 2_000_000


@pytest.mark.parametrize("room", ["", "jobs", "maps", "metrics", "registration", "report", "tasks"])
def test_the_reference_lists_every_function_and_class(room):
    module = import_module(f"osmofuse.{room}".rstrip("."))
    listed = set(re.findall(r"^\.\. auto\w+:: ([\w.]+)$", text("docs/api.md"), re.MULTILINE))
    offered = [name for name in module.__all__ if inspect.isroutine(getattr(module, name))
               or inspect.isclass(getattr(module, name))]  # fmt: skip
    places = {name: {f"{module.__name__}.{name}", f"osmofuse.{name}"} for name in offered}
    assert [name for name, known in places.items() if not known & listed] == []
