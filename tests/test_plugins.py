"""Methods and metrics of other packages: known everywhere, and harmless where they are broken."""

from __future__ import annotations

import json
import logging
import pickle
import subprocess
import sys

import numpy as np
import pytest

import osmofuse
from osmofuse import SettingError, plugins
from osmofuse.jobs import JOBS, Repetition
from osmofuse.methods import METHODS, method_class, method_names
from osmofuse.metrics import describe
from osmofuse.metrics.catalogue import METRICS, metric_named, metric_names
from osmofuse.record import read_record
from outside import environment, install
from pairs import osmofuse_in, write_pair

PAIR = ("visible.tif", "infrared.tif")


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Return a folder from which this process imports, for a while."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    for known in (plugins.offered, plugins._entry_points):
        known.cache_clear()
    yield tmp_path
    for known in (plugins.offered, plugins._entry_points):
        known.cache_clear()
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def pair(rng):
    return rng.random((2, 12, 13, 3))


def test_both_are_known_in_python(site, pair):
    install(site)
    assert method_names() == (*METHODS, "brighter", "darker")
    assert metric_names() == (*METRICS, "contrast", "shade")
    direct = osmofuse.fuse(*pair, 0.5, method="direct").image
    fusion = osmofuse.fuse(*pair, 0.5, method="brighter", gain=2.0)
    np.testing.assert_array_equal(fusion.image, 2.0 * direct)
    assert fusion.method == method_class("brighter")(gain=2.0)
    one, other = osmofuse.compare(
        *pair, 0.5, methods=["direct", "brighter"], metrics=["contrast", "shade", "fmi"]
    )
    assert (one.name, other.name) == ("direct", "brighter")
    assert one.scores["contrast"].better == "high"
    assert one.scores["shade"].better is None
    assert other.scores["shade"].value > one.scores["shade"].value
    assert [d.definition for d in describe()[-2:]] == [
        "Standard deviation of all samples", "mean of all samples",
    ]  # fmt: skip


def test_a_function_has_its_arguments_as_settings(site, pair):
    install(site)
    half = osmofuse.fuse(*pair, 0.5, method="darker", strength=0.5)
    whole = osmofuse.fuse(*pair, 0.5, method="darker")
    assert half.image.max() == pytest.approx((0.5 + fused_directly(pair).max()) / 2)
    assert whole.image.max() == pytest.approx(0.5)
    assert half.method == method_class("darker")(strength=0.5)
    assert (method_class("darker")().strength, half.seconds > 0) == (1.0, True)
    assert pickle.loads(pickle.dumps(half.method)) == half.method
    with pytest.raises(SettingError, match=r"^gain: no setting of 'darker'.* are strength"):
        osmofuse.fuse(*pair, 0.5, method="darker", gain=2.0)
    (one, other) = osmofuse.sweep(*pair, 0.5, method="darker", strength=[0.5, 1.0])
    np.testing.assert_array_equal(one.fusion.image, half.image)
    np.testing.assert_array_equal(other.fusion.image, whole.image)


def fused_directly(pair):
    return osmofuse.fuse(*pair, 0.5, method="direct").image


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("fuse", {"output": "fused.tif", "method": "darker", "settings": {"strength": 0.5}}),
        ("compare", {"output": "compared", "methods": ["darker", "brighter"],
                     "settings": {"darker": {"strength": 0.5}}, "metrics": ["shade", "contrast"]}),
        ("sweep", {"output": "swept", "method": "darker", "settings": {"strength": [0.5, 1.0]}}),
    ],
)  # fmt: skip
def test_jobs_check_record_and_repeat_them(site, tmp_path, kind, parts):
    install(site)
    files = write_pair(tmp_path)
    given = {"foreground": files["visible"], "backgrounds": files["infrared"], "alpha": 0.5}
    job = JOBS[kind](**given, **parts | {"output": tmp_path / parts["output"]})
    need = job.check()
    assert need.bytes > 10**8
    result = job.run(need=need)
    written = {path.name: path for path in result.files.values()}
    record = next(path for name, path in written.items() if name.endswith(".json"))
    again = osmofuse.repeat(record, tmp_path / f"again{job.output.suffix}")
    assert again.repetition == Repetition(identical=True, differences=())
    settings = read_record(record).method["settings"]
    assert {
        "fuse": settings.get("strength"),
        "compare": settings.get("methods"),
        "sweep": settings.get("method"),
    }[kind] in (0.5, ["darker", "brighter"], "darker")


