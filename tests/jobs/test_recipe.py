"""Recipes: where they are found, what they give a job, and what they gain."""

from __future__ import annotations

import copy
import inspect
import pickle
from pathlib import Path

import numpy as np
import pytest

import osmofuse
from osmofuse import gallery
from osmofuse.errors import SettingError, UnreadableError
from osmofuse.jobs import (
    CompactJob,
    CompareJob,
    FuseJob,
    ShadowJob,
    SweepJob,
    compare_with_record,
    job_of_record,
    job_with_recipe,
    repeat,
)
from osmofuse.metrics import psnr
from osmofuse.pixels import quantise
from osmofuse.record import read_record, sha256_of_pixels
from osmofuse.tasks import recipe_files
from osmofuse.tasks.recipe import SHIPPED, user_folder
from osmofuse.tasks.working_space import from_working, to_working

NAMES = sorted(path.stem for path in SHIPPED.glob("*.toml"))
FUSING = [name for name in NAMES if name != "shadow"]
OWN = """format = 1
name = "{name}"
title = "My own"
for = "Me."
[alpha]
from = "auto"
soften = "5 %"
[method]
reach = "10 %"
eta = 0.25
"""


@pytest.fixture(autouse=True)
def folder(tmp_path_factory, monkeypatch):
    """Let the user's recipes be in a folder of this test."""
    home = tmp_path_factory.mktemp("config")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    return home / "osmofuse" / "recipes"


@pytest.fixture
def own(folder):
    folder.mkdir(parents=True)
    path = folder / "own.toml"
    path.write_text(OWN.format(name="own"), encoding="utf-8")
    return path


def drawn(recipe, part, seed):
    draw = getattr(gallery, recipe.scene)
    shape = inspect.signature(draw).parameters["shape"].default
    return draw(tuple(round(part * side) for side in shape), seed)


def test_those_that_come_with_the_package():
    found = osmofuse.recipes()
    assert [one.name for one in found] == NAMES
    assert all(one.path.parent == SHIPPED for one in found)
    assert len({one.scene for one in found}) == len(found), "each has a scene of its own"
    assert all(one.purpose.endswith(".") for one in found)


@pytest.mark.parametrize("name", NAMES)
def test_each_has_a_small_picture(name):
    picture = osmofuse.recipe(name).thumbnail
    assert picture.stat().st_size <= 15_000
    assert osmofuse.read(picture).shape == (158, 320)


@pytest.mark.parametrize("name", FUSING)
def test_each_gains_a_decibel_on_a_scene_it_was_not_tuned_on(name):
    chosen = osmofuse.recipe(name)
    scene = drawn(chosen, 0.5, seed=12)
    alpha = scene.alpha if chosen.needs_map else None
    pictures = scene.foreground, scene.background, alpha
    paper = osmofuse.fuse(*pictures, target="product")
    default, better = (psnr(one.image, scene.truth) for one in (paper, chosen.fuse(*pictures)))
    assert better >= default + 1.0


@pytest.mark.parametrize("name", FUSING)
def test_a_record_repeats_what_a_recipe_made_without_the_recipe(name, tmp_path, folder):
    shipped = SHIPPED / f"{name}.toml"
    copy = tmp_path / "copy.toml"
    copy.write_bytes(shipped.read_bytes())
    scene = drawn(osmofuse.recipe(copy), 0.1, seed=1)
    planes = {"foreground": scene.foreground, "background": scene.background, "alpha": scene.alpha}
    paths = {
        role: osmofuse.write(quantise(plane, np.uint16)[0], tmp_path / f"{role}.tif")
        for role, plane in planes.items()
    }
    paths["backgrounds"] = paths.pop("background")
    first = job_with_recipe(osmofuse.recipe(copy), **paths, output=tmp_path / "first.tif").run()
    copy.unlink()
    second = job_of_record(first.files["record"], tmp_path / "second.tif").run()
    repeated = compare_with_record(first.record, second)
    assert (repeated.identical, repeated.differences) == (True, ())
    entry = {"name": name, "sha256": osmofuse.recipe(name).sha256}
    for path in ("first.tif.json", "second.tif.json"):
        assert read_record(tmp_path / path).recipe == entry


