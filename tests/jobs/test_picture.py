"""Jobs that make one picture from others; CONTRIBUTING has one that is a command."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import LimitError, OutputError
from osmofuse.jobs.picture import PictureJob
from osmofuse.progress import Progress, Status
from osmofuse.record import read_record
from pairs import contents


@dataclass(frozen=True)
class Halved(PictureJob):
    """Every second row and column, less what a mask says."""

    image: Path
    trimap: Path | None = None
    step: int = 2

    kind: ClassVar[str] = "halved"
    reads: ClassVar[tuple[str, ...]] = ("image", "trimap")
    settings_recorded: ClassVar[tuple[str, ...]] = ("step",)

    def make(self, pictures, watch):
        for k in (1, 2):  # what a cancelled watch returns later does not count
            watch(Progress(None, 1, k, None, None, 0.0))
        return osmofuse.Picture(pictures["image"].pixels[:: self.step, :: self.step])


@dataclass(frozen=True)
class Brighter(PictureJob):
    """A picture that is brighter than white allows, by a task that did not converge."""

    image: Path

    kind: ClassVar[str] = "brighter"

    def make(self, pictures, watch):
        image = pictures["image"]
        return osmofuse.Edited(
            image.samples() + 0.5, osmofuse.Status.max_iter, ("too bright",), original=image
        )


PIXELS = np.arange(48, dtype=np.uint16).reshape(4, 4, 3) * 1000


@pytest.fixture
def image(tmp_path):
    return osmofuse.write(PIXELS, tmp_path / "image.tif")


def test_it_writes_the_picture_and_its_record(image, tmp_path):
    job = Halved(str(image), output=str(tmp_path / "half.tif"))
    need = job.check()
    assert (need.bytes > 10**8, need.seconds > 1, list(need.files)) == (True, True, ["image"])
    result = job.run(need=need)
    assert np.array_equal(osmofuse.read(result.files["output"]).pixels, PIXELS[::2, ::2])
    record = read_record(result.files["record"])
    assert record.method == {"name": "halved", "settings": {"step": 2}}
    assert [one.role for one in record.inputs] == ["image"]
    assert result.record.result["seconds"] > 0
    with pytest.raises(OutputError, match="exists already"):
        job.run()


def test_status_notes_and_clipped_samples_of_a_task_are_recorded(image, tmp_path):
    result = Brighter(image, output=tmp_path / "bright.tif").run()
    record = read_record(result.files["record"])
    assert (result.status, record.result["status"]) == (Status.max_iter, "max_iter")
    assert record.result["clipped"] == int((PIXELS > 0.5 * 65535).sum())
    assert (result.notes, record.method["notes"]) == (("too bright",), ["too bright"])
    xmp = osmofuse.read(result.files["output"]).metadata.xmp
    assert b"composite" in xmp
    assert b"image.tif" in xmp


@pytest.mark.parametrize("calls", [1, 2])
def test_a_watch_can_cancel_before_and_in_the_work(image, tmp_path, calls):
    before, seen = contents(tmp_path), []

    def watch(progress):
        seen.append(progress)
        return len(seen) == calls

    result = Halved(image, output=tmp_path / "half.tif").run(watch)
    assert (result.status, result.record, result.files) == (Status.cancelled, None, {})
    assert (len(seen), contents(tmp_path)) == (calls, before)


@pytest.mark.parametrize(("step", "shown"), [(1, {"image", "result"}), (2, {"result"})])
def test_the_report_shows_the_pictures_of_its_size(image, tmp_path, step, shown):
    job = Halved(image, step=step, output=tmp_path / "made.tif", report=tmp_path / "page")
    page = job.run().files["report"]
    assert {path.stem for path in (tmp_path / "page" / "pictures").iterdir()} == shown
    assert "osmofuse halved --from" in page.read_text(encoding="utf-8")


def test_memory_is_limited(image, tmp_path):
    with pytest.raises(LimitError, match=r"image\.tif: osmofuse halved needs about"):
        Halved(image, output=tmp_path / "half.tif", max_memory=1000).check()


def test_an_input_is_not_replaced(image):
    with pytest.raises(OutputError, match="would replace the input"):
        Halved(image, output=image, overwrite=True).run()
