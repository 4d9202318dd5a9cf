"""Children import nothing from the current folder and ignore PYTHON... variables."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import osmofuse
from osmofuse.processes import python_command, python_environment


def run(program, *arguments, **options):
    done = subprocess.run(
        python_command(program, *arguments), env=python_environment(),
        capture_output=True, text=True, check=True, **options,
    )  # fmt: skip
    return done.stdout


@pytest.mark.parametrize("how", ["current", "listed", "relative"])
def test_a_module_in_the_current_folder_is_not_imported(tmp_path, monkeypatch, how):
    for name in ("json", "numpy", "osmofuse"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('planted code ran')")
    monkeypatch.chdir(tmp_path)
    if how == "listed":
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    if how == "relative":
        monkeypatch.setattr(sys, "path", ["", ".", *sys.path])
    assert run("import json, numpy, osmofuse; print(json.dumps([1]))") == "[1]\n"


def test_variables_of_python_are_ignored(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit('planted code ran')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "json.py"))
    monkeypatch.setenv("OSMOFUSE_TEST", "kept")
    program = "import json, os; print(json.dumps(sorted(os.environ)))"
    names = json.loads(run(program))
    assert not [name for name in names if name.startswith("PYTHON")]
    assert "OSMOFUSE_TEST" in names


def test_arguments_are_passed_on(tmp_path):
    told = run("import osmofuse; print(sys.argv[1:])", "-c", "a b", cwd=tmp_path)
    assert told == "['-c', 'a b']\n"


def test_the_package_is_found_wherever_it_lies(tmp_path, monkeypatch):
    monkeypatch.chdir(Path(osmofuse.__file__).parent.parent)
    assert run("import osmofuse; print(osmofuse.__version__)") == f"{osmofuse.__version__}\n"
