"""What is measured on a fused picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.judge import settings
from benchmarks.judge.cases import Case, RealPair
from osmofuse import InputError, gallery
from osmofuse.metrics import chromaticity_error, legibility, legibility_f, psnr
from osmofuse.metrics.legibility import grey, ink_and_ground

UNITS = {
    "dB": "dB from the truth",
    "d'": "legibility d'",
    "F": "F of Otsu's threshold",
    "ground": "deviation of the ground, grey levels",
    "colour": "chromaticity error",
}


def measured(
    picture: np.ndarray,
    foreground: np.ndarray,
    truth: np.ndarray | None = None,
    ink: np.ndarray | None = None,
) -> dict[str, float]:
    """Return all measures that can be had of a picture, rounded to 8 bits first."""
    stored = np.rint(255.0 * np.clip(picture, 0, 1)) / 255.0
    found = {"colour": chromaticity_error(stored, foreground)} if stored.ndim == 3 else {}
    if truth is not None:
        found["dB"] = min(psnr(stored, truth), 99.0)
    if ink is not None:
        _, ground = ink_and_ground(stored, ink)
        found["d'"] = legibility(stored, ink)
        found["F"] = legibility_f(stored, ink)
        found["ground"] = float(grey(stored)[ground].std())
    return found


def judge_case(
    asked: dict[str, dict[str, Any]], case: Case, pictures: bool = False
) -> dict[str, Any]:
    """Draw a scene, fuse it with each setting, and return the measures by setting."""
    scene = case.drawn()
    found: dict[str, Any] = {"visible": of_scene(scene, scene.foreground)}
    images: dict[str, np.ndarray] = {}
    for name, setting in asked.items():
        try:
            fusion = settings.fused(setting, scene.foreground, _background(scene), _map(scene))
        except InputError as error:
            found[name] = {"reason": str(error)}
            continue
        found[name] = of_scene(scene, fusion.image)
        images[name] = fusion.image
    if not pictures:
        return {"measures": found}
    first = scene.background[0] if isinstance(scene.background, tuple) else scene.background
    shown = {"visible": scene.foreground, "background": first, **images, "truth": scene.truth}
    return {"measures": found, "pictures": {name: _eight_bits(x) for name, x in shown.items()}}


def judge_pair(pair: RealPair, asked: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Fuse a real pair with each setting; return the measures by setting, and the pictures."""
    visible = pair.foreground / 255.0
    found: dict[str, Any] = {"visible": measured(visible, visible, ink=pair.ink)}
    shown = {"visible": visible, "background": pair.background / 255.0}
    for name, setting in asked.items():
        if setting.get("alpha") != "map":  # real pairs have none
            fusion = settings.fused(setting, pair.foreground, pair.background)
            found[name] = measured(fusion.image, visible, ink=pair.ink)
            shown[name] = fusion.image
    return {"measures": found, "pictures": {name: _eight_bits(x) for name, x in shown.items()}}


def judge_regret(asked: dict[str, dict[str, Any]], case: Case) -> dict[str, Any]:
    """Return for each setting its decibels, and those of the grid's best reach and eta."""
    scene = case.drawn()
    found = {}
    for name, setting in asked.items():
        tried = {}
        for one in [setting, *settings.grid(setting)]:
            fusion = settings.fused(one, scene.foreground, scene.background, _map(scene))
            key = str(one.get("reach", "")), str(one.get("eta", ""))
            tried[key] = measured(fusion.image, scene.foreground, scene.truth)["dB"]
        own = next(iter(tried.values()))
        best = max(tried, key=tried.__getitem__)
        found[name] = {"dB": own, "best": tried[best], "reach": best[0], "eta": best[1]}
    return found


def of_scene(scene: gallery.Scene, picture: np.ndarray) -> dict[str, float]:
    return measured(picture, scene.foreground, scene.truth, scene.ink)


def run_on_one_thread() -> None:
    """Let this process run kernels on one thread: there is one process for each core."""
    from numba import set_num_threads

    set_num_threads(1)


def _background(scene: gallery.Scene) -> Any:
    return list(scene.background) if isinstance(scene.background, tuple) else scene.background


def _map(scene: gallery.Scene) -> Any:
    return list(scene.alpha) if isinstance(scene.alpha, tuple) else scene.alpha


def _eight_bits(picture: np.ndarray) -> np.ndarray:
    return np.rint(255.0 * np.clip(picture, 0, 1)).astype(np.uint8)