def test_a_method_that_hands_on_what_another_made_is_the_method(site, tmp_path):
    """Its record names its own settings, and no plan that it could not follow."""
    code = (
        "import osmofuse\n"
        "def near(sources, eta=0.1, watch=None):\n"
        "    method = osmofuse.VariationalOsmosis(eta=eta, reach=2.0)\n"
        "    return method(sources, watch=watch)\n"
    )
    install(site, code, {"osmofuse.methods": {"near": "other:near"}}, package="other")
    files = write_pair(tmp_path)
    given = {"foreground": files["visible"], "backgrounds": files["infrared"], "alpha": 0.5}
    job = osmofuse.FuseJob(**given, output=tmp_path / "fused.tif", method="near")
    record = job.run().record
    assert record.method == {"name": "near", "settings": {"eta": 0.1}}
    assert record.plan is None
    assert osmofuse.repeat(tmp_path / "fused.tif.json", tmp_path / "b.tif").repetition.identical


def test_our_own_stay_the_default(site, pair):
    install(site)
    assert "brighter" not in [found.name for found in osmofuse.compare(*pair, 0.5)]
    assert "shade" not in osmofuse.score(pair[0], *pair, metrics="all")


def test_nothing_is_imported_before_it_is_asked_for(site):
    install(site)
    assert "brighter" in method_names()
    assert "toy" not in sys.modules
    with pytest.raises(SettingError, match=r"'brigter' is unknown \(did you mean 'brighter'\?\)"):
        osmofuse.fuse(np.zeros((2, 2)), np.zeros((2, 2)), method="brigter")
    assert "toy" not in sys.modules
    method_class("brighter")
    assert "toy" in sys.modules


def test_importing_the_package_looks_for_none():
    program = (
        "from osmofuse import plugins\n"
        "def never(_): raise SystemExit('it looked')\n"
        "plugins._entry_points = never\n"
        "import osmofuse, osmofuse.methods, osmofuse.metrics; osmofuse.fuse; osmofuse.score\n"
        "import numpy as np; x = np.ones((4, 4))\n"
        "osmofuse.score(osmofuse.fuse(x, x).image, x, x)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True)
    assert done.returncode == 0, done.stderr


def broken(site):
    code = "raise RuntimeError('out of order')"
    points = {"osmofuse.methods": {"ill": "broken:Ill"}, "osmofuse.metrics": {"sick": "broken:x"}}
    install(site, code, points, package="broken")


def test_a_broken_one_is_named_and_harms_no_other(site, pair, caplog):
    install(site)
    broken(site)
    with pytest.raises(
        SettingError, match=r"^method: 'ill' of the package broken: RuntimeError: out of order"
    ):
        osmofuse.fuse(*pair, method="ill")
    with pytest.raises(SettingError, match=r"^metric: 'sick' of the package broken: "):
        osmofuse.score(*pair, pair[0], metrics=["fmi", "sick"])
    (found,) = osmofuse.compare(*pair, 0.5, methods=["brighter"], metrics=["shade"])
    assert found.reason is None
    assert [one.name for one in describe()] == [*METRICS, "contrast", "shade"]
    assert [record.message for record in caplog.records] == [
        "metric: 'sick' of the package broken: RuntimeError: out of order"
    ]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("Ill = 3", "must be a function of Sources, or a frozen dataclass"),
        ("def Ill(sources, gain): ...", "gain must have a default"),
        ("def Ill(*, sources): ...", "sources must have a default, all but Sources"),
        ("def Ill(): ...", "Ill takes nothing"),
        ("def Ill(sources, weights=[1]): ...", "mutable default"),
        ("from dataclasses import dataclass\n@dataclass\nclass Ill:\n"
         "    def __call__(self, sources, *, watch=None): ...", "or a frozen dataclass called"),
        ("from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Ill: ...",
         "or a frozen dataclass called with them"),
        ("from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Ill:\n    gain: float\n"
         "    def __call__(self, sources, *, watch=None): ...", "gain must have a default"),
        ("", "AttributeError"),
    ],
)  # fmt: skip
def test_what_is_no_method_is_refused(site, code, message):
    install(site, code, {"osmofuse.methods": {"ill": "odd:Ill"}}, package="odd")
    with pytest.raises(SettingError, match=f"^method: 'ill' of the package odd: .*{message}"):
        method_class("ill")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("x = 3", "3; must be a Metric or a function"),
        ("class x: ...", "must be a Metric or a function"),
        ("def x(picture): ...", "x takes picture; must take some of fused"),
    ],
)
def test_what_is_no_metric_is_refused(site, code, message):
    install(site, code, {"osmofuse.metrics": {"sick": "odd:x"}}, package="odd")
    with pytest.raises(SettingError, match=f"^metric: 'sick' of the package odd: .*{message}"):
        metric_named("sick")


