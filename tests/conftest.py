"""What all tests share: the shared data, the random numbers, hypothesis's habits."""

import os
import re
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "osmofuse", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("osmofuse")

ROOT = Path(__file__).parent.parent


def data_folder() -> Path:
    """Return where the paper's pictures are, whether they are there or not."""
    return Path(os.environ.get("OSMOFUSE_DATA", ROOT.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of the paper's pictures; without it the test is skipped."""
    folder = data_folder()
    if not (folder / "paper" / "1_foreground.png").exists():
        pytest.skip(f"needs the data: none in {folder}; OSMOFUSE_DATA names another folder")
    return folder


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def allowed_skips() -> tuple[str, ...]:
    """Return the allowed prefixes of skip reasons, from the table in CONTRIBUTING."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("## Tests that may skip")[2].partition("\n## ")[0]
    return tuple(re.findall(r"`(needs [^`]+)`", table))


def forbidden_skip(reason: str, fixtures: Collection[str]) -> str | None:
    """Return why a test must not skip; None if it may."""
    if not reason.startswith(ALLOWED_SKIPS):
        return "skipped for a reason that CONTRIBUTING does not list"
    if "data" in fixtures and os.environ.get("CI") and data_folder().exists():
        return "skipped although the data is there"
    return None


ALLOWED_SKIPS = allowed_skips()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Turn a skip that is not allowed into a failure."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        wrong = forbidden_skip(reason, item.fixturenames)
        if wrong:
            report.outcome, report.longrepr = "failed", f"{wrong}: {reason}"
