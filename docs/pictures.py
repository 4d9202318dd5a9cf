"""Render the pictures that README and docs carry, from the gallery: ``make pictures``.

Every scene is drawn from its seed and fused with the default settings, so the same code gives
the same pictures. They are committed; together they must stay below two megabytes.
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
from osmofuse.preparation import auto_alpha
from osmofuse.report import overlay, side_by_side, write_report

FOLDER = Path(__file__).parent / "pictures"
LIMIT = 2_000_000
DETAIL = slice(405, 565), slice(60, 220)  # the faded foot of the page
FACE = slice(150, 390), slice(90, 310)  # of the portrait


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    draw_manuscript(gallery.manuscript())
    draw_portrait(gallery.portrait())
    draw_shadow(gallery.shadow((340, 442)))
    draw_auto()
    draw_faults(gallery.portrait((240, 200)))
    draw_report(gallery.manuscript())
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
        ("alpha: white keeps the visible page", scene.alpha),
        ("The structure v", fusion.structure),
        truth,
    ]
    save("manuscript-steps.jpg", steps)


def draw_portrait(scene: gallery.Scene) -> None:
    panels = [
        ("Foreground: the sitter", scene.foreground),
        ("Background: the guest, in another light", scene.background),
        ("alpha: white keeps the sitter", scene.alpha),
        ("Fused: the guest in the sitter's light", fused(scene).image),
    ]
    save("portrait.jpg", panels, columns=4)
    draw_reach(scene)


def draw_reach(scene: gallery.Scene) -> None:
    pictures = scene.foreground, scene.background, scene.alpha
    reaches = {"2 pixels": 2, "8 pixels": 8, "32 pixels": 32, "no limit": math.inf}
    panels = [
        (f"Reach: {told}", osmofuse.fuse(*pictures, reach=reach).image[FACE])
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


def draw_shadow(scene: gallery.Scene) -> None:
    panels = [
        ("Foreground: a yard under a tree", scene.foreground),
        ("alpha: black on the shadow's edge", scene.alpha),
        ("Truth: the yard in plain light", scene.truth),
    ]
    save("shadow.jpg", panels)


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
            pictures={**pictures, "alpha": scene.alpha},
            fusion=fusion,
            title="Folio 12, visible and infrared",
        )
        shot = Path(folder) / "shot.png"
        script = Path(__file__).with_name("screenshot.py")
        subprocess.run([sys.executable, str(script), str(page), str(shot)], check=True)
        small = Image.open(shot).convert("RGB").resize((960, 540), Image.Resampling.LANCZOS)
    small.quantize(256, Image.Quantize.MAXCOVERAGE).save(target, optimize=True)


def fused(scene: gallery.Scene) -> osmofuse.Fusion:
    pictures = scene.foreground, scene.background, scene.alpha
    fusion = osmofuse.fuse(*pictures)
    scores = osmofuse.score(fusion.image, *pictures, truth=scene.truth)
    told = ", ".join(f"{name} {score.value:.4g}" for name, score in scores.items())
    print(f"{scene.name}: {fusion.status} in {fusion.seconds:.2f} s, {told}")
    return fusion


def save(name: str, panels: list, columns: int | None = None) -> None:
    osmofuse.write(side_by_side(panels, columns=columns), FOLDER / name, overwrite=True)


if __name__ == "__main__":
    main()
