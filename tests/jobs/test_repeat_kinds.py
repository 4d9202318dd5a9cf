"""Records of all kinds of jobs: done again anywhere, and refused by field where they are wrong."""

from __future__ import annotations

import json
import random
import shutil
import sys
from collections import Counter

import numpy as np
import pytest

import damaged_documents as damaged
import osmofuse
from osmofuse import gallery, plugins
from osmofuse.energies import Tikhonov
from osmofuse.errors import OsmofuseError, SettingError
from osmofuse.jobs import JOBS, FuseJob, job_of_record, repeat
from osmofuse.pixels import quantise
from osmofuse.record import read_record
from outside import install

pytest.importorskip("cv2")

POINTS = (
    "background_x,background_y,foreground_x,foreground_y\n"
    "1,2,1,2\n30,2,30,2\n1,40,1,40\n30,40,30,40\n"
)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Return a folder with a page in two lights, its truth, a map, a trimap and points."""
    folder, page = tmp_path_factory.mktemp("pictures"), gallery.manuscript((48, 40), seed=4)
    trimap = np.full((48, 40), 128, np.uint8)
    trimap[:16], trimap[32:] = 0, 255
    planes = {
        "visible": page.foreground, "infrared": page.background, "truth": page.truth,
        "map": page.alpha, "turned": 1 - page.alpha,
    }  # fmt: skip
    for name, plane in planes.items():
        osmofuse.write(quantise(plane, np.uint16)[0], folder / f"{name}.tif")
    osmofuse.write(trimap, folder / "trimap.tif")
    (folder / "points.csv").write_text(POINTS)
    return folder


def parts_of(kind, folder):
    """Return the parts of a job with all that its kind may have, but for the output."""
    at = {path.stem: path for path in folder.iterdir() if path.is_file()}
    pair = {"foreground": at["visible"], "backgrounds": at["infrared"], "truth": at["truth"]}
    ready = {"levels": "match", "working_space": "linear", "soften": 1.0, "invert": True,
             "depth": "uint8"}  # fmt: skip
    return {
        "fuse": pair | ready | {"alpha": at["map"], "settings": {"reach": 2.0}},
        "align": {"foreground": at["visible"], "background": at["infrared"],
                  "points": at["points"], "method": "points", "transform": "affine"},
        "matte": {"image": at["visible"], "trimap": at["trimap"], "method": "knn",
                  "max_pixels": 1000},
        "balance": {"images": (at["visible"], at["truth"]), "places": ((0, 0), (-5, 20)),
                    "flat": at["infrared"], "reference": 1},
        "shadow": {"image": at["visible"], "boundary": at["map"], "model": "nonlinear",
                   "texture": False, "level": "mean", "remove": "shadow", "offset": 0.1},
        "clone": {"into": at["visible"], "object": at["truth"], "mask": at["map"], "at": (5, -3),
                  "scale": 0.8, "rotate": 20.0, "model": "osmosis", "relight": 0.5},
        "compact": {"image": at["visible"], "share": 0.2, "width": 2},
        "compare": pair | ready | {"alpha": at["map"], "methods": ["direct", "variational"],
                                   "settings": {"variational": {"reach": 2.0}},
                                   "metrics": ("fmi", "structure"), "zoom": (2, 3, 10, 12)},
        "sweep": pair | ready | {"alpha": (0.25, at["map"], at["turned"]), "metrics": "fmi",
                                 "settings": {"eta": [0.1, 0.2], "reach": "5 %"}},
        "score": {"fused": at["visible"], "foreground": at["visible"],
                  "background": at["infrared"], "alpha": at["map"], "truth": at["truth"],
                  "bits": 16, "invert": True, "metrics": ("fmi", "structure")},
    }[kind]  # fmt: skip


def output_of(kind, folder):
    return folder / {"score": "scores.json", "compare": "made", "sweep": "made"}.get(
        kind, "made.tif"
    )


def record_of(result):
    """Return where a job wrote its record."""
    (found,) = [path for path in result.files.values() if path.suffix == ".json"]
    return found


@pytest.fixture(scope="module")
def done(pictures, tmp_path_factory):
    """Return a function that gives a folder with files, what a job made of them, and its record."""
    known = {}

    def made(kind):
        if kind not in known:
            folder = tmp_path_factory.mktemp(kind) / "here"
            shutil.copytree(pictures, folder)
            job = JOBS[kind](**parts_of(kind, folder), output=output_of(kind, folder))
            known[kind] = folder, record_of(job.run()).relative_to(folder)
        return known[kind]

    return made


@pytest.mark.parametrize("kind", JOBS)
def test_the_job_of_a_record_is_the_job(done, kind):
    folder, record = done(kind)
    output = output_of(kind, folder / "again")
    job = JOBS[kind](**parts_of(kind, folder), output=output)
    again = job_of_record(folder / record, output)
    assert {role: path.resolve() for role, path in again.inputs.items()} == job.inputs
    if kind != "fuse":  # whose record has all settings of the method
        assert again.method_recorded == job.method_recorded
    for name in ("soften", "invert", "levels", "working_space", "depth", "metrics", "align"):
        assert getattr(again, name, None) == getattr(job, name, None)
    if kind == "sweep":
        assert again.tried == job.tried


@pytest.mark.parametrize("kind", JOBS)
def test_a_folder_may_move_with_its_record(done, kind, tmp_path):
    folder, record = done(kind)
    moved = tmp_path / "elsewhere" / "there"
    shutil.copytree(folder, moved)
    away = folder.rename(folder.with_name("away"))
    try:
        result = repeat(moved / record, output_of(kind, tmp_path))
    finally:
        away.rename(folder)
    assert (result.repetition.identical, result.repetition.differences) == (True, ())
    old = read_record(moved / record)
    assert result.record.output == old.output
    assert result.record.alpha == old.alpha
    assert result.record.as_json()["method"] == old.as_json()["method"]
    scores = [one.as_json()["result"].get("scores") for one in (result.record, old)]
    assert scores[0] == scores[1]


@pytest.mark.parametrize("kind", JOBS)
def test_each_input_that_is_another_is_named(done, kind, tmp_path):
    folder, record = done(kind)
    moved = tmp_path / "there"
    shutil.copytree(folder, moved)
    inputs = job_of_record(moved / record, None if kind == "score" else tmp_path).inputs
    for path in set(inputs.values()):
        if path.suffix == ".csv":
            path.write_text(POINTS.replace("1,2,1,2", "1,2,1.5,2"))
        else:
            pixels = osmofuse.read(path).pixels.copy()
            pixels[20:30, 20:30] //= 2
            osmofuse.write(pixels, path, overwrite=True)
    found = repeat(moved / record, output_of(kind, tmp_path)).repetition
    told = {line.partition(":")[0] for line in found.differences if "not the file" in line}
    assert told == set(inputs)
    assert not found.identical


@pytest.mark.parametrize("kind", ["compare", "sweep"])
def test_a_stored_hash_that_is_another_is_named(done, kind, tmp_path):
    folder, record = done(kind)
    moved = tmp_path / "there"
    shutil.copytree(folder, moved)
    pictures = read_record(moved / record).output["pictures"]
    name, digest = [*pictures.items()][1]
    text = (moved / record).read_text(encoding="utf-8")
    (moved / record).write_text(text.replace(digest, "0" * 64), encoding="utf-8")
    found = repeat(moved / record, output_of(kind, tmp_path)).repetition
    assert not found.identical
    assert [line for line in found.differences if line.startswith(f"{name}: the pixels differ")]


@pytest.mark.parametrize("kind", JOBS)
def test_wrong_records_are_refused_by_field(done, kind):
    folder, record = done(kind)
    cases = list(damaged.damaged_records(folder / record))
    cases = random.Random(3).sample(cases, min(250, len(cases)))
    path, found = (folder / record).with_name("bad.json"), Counter()
    for name, text in cases:
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        try:
            job_of_record(path, output_of(kind, folder.parent)).check()
        except OsmofuseError as error:
            found[type(error).__name__] += 1
        except Exception as error:
            raise AssertionError(f"{name}: {error!r}") from error
    path.unlink()
    assert found["UnreadableError"] > 50


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Return a folder from which this process imports, with a package that adds a method."""
    (tmp_path / "site").mkdir()
    monkeypatch.syspath_prepend(tmp_path / "site")
    for known in (plugins.offered, plugins._entry_points):
        known.cache_clear()
    install(tmp_path / "site")
    yield tmp_path / "site"
    for known in (plugins.offered, plugins._entry_points):
        known.cache_clear()
    sys.modules.pop("toy", None)


