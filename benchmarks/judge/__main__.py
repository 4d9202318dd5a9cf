"""Judge settings on drawn and real pairs: ``python -m benchmarks.judge [SETTING ...]``."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.__main__ import RESULTS, context
from benchmarks.judge import cases, measures, page, preparing, settings, vifb

# Cases whose pictures are kept as sheets.
SHEET_NUISANCES = ("none", "hard", "all")
# Means of drawn scenes before targets and settings were chosen by the pictures.
BASELINE = Path(__file__).parent / "baseline"
PARTS = ("cases", "regret", "real", "vifb", "registrations", "mattes")


def main(arguments: list[str]) -> None:
    options = _options(arguments)
    asked = {one: settings.parsed(one) for one in options.settings or settings.DEFAULT}
    folder = options.output or RESULTS / f"judge-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    folder.mkdir(parents=True, exist_ok=True)
    before = _earlier(options.before)
    found = judged(asked, list(cases.all_cases())[:: options.every], folder, options)
    found |= {"with": context(), "settings": asked}
    (folder / "judgement.json").write_text(json.dumps(found, indent=1))
    print(page.printed(found))
    print(page.write_page(folder, found, before))


def _earlier(folder: Path) -> dict[str, Any]:
    """Return an earlier judgement."""
    try:
        return json.loads((folder / "judgement.json").read_text())
    except (OSError, ValueError) as error:
        raise SystemExit(f"--before: {folder} has no judgement: {error}") from error


def judged(
    asked: dict[str, dict[str, Any]], drawn: list[cases.Case], folder: Path, options: Any
) -> dict[str, Any]:
    """Judge everything on one process for each core; kernels run on one thread in each."""
    found: dict[str, Any] = {name: {} for name in PARTS}
    grid = list(cases.grid_cases())[:: options.every]
    begun, total = time.monotonic(), len(drawn) + len(grid)
    with _pool() as pool:
        sheets = [_is_sheet(case) for case in drawn]
        work = pool.map(partial(measures.judge_case, asked), drawn, sheets, chunksize=4)
        for number, (case, result) in enumerate(zip(drawn, work, strict=True), 1):
            found["cases"][case.key] = result["measures"]
            if "pictures" in result:
                name = case.key.replace("/", "-")
                page.write_sheet(folder, name, result["pictures"], options.before)
            _progress(number, total, begun)
        regret = pool.map(partial(measures.judge_regret, asked), grid)
        for number, (case, result) in enumerate(zip(grid, regret, strict=True), len(drawn) + 1):
            found["regret"][case.key] = result
            _progress(number, total, begun)
    if options.drawn:
        return found
    for pair in cases.real_pairs():
        result = measures.judge_pair(pair, asked)
        found["real"][pair.name] = result["measures"]
        page.write_sheet(folder, f"real-{pair.name}", result["pictures"], options.before)
    found["vifb"] = vifb.vifb_ranks(asked | {"scene": settings.parsed("scene")})
    found["registrations"] = preparing.registrations()
    found["mattes"] = preparing.mattes()
    return found


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(
        os.cpu_count(), mp_context=get_context("spawn"), initializer=measures.run_on_one_thread
    )


def _is_sheet(case: cases.Case) -> bool:
    first = (cases.SHAPES[0], cases.SEEDS[0])
    return case.nuisance in SHEET_NUISANCES and (case.shape, case.seed) == first


def _progress(number: int, total: int, begun: float) -> None:
    if sys.stderr.isatty() or number == total:
        seconds = time.monotonic() - begun
        print(f"\r{number} of {total} cases, {seconds:.0f} s", end="", file=sys.stderr)
        if number == total:
            print(file=sys.stderr)


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judge", description=__doc__)
    words = f"{', '.join(settings.NAMED)}, or words like 'alpha=map reach=20'"
    parser.add_argument("settings", nargs="*", metavar="SETTING", help=words)
    parser.add_argument("--output", type=Path, help="folder of the page, instead of a new one")
    parser.add_argument("--before", type=Path, default=BASELINE, help="folder to compare with")
    parser.add_argument("--drawn", action="store_true", help="judge drawn scenes only")
    parser.add_argument("--every", type=int, default=1, help="judge every n-th case only")
    options = parser.parse_args(arguments)
    if options.every < 1:
        parser.error("--every must be 1 or more")
    return options


if __name__ == "__main__":
    main(sys.argv[1:])