def test_the_users_own_are_found_and_come_first(own, folder):
    assert osmofuse.recipe("own").path == own
    assert osmofuse.recipe("own").thumbnail is None
    (folder / "text.toml").write_text(OWN.format(name="text"), encoding="utf-8")
    assert osmofuse.recipe("text").title == "My own"
    assert [one.name for one in osmofuse.recipes()] == sorted([*NAMES, "own"])


def test_the_users_folder(monkeypatch):
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    monkeypatch.setenv("APPDATA", "/home/me/roaming")
    places = {}
    for platform in ("linux", "darwin", "win32"):
        monkeypatch.setattr("sys.platform", platform)
        places[platform] = user_folder().as_posix()
    assert places == {
        "linux": "/home/me/.config/osmofuse/recipes",
        "darwin": "/home/me/Library/Application Support/osmofuse/recipes",
        "win32": "/home/me/roaming/osmofuse/recipes",
    }


def test_an_unknown_one_is_named_with_what_there_is():
    with pytest.raises(SettingError, match=r"'txet' is unknown \(did you mean 'text'\?\); there"):
        osmofuse.recipe("txet")
    with pytest.raises(SettingError, match=r"'zzz' is unknown; there are clone, cloud"):
        osmofuse.recipe("zzz")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(UnreadableError, match=r"gone\.toml: no such file"):
        osmofuse.recipe(tmp_path / "gone.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UnreadableError, match=r"bytes\.toml: not a recipe; it is not text"):
        osmofuse.recipe(tmp_path / "bytes.toml")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(UnreadableError, match=r"folder\.toml: "):
        osmofuse.recipe(tmp_path / "folder.toml")


def test_a_wrong_one_does_not_hinder_the_others(own, folder):
    own.write_text("format = 2", encoding="utf-8")
    assert osmofuse.recipe("text").name == "text"
    assert "own" in recipe_files()
    with pytest.raises(SettingError, match=r"own\.toml: format is 2"):
        osmofuse.recipes()
    own.write_text(OWN.format(name="other"), encoding="utf-8")
    with pytest.raises(SettingError, match=r"own\.toml: name is 'other'; must be 'own'"):
        osmofuse.recipe("own")


def test_what_is_not_given_comes_from_the_recipe(own, pair, tmp_path):
    files = {"foreground": pair["visible"], "backgrounds": pair["infrared"]}
    side = np.sqrt(40 * 32)
    job = job_with_recipe(osmofuse.recipe("own"), **files, output=tmp_path / "f.tif")
    assert (job.alpha, job.method, job.soften) == ("auto", "variational", "5 %")
    assert job.settings == {"target": "product", "reach": "10 %", "eta": 0.25}
    record = job.run().record
    assert record.alpha["soften"] == pytest.approx(0.05 * side)
    assert record.method["settings"]["reach"] == pytest.approx(0.1 * side)
    assert job.recipe["name"] == "own"


def test_what_is_given_wins(own, pair, tmp_path):
    files = {"foreground": pair["visible"], "backgrounds": pair["infrared"]}
    chosen = osmofuse.recipe("own")
    given = {"alpha": pair["map"], "soften": 1.0, "levels": "match", "settings": {"reach": 3.0}}
    job = job_with_recipe(chosen, **files, **given, output=tmp_path / "f.tif")
    assert (job.alpha, job.soften, job.levels) == (pair["map"], 1.0, "match")
    assert job.settings == {"target": "product", "reach": 3.0, "eta": 0.25}
    other = job_with_recipe(chosen, **files, method="direct", output=tmp_path / "f.tif")
    assert (other.method, other.settings) == ("direct", {}), "settings are of one method"


def test_a_number_for_alpha_is_not_softened(own, pair, tmp_path):
    files = {"foreground": pair["visible"], "backgrounds": pair["infrared"]}
    job = job_with_recipe(osmofuse.recipe("own"), **files, alpha=0.3, output=tmp_path / "f.tif")
    assert (job.alpha, job.soften) == (0.3, 0.0)


def test_what_does_not_go_together_names_the_recipe(own, pair, tmp_path):
    files = {"foreground": pair["visible"], "backgrounds": pair["infrared"]}
    with pytest.raises(SettingError, match=r"needs a map, .* give --alpha map\.png"):
        job_with_recipe(osmofuse.recipe("face"), **files, output=tmp_path / "f.tif")
    with pytest.raises(SettingError, match=r"needs the solver 'flow'.* \(with the recipe 'own'\)"):
        job_with_recipe(
            osmofuse.recipe("own"), **files, settings={"solver": "ipiano"}, output=tmp_path / "f"
        )


def test_on_arrays_it_is_a_fusion_with_its_settings():
    scene = gallery.portrait((60, 45))
    pictures = scene.foreground, scene.background
    chosen = osmofuse.recipe("recolour")
    size = scene.foreground.shape
    soft = osmofuse.soften(scene.alpha, chosen.soften_for(size))
    plain = osmofuse.fuse(*pictures, soft, **chosen.settings_for(size))
    assert np.array_equal(chosen.fuse(*pictures, scene.alpha).image, plain.image)
    changed = chosen.fuse(*pictures, scene.alpha, reach=2.0)
    assert changed.reach == pytest.approx(2.0)
    assert chosen.fuse(*pictures, 0.5).reach == pytest.approx(0.01 * np.sqrt(60 * 45), rel=1e-6)


def test_on_arrays_it_fuses_in_its_working_space():
    scene = gallery.portrait((60, 50))
    chosen = osmofuse.recipe("face")
    assert chosen.working_space == "linear"
    pair = [to_working(picture, "linear") for picture in (scene.foreground, scene.background)]
    size = scene.foreground.shape
    soft = osmofuse.soften(scene.alpha, chosen.soften_for(size))
    linear = osmofuse.fuse(*pair, soft, **chosen.settings_for(size))
    found = chosen.fuse(scene.foreground, scene.background, scene.alpha)
    assert np.array_equal(found.image, from_working(linear.image, "linear"))


def test_it_may_align_and_say_the_depth(own, tmp_path):
    more = '[align]\ntransform = "affine"\n[output]\ndepth = "uint16"\n'
    own.write_text(OWN.format(name="own") + more, encoding="utf-8")
    osmofuse.write(np.zeros((8, 8, 3), np.uint8), tmp_path / "f.png")
    files = {"foreground": tmp_path / "f.png", "backgrounds": tmp_path / "b.png"}
    job = job_with_recipe(osmofuse.recipe("own"), **files, alpha=0.5, output=tmp_path / "o.png")
    assert job.align == {"method": "auto", "transform": "affine", "deformation": False}
    assert job.depth == "uint16"
    with pytest.raises(osmofuse.MismatchError, match="background: refused to align it"):
        osmofuse.recipe("own").fuse(*[np.full((8, 8, 3), 0.5)] * 2)


def test_on_arrays_it_says_what_it_cannot_do(own):
    picture = np.full((8, 8, 3), 0.5)
    with pytest.raises(SettingError, match="the recipe 'face' needs a map"):
        osmofuse.recipe("face").fuse(picture, picture)
    own.write_text(OWN.format(name="own") + '[input]\nlevels = "match"\n', encoding="utf-8")
    with pytest.raises(osmofuse.InputError, match="levels: the picture is flat"):
        osmofuse.recipe("own").fuse(picture, picture)


def test_a_name_may_be_a_path():
    assert osmofuse.recipe(Path("text")).name == "text"


def test_what_was_fused_in_linear_light_is_not_extended():
    pair = np.full((12, 12, 3), 0.5), np.full((12, 12, 3), 0.4)
    fusion = osmofuse.recipe("face").fuse(*pair, np.eye(12))
    with pytest.raises(SettingError, match="none to extend"):
        fusion.extend(50.0)
    assert osmofuse.recipe("text").fuse(*pair).extend(50.0).reach == pytest.approx(50.0)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]
)
def test_it_can_be_copied_and_sent_to_another_process(copied):
    one = osmofuse.recipe("text")
    other = copied(one)
    assert other == one
    assert dict(other.settings) == dict(one.settings)
    with pytest.raises(TypeError):
        other.settings["eta"] = 1.0


