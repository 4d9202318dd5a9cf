"""What a command does to files, Python does to pictures: the same pixels, bit for bit."""

from __future__ import annotations

import shutil
from dataclasses import replace

import cv2
import numpy as np
import pytest
import tifffile
from click.testing import CliRunner

import osmofuse
from osmofuse import cli, gallery
from osmofuse.methods import METHODS
from osmofuse.picture import Picture
from osmofuse.pixels import quantise
from osmofuse.record import read_record
from pairs import write_pair
from picture_files import PROFILE

RECIPES = [one.name for one in osmofuse.recipes() if one.command == "fuse"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_pair(tmp_path, (60, 48))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def by_command(*arguments):
    """Return the pixels of a fused file."""
    done = CliRunner().invoke(cli.commands, ["fuse", *map(str, arguments), "-o", "command.tif"])
    assert done.exit_code == 0, (done.output, done.exception)
    return osmofuse.read("command.tif").pixels


def by_python(*pictures, depth=None, **options):
    """Return the pixels of the Python call, and check that `prepare` by hand gives them too."""
    direct = osmofuse.fuse(*pictures, **options).picture(depth)[0].pixels
    known = ("align", "levels", "working_space", "soften", "invert")
    how = {name: options.pop(name) for name in known if name in options}
    ready = osmofuse.prepare(*pictures, **how)
    np.testing.assert_array_equal(osmofuse.fuse(ready, **options).picture(depth)[0].pixels, direct)
    return direct


def files(*names):
    return [osmofuse.read(name) for name in names]


@pytest.mark.parametrize("method", METHODS)
def test_every_method(folder, method):
    made = by_command("visible.tif", "infrared.tif", "--alpha", "map.png", "--method", method)
    pictures = files("visible.tif", "infrared.tif", "map.png")
    np.testing.assert_array_equal(made, by_python(*pictures, method=method))


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe(folder, name):
    chosen = osmofuse.recipe(name)
    given = ["map.png"] if chosen.needs_map else []
    made = by_command("visible.tif", "infrared.tif", "--recipe", name,
                      *(part for one in given for part in ("--alpha", one)))  # fmt: skip
    fusion = chosen.fuse(*files("visible.tif", "infrared.tif", *given))
    np.testing.assert_array_equal(made, fusion.picture(chosen.depth)[0].pixels)


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (("--alpha", "auto"), {"alpha": "auto"}),
        (("--alpha", "0.25", "--depth", "uint8"), {"alpha": 0.25, "depth": "uint8"}),
        (("--alpha", "map.png", "--soften", "3"), {"soften": 3.0}),
        (("--alpha", "map.png", "--invert", "--soften", "1"), {"invert": True, "soften": 1.0}),
        (("--alpha", "map.png", "--levels", "match"), {"levels": "match"}),
        (("--alpha", "map.png", "--working-space", "linear"), {"working_space": "linear"}),
        (("--alpha", "0.5", "--reach", "6"), {"alpha": 0.5, "reach": 6.0}),
    ],
)
def test_options(folder, arguments, options):
    made = by_command("visible.tif", "infrared.tif", *arguments)
    alpha = options.pop("alpha", None)
    third = osmofuse.read("map.png") if alpha is None else alpha
    pictures = [*files("visible.tif", "infrared.tif"), third]
    np.testing.assert_array_equal(made, by_python(*pictures, **options))


def test_the_record_of_an_inverted_map_is_repeated(folder):
    made = by_command("visible.tif", "infrared.tif", "--alpha", "map.png", "--invert")
    assert read_record("command.tif.json").alpha == {"value": None, "soften": 0.0, "invert": True}
    again = CliRunner().invoke(
        cli.commands, ["fuse", "--from", "command.tif.json", "-o", "again.tif"]
    )
    assert "bit for bit" in again.stdout, (again.output, again.exception)
    np.testing.assert_array_equal(osmofuse.read("again.tif").pixels, made)


