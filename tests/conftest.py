"""What all tests share: the shared data, the random numbers, hypothesis's habits."""

import os
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
        pytest.skip(f"no test data in {folder}; set OSMOFUSE_DATA to its folder")
    return folder


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture
def decoded_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let jobs decode their files in this process, which is quicker than a child for each job."""
    from osmofuse.io import read
    from osmofuse.jobs import reading

    def read_here(paths, limits):
        return [read(path, limits=limits) for path in paths]

    monkeypatch.setattr(reading, "read_isolated", read_here)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Turn a skip for want of data into a failure where CI has the data."""
    outcome = yield
    report = outcome.get_result()
    present = data_folder().exists()
    if report.skipped and "data" in item.fixturenames and os.environ.get("CI") and present:
        report.outcome = "failed"
        report.longrepr = f"skipped although the data is there: {report.longrepr}"
