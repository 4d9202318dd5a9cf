"""Render the pictures that README, docs and recipes carry, from the gallery: ``make pictures``.

``make pictures ARGS=NAME`` draws only the thumbnail of the recipe of that name.

Every scene is drawn from its seed and fused with the default settings or a recipe's, so the same
code gives the same pictures. They are committed; together they must stay below two megabytes, and
each recipe's, which goes into the package, below 15 kB.
"""

import math
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

import osmofuse
from osmofuse import gallery, metrics
from osmofuse.maps import auto_alpha
from osmofuse.report import Provenance, overlay, side_by_side, write_report

FOLDER = Path(__file__).parent / "pictures"
LIMIT = 2_000_000
DETAIL = slice(405, 565), slice(60, 220)  # the faded foot of the page
FACE = slice(150, 390), slice(90, 310)  # of the portrait
THUMBNAIL, THUMBNAIL_LIMIT = 158, 15_000  # side of each half, and bytes
# Part of each recipe's scene on the sheet: its first row and column, in parts of the picture.
MIDDLE = 0.3, 0.2
CORNERS = {
    "clone": (0.3, 0.22), "cloud": (0.55, 0.45), "face": (0.3, 0.2),
    "general": (0.45, 0.4), "heritage": (0.1, 0.4),
    "recolour": (0.3, 0.2), "scene": (0.3, 0.05), "text": (0.45, 0.4),
}  # fmt: skip


def main(*names: str) -> None:
    if names:
        for name in names:
            draw_thumbnail(osmofuse.recipe(name))
        return
    FOLDER.mkdir(exist_ok=True)
    draw_manuscript(gallery.manuscript())
    draw_portrait(gallery.portrait())
    draw_shadow(gallery.shadow((240, 312)))
    draw_gold_leaf(gallery.gold_leaf((480, 380)))
    draw_recolouring(gallery.recolouring((440, 400)))
    draw_mosaics()
    draw_clones()
    draw_compact(gallery.portrait((220, 190)).foreground)
    draw_auto()
    draw_faults(gallery.portrait((240, 200)))
    draw_report(gallery.manuscript())
    draw_recipes()
    total = sum(path.stat().st_size for path in FOLDER.iterdir())
    print(f"{total / 1e6:.2f} MB of {LIMIT / 1e6:.0f}")
    if total > LIMIT:
        raise SystemExit("the pictures are too large; draw smaller scenes")


def draw_manuscript(scene: gallery.Scene) -> None:
    fusion = fused(scene)
    panels = [
        ("Visible: the ink has faded", scene.foreground),
        ("Infrared: the ink, without colour", scene.background),
        ("Fused: the ink, in the page's colours", fusion.image),
    ]
    save("manuscript.jpg", panels)
    truth = ("Truth: the page before it faded", scene.truth)
    close = [(caption.split(":")[0], panel[DETAIL]) for caption, panel in [*panels, truth]]
    save("manuscript-detail.jpg", close, columns=4)
    steps = [
        ("What enters, found in the pictures: black", fusion.alpha),
        ("The structure v", fusion.structure),
        truth,
    ]
    save("manuscript-steps.jpg", steps)


def draw_portrait(scene: gallery.Scene) -> None:
    panels = [
        ("Foreground: the sitter", scene.foreground),
        ("Background: the guest, in another light", scene.background),
        ("alpha: white keeps the sitter", scene.alpha),
        ("Fused: the guest in the sitter's light", fused(scene, scene.alpha).image),
    ]
    save("portrait.jpg", panels, columns=4)
    draw_reach(scene)


def draw_reach(scene: gallery.Scene) -> None:
    pictures = scene.foreground, scene.background, scene.alpha
    reaches = {"2 pixels": 2, "8 pixels": 8, "32 pixels": 32, "no limit": math.inf}
    panels = [
        (f"Reach: {told}", osmofuse.fuse(*pictures, reach=reach, target="product").image[FACE])
        for told, reach in reaches.items()
    ]
    save("reach.jpg", panels, columns=4)


def draw_auto() -> None:
    scenes = [draw((210, 190)) for draw in (gallery.manuscript, gallery.gold_leaf, gallery.cloud)]
    told = "Ink that has faded", "Gold that lost its tooling", "Fields under clouds"
    maps, results = [], []
    for scene, words in zip(scenes, told, strict=True):
        pictures = scene.foreground, scene.background
        alpha = auto_alpha(*pictures).alpha
        shown = overlay(scene.foreground, alpha) / 255
        maps.append((f"{words}: tinted where the other picture enters", shown))
        results.append(("Fused with this map", osmofuse.fuse(*pictures, alpha).image))
    save("alpha-auto.jpg", [*maps, *results], columns=3)


