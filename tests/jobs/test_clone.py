from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import osmofuse
from osmofuse import CloneJob, InputError, SettingError, Status, cli


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(5)
    wall = (rng.normal(1, 0.03, (60, 70, 1)) * [200, 170, 150]).clip(0, 255).astype(np.uint8)
    thing = (rng.normal(1, 0.03, (30, 34, 1)) * [30, 50, 20]).clip(0, 255).astype(np.uint8)
    thing[9:21, 10:24] = 150, 30, 40
    mask = np.zeros((30, 34), np.uint8)
    mask[4:26, 5:29] = 255
    parts = {"wall": wall, "thing": thing, "mask": mask}
    return {name: osmofuse.write(one, tmp_path / f"{name}.png") for name, one in parts.items()}


def test_a_job_does_to_files_what_clone_does_to_pictures(files, tmp_path):
    job = CloneJob(
        files["wall"], files["thing"], files["mask"], at=(10, 20), output=tmp_path / "out.png"
    )
    result = job.run()
    wall, thing, mask = (osmofuse.read(path) for path in files.values())
    made = osmofuse.clone(wall, thing, mask, at=(10, 20))
    assert np.array_equal(osmofuse.read(tmp_path / "out.png").pixels, made.picture()[0].pixels)
    assert any("cut from its ground" in note for note in result.notes)
    assert result.record.method["settings"]["at"] in ([10, 20], (10, 20))


def test_settings_are_checked(files, tmp_path):
    with pytest.raises(SettingError, match=r"^scale"):
        CloneJob(files["wall"], files["thing"], scale=0, output=tmp_path / "out.png")


def test_errors_name_the_file(files, tmp_path):
    black = osmofuse.write(np.zeros((30, 34), np.uint8), tmp_path / "black.png")
    job = CloneJob(files["wall"], files["thing"], black, output=tmp_path / "out.png")
    with pytest.raises(InputError, match=r"black\.png: empty"):
        job.run()


def test_a_larger_object_needs_more_memory(files, tmp_path):
    parts = {"into": files["wall"], "object": files["thing"], "mask": files["mask"]}
    needs = [CloneJob(**parts, scale=s, output=tmp_path / "o.png").check() for s in (1, 50)]
    assert needs[1].bytes > needs[0].bytes + 10**8


def run(*arguments):
    return CliRunner().invoke(cli.commands, ["clone", *arguments])


def test_the_command_takes_columns_first_and_writes_nothing_after_an_error(files, tmp_path):
    names = [str(files["wall"]), str(files["thing"]), "--mask", str(files["mask"])]
    out = tmp_path / "out.png"
    done = run(*names, "--at", "20,10", "-o", str(out), "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["record"]["method"]["settings"]["at"] == [10, 20]
    again = tmp_path / "again.png"
    assert run("--from", f"{out}.json", "-o", str(again)).exit_code == 0
    assert np.array_equal(osmofuse.read(out).pixels, osmofuse.read(again).pixels)
    bad = tmp_path / "bad.png"
    for place in ("900,10", "9"):
        refused = run(*names, "--at", place, "-o", str(bad))
        assert refused.exit_code != 0
        assert "at" in refused.output + str(refused.exception)
    assert not bad.exists()


def test_the_command_says_if_the_solver_did_not_converge(files, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "osmofuse.jobs.clone.clone",
        lambda *given, **how: replace(osmofuse.clone(*given, **how), status=Status.max_iter),
    )
    names = [str(files["wall"]), str(files["thing"]), "--mask", str(files["mask"])]
    done = run(*names, "-o", str(tmp_path / "out.png"))
    assert done.exit_code == 5
    assert "did not converge" in done.stderr
    assert (tmp_path / "out.png").exists()
