"""``osmofuse demo``: fuse a synthetic manuscript page from files to files."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from osmofuse import gallery
from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.output import print_note, print_text, progress_line, summary
from osmofuse.errors import MissingExtraError, naming
from osmofuse.gallery import Scene
from osmofuse.io import read, write
from osmofuse.jobs import FuseJob
from osmofuse.methods import Fusion
from osmofuse.metrics import Score, score
from osmofuse.picture import Picture, samples
from osmofuse.pixels import quantise
from osmofuse.typing import FloatArray


@click.command("demo", cls=GroupedCommand)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("osmofuse-demo"),
    show_default=True,
    metavar="PATH",
    help="Write into this folder.",
)
@options.overwrite
def command(output: Path, overwrite: bool) -> None:
    """Fuse a visible and an infrared picture of a faded page, and score the result.

    The page is synthetic, so the truth is known and the result is scored against it.
    """
    with naming(output):
        output.mkdir(parents=True, exist_ok=True)
    with progress_line("Painting a faded manuscript page"):
        paths = _write_scene(gallery.manuscript(), output, overwrite)
    job = FuseJob(
        foreground=paths["visible"],
        backgrounds=(paths["infrared"],),
        output=output / "fused.tif",
        truth=paths["truth"],
        report=output / "report",
        overwrite=overwrite,
    )
    pictures = {name: read(path) for name, path in paths.items()}
    with progress_line("Fusing") as watch:
        result = job.run(watch)
    assert result.record is not None, "nothing here cancels a job"
    files = {"fused": "output", "record": "record", "report": "report"}
    paths |= {name: result.files[role] for name, role in files.items()}
    _write_sheet(pictures, result.fusion, output, paths, overwrite)
    _report(paths, pictures, result.fusion, result.record.result["clipped"])


def _write_scene(scene: Scene, output: Path, overwrite: bool) -> dict[str, Path]:
    """Write the pair as a camera would: 16 bits a sample; the map in 8."""
    assert isinstance(scene.background, np.ndarray), "the manuscript has one infrared picture"
    assert isinstance(scene.alpha, np.ndarray), "and so one map"
    planes = {
        "visible": (scene.foreground, "tif", np.uint16),
        "infrared": (scene.background, "tif", np.uint16),
        "truth": (scene.truth, "tif", np.uint16),
        "alpha": (scene.alpha, "png", np.uint8),
    }
    return {
        name: write(quantise(plane, depth)[0], output / f"{name}.{suffix}", overwrite=overwrite)
        for name, (plane, suffix, depth) in planes.items()
    }


def _write_sheet(
    pictures: dict[str, Picture],
    fusion: Fusion,
    output: Path,
    paths: dict[str, Path],
    overwrite: bool,
) -> None:
    """Write the pictures side by side, if matplotlib is installed."""
    from osmofuse.report import side_by_side

    panels = [
        ("Visible", samples(pictures["visible"], "visible")),
        ("Infrared", samples(pictures["infrared"], "infrared")),
        ("Fused", fusion.image),
        ("Truth", samples(pictures["truth"], "truth")),
    ]
    try:
        sheet = side_by_side(panels)
    except MissingExtraError as error:
        print_note(f"No sheet: {error}")
        return
    paths["sheet"] = write(sheet, output / "sheet.png", overwrite=overwrite)


def _report(
    paths: dict[str, Path], pictures: dict[str, Picture], fusion: Fusion, clipped: int
) -> None:
    def scores(image: FloatArray | Picture) -> dict[str, Score]:
        return score(
            image,
            pictures["visible"],
            pictures["infrared"],
            pictures["alpha"].pixels,
            truth=pictures["truth"],
        )

    print_text(summary(fusion, clipped))
    before, after = scores(pictures["visible"]), scores(fusion.image)
    for name, unit in (("psnr", " dB"), ("ssim", "")):
        was, now = before[name].value, after[name].value
        print_text(f"  {name}: visible {was:.4g}{unit}, fused {now:.4g}{unit}")
    for name, path in paths.items():
        print_text(f"  {name:<9} {path}")