def test_no_data_profiles_orientation_and_pages(folder):
    page, infrared = files("visible.tif", "infrared.tif")
    holed = infrared.pixels.copy()
    holed[:17, 5:30] = 0
    osmofuse.write(replace(infrared, pixels=holed, nodata=0.0), "holed.tif")
    colour = gallery.manuscript((60, 48)).truth
    osmofuse.write(Picture(quantise(colour, np.uint16)[0], PROFILE), "wide.tif")
    turned = [(274, "H", 1, 6, True)]
    tifffile.imwrite("turned.tif", np.rot90(infrared.pixels), extratags=turned, metadata=None)
    with tifffile.TiffWriter("pages.tif") as file:
        for pixels in (np.zeros((5, 5), np.uint8), infrared.pixels):
            file.write(pixels, metadata=None)
    for number, name in enumerate(("holed.tif", "wide.tif", "turned.tif", "pages.tif")):
        paged = ("--page", "1", "--page", "2", "--page", "1") if name == "pages.tif" else ()
        made = by_command("visible.tif", name, "--alpha", "map.png", *paged, "--overwrite")
        second = osmofuse.read(name, page=2 if paged else 1)
        python = by_python(page, second, osmofuse.read("map.png"))
        np.testing.assert_array_equal(made, python, err_msg=f"{number} {name}")


def test_a_foreground_with_no_data(folder):
    page = osmofuse.read("visible.tif")
    holed = page.pixels.copy()
    holed[30:40, 10:20] = 7
    osmofuse.write(replace(page, pixels=holed, nodata=7.0), "holed.tif")
    made = by_command("holed.tif", "infrared.tif", "--alpha", "map.png")
    pictures = files("holed.tif", "infrared.tif", "map.png")
    np.testing.assert_array_equal(made, by_python(*pictures))
    assert (made[30:40, 10:20] == 7).all()


def test_an_alignment(folder):
    scene = gallery.manuscript((240, 200))
    turn = cv2.getRotationMatrix2D((100, 120), 2.0, 1.0)
    moved = cv2.warpAffine(scene.background, turn, (200, 240), borderMode=cv2.BORDER_REFLECT)
    osmofuse.write(quantise(scene.foreground, np.uint16)[0], "page.tif")
    osmofuse.write(quantise(moved, np.uint16)[0], "moved.tif")
    made = by_command("page.tif", "moved.tif", "--alpha", "auto", "--align", "affine")
    pictures = files("page.tif", "moved.tif")
    np.testing.assert_array_equal(made, by_python(*pictures, "auto", align="affine"))


def test_several_backgrounds(folder):
    infrared = osmofuse.read("infrared.tif")
    osmofuse.write(replace(infrared, pixels=infrared.pixels[::-1].copy()), "second.tif")
    rng = np.random.default_rng(0)
    parts = rng.dirichlet((2, 1, 1), (60, 48))
    for number in range(3):
        osmofuse.write(quantise(parts[..., number], np.uint16)[0], f"a{number}.png")
    maps = [part for number in range(3) for part in ("--alpha", f"a{number}.png")]
    made = by_command("visible.tif", "infrared.tif", "second.tif", *maps)
    page, first, second = files("visible.tif", "infrared.tif", "second.tif")
    python = by_python(page, [first, second], files("a0.png", "a1.png", "a2.png"))
    np.testing.assert_array_equal(made, python)
    again = CliRunner().invoke(
        cli.commands, ["fuse", "--from", "command.tif.json", "-o", "again.tif"]
    )
    assert "bit for bit" in again.stdout, (again.output, again.exception)
    np.testing.assert_array_equal(osmofuse.read("again.tif").pixels, made)


