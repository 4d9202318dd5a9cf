"""Comparisons and sweeps as tables in Markdown, CSV or LaTeX; settings in words."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any, TypeAlias

from osmofuse.errors import InputError

if TYPE_CHECKING:
    from osmofuse.methods import Fusion
    from osmofuse.tasks import Comparison, Trial

Published: TypeAlias = Mapping[str, Mapping[str, float]]

# Digits after the point, as published tables give them; other metrics get four in all.
_METRIC_DIGITS = {
    "chromaticity": 4,
    "structure": 3,
    "fmi": 3,
    "brisque": 1,
    "energy": 1,
    "reach": 1,
    "psnr": 2,
    "ssim": 4,
}
_MISSING = "–"  # cell without a value
# Metrics whose published values are not to be compared with ours.
_APART = {
    "brisque": "brisque depends on the trained model. The one behind the published values is not "
    "public; that of the wheel brisque 0.2.0, which is used here, gives others: compare ours with "
    "ours.",
}
_ARROWS = {"high": " ↑", "low": " ↓", None: ""}  # better side of a metric

_MARKDOWN = str.maketrans({mark: f"\\{mark}" for mark in r"\`*_[]<>|~$&"})
_SIGNS = {"–": "--", "∞": r"$\infty$", "↑": r"$\uparrow$", "↓": r"$\downarrow$"}
_LATEX_NUMBERS = str.maketrans({"-": "$-$", **_SIGNS})
_LATEX = str.maketrans(
    {
        **{mark: f"\\{mark}" for mark in "{}$&#_%"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        **_SIGNS,
    }
)


def markdown_table(comparisons: Sequence[Comparison], *, published: Published | None = None) -> str:
    """Return comparisons as a Markdown table, one row for each method.

    Parameters
    ----------
    comparisons : sequence of Comparison
        Result of `osmofuse.compare`.
    published : mapping of str to mapping of str to float, optional
        Values printed in brackets after ours: by method, then by metric.

    Returns
    -------
    str
        The table, and below it the reasons for what is missing.

    Examples
    --------
    >>> from osmofuse.tasks import Comparison
    >>> print(markdown_table([Comparison("poisson", None, {}, "no pixel is free")]))
    | method  | seconds |
    |:--------|--------:|
    | poisson |       – |
    <BLANKLINE>
    poisson: no pixel is free
    """
    return in_markdown(tabulated(comparisons, published or {}))


def study_table(trials: Sequence[Trial]) -> str:
    """Return the trials of a sweep as a Markdown table, one row for each.

    Parameters
    ----------
    trials : sequence of Trial
        Result of `osmofuse.sweep`.

    Returns
    -------
    str
        The settings that were varied, how far each went, the sum of its energies, and its scores;
        below it, the settings that were not varied.
    """
    return in_markdown(tabulated_study(trials))


def in_markdown(table: Table) -> str:
    """Return a table in Markdown."""
    head, *rows = ([_line(cell, _MARKDOWN) for cell in row] for row in (table.head, *table.rows))
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def row(cells: Sequence[str]) -> str:
        padded = [cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])]
        return f"| {' | '.join(padded)} |"

    rule = "|".join([f":{'-' * (widths[0] + 1)}", *(f"{'-' * (w + 1)}:" for w in widths[1:])])
    notes = [f"\n{_line(note, _MARKDOWN)}" for note in table.notes]
    return "\n".join([row(head), f"|{rule}|", *map(row, rows), *notes])


def csv_table(
    comparisons: Sequence[Comparison],
    settings: Sequence[Mapping[str, object]] = (),
    *,
    published: Published | None = None,
) -> str:
    """Return comparisons as comma-separated values, in full precision, one row for each.

    Parameters
    ----------
    comparisons : sequence of Comparison
        Result of `osmofuse.compare`, or trials of a sweep under their names.
    settings : sequence of mapping, optional
        Of each trial of a sweep: further columns after the name.
    published : mapping of str to mapping of str to float, optional
        As for `markdown_table`: further columns at the end, ``published_`` before their names.

    Returns
    -------
    str
        With a header; an empty cell has no value. ``pandas.read_csv`` makes a data frame of it.
    """
    metrics = list(dict.fromkeys(metric for c in comparisons for metric in c.scores))
    varied = list(settings[0]) if settings else []
    beside = [m for m in metrics if any(m in values for values in (published or {}).values())]
    head = ["name", *varied, "status", "seconds", "end_reach", "energy", *metrics]
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*head, *(f"published_{metric}" for metric in beside)])
    for number, one in enumerate(comparisons):
        chosen = [settings[number][name] for name in varied]
        known = (published or {}).get(one.name, {})
        figures = [*_figures(one, metrics), *(known.get(metric) for metric in beside)]
        writer.writerow([one.name, *chosen, *figures])
    return text.getvalue()


def _figures(one: Comparison, metrics: list[str]) -> list[object]:
    fusion = one.fusion
    if fusion is None:
        return [None] * (4 + len(metrics))
    scores = [one.scores[metric].value if metric in one.scores else None for metric in metrics]
    return [str(fusion.status), fusion.seconds, fusion.reach, _energy(fusion), *scores]


def _energy(fusion: Fusion) -> float | None:
    return None if fusion.energy is None else float(fusion.energy.sum())


def latex_table(comparisons: Sequence[Comparison], *, published: Published | None = None) -> str:
    r"""Return comparisons as a LaTeX table, one row for each method.

    It needs the package booktabs. Reasons for missing values are rows below the table.

    Parameters
    ----------
    comparisons, published
        As for `markdown_table`.

    Returns
    -------
    str
        From ``\begin{tabular}`` to ``\end{tabular}``.
    """
    table = tabulated(comparisons, published or {})
    columns = len(table.head)

    def row(name: str, numbers: Sequence[str]) -> str:
        return " & ".join([_line(name, _LATEX), *(n.translate(_LATEX_NUMBERS) for n in numbers)])

    lines = [
        rf"\begin{{tabular}}{{l{'r' * (columns - 1)}}}",
        r"\toprule",
        " & ".join(_line(cell, _LATEX) for cell in table.head) + r" \\",
        r"\midrule",
        *(row(name, numbers) + r" \\" for name, *numbers in table.rows),
        r"\bottomrule",
        *(
            rf"\multicolumn{{{columns}}}{{l}}{{\footnotesize {_line(note, _LATEX)}}} \\"
            for note in table.notes
        ),
        r"\end{tabular}",
    ]
    return "\n".join(lines)


@dataclass(frozen=True)
class Table:
    """Cells and notes that all forms have in common, nothing escaped yet.

    The first `names` columns identify a row.
    """

    head: list[str]
    rows: list[list[str]]
    notes: list[str]
    names: int = 1


def tabulated_study(trials: Sequence[Trial]) -> Table:
    """Return the cells of a sweep, see `study_table`."""
    if not trials:
        raise InputError("trials: empty; there is nothing to show")
    tried = [trial.settings for trial in trials]
    varied, constant = list(varied_settings(tried)), fixed_settings(tried)
    better = {metric: s.better for t in trials for metric, s in t.scores.items()}
    found = {
        "end reach": [shown_number(trial.fusion.reach, "reach") for trial in trials],
        "energy ↓": [shown_number(_energy(trial.fusion), "energy") for trial in trials],
    }
    found = {name: cells for name, cells in found.items() if set(cells) != {_MISSING}}
    found |= {
        f"{metric}{_ARROWS[side]}": [shown_number(t.scores[metric].value, metric) for t in trials]
        for metric, side in better.items()
    }
    columns = {"trial": [str(k + 1) for k in range(len(trials))]} if not varied else {}
    columns |= {name: [value_text(one[name]) for one in tried] for name in varied}
    columns |= found | {"seconds": [_seconds(trial.fusion.seconds) for trial in trials]}
    reasons = [f"{m}: {s.reason}" for t in trials for m, s in t.scores.items() if s.reason]
    notes = [f"In all trials: {as_text(constant)}."] if constant else []
    rows = [list(cells) for cells in zip(*columns.values(), strict=True)]
    return Table(list(columns), rows, [*notes, *dict.fromkeys(reasons)], max(len(varied), 1))


def tabulated(comparisons: Sequence[Comparison], published: Published) -> Table:
    """Return the cells of a comparison, see `markdown_table`."""
    if not comparisons:
        raise InputError("comparisons: empty; there is nothing to show")
    better = {metric: s.better for c in comparisons for metric, s in c.scores.items()}
    head = ["method", *(f"{metric}{_ARROWS[side]}" for metric, side in better.items()), "seconds"]
    rows = [_row(c, list(better), published.get(c.name, {})) for c in comparisons]
    bracketed = {metric for c in comparisons for metric in published.get(c.name, {})} & set(better)
    notes = ["In brackets: published values."] if bracketed else []
    notes += [words for metric, words in _APART.items() if metric in bracketed]
    return Table(head, rows, [*notes, *reasons_of(comparisons)])


def _row(comparison: Comparison, metrics: list[str], published: Mapping[str, float]) -> list[str]:
    cells = []
    for metric in metrics:
        found = comparison.scores.get(metric)
        cell = shown_number(None if found is None else found.value, metric)
        beside = f" ({shown_number(published[metric], metric)})" if metric in published else ""
        cells.append(cell + beside)
    fusion = comparison.fusion
    return [comparison.name, *cells, _MISSING if fusion is None else _seconds(fusion.seconds)]


def reasons_of(comparisons: Sequence[Comparison]) -> list[str]:
    """Return the reasons for missing or doubtful values, each once."""
    notes = []
    for c in comparisons:
        if c.reason:
            notes.append(f"{c.name}: {c.reason}")
        if c.fusion is not None and not c.fusion.status.is_success:
            notes.append(f"{c.name}: ended by {c.fusion.status}")
        notes += [f"{metric}: {s.reason}" for metric, s in c.scores.items() if s.reason]
    return list(dict.fromkeys(notes))


def shown_number(value: float | None, metric: str) -> str:
    """Return a metric's value, rounded to a suitable number of digits."""
    if value is None:
        return _MISSING
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:z.{_METRIC_DIGITS[metric]}f}" if metric in _METRIC_DIGITS else f"{value:z.4g}"