def draw_mosaics() -> None:
    panels = []
    for scene in (gallery.mosaic((240, 200), 2), gallery.shots((240, 320), 1)):
        places = [(panel.top, panel.left) for panel in scene.panels]
        result = osmofuse.balance([panel.picture for panel in scene.panels], places)
        gain = (scene.truth * result.image).sum() / np.square(result.image).sum()
        panels.append(
            [
                ("The pictures at their places", scene.foreground),
                ("Balanced", result.image * gain),
                ("Truth", scene.truth),
            ]
        )
    save("balance-panels.jpg", panels[0])
    save("balance-shots.jpg", panels[1])


def draw_clones() -> None:
    """Copy a starfish onto sand like its own, and onto something else."""
    scene, floor = gallery.clone((260, 280)), gallery.gold_leaf((260, 280)).foreground
    mask = 1.0 - scene.alpha
    outlined = np.where((abs(mask - 0.5) < 0.15)[..., None], 1.0, scene.background)
    panels = []
    for place in (scene.foreground, floor):
        made = osmofuse.clone(place, scene.background, mask)
        panels += [
            ("INTO", place),
            ("OBJECT, and the edge of MASK", outlined),
            (f"Copied, model {made.model}", made.image),
        ]
    save("clone.jpg", panels, columns=3)


def draw_compact(picture: np.ndarray) -> None:
    """Reconstruct a picture from shares of its pixels."""
    panels = [("Picture", picture)]
    for share in (0.1, 0.3):
        made = osmofuse.compact(picture, share=share)
        panels += [
            (f"Kept: {made.share:.0%}", np.where(made.edges[..., None], picture, 1.0)),
            (f"Reconstructed: {made.psnr:.1f} dB", made.image),
        ]
    save("compact.jpg", panels, columns=5)


def draw_shadow(scene: gallery.Scene) -> None:
    result = osmofuse.remove_shadow(scene.foreground, scene.alpha, extent="local")
    panels = [
        ("Foreground: a yard under a tree", scene.foreground),
        ("alpha: black on the shadow's edge", scene.alpha),
        ("Shadow removed", result.image),
        ("Truth: the yard in plain light", scene.truth),
    ]
    save("shadow.jpg", panels)


def draw_gold_leaf(scene: gallery.Scene) -> None:
    panels = [
        ("Visible: the gold has lost its tooling", scene.foreground),
        ("Infrared: the tooling, without colour", scene.background),
        ("Fused: the tooling, in gold", fused(scene).image),
    ]
    save("gold-leaf.jpg", panels)


def draw_recolouring(scene: gallery.Scene) -> None:
    fusion = osmofuse.fuse(scene.foreground, scene.background, scene.alpha, reach=3)
    panels = [
        ("Foreground: the colours", scene.foreground),
        ("Background: the relief", scene.background),
        ("Fused: the relief in those colours", fusion.image),
    ]
    save("recolour.jpg", panels)


def draw_faults(scene: gallery.Scene) -> None:
    sources = scene.foreground, scene.background
    inside = (scene.alpha < 0.5)[..., None]
    soft = 1.0 - scene.alpha[..., None]
    seam = scene.truth * (1.0 + 0.15 * inside * (np.indices(scene.alpha.shape)[0] > 110)[..., None])
    tint = scene.truth * (1.0 + soft * [-0.15, 0.0, 0.15])
    panels = []
    for told, picture in (("Truth", scene.truth), ("Brighter below", seam), ("Bluer", tint)):
        seen = metrics.seam_map(picture, *sources, scene.alpha)
        cast = metrics.natural_chromaticity_map(picture, scene.alpha)
        seam_score = metrics.seam_visibility(picture, *sources, scene.alpha)
        cast_score = metrics.natural_chromaticity(picture, scene.alpha)
        panels += [
            (told, picture),
            (f"seam_map: {seam_score:.2f}", seen),
            (f"natural_chromaticity_map: {cast_score:.2f}", np.clip(cast / 0.3, 0.0, 1.0)),
        ]
    save("boundary.jpg", panels, columns=3)