@pytest.mark.parametrize("kind", ["fuse", "compare", "sweep", "score"])
def test_methods_and_metrics_of_other_packages_are_repeated(
    pictures, site, kind, tmp_path, monkeypatch
):
    parts = parts_of(kind, pictures)
    parts |= {
        "fuse": {"method": "brighter", "settings": {"gain": 0.7}},
        "compare": {"methods": ["direct", "brighter"], "settings": {"brighter": {"gain": 0.7}},
                    "metrics": ("contrast", "shade")},
        "sweep": {"method": "brighter", "settings": {"gain": [0.5, 0.7]}, "metrics": "shade"},
        "score": {"metrics": ("contrast", "shade", "fmi")},
    }[kind]  # fmt: skip
    result = JOBS[kind](**parts, output=output_of(kind, tmp_path)).run()
    (tmp_path / "again").mkdir()
    again = repeat(record_of(result), output_of(kind, tmp_path / "again"))
    assert (again.repetition.identical, again.repetition.differences) == (True, ())
    monkeypatch.syspath_prepend(tmp_path)  # whose packages are gone
    shutil.rmtree(site)
    for known in (plugins.offered, plugins._entry_points):
        known.cache_clear()
    with pytest.raises(SettingError, match=r"'(brighter|contrast|shade)'"):
        job_of_record(record_of(result), output_of(kind, tmp_path / "again"))