def test_no_name_of_ours_can_be_taken(site, caplog):
    points = {
        "osmofuse.methods": {"direct": "toy:Brighter", "two words": "toy:Brighter"},
        "osmofuse.metrics": {"fmi": "toy:contrast", "paper": "toy:contrast"},
    }
    install(site, points=points)
    with caplog.at_level(logging.WARNING, "osmofuse"):
        assert method_names() == tuple(METHODS)
        assert metric_names() == tuple(METRICS)
    assert [record.message.partition(" is left out: ")[0] for record in caplog.records] == [
        "the method 'direct' of the package toy",
        "the method 'two words' of the package toy",
        "the metric 'fmi' of the package toy",
        "the metric 'paper' of the package toy",
    ]
    assert method_class("direct") is osmofuse.DirectMatting


def test_two_packages_with_one_name_are_told_apart_by_nobody(site):
    install(site)
    install(site, points={"osmofuse.methods": {"brighter": "twin:Brighter"}}, package="twin")
    assert method_names().count("brighter") == 1
    with pytest.raises(SettingError, match="toy and twin: several packages offer it"):
        method_class("brighter")


def test_both_are_known_on_the_command_line(tmp_path):
    """And both are in the table, the record and the lists."""
    site = tmp_path / "site"
    site.mkdir()
    variables = environment(install(site))
    write_pair(tmp_path)

    def run(*arguments):
        done = osmofuse_in(tmp_path, *arguments, **variables)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("fuse", *PAIR, "--alpha", "map.png", "--method", "brighter", "-o", "fused.tif")
    record = json.loads((tmp_path / "fused.tif.json").read_text())
    assert record["method"] == {"name": "brighter", "settings": {"gain": 1.5}}
    assert record["result"]["seconds"] > 0
    run("fuse", "--from", "fused.tif.json", "-o", "again.tif")
    assert (osmofuse.read(tmp_path / "again.tif").pixels
            == osmofuse.read(tmp_path / "fused.tif").pixels).all()  # fmt: skip
    chosen = ("--methods", "direct,brighter,darker", "--metrics", "contrast,fmi")
    table = run("compare", *PAIR, "--alpha", "map.png", *chosen, "-o", "made")
    assert "contrast ↑" in table
    assert (tmp_path / "made" / "brighter.tif").is_file()
    scores = json.loads(run("score", "fused.tif", *PAIR, "--metrics", "shade,contrast", "--json"))
    run("score", "fused.tif", *PAIR, "--metrics", "shade,contrast", "-o", "scores.json")
    assert (scores["shade"]["better"], scores["contrast"]["better"]) == (None, "high")
    run("score", "--from", "scores.json", "-o", "again.json")
    run("fuse", *PAIR, "--alpha", "map.png", "--method", "darker", "-o", "dark.tif", "--dry-run")
    run("fuse", *PAIR, "--alpha", "map.png", "--method", "darker", "-o", "dark.tif")
    record = json.loads((tmp_path / "dark.tif.json").read_text())
    assert record["method"] == {"name": "darker", "settings": {"strength": 1.0}}
    told = run("fuse", "--from", "dark.tif.json", "-o", "dark-again.tif", "--json")
    assert json.loads(told)["repeat"]["identical"]
    run("compare", "--from", "made/comparison.json", "-o", "made-again")
    assert "brighter" in run("methods")
    assert "gain: default 1.5" in run("methods", "brighter")
    assert "contrast" in run("metrics")
    run("fuse", *PAIR, "--method", "brighter", "--set", "gain=2", "-o", "bright.tif")
    assert json.loads((tmp_path / "bright.tif.json").read_text())["method"]["settings"]["gain"] == 2
    run("sweep", *PAIR, "--method", "darker", "--set", "strength=0.5,1", "-o", "swept")


def test_a_broken_one_leaves_the_command_line_alone(tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    broken(site)
    write_pair(tmp_path)
    given = ("compare", *PAIR, "-o", "made", "--methods")
    done = osmofuse_in(tmp_path, *given, "direct", "--metrics", "fmi", **environment(site))
    assert done.returncode == 0, done.stderr
    asked = osmofuse_in(tmp_path, *given, "ill", "--overwrite", **environment(site))
    assert asked.returncode == 2
    assert "method: 'ill' of the package broken: RuntimeError: out of order" in asked.stderr