MAPPED = OWN.replace("[alpha]", '[input]\nlevels = "match"\nworking_space = "linear"\n[alpha]')
MAPPED = MAPPED.replace('"auto"', '"map"') + '[output]\ndepth = "uint8"\n'


@pytest.fixture
def mapped(tmp_path):
    (tmp_path / "mapped.toml").write_text(MAPPED.format(name="mapped"), encoding="utf-8")
    return osmofuse.recipe(tmp_path / "mapped.toml")


@pytest.fixture
def job_parts(pair, tmp_path):
    return {
        "foreground": pair["visible"], "backgrounds": pair["infrared"], "alpha": pair["map"],
        "output": tmp_path / "made",
    }  # fmt: skip


@pytest.fixture
def pictures(pair):
    return [osmofuse.read(pair[name]) for name in ("visible", "infrared", "map")]


def hashes(fusions, depth="uint8"):
    return [sha256_of_pixels(one.picture(depth)[0].pixels) for one in fusions]


def test_a_comparison_with_a_recipe_is_that_of_arrays(mapped, job_parts, pictures, tmp_path):
    names = ("direct", "variational", "poisson")
    job = job_with_recipe(mapped, CompareJob, **job_parts, methods=iter(names), metrics=())
    assert (job.levels, job.working_space, job.depth) == ("match", "linear", "uint8")
    made = job.run()
    found = mapped.compare(*pictures, methods=names, metrics=())
    stored = made.record.output["pictures"]
    assert list(stored.values()) == hashes(one.fusion for one in found)
    assert stored["variational.tif"] == hashes([mapped.fuse(*pictures)])[0]
    fused = job_with_recipe(mapped, **job_parts | {"output": tmp_path / "f.tif"}).run()
    assert fused.record.output["sha256_of_pixels"] == stored["variational.tif"]
    again = repeat(made.files["comparison.json"], tmp_path / "again")
    assert (again.repetition.identical, again.repetition.differences) == (True, ())
    assert again.record.recipe == mapped.entry


