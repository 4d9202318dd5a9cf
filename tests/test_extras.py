"""The script that tries extras knows all of them."""

import extras


def test_each_extra_has_its_check():
    assert set(extras.CHECKS) == set(extras.extras())


def test_nothing_is_declared_that_is_not_used():
    text = (extras.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert "simpleitk" not in text.lower()
