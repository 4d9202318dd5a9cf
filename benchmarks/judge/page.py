"""The page of a judgement: tables, regret, registrations, mattes, sheets."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.judge.cases import MAIN, NUISANCE_NAMES, SCENES
from benchmarks.judge.measures import UNITS
from osmofuse.io import read, write
from osmofuse.report import side_by_side

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 1200px; color: #222 }
h1, h2 { font-weight: 600 } table { border-collapse: collapse; margin: 0 0 1.5rem }
th, td { padding: .15rem .6rem; text-align: right; border-bottom: 1px solid #ddd }
th:first-child, td:first-child { text-align: left } tr:hover td { background: #f6f6f6 }
.worse { color: #b00020 } .better { color: #00692b } img { max-width: 100%; margin: .3rem 0 1rem }
.wide { overflow-x: auto } small { color: #555 }
"""
# Changes worth a colour; negative where less is better.
NOTICED = {"dB": 0.3, "d'": 0.1, "F": 0.02, "ground": -0.5, "colour": -0.002}


def write_page(folder: Path, found: Mapping[str, Any], before: Mapping[str, Any]) -> Path:
    """Write index.html; differences from an earlier judgement stand beside the figures."""
    parts = [f"<!doctype html><meta charset=utf-8><title>Judgement</title><style>{STYLE}</style>"]
    parts.append("<h1>Judgement</h1>" + _settings(found["settings"]))
    parts.append(
        "<h2>Drawn scenes</h2><p>Means over seeds; nothing was tuned on them. A dash: "
        "the setting cannot be used, e.g. several backgrounds without a map.</p>"
    )
    for measure in UNITS:
        parts += _scene_tables(found["cases"], before["cases"], measure)
    parts.append(_regret(found["regret"]))
    parts.append(_real(found["real"], before["real"]))
    parts.append(_flat("VIFB: ranks among 25 published methods", found["vifb"]))
    parts.append(_flat("Registrations: error at the landmarks, pixels", found["registrations"]))
    parts.append(_flat("Mattes: mean difference where the trimap is undecided", found["mattes"]))
    parts.append("<h2>Sheets</h2>")
    parts += [
        f'<h3>{escape(p.stem.replace("_", " "))}</h3><img loading=lazy src="{p.name}" alt="">'
        for p in sorted(folder.glob("*.png"))
    ]
    page = folder / "index.html"
    page.write_text("\n".join(part for part in parts if part), encoding="utf-8")
    return page


def write_sheet(folder: Path, name: str, pictures: Mapping[str, np.ndarray], before: Path) -> None:
    """Write one sheet, and each fused picture for a later judgement to compare with."""
    shown = dict(pictures)
    keep = folder / "pictures"
    keep.mkdir(exist_ok=True)
    for setting, picture in pictures.items():
        file = keep / f"{name}-{re.sub(r'[^-.=%a-zA-Z0-9]+', '_', setting)}.png"
        write(picture, file, overwrite=True)
        old = before / "pictures" / file.name
        if old.exists() and setting not in ("visible", "background", "truth"):
            shown[f"{setting}, before"] = read(old).pixels
    panels = [(caption, _floats(picture)) for caption, picture in shown.items()]
    sheet = side_by_side(panels, columns=min(len(panels), 4))
    write(sheet, folder / f"{name}.png", overwrite=True)


def _floats(picture: np.ndarray) -> np.ndarray:
    return (picture if picture.ndim == 2 or picture.shape[2] == 3 else picture[..., 0]) / 255.0


def summary(cases: Mapping[str, Any], measure: str) -> dict[tuple[str, str], dict[str, float]]:
    """Return the means over seeds and sizes by scene and nuisance, then by setting.

    >>> summary({"a/none/2x2/1": {"bare": {"dB": 3.0}}}, "dB")
    {('a', 'none'): {'bare': 3.0}}
    """
    values: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for key, settings in cases.items():
        scene, nuisance, *_ = key.split("/")
        for setting, found in settings.items():
            if found.get(measure) is not None:
                values[scene, nuisance][setting].append(found[measure])
    return {
        key: {setting: fmean(numbers) for setting, numbers in settings.items()}
        for key, settings in values.items()
    }


def of_size(cases: Mapping[str, Any], size: str) -> dict[str, Any]:
    return {key: value for key, value in cases.items() if key.split("/")[2] == size}


def sizes(cases: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(key.split("/")[2] for key in cases))


