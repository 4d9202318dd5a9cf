from __future__ import annotations

from importlib import metadata

import pytest

from osmofuse import InputError
from osmofuse.metrics.quality_models import FIXES, installed_file


@pytest.fixture(autouse=True)
def _fixes(monkeypatch):
    monkeypatch.setitem(FIXES, "numpy", "pip install numpy")
    monkeypatch.setitem(FIXES, "no-such-thing", "pip install a-thing")


def test_a_file_of_an_installed_distribution():
    version = metadata.version("numpy")
    assert installed_file("numpy", version, "numpy/__init__.py").name == "__init__.py"


def test_the_reason_says_how_to_get_it():
    with pytest.raises(InputError, match=r"^model: none given, and no-such-thing 1.0") as caught:
        installed_file("no-such-thing", "1.0", "data")
    assert "pip install a-thing" in str(caught.value)


def test_another_version_is_another_model():
    with pytest.raises(InputError, match=r"numpy is .*, not 0\.0; pip install numpy"):
        installed_file("numpy", "0.0", "numpy/__init__.py")


def test_a_missing_file():
    with pytest.raises(InputError, match=r"lacks numpy/weights\.txt"):
        installed_file("numpy", metadata.version("numpy"), "numpy/weights.txt")
