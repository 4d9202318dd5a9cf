"""Files that change under a job: whichever they are and whenever they do, they are refused."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import numpy as np
import pytest

import osmofuse
from osmofuse import gallery
from osmofuse.errors import UnreadableError
from osmofuse.jobs import JOBS
from osmofuse.jobs import align as aligning
from osmofuse.jobs import files as module
from osmofuse.jobs.files import CLOCK_TICK, look_at
from osmofuse.pixels import quantise
from osmofuse.record import sha256_of_file

pytest.importorskip("cv2")

POINTS = (
    "background_x,background_y,foreground_x,foreground_y\n"
    "1,2,1,2\n30,2,30,2\n1,40,1,40\n30,40,30,40\n"
)
ROLES = {
    "fuse": ("foreground", "background", "background-2", "alpha", "alpha-2", "alpha-3", "truth"),
    "align": ("foreground", "background", "points"),
    "matte": ("image", "trimap"),
    "shadow": ("image", "boundary"),
    "balance": ("image", "image-2", "flat"),
    "clone": ("into", "object", "mask"),
    "compact": ("image",),
    "compare": ("foreground", "background", "alpha", "truth"),
    "sweep": ("foreground", "background", "alpha", "alpha-2", "truth"),
    "score": ("fused", "foreground", "background", "alpha", "truth", "ink"),
}
EACH = [(kind, role) for kind, roles in ROLES.items() for role in roles]


@pytest.fixture(scope="module")
def pictures():
    """Return a file for each role."""
    page, noise = gallery.manuscript((48, 40)), np.random.default_rng(1).random((48, 40))
    trimap = np.full((48, 40), 128, np.uint8)
    trimap[:16], trimap[32:] = 0, 255
    found = {
        "foreground": page.foreground, "image": page.foreground, "fused": page.foreground,
        "truth": page.truth, "background": page.background, "background-2": noise,
        "alpha": page.alpha / 2, "alpha-2": page.alpha / 2, "alpha-3": 1 - page.alpha,
        "image-2": page.truth, "flat": 0.5 + noise / 2, "boundary": page.alpha,
        "into": page.foreground, "object": page.truth, "mask": 1 - page.alpha,
    }  # fmt: skip
    stored = {role: quantise(one, np.uint16)[0] for role, one in found.items()}
    return stored | {"trimap": trimap, "ink": page.ink}


@pytest.fixture
def job_of(pictures, tmp_path):
    """Return a function that makes a job of some kind, each role with a file of its own."""

    def made(kind):
        paths = {}
        for role in ROLES[kind]:
            paths[role] = tmp_path / f"{role}.{'csv' if role == 'points' else 'tif'}"
            if role == "points":
                paths[role].write_text(POINTS)
            else:
                osmofuse.write(pictures[role], paths[role])
        parts = {role: path for role, path in paths.items() if "-" not in role}
        if kind in ("fuse", "compare", "sweep"):
            parts["backgrounds"] = parts.pop("background")
        if kind == "fuse":
            parts["backgrounds"] = (paths["background"], paths["background-2"])
            parts["alpha"] = tuple(paths[role] for role in ("alpha", "alpha-2", "alpha-3"))
        if kind == "balance":
            parts["images"] = (parts.pop("image"), paths["image-2"])
        if kind == "sweep":
            parts |= {"alpha": (paths["alpha"], paths["alpha-2"]), "settings": {"reach": [1.0]}}
        parts |= {
            "compare": {"methods": ["direct"]},
            "align": {"method": "points"},
            "shadow": {"texture": False},
        }.get(kind, {})
        output = tmp_path / {"score": "out.json"}.get(kind, "out.tif")
        return JOBS[kind](**parts, output=output, report=tmp_path / "page")

    return made


def replaced(path: Path) -> None:
    """Rename another file over one: other bytes, but the same size and time of change."""
    other = path.with_name("other")
    shutil.copy2(path, other)
    rewritten(other)
    os.replace(other, path)


def rewritten(path: Path) -> None:
    """Change the last byte of a file where it lies, and set its time of change back."""
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        last = file.read(1)
        file.seek(-1, os.SEEK_END)
        file.write(b"1" if last == b"\n" else bytes([last[0] ^ 1]))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)


def touched(path: Path) -> None:
    """Rewrite a file with its own bytes."""
    path.write_bytes(path.read_bytes())


CHANGES = (replaced, rewritten, touched)


def hook(monkeypatch, place, name, *, before=None, after=None):
    """Do something before, or after, every call of a function."""
    function = getattr(place, name)

    def hooked(*arguments, **options):
        if before is not None:
            before()
        found = function(*arguments, **options)
        if after is not None:
            after()
        return found

    monkeypatch.setattr(place, name, hooked)


def once(change, path):
    """Return a function that changes a file when it is first called."""
    done = []

    def act():
        if not done:
            done.append(path)
            change(path)

    return act


def moment(monkeypatch, when, role, change, path):
    """Let a file change at a moment of the run."""
    act = once(change, path)
    decoder = (aligning, "read_points") if role == "points" else (module, "read_isolated")
    if when == "before it is decoded":
        hook(monkeypatch, *decoder, before=act)
    elif when == "between decoding and hashing":
        hook(monkeypatch, *decoder, after=act)
    else:
        hash_ = module.sha256_of_file

        def hashed(one):
            found = hash_(one)
            if one == path:
                act()
            return found

        monkeypatch.setattr(module, "sha256_of_file", hashed)


def refuses(folder, run, path):
    """Check that a run is refused because of a file, and that nothing is written."""
    there = set(folder.rglob("*")) | {folder / "other"}
    with pytest.raises(UnreadableError, match=rf"{path.name}: has changed since the job checked"):
        run()
    assert set(folder.rglob("*")) <= there


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("kind", "role"), EACH)
def test_between_check_and_run(job_of, tmp_path, kind, role, change):
    job = job_of(kind)
    need = job.check()
    change(job.inputs[role])
    refuses(tmp_path, lambda: job.run(need=need), job.inputs[role])


@pytest.mark.parametrize("with_need", [True, False])
@pytest.mark.parametrize(
    "when", ["before it is decoded", "between decoding and hashing", "while it is hashed"]
)
@pytest.mark.parametrize(("kind", "role"), EACH)
def test_while_it_runs(job_of, tmp_path, kind, role, when, with_need, monkeypatch):
    job = job_of(kind)
    need = job.check() if with_need else None
    change = CHANGES[(EACH.index((kind, role)) + with_need) % 2]
    moment(monkeypatch, when, role, change, job.inputs[role])
    refuses(tmp_path, lambda: job.run(need=need), job.inputs[role])


@pytest.mark.parametrize("kind", JOBS)
def test_the_hash_is_that_of_the_bytes_decoded_whatever_happens_later(
    job_of, tmp_path, kind, monkeypatch
):
    job = job_of(kind)
    hashes = {role: sha256_of_file(path) for role, path in job.inputs.items()}
    last = [*job.inputs.values()][-1]
    hook(monkeypatch, type(job), "inputs_of", after=once(rewritten, last))
    result = job.run()
    assert {one.role: one.sha256 for one in result.record.inputs} == hashes
    assert sha256_of_file(last) not in hashes.values()


@pytest.mark.parametrize("kind", JOBS)
def test_every_role_is_tried(job_of, kind):
    assert set(job_of(kind).inputs) == set(ROLES[kind])


def test_a_link_that_leads_elsewhere_is_a_change(job_of, tmp_path):
    job = job_of("fuse")
    path = job.inputs["foreground"]
    for name in ("one.tif", "two.tif"):
        shutil.copy2(path, tmp_path / name)
    path.unlink()
    path.symlink_to(tmp_path / "one.tif")
    need = job.check()
    path.unlink()
    path.symlink_to(tmp_path / "two.tif")
    refuses(tmp_path, lambda: job.run(need=need), path)


def test_a_file_is_looked_at_when_its_time_can_tell_the_next_change(tmp_path):
    path = tmp_path / "new"
    path.write_bytes(b"x")
    found = look_at(path)
    assert time.time_ns() - found.changed >= CLOCK_TICK
