"""The pages of an alignment and of a matte."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import osmofuse
from osmofuse.progress import Status
from osmofuse.registration import Alignment, Quality, Transform
from osmofuse.report import preparation_page, write_alignment, write_matte
from picture_files import PROFILE

RNG = np.random.default_rng(0)
FOREGROUND, MOVED = RNG.random((40, 48, 3)), RNG.random((40, 48))
FIGURES = {"agreement": 0.5, "tiles": 12, "uncertainty": 0.25, "overlap": 1.0}
QUALITY = Quality("look closely", 0.14, FIGURES)
FOUND = Alignment(
    MOVED, Transform("homography", np.diag([2.0, 3.0, 1.0])), np.ones((40, 48), np.bool_), 0.75,
    Status.converged, quality=QUALITY, origin="features",
)  # fmt: skip


def shown(folder, name):
    return osmofuse.read(folder / "pictures" / f"{name}.png").pixels


def test_an_alignment_and_its_checkerboard(tmp_path):
    folder = write_alignment(tmp_path / "report", alignment=FOUND, foreground=FOREGROUND).parent
    board = shown(folder, "checkerboard")
    np.testing.assert_array_equal(board[:6, :6], shown(folder, "foreground")[:6, :6])
    np.testing.assert_array_equal(board[:6, 6:12], shown(folder, "aligned")[:6, 6:12])
    text = (folder / "index.html").read_text(encoding="utf-8")
    for words in (
        "50% of 12",
        "0.25 pixels",
        "Look closely, error about 0.14 pixels",
        "0.750, of 1",
        '<td class="number">3</td>',
    ):
        assert words in text
    assert "Control points" not in text


def test_points_and_a_deformation_are_told(tmp_path):
    figures = Quality("good", 0.1, FIGURES | {"points": 4, "points_residual": 1.5})
    page = write_alignment(
        tmp_path / "report", alignment=replace(FOUND, quality=figures), foreground=FOREGROUND
    )
    text = page.read_text(encoding="utf-8")
    assert "4, which fit to 1.50 pixels" in text
    assert "Good fit: 50% of 12 places fit" in text


def test_large_pictures_are_shown_reduced_and_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(preparation_page, "PAGE_SIDE", 24)
    page = write_alignment(tmp_path / "report", alignment=FOUND, foreground=FOREGROUND)
    assert shown(page.parent, "aligned").shape == (20, 24, 3)
    assert "48 × 40 pixels · shown here reduced to 24 × 20" in page.read_text(encoding="utf-8")


def test_a_refused_alignment_cannot_be_shown(tmp_path):
    with pytest.raises(ValueError, match="refused"):
        write_alignment(
            tmp_path / "report", alignment=replace(FOUND, image=None), foreground=FOREGROUND
        )


@pytest.mark.parametrize("image", [FOREGROUND, MOVED], ids=["colour", "grey"])
def test_a_matte_and_what_it_cuts_out(tmp_path, image):
    alpha = np.zeros((40, 48))
    alpha[:, 20:] = 1.0
    page = write_matte(
        tmp_path / "report", image=image, trimap=np.full((40, 48), 0.5), alpha=alpha,
        facts={"Kept <all>": "58%"},
    )  # fmt: skip
    cut = shown(page.parent, "cut-out")
    np.testing.assert_array_equal(cut[:, 20:], np.rint(image[:, 20:] * 255))
    assert (cut[:, :20] == 128).all()
    text = page.read_text(encoding="utf-8")
    assert "What is not kept" in text
    assert "<dt>Kept &lt;all&gt;</dt><dd>58%</dd>" in text
    assert text.index("Trimap") < text.index("Overlay") < text.index("Cut out")


def test_a_cut_out_is_shown_in_the_colours_of_the_picture(tmp_path):
    image = osmofuse.Picture(np.rint(FOREGROUND * 255).astype(np.uint8), PROFILE)
    folder = write_matte(
        tmp_path / "report", image=image, trimap=np.full((40, 48), 0.5), alpha=np.ones((40, 48))
    ).parent
    np.testing.assert_array_equal(shown(folder, "cut-out"), shown(folder, "picture"))
