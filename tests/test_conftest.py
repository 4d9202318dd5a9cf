"""Rule for skipped tests, and its table in CONTRIBUTING."""

import os
import re
import subprocess
import sys

import pytest

from conftest import ALLOWED_SKIPS, ROOT, data_folder, forbidden_skip


def test_a_skip_for_another_reason_is_a_failure():
    assert "does not list" in forbidden_skip("not today", ())
    assert "does not list" in forbidden_skip("could not import 'cv2'", ())
    assert forbidden_skip("needs two threads", ()) is None


def test_where_ci_has_the_data_a_test_of_it_must_not_skip(monkeypatch, tmp_path):
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("OSMOFUSE_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    assert "the data is there" in forbidden_skip("needs the data: none", {"data"})
    assert forbidden_skip("needs the data: none", ()) is None
    monkeypatch.setenv("OSMOFUSE_DATA", str(tmp_path / "nowhere"))
    assert forbidden_skip("needs the data: none", {"data"}) is None


@pytest.mark.parametrize("reason", ALLOWED_SKIPS)
def test_every_reason_in_the_table_is_one_that_tests_give(reason):
    tests = [
        path for path in (ROOT / "tests").rglob("test_*.py") if path.name != "test_conftest.py"
    ]
    sources = [*tests, ROOT / "tests" / "conftest.py"]
    given = re.compile(rf'(skip\(f?|reason=)"{re.escape(reason)}')
    assert any(given.search(path.read_text(encoding="utf-8")) for path in sources)


def test_the_rule_is_enforced_where_tests_run(tmp_path):
    """A process of its own runs a test that skips, with this conftest."""
    (tmp_path / "test_skips.py").write_text(
        "import pytest\n"
        "def test_listed(): pytest.skip('needs two threads')\n"
        "def test_not(): pytest.skip('I am tired')\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-ra", "-c", os.devnull, "."]
    env = {k: v for k, v in os.environ.items() if k not in ("PYTEST_ADDOPTS", "FORCE_COLOR")}
    env["PYTHONPATH"] = str(ROOT / "tests")
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert "1 failed, 1 skipped" in done.stdout
    assert "CONTRIBUTING does not list: I am tired" in done.stdout
    assert "test_skips.py:2: needs two threads" in done.stdout