def test_given_settings_of_a_comparison_win_one_by_one(mapped, job_parts):
    given = {"variational": {"eta": 0.5}, "poisson": {"threshold": 0.3}}
    names = ["variational", "poisson"]
    job = job_with_recipe(mapped, CompareJob, **job_parts, methods=names, settings=given)
    variational, poisson = job.methods_for((40, 32)).values()
    assert (variational.eta, poisson.threshold) == (0.5, 0.3)
    assert variational.reach == pytest.approx(0.1 * np.sqrt(40 * 32))
    others = job_with_recipe(mapped, CompareJob, **job_parts, methods=["direct"])
    assert others.settings == {}
    assert job_with_recipe(mapped, CompareJob, **job_parts).methods_used[0].eta == 0.25
    assert job_with_recipe(mapped, CompareJob, **job_parts, paper=True).settings == {}


def test_a_sweep_with_a_recipe_is_that_of_arrays(mapped, job_parts, pictures, tmp_path):
    varied = {"mu": [10.0, 100.0], "reach": ["5 %", "10 %"]}
    tried = {"alpha": (job_parts["alpha"], 0.5), "settings": varied}
    made = job_with_recipe(mapped, SweepJob, **job_parts | tried).run()
    found = mapped.sweep(*pictures[:2], {"map.png": pictures[2], 0.5: 0.5}, **varied)
    assert list(made.record.output["pictures"].values()) == hashes(one.fusion for one in found)
    told = [one["settings"] for one in made.record.result["results"]]
    assert told == [dict(one.settings) for one in found]
    assert {one["eta"] for one in told} == {0.25}
    again = repeat(made.files["sweep.json"], tmp_path / "again")
    assert (again.repetition.identical, again.repetition.differences) == (True, ())


def test_a_sweep_by_another_method_keeps_how_pictures_are_made_ready(mapped, job_parts):
    job = job_with_recipe(mapped, SweepJob, **job_parts, method="direct")
    assert (job.settings, job.levels) == ({}, "match")
    assert job.soften == "5 %"


@pytest.fixture
def yard(tmp_path):
    scene = gallery.shadow((120, 156), 1)
    image = osmofuse.write(quantise(scene.foreground, np.uint8)[0], tmp_path / "image.png")
    edge = osmofuse.write(quantise(scene.alpha, np.uint8)[0], tmp_path / "edge.png")
    return scene, {"image": image, "boundary": edge, "output": tmp_path / "plain.png"}