def _scene_tables(cases: Mapping[str, Any], before: Mapping[str, Any], measure: str) -> list[str]:
    parts = []
    for size in sizes(cases):
        now = summary(of_size(cases, size), measure)
        old = summary(of_size(before, size), measure)
        columns = list(dict.fromkeys(setting for row in now.values() for setting in row))
        rows = [
            [f"{scene}, {nuisance}", *(cell(now[scene, nuisance], old.get((scene, nuisance), {}),
                                             setting, measure) for setting in columns)]
            for scene in SCENES for nuisance in NUISANCE_NAMES if (scene, nuisance) in now
        ]  # fmt: skip
        if rows:
            opened = " open" if measure == "dB" and size == sizes(cases)[0] else ""
            title = f"{UNITS[measure]}, {size.replace('x', ' × ')}"
            parts.append(
                f"<details{opened}><summary>{escape(title)}</summary>"
                f"{_table(['scene, nuisance', *columns], rows)}</details>"
            )
    return parts


def cell(now: Mapping[str, float], old: Mapping[str, float], setting: str, measure: str) -> str:
    if setting not in now:
        return "–"
    text = f"{now[setting]:.4g}" if measure != "dB" else f"{now[setting]:.2f}"
    if setting in old:
        change = now[setting] - old[setting]
        step = NOTICED[measure]
        kind = "better" if change / step > 1 else "worse" if change / step < -1 else ""
        text += f' <small class="{kind}">{change:+.3g}</small>'
    return text


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{escape(h)}</th>" for h in heads)
    body = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>'


def _settings(settings: Mapping[str, Any]) -> str:
    items = "".join(
        f"<li><b>{escape(name)}</b>: "
        f"{escape(' '.join(f'{k}={v}' for k, v in options.items()) or 'no setting')}</li>"
        for name, options in settings.items()
    )
    return f"<ul>{items}</ul>"


def _regret(regret: Mapping[str, Any]) -> str:
    if not regret:
        return ""
    rows = []
    for key, settings in regret.items():
        for name, one in settings.items():
            lost = one["best"] - one["dB"]
            rows.append([escape(key), escape(name), f"{one['dB']:.2f}", f"{one['best']:.2f}",
                         f"{lost:.2f}", one["reach"] or "own", one["eta"] or "own"])  # fmt: skip
    heads = ["case", "setting", "dB", "best of the grid", "regret", "its reach", "its eta"]
    return "<h2>Regret against a grid of reach and eta</h2>" + _table(heads, rows)


def _real(real: Mapping[str, Any], before: Mapping[str, Any]) -> str:
    if not real:
        return "<h2>Real pairs</h2><p>No real pairs were found.</p>"
    rows = []
    for name, settings in real.items():
        for setting, found in settings.items():
            old = before.get(name, {}).get(setting, {})
            cells = (cell(found, old, measure, measure) for measure in UNITS if measure != "dB")
            rows.append([f"{escape(name)}, {escape(setting)}", *cells])
    heads = ["pair, setting", *(unit for measure, unit in UNITS.items() if measure != "dB")]
    return "<h2>Real pairs</h2>" + _table(heads, rows)


def _flat(title: str, found: Mapping[str, Mapping[str, Any]]) -> str:
    if not found:
        return ""
    heads = list(next(iter(found.values())))
    rows = [[escape(name), *(_plain(one[h]) for h in heads)] for name, one in found.items()]
    return f"<h2>{escape(title)}</h2>" + _table(["", *heads], rows)


def _plain(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else escape(str(value))


def printed(found: Mapping[str, Any]) -> str:
    """Return the main figures as lines of text."""
    lines = []
    for size in sizes(found["cases"])[:1]:
        now = summary(of_size(found["cases"], size), "dB")
        for scene in MAIN:
            for nuisance in ("none", "dark", "hard"):
                if (scene, nuisance) in now:
                    row = "  ".join(f"{s} {v:6.2f}" for s, v in now[scene, nuisance].items())
                    lines.append(f"{scene + ', ' + nuisance:<24} dB  {row}")
    for name, settings in found["real"].items():
        for setting, one in settings.items():
            figures = "  ".join(f"{k} {v:.3f}" for k, v in one.items() if not isinstance(v, str))
            lines.append(f"{name + ', ' + setting:<24}     {figures}")
    for name, one in found["vifb"].items():
        lines.append(f"{'VIFB, ' + name:<24}     mean rank {one['mean rank']:.2f}")
    for title in ("registrations", "mattes"):
        lines += [f"{title}: {name} {one}" for name, one in found[title].items()]
    return "\n".join(lines)
