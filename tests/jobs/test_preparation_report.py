"""The reports of an alignment and of a matte, from files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import OutputError
from osmofuse.jobs.matte import MatteJob, run_matte
from osmofuse.jobs.preparation_report import (
    ALIGNED,
    MATTED,
    report_matte,
    report_registration,
)
from osmofuse.jobs.registration import Registered, Registration
from osmofuse.optimise import Status
from osmofuse.preparation.registration import Alignment, Transform
from osmofuse.report.layers import file_names

INSIDE = np.indices((24, 30))[1] >= 13
FIGURES = {"agreement": 1.0, "tiles": 9, "uncertainty": 0.1, "overlap": 1.0}


@pytest.fixture
def matted(tmp_path):
    image = np.where(INSIDE[..., None], (200, 60, 30), (30, 80, 150)).astype(np.uint8)
    return run_matte(
        MatteJob(
            image=osmofuse.write(image, tmp_path / "image.png"),
            trimap=osmofuse.write(INSIDE.astype(np.uint8) * 255, tmp_path / "mask.png"),
            output=tmp_path / "alpha.png",
            band=4,
        )
    )


def test_a_matte_is_shown_with_what_was_known(matted, tmp_path):
    page = report_matte(matted, tmp_path / "report")
    trimap = osmofuse.read(page.parent / "pictures" / "trimap.png").pixels
    assert set(np.unique(trimap)) == {0, 128, 255}
    text = page.read_text(encoding="utf-8")
    assert "The map of image.png" in text
    assert f"<dd>{matted.unknown:.1%} of the picture</dd>" in text
    assert "--method combined --band 4 --max-pixels 1500000 -o" in text


def test_a_matte_and_its_report_are_written_together(matted, tmp_path):
    job = replace(matted.job, output=tmp_path / "other.png")
    (tmp_path / "page" / "pictures").mkdir(parents=True)
    (tmp_path / "page" / "pictures" / "trimap.png").write_text("mine")
    with pytest.raises(OutputError, match=r"trimap\.png: exists already"):
        run_matte(job, report=tmp_path / "page")
    assert not job.output.exists()
    result = run_matte(job, report=tmp_path / "look")
    assert result.files["report"] == tmp_path / "look" / "index.html"
    assert job.output.is_file()
    names = {path.stem for path in (tmp_path / "look" / "pictures").iterdir()}
    assert names == set(file_names(MATTED))


def test_what_was_read_and_written_stays(matted, tmp_path):
    folder = tmp_path / "report" / "pictures"
    folder.mkdir(parents=True)
    matted.files["preview"] = osmofuse.write(np.zeros((2, 2), np.uint8), folder / "overlay.png")
    with pytest.raises(OutputError, match="would replace the input"):
        report_matte(matted, tmp_path / "report", overwrite=True)
    assert not (tmp_path / "report" / "index.html").exists()


def test_an_alignment_is_shown_with_its_way_back(tmp_path):
    image = np.tile(np.arange(30, dtype=np.uint8) * 8, (24, 1))
    found = Alignment(
        image, Transform("affine", np.eye(3)), INSIDE, 0.9, Status.converged, quality=FIGURES,
    )  # fmt: skip
    job = Registration(
        tmp_path / "a.tif", tmp_path / "b.tif", tmp_path / "c.tif", transform="affine"
    )
    result = Registered(found, fixed=osmofuse.Picture(255 - image))
    text = report_registration(job, result, tmp_path / "report").read_text(encoding="utf-8")
    assert "a.tif, laid over b.tif" in text
    names = {path.stem for path in (tmp_path / "report" / "pictures").iterdir()}
    assert names == set(file_names(ALIGNED))
    assert "--method auto --transform affine -o" in text


def test_a_refusal_has_no_report(tmp_path):
    refused = Registered(Alignment(None, None, None, 0.0, Status.refused, "no"))
    job = Registration(tmp_path / "a.tif", tmp_path / "b.tif", tmp_path / "c.tif")
    with pytest.raises(ValueError, match="refused"):
        report_registration(job, refused, tmp_path / "report")