def test_a_recipe_removes_shadows_and_its_record_repeats_them(yard, tmp_path):
    scene, parts = yard
    chosen = osmofuse.recipe("shadow")
    job = job_with_recipe(chosen, ShadowJob, **parts)
    made = job.run()
    assert made.record.recipe == chosen.entry
    pictures = osmofuse.read(parts["image"]), osmofuse.read(parts["boundary"])
    task = chosen.remove_shadow(*pictures)
    written = osmofuse.read(parts["output"]).pixels
    assert np.array_equal(written, task.picture()[0].pixels)
    plain = osmofuse.remove_shadow(*pictures, **chosen.settings_for(pictures[0].shape))
    assert np.array_equal(written, plain.picture()[0].pixels)
    before, after = (psnr(one, scene.truth) for one in (scene.foreground, task.image))
    assert after > before + 5.0
    again = repeat(made.files["record"], tmp_path / "again.png")
    assert again.repetition.identical
    assert again.record.recipe == chosen.entry


def test_given_settings_win_over_a_recipe_for_shadows(yard):
    scene, parts = yard
    chosen = osmofuse.recipe("shadow")
    given = job_with_recipe(chosen, ShadowJob, **parts, extent="local")
    assert (given.extent, given.offset) == ("local", chosen.settings["offset"])
    kept = chosen.remove_shadow(scene.foreground, scene.alpha, extent="local")
    assert np.array_equal(kept.image[~kept.changed], scene.foreground[~kept.changed])
    with pytest.raises(SettingError, match=r"^level: .* \(with the recipe 'shadow'\)$"):
        job_with_recipe(chosen, ShadowJob, **parts, extent="local", level="mean")


@pytest.mark.parametrize("kind", [FuseJob, CompareJob, SweepJob])
def test_a_recipe_of_another_kind_is_refused_by_jobs(kind, job_parts, yard):
    with pytest.raises(SettingError, match=r"^recipe: 'shadow' is for the removal .*, not for fus"):
        job_with_recipe(osmofuse.recipe("shadow"), kind, **job_parts)
    with pytest.raises(SettingError, match=r"^recipe: 'text' is for fusions .*, not for the remov"):
        job_with_recipe(osmofuse.recipe("text"), ShadowJob, **yard[1])
    with pytest.raises(SettingError, match=r"^recipe: 'text' is for .*, not for osmofuse compact$"):
        job_with_recipe(osmofuse.recipe("text"), CompactJob, image="a.png", output="b.png")


def test_a_recipe_of_another_kind_is_refused_on_arrays():
    picture = np.full((12, 12, 3), 0.5)
    with pytest.raises(SettingError, match=r"^recipe: 'text' is for fusions"):
        osmofuse.recipe("text").remove_shadow(picture, np.eye(12))
    chosen = osmofuse.recipe("shadow")
    for fusing in (chosen.fuse, chosen.compare, chosen.sweep):
        with pytest.raises(SettingError, match=r"^recipe: 'shadow' is for the removal of shadows"):
            fusing(picture, picture)


@pytest.mark.parametrize("kind", [FuseJob, CompareJob, SweepJob])
def test_only_a_map_that_is_missing_is_refused(mapped, job_parts, kind):
    del job_parts["alpha"]
    with pytest.raises(SettingError, match="the recipe 'mapped' needs a map"):
        job_with_recipe(mapped, kind, **job_parts)
    assert job_with_recipe(mapped, kind, **job_parts, alpha=0.5).soften == 0.0
    assert job_with_recipe(mapped, kind, **job_parts, alpha="auto").soften == mapped.soften != 0.0


@pytest.mark.parametrize("name", FUSING)
@pytest.mark.parametrize("kind", [CompareJob, SweepJob])
def test_every_recipe_goes_with_every_job(name, kind, job_parts, pictures):
    chosen = osmofuse.recipe(name)
    more = {"methods": [chosen.method], "metrics": ()} if kind is CompareJob else {}
    more |= {"settings": {"band": ["keep", "repeat"]}} if kind is SweepJob else {}
    made = job_with_recipe(chosen, kind, **job_parts, **more).run()
    if kind is CompareJob:
        found = chosen.compare(*pictures, **more)
    else:
        found = chosen.sweep(*pictures, **more["settings"])
    expected = hashes([one.fusion for one in found], chosen.depth)
    assert list(made.record.output["pictures"].values()) == expected
