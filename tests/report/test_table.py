"""Tables of comparisons: cells, digits, notes, and names that mean something to the language."""

from __future__ import annotations

import csv
import io
import math
import re
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

import osmofuse
from osmofuse import InputError, Score, Status
from osmofuse.report import csv_table, latex_table, markdown_table, study_table
from osmofuse.report.table import as_text, fixed_settings, setting_text, trial_names
from osmofuse.tasks import Comparison


def low(value, reason=None):
    return Score(value, "low", (0, math.inf), reason)


def high(value, reason=None):
    return Score(value, "high", (0, 1), reason)


def compared(name="direct", seconds=0.0123, status=Status.direct, **scores):
    return Comparison(name, SimpleNamespace(seconds=seconds, status=status), scores)


def markdown_cells(text):
    """Return the rows of a Markdown table as lists of cells, without the rule."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [row for row in rows if set(row[0]) - set(":-")]


def latex_cells(text):
    """Return the rows between the rules of a LaTeX table as lists of cells."""
    lines = [
        line for line in text.splitlines() if line.endswith(r"\\") and "multicolumn" not in line
    ]
    rows = (re.split(r"(?<!\\)&", line[: -len(r" \\")]) for line in lines)
    return [[cell.strip() for cell in row] for row in rows]


@pytest.fixture
def two():
    return [
        compared("direct", chromaticity=low(0.017804), structure=high(0.97317), fmi=high(0.8948)),
        compared(
            "poisson", 12.345, chromaticity=low(0.01111), structure=high(0.9), fmi=high(0.8963)
        ),
    ]


def test_markdown(two):
    assert markdown_table(two).splitlines() == [
        "| method  | chromaticity ↓ | structure ↑ | fmi ↑ | seconds |",
        "|:--------|---------------:|------------:|------:|--------:|",
        "| direct  |         0.0178 |       0.973 | 0.895 |    0.01 |",
        "| poisson |         0.0111 |       0.900 | 0.896 |    12.3 |",
    ]


def test_latex(two):
    assert latex_table(two).splitlines() == [
        r"\begin{tabular}{lrrrr}",
        r"\toprule",
        r"method & chromaticity $\downarrow$ & structure $\uparrow$ & fmi $\uparrow$ & seconds \\",
        r"\midrule",
        r"direct & 0.0178 & 0.973 & 0.895 & 0.01 \\",
        r"poisson & 0.0111 & 0.900 & 0.896 & 12.3 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_published_values_stand_beside_ours(two):
    published = {"direct": {"chromaticity": 0.0178, "brisque": 30.3}, "other": {"fmi": 0.1}}
    for table, cells in ((markdown_table, markdown_cells), (latex_table, latex_cells)):
        text = table(two, published=published)
        rows = cells(text)
        assert rows[1] == ["direct", "0.0178 (0.0178)", "0.973", "0.895", "0.01"]
        assert rows[2][1] == "0.0111"
        assert "In brackets: published values." in text
        assert "30.3" not in text
        assert "brackets" not in table(two)
        assert "brackets" not in table(two, published={"other": {"fmi": 0.1}})


def test_published_values_that_cannot_be_compared_are_told():
    found = [compared("direct", brisque=low(32.1)), compared("mine", brisque=low(34.2))]
    published = {"direct": {"brisque": 30.3}}
    for table in (markdown_table, latex_table):
        assert "The one behind the published values is not public" in table(
            found, published=published
        )
        assert "not public" not in table(found)
        assert "not public" not in table(found, published={"direct": {"fmi": 0.9}})


def test_published_values_have_columns_of_their_own():
    page = np.linspace(0.1, 0.9, 192).reshape(8, 8, 3)
    found = osmofuse.compare(page, page[..., 0], 0.5, methods=["direct", "average"])
    published = {"direct": {"chromaticity": 0.0178, "other": 1.0}}
    one, other = csv.DictReader(io.StringIO(csv_table(found, published=published)))
    assert one["published_chromaticity"] == "0.0178"
    assert other["published_chromaticity"] == ""
    assert "published_other" not in one


def test_every_metric_has_a_column():
    rows = markdown_cells(
        markdown_table([compared("a", fmi=high(0.5)), compared("b", chromaticity=low(0.25))])
    )
    assert rows[0] == ["method", "fmi ↑", "chromaticity ↓", "seconds"]
    assert rows[1][1:3] == ["0.500", "–"]
    assert rows[2][1:3] == ["–", "0.2500"]


def test_what_is_missing_has_its_reason_once_below():
    reason = "fused: needs more than one channel"
    comparisons = [
        compared("a", chromaticity=low(None, reason)),
        compared("b", chromaticity=low(None, reason)),
        Comparison("c", None, {}, "alpha: no pixel is free"),
        compared("d", status=Status.max_iter, chromaticity=low(0.1)),
    ]
    text = markdown_table(comparisons)
    assert [row[1:] for row in markdown_cells(text)[1:4]] == [
        ["–", "0.01"], ["–", "0.01"], ["–", "–"],
    ]  # fmt: skip
    notes = text.split("\n\n")[1:]
    assert notes == [
        f"chromaticity: {reason}", "c: alpha: no pixel is free", r"d: ended by max\_iter",
    ]  # fmt: skip
    latex = latex_table(comparisons)
    assert latex_cells(latex)[3] == ["c", "--", "--"]
    assert r"\multicolumn{3}{l}{\footnotesize d: ended by max\_iter} \\" in latex.splitlines()


@pytest.mark.parametrize(
    ("metric", "value", "markdown", "latex"),
    [
        ("psnr", 31.4159, "31.42", "31.42"),
        ("psnr", math.inf, "∞", r"$\infty$"),
        ("psnr", -math.inf, "-∞", r"$-$$\infty$"),
        ("ssim", 0.98765, "0.9877", "0.9877"),
        ("structure", -2.8851, "-2.885", "$-$2.885"),
        ("structure", -0.0001, "0.000", "0.000"),
        ("entropy", 7.23456, "7.235", "7.235"),
        ("entropy", 0.000123456, "0.0001235", "0.0001235"),
    ],
)
def test_digits(metric, value, markdown, latex):
    comparison = compared("a", **{metric: high(value)})
    assert markdown_cells(markdown_table([comparison]))[1][1] == markdown
    assert latex_cells(latex_table([comparison]))[1][1] == latex


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.0, "0.00"), (0.126, "0.13"), (9.5, "9.50"), (45.67, "45.7"), (512, "512")],
)
def test_times(seconds, shown):
    assert markdown_cells(markdown_table([compared("a", seconds)]))[1][-1] == shown


def test_names_that_mean_something_in_markdown():
    name = r"a|b *c* _d_ `e` [f](g) <h> \i ~j~ $k$ &amp;"
    row = markdown_cells(markdown_table([compared(name)]))[1]
    assert len(row) == 2
    escaped = row[0]
    assert re.sub(r"\\(.)", r"\1", escaped) == name
    assert not re.search(r"(?<!\\)(?:\\\\)*[|*_`\[\]<>~$&]", escaped)


def test_names_that_mean_something_in_latex():
    text = latex_table([compared(r"50% of a_b & {c} #1 $x^2$ ~d \e <f>")])
    assert text.splitlines()[4].startswith(
        r"50\% of a\_b \& \{c\} \#1 \$x\textasciicircum{}2\$ \textasciitilde{}d "
        r"\textbackslash{}e \textless{}f\textgreater{} & 0.01"
    )


@pytest.mark.parametrize("table", [markdown_table, latex_table])
def test_a_name_stays_on_its_line(table):
    assert "two lines" in table([compared("two\n lines")])
    lines = table([compared("two\nlines")]).splitlines()
    assert len(lines) == len(table([compared("one")]).splitlines())


def test_hyphens_of_names_stay():
    assert latex_cells(latex_table([compared("linear-osmosis")]))[1][0] == "linear-osmosis"


@pytest.mark.parametrize("table", [markdown_table, latex_table])
def test_nothing_to_show(table):
    with pytest.raises(InputError, match=r"^comparisons: empty"):
        table([])


def test_a_study_has_a_row_for_each_trial(rng):
    pair = rng.random((9, 8, 3)), rng.random((9, 8))
    swept = osmofuse.sweep(*pair, 0.5, eta=[0, 0.25], reach=10, metrics="chromaticity")
    table = study_table(swept)
    head, *rows = markdown_cells(table)
    assert head == ["eta", "end reach", "energy ↓", "chromaticity ↓", "seconds"]
    assert [row[0] for row in rows] == ["0", "0.25"]
    assert {row[1] for row in rows} == {"10.0"}
    assert float(rows[0][2]) < float(rows[1][2]), "smoothing costs energy"
    assert table.endswith("\n\nIn all trials: start foreground, μ = 100, reach 10 px, γ = 1.")
    with pytest.raises(InputError, match="nothing to show"):
        study_table([])


def test_a_study_has_only_columns_that_say_something(rng):
    pair = rng.random((9, 8, 3)), rng.random((9, 8))
    maps = {"left": np.tile(np.arange(8) > 3, (9, 1)), "half": 0.5}
    swept = osmofuse.sweep(*pair, maps, method="average", weights=[(1, 1), (3, 1)], band="repeat")
    head, *rows = markdown_cells(study_table(swept))
    assert head == ["alpha", "weights", "seconds"]
    assert [row[:2] for row in rows] == [
        ["left", "1,1"], ["left", "3,1"], ["half", "1,1"], ["half", "3,1"],
    ]  # fmt: skip
    (alone,) = osmofuse.sweep(*pair, 0.5, method="average")
    assert markdown_cells(study_table([alone]))[0] == ["trial", "seconds"]


def test_comma_separated_values_are_whole_and_read_back():
    page, infrared = np.full((8, 8, 3), 0.7), np.linspace(0.1, 0.6, 64).reshape(8, 8)
    found = osmofuse.compare(page, infrared, 0.5, methods=["direct", "variational"])
    rows = list(csv.DictReader(io.StringIO(csv_table(found))))
    assert [row["name"] for row in rows] == ["direct", "variational"]
    assert rows[0]["energy"] == ""
    assert float(rows[1]["energy"]) == float(found[1].fusion.energy.sum())
    assert float(rows[1]["chromaticity"]) == found[1].scores["chromaticity"].value
    assert rows[1]["status"] == str(found[1].fusion.status)


def test_trials_have_columns_for_their_settings():
    found = [Comparison("a", None, {}, "why"), Comparison("b", None, {}, "why")]
    text = csv_table(found, [{"eta": 0.1, "start": "means"}, {"eta": 0.2, "start": "means"}])
    assert text.splitlines()[0] == "name,eta,start,status,seconds,end_reach,energy"
    assert text.splitlines()[2] == "b,0.2,means,,,,"


USUAL = {"start": "foreground", "mu": 10.0, "reach": 8.0, "eta": 0.1, "gamma": 1.0}


def trials(*changes):
    return [SimpleNamespace(settings=USUAL | one) for one in changes]


def test_no_two_trials_have_one_name():
    near = trials({"mu": 1000000.0}, {"mu": 1000001.0})
    assert trial_names(near) == ["μ = 1000000", "μ = 1000001"]


def test_what_is_not_varied_is_said_once():
    tried = [one.settings for one in trials({"eta": 0.0}, {"eta": 0.5})]
    assert as_text(fixed_settings(tried)) == "start foreground, μ = 10, reach 8 px, γ = 1"


def test_a_trial_is_called_by_what_was_varied():
    changes = [{"eta": eta, "reach": reach} for eta, reach in product((0, 0.5), (8, None))]
    assert trial_names(trials(*changes)) == [
        "reach 8 px, η = 0",
        "reach by the paper's rule, η = 0",
        "reach 8 px, η = 0.5",
        "reach by the paper's rule, η = 0.5",
    ]


def test_a_single_trial_has_some_name():
    assert trial_names(trials({})) == ["start foreground"]
    assert trial_names([SimpleNamespace(settings={})]) == ["as it is"]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("gamma", np.inf, "γ = inf"),
        ("reach", "2 %", "reach 2 %"),
        ("alpha", 0.25, "α = 0.25"),
        ("alpha", "map 2", "α: map 2"),
        ("coupled", True, "coupled true"),
        ("weights", (3, 1.5), "weights 3,1.5"),
        ("solver", "flow", "solver flow"),
    ],
)
def test_values_in_words(name, value, words):
    assert setting_text(name, value) == words