def draw_report(scene: gallery.Scene) -> None:
    """Take a picture of a report in the browser, in few colours, so that it stays small."""
    if shutil.which("chromium") is None or find_spec("playwright") is None:
        print("report.png stays as it is: there is no chromium or no playwright")
        return
    fusion, target = fused(scene), FOLDER / "report.png"
    pictures = {"foreground": scene.foreground, "background": scene.background}
    with TemporaryDirectory() as folder:
        page = write_report(
            Path(folder) / "report",
            pictures={**pictures, "alpha": fusion.alpha},
            fusion=fusion,
            provenance=Provenance(title="Folio 12, visible and infrared"),
        )
        shot = Path(folder) / "shot.png"
        script = Path(__file__).with_name("screenshot.py")
        subprocess.run([sys.executable, str(script), str(page), str(shot)], check=True)
        small = Image.open(shot).convert("RGB").resize((960, 540), Image.Resampling.LANCZOS)
    small.quantize(256, Image.Quantize.MAXCOVERAGE).save(target, optimize=True)


def draw_recipes() -> None:
    """Draw a thumbnail beside each recipe, and a sheet of what they gain."""
    panels = []
    for recipe in osmofuse.recipes():
        scene, better = draw_thumbnail(recipe)
        if recipe.command != "fuse":  # has a picture on its own page
            continue
        alpha = scene.alpha if recipe.needs_map else None
        pair = scene.foreground, scene.background
        default = osmofuse.fuse(*pair, alpha, target="product").image
        part = cut(scene.truth.shape, *CORNERS.get(recipe.name, MIDDLE))
        gained = [metrics.psnr(u, scene.truth) for u in (default, better)]
        panels += [
            (f"{recipe.name}: the foreground", scene.foreground[part]),
            (f"The paper's model: {gained[0]:.1f} dB", default[part]),
            (f"With the recipe: {gained[1]:.1f} dB", better[part]),
            ("Truth", scene.truth[part]),
        ]
    save("recipes.jpg", panels, columns=4)


def draw_thumbnail(recipe: osmofuse.Recipe) -> tuple[gallery.Scene, np.ndarray]:
    """Draw a recipe's scene before and after, and return the scene and what was made of it."""
    scene = getattr(gallery, recipe.scene)(seed=10)  # on which nothing was tuned
    alpha = scene.alpha if recipe.needs_map else None
    if recipe.command == "shadow":
        better = recipe.remove_shadow(scene.foreground, scene.alpha).image
    else:
        better = recipe.fuse(scene.foreground, scene.background, alpha).image
    square = around(scene.alpha)
    save_thumbnail(recipe.path.with_suffix(".jpg"), scene.foreground[square], better[square])
    return scene, better


def cut(shape: tuple[int, ...], top: float, left: float) -> tuple[slice, slice]:
    row, col = round(top * shape[0]), round(left * shape[1])
    return slice(row, row + 200), slice(col, col + 240)


def around(alpha: np.ndarray) -> tuple[slice, slice]:
    """Return the largest square whose middle is, as nearly as it can be, that of what changes."""
    side = min(alpha.shape)
    middles = [np.average(np.arange(n), weights=1.0 - alpha.mean(1 - k) + 1e-6)
               for k, n in enumerate(alpha.shape)]  # fmt: skip
    starts = [
        int(np.clip(middle - side / 2, 0, n - side))
        for middle, n in zip(middles, alpha.shape, strict=True)
    ]
    return slice(starts[0], starts[0] + side), slice(starts[1], starts[1] + side)


def save_thumbnail(path: Path, before: np.ndarray, after: np.ndarray) -> None:
    halves = []
    for picture in (before, after):
        whole = Image.fromarray((np.clip(picture, 0.0, 1.0) * 255).round().astype(np.uint8))
        small = whole.resize((THUMBNAIL, THUMBNAIL), Image.Resampling.LANCZOS)
        halves.append(np.asarray(small))
    gap = np.full((THUMBNAIL, 4, 3), 255, np.uint8)
    pair = Image.fromarray(np.hstack([halves[0], gap, halves[1]]))
    for quality in (82, 74, 66, 58):
        pair.save(path, quality=quality, optimize=True)
        if path.stat().st_size <= THUMBNAIL_LIMIT:
            return
    raise SystemExit(f"{path} is too large")


def fused(scene: gallery.Scene, alpha: np.ndarray | None = None) -> osmofuse.Fusion:
    pair = scene.foreground, scene.background
    fusion = osmofuse.fuse(*pair, alpha)
    scores = osmofuse.score(fusion.image, *pair, scene.alpha, truth=scene.truth)
    told = ", ".join(f"{name} {score.value:.4g}" for name, score in scores.items())
    print(f"{scene.name}: {fusion.status} in {fusion.seconds:.2f} s, {told}")
    return fusion


def save(name: str, panels: list, columns: int | None = None) -> None:
    # For looking only, and many: less than what `osmofuse.write` keeps.
    Image.fromarray(side_by_side(panels, columns=columns)).save(FOLDER / name, quality=82)


if __name__ == "__main__":
    main(*sys.argv[1:])