def _seconds(seconds: float) -> str:
    """Return a time to the hundredth, or with three digits where that is less."""
    digits = 2 if seconds < 10 else 1 if seconds < 100 else 0
    return f"{seconds:.{digits}f}"


def _line(text: str, escapes: dict[int, str]) -> str:
    """Return a text as one line, with special characters escaped."""
    return " ".join(text.split()).translate(escapes)


# Values of settings, in their order.
Heads: TypeAlias = dict[str, tuple[Any, ...]]

_SYMBOLS = {"alpha": "α", "eta": "η", "mu": "μ", "gamma": "γ", "epsilon": "ε"}


def varied_settings(tried: Sequence[Mapping[str, Any]]) -> Heads:
    """Return the values of those settings that were varied, the slowest first."""
    values = {name: tuple(dict.fromkeys(one[name] for one in tried)) for name in tried[0]}
    return {name: found for name, found in values.items() if len(found) > 1}


def fixed_settings(tried: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the settings that were the same in all trials."""
    varied = varied_settings(tried)
    return {name: value for name, value in tried[0].items() if name not in varied}


def trial_names(trials: Sequence[Trial]) -> list[str]:
    """Return a name for each trial of a sweep, from the settings that were varied."""
    tried = [trial.settings for trial in trials]
    varied = varied_settings(tried) or dict.fromkeys(list(tried[0])[:1])
    chosen = [{name: settings[name] for name in varied} for settings in tried]
    names = [as_text(settings) or "as it is" for settings in chosen]
    if len(set(names)) == len(names):
        return names
    return [as_text(settings, digits=17) for settings in chosen]


def as_text(settings: Mapping[str, Any], digits: int = 6) -> str:
    """Return settings as text."""
    return ", ".join(setting_text(name, value, digits) for name, value in settings.items())


def setting_text(name: str, value: Any, digits: int = 6) -> str:
    """Return a setting as the text of a heading.

    Examples
    --------
    >>> setting_text("eta", 0.1), setting_text("start", "means"), setting_text("reach", None)
    ('η = 0.1', 'start means', "reach by the paper's rule")
    >>> setting_text("alpha", "map 2"), setting_text("regulariser", None)
    ('α: map 2', 'regulariser none')
    """
    if name == "reach" and value is None:
        return "reach by the paper's rule"
    text = value_text(value, digits)
    if name == "reach":
        return f"reach {text}" if isinstance(value, str) else f"reach {text} px"
    if name == "alpha" and isinstance(value, str):
        return f"{_SYMBOLS[name]}: {text}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{_SYMBOLS.get(name, name)} = {text}"
    return f"{name} {text}"


def value_text(value: Any, digits: int = 6) -> str:
    """Return the value of a setting as text, as tables have it."""
    if isinstance(value, list | tuple):
        return ",".join(value_text(one, digits) for one in value)
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return f"{value:.{digits}g}" if isinstance(value, int | float) else str(value)