def test_several_backgrounds_and_maps_that_have_moved(folder):
    for name in ("second", "third"):
        shutil.copy("infrared.tif", f"{name}.tif")
    osmofuse.write(~osmofuse.read("map.png").pixels, "rest.png")
    maps = ("--alpha", "map.png", "--alpha", "rest.png", "--alpha", "0")
    by_command("visible.tif", "infrared.tif", "second.tif", *maps, "--method", "direct")
    moved = folder / "moved"
    moved.mkdir()
    for name in ("infrared.tif", "second.tif", "map.png", "rest.png"):
        shutil.move(name, moved / f"my-{name}")
    repeated = ("fuse", "visible.tif", "--from", "command.tif.json", "-o", "again.tif")

    def again(backgrounds, *alphas):
        given = [part for one in alphas for part in ("--alpha", one)]
        return CliRunner().invoke(
            cli.commands, [*repeated[:2], *backgrounds, *repeated[2:], *given]
        )

    backgrounds = [f"moved/my-{name}.tif" for name in ("infrared", "second")]
    alphas = "moved/my-map.png", "moved/my-rest.png", "0"
    few = again(backgrounds[:1], *alphas)
    assert "has 2 backgrounds, but 1 given now" in str(few.exception)
    few = again(backgrounds, alphas[0])
    assert "has 3 maps, but 1 given now" in str(few.exception)
    done = again(backgrounds, *alphas)
    assert "bit for bit" in done.stdout, (done.output, done.exception)


@pytest.mark.parametrize("text", ["10 %", "10%"])
def test_lengths_may_be_parts_of_the_side(folder, text):
    side = np.sqrt(60 * 48)
    made = by_command("visible.tif", "infrared.tif", "--alpha", "map.png", "--reach", text,
                      "--soften", "5 %")  # fmt: skip
    pictures = files("visible.tif", "infrared.tif", "map.png")
    np.testing.assert_array_equal(made, by_python(*pictures, reach=0.1 * side, soften=0.05 * side))
    np.testing.assert_array_equal(made, by_python(*pictures, reach=text, soften="5 %"))


def test_a_recipe_in_a_comparison_of_pictures_with_no_data(folder):
    infrared = osmofuse.read("infrared.tif")
    holed = infrared.pixels.copy()
    holed[:17, 5:30] = 0
    osmofuse.write(replace(infrared, pixels=holed, nodata=0.0), "holed.tif")
    done = CliRunner().invoke(
        cli.commands, ["compare", "visible.tif", "holed.tif", "--recipe", "text", "--methods",
                       "variational,direct", "--report", "look", "-o", "made"],
    )  # fmt: skip
    assert done.exit_code == 0, (done.output, done.exception)
    assert "pixels hold no data" in done.stderr
    pictures, chosen = files("visible.tif", "holed.tif"), osmofuse.recipe("text")
    found = chosen.compare(*pictures, methods=["variational", "direct"])
    for one in found:
        written = osmofuse.read(f"made/{one.name}.tif").pixels
        np.testing.assert_array_equal(written, one.fusion.picture()[0].pixels)
    # Direct matting keeps the foreground's bits in the hole.
    np.testing.assert_array_equal(written[:17, 5:30], pictures[0].pixels[:17, 5:30])
    np.testing.assert_array_equal(
        osmofuse.read("made/variational.tif").pixels,
        by_command("visible.tif", "holed.tif", "--recipe", "text"),
    )


def test_compare_and_sweep_prepare_alike(folder):
    options = ("--alpha", "map.png", "--levels", "match", "--working-space", "linear")
    done = CliRunner().invoke(
        cli.commands, ["compare", "visible.tif", "infrared.tif", *options, "--methods", "direct",
                       "-o", "made"],
    )  # fmt: skip
    assert done.exit_code == 0, (done.output, done.exception)
    pictures = files("visible.tif", "infrared.tif", "map.png")
    (found,) = osmofuse.compare(*pictures, methods="direct", levels="match", working_space="linear")
    np.testing.assert_array_equal(
        osmofuse.read("made/direct.tif").pixels, found.fusion.picture()[0].pixels
    )
    table = (folder / "made" / "table.csv").read_text(encoding="utf-8")
    assert table.startswith("name,status,seconds")