def test_a_method_that_could_not_be_run_is_part_of_the_record(pictures, tmp_path):
    parts = parts_of("compare", pictures) | {"settings": {}, "metrics": ()}
    grey = osmofuse.write(np.zeros((48, 40), np.uint8), tmp_path / "black.tif")
    parts |= {"methods": ["direct", "variational"], "foreground": grey, "alpha": 0.5, "soften": 0}
    parts |= {"settings": {"variational": {"offset": 0.0}}, "truth": None}
    result = JOBS["compare"](**parts, output=tmp_path / "made").run()
    assert result.comparisons[1].fusion is None
    again = repeat(record_of(result), tmp_path / "again")
    assert (again.repetition.identical, again.repetition.differences) == (True, ())


def test_an_infinite_score_is_the_same_again(pictures, tmp_path):
    parts = parts_of("score", pictures) | {"truth": pictures / "visible.tif"}
    result = JOBS["score"](**parts, output=tmp_path / "scores.json").run()
    assert result.scores["psnr"].value == np.inf
    again = repeat(record_of(result), tmp_path / "again.json")
    assert (again.repetition.identical, again.repetition.differences) == (True, ())


def test_a_record_with_an_object_says_that_it_cannot_be_repeated(pair, tmp_path):
    settings = {"regulariser": Tikhonov(0.5), "reach": 2.0}
    job = FuseJob(pair["visible"], pair["infrared"], tmp_path / "f.tif", settings=settings)
    record = job.run().files["record"]
    stored = json.loads(record.read_text(encoding="utf-8"))["method"]["settings"]
    assert stored["regulariser"] == {"object": "Tikhonov"}
    with pytest.raises(SettingError, match="object of the class 'Tikhonov' as regulariser"):
        repeat(record, tmp_path / "again.tif")
