"""The perimeter: what the package offers, and what importing it costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import osmofuse


def test_all_is_sorted_and_each_name_is_there_once():
    assert osmofuse.__all__ == sorted(set(osmofuse.__all__))


@pytest.mark.parametrize("name", osmofuse.__all__)
def test_every_name_resolves(name):
    found = getattr(osmofuse, name)
    assert isinstance(found, ModuleType) == (name not in osmofuse._HOMES)


@pytest.mark.parametrize(("name", "home"), osmofuse._HOMES.items())
def test_every_name_lives_where_its_home_is(name, home):
    found = getattr(import_module(f"osmofuse.{home}"), name)
    assert found is getattr(osmofuse, name)
    assert found.__module__ == f"osmofuse.{home}", "the home is not where it is defined"


def test_homes_are_all_offered():
    assert set(osmofuse._HOMES) <= set(osmofuse.__all__)


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(osmofuse.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    names = {alias.name: node.module for node in imports for alias in node.names}
    homes = {name: f"osmofuse.{home}" for name, home in osmofuse._HOMES.items()}
    rooms = {name: "osmofuse" for name in osmofuse.__all__ if name not in homes}
    assert names == homes | rooms


def test_every_method_is_public():
    from osmofuse.methods import METHODS

    assert all(getattr(osmofuse, method.__name__) is method for method in METHODS.values())


def test_every_job_is_public():
    from osmofuse.jobs import JOBS

    assert all(getattr(osmofuse, job.__name__) is job for job in JOBS.values())


def test_dir_lists_them_all():
    assert set(osmofuse.__all__) <= set(dir(osmofuse))


def test_no_other_name_resolves():
    with pytest.raises(AttributeError, match="no attribute 'magic'"):
        osmofuse.magic  # noqa: B018


def run(program):
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_the_package_loads_nothing_heavy():
    heavy = run(
        "import sys, osmofuse\n"
        "print({'numba', 'scipy', 'pyvips', 'matplotlib', 'click', 'rich'} & set(sys.modules))"
    )
    assert heavy == "set()"


def test_what_the_package_logs_is_not_printed_unless_asked_for():
    code = "import osmofuse, logging; logging.getLogger('osmofuse').error('seen')"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_errors_are_had_without_anything_heavy():
    found = run("import sys, osmofuse; osmofuse.InputError; print('numba' in sys.modules)")
    assert found == "False"


def test_a_command_loads_the_parts_of_scipy_only_where_it_uses_them():
    heavy = run(
        "import sys, osmofuse.cli.fuse\n"
        "parts = ('ndimage', 'sparse', 'special', 'optimize', 'fft')\n"
        "print([one for one in parts if f'scipy.{one}' in sys.modules])"
    )
    assert heavy == "[]"


def test_reading_pictures_needs_no_kernels():
    assert run("import sys, osmofuse; osmofuse.read; print('numba' in sys.modules)") == "False"


def test_the_version_is_that_of_the_installation():
    from importlib.metadata import version

    assert version("osmofuse") == osmofuse.__version__
