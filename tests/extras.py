"""Each extra in a fresh environment: installed as the docs say, and used once.

``python tests/extras.py`` tries all of them, ``python tests/extras.py plot`` some, and prints a
table: how many packages an extra adds to the plain installation, its size and the time it took.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLAIN = "plain"

_START = """
import numpy as np, osmofuse
from osmofuse.errors import MissingExtraError
x = np.random.default_rng(0).random((200, 200))
def missing(call, extra):
    try:
        call()
    except MissingExtraError as error:
        assert f"osmofuse[{extra}]" in str(error), error
    else:
        raise AssertionError(f"it works without {extra}")
def matte():
    trimap = np.full((40, 40), 0.5); trimap[:9], trimap[-9:] = 0, 1
    return osmofuse.matte(x[:40, :40], trimap, method="closed-form").alpha
def align():
    return osmofuse.align(x, x, method="correlation", transform="translation").status
def sheet():
    from osmofuse.report.canvas import Canvas
    return Canvas()
def raw():
    return osmofuse.read("samples/drawn.dng")
def jp2():
    return osmofuse.read("samples/drawn.jp2")
def niqe():
    return osmofuse.score(x, x, x, 0.5, metrics="niqe")["niqe"]
"""
_PLOT = "sheet()"
_PREPARE = "assert matte().shape == (40, 40)"
_OPENCV = "assert align().is_success"
_RAW = "assert raw().shape == (96, 128)"
_FORMATS = "assert jp2().shape == (20, 31)"
_QUALITY = "assert niqe().value > 0"
_DOCS = "import sphinx, myst_parser, pydata_sphinx_theme, sphinx_gallery, matplotlib"
_TEST = """
import subprocess, sys
subprocess.run([sys.executable, "-m", "pytest", "-q", "tests/test_errors.py"], check=True)
subprocess.run([sys.executable, "-m", "mypy", "--version"], check=True)
"""

# What an extra is for, tried; and of the plain installation, what it says without them.
CHECKS = {
    PLAIN: """
assert osmofuse.fuse(x, x[::-1]).image.shape == x.shape
missing(matte, "prepare")
missing(align, "opencv")
missing(sheet, "plot")
missing(raw, "raw")
missing(jp2, "formats")
assert "osmofuse[quality]" in niqe().reason
""",
    "prepare": f"{_PREPARE}\nmissing(align, 'opencv')",
    "opencv": f"{_OPENCV}\nmissing(matte, 'prepare')",
    "raw": _RAW,
    "formats": _FORMATS,
    "quality": _QUALITY,
    "plot": _PLOT,
    "docs": _DOCS,
    "test": _TEST,
    "all": "\n".join([_PREPARE, _OPENCV, _RAW, _FORMATS, _PLOT, _DOCS, _TEST]),
}


@dataclass(frozen=True)
class Trial:
    """An extra that was installed and tried."""

    extra: str
    packages: int
    megabytes: int
    seconds: float
    error: str


def extras() -> list[str]:
    """Return the plain installation and the extras of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [PLAIN, *project["optional-dependencies"]]


def write_samples(folder: Path) -> None:
    """Write a raw file and a JPEG 2000 picture, which the plain installation cannot read."""
    import imagecodecs
    import numpy as np

    from raw_files import dng

    folder.mkdir()
    dng(folder / "drawn.dng")
    (folder / "drawn.jp2").write_bytes(imagecodecs.jpeg2k_encode(np.zeros((20, 31), np.uint8)))


def try_extra(extra: str) -> Trial:
    """Install an extra from a copy of the tree into a new environment, and use what it brings."""
    with tempfile.TemporaryDirectory(prefix="osmofuse-extra-") as name:
        folder, start = Path(name), time.perf_counter()
        left_out = shutil.ignore_patterns(".venv", ".git", "node_modules", "out", "_build", "*.pyc")
        tree = shutil.copytree(ROOT, folder / "tree", ignore=left_out)
        write_samples(tree / "samples")
        subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
        python = folder / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        wanted = str(tree) if extra == PLAIN else f"{tree}[{extra}]"
        pip = [python, "-m", "pip", "--disable-pip-version-check"]
        code = f"{_START}\n{CHECKS[extra]}"
        for command in ([*pip, "install", "--quiet", wanted], [python, "-c", code]):
            done = subprocess.run(
                command, cwd=tree, capture_output=True, text=True, check=False, timeout=600
            )
            if done.returncode:
                break
        seconds = time.perf_counter() - start
        listed = subprocess.run(
            [*pip, "list", "--format=freeze"], capture_output=True, text=True, check=True
        )
        size = sum(one.stat().st_size for one in (folder / "env").rglob("*") if one.is_file())
    error = (done.stderr or done.stdout)[-3000:] if done.returncode else ""
    return Trial(extra, len(listed.stdout.split()), round(size / 1e6), seconds, error)


def main(chosen: list[str]) -> int:
    sys.stdout.write(f"{'extra':<9} packages  MB seconds\n")
    failed = 0
    for extra in chosen or extras():
        one = try_extra(extra)
        figures = f"{one.packages:8} {one.megabytes:3} {one.seconds:7.0f}"
        sys.stdout.write(f"{one.extra:<9} {figures} {one.error}\n")
        failed += bool(one.error)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
