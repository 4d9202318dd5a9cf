"""``make bench``: print what is measured and keep it as JSON with what it was measured with."""

from __future__ import annotations

import json
import platform
import sys
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

PARTS = (
    "cold_start",
    "against",
    "methods",
    "metrics",
    "stages",
    "accuracy",
    "scaling",
    "sweeps",
    "preparation",
    "recipes",
)
RESULTS = Path(__file__).parent / "results"


def main(parts: list[str]) -> None:
    results = {}
    for part in parts or PARTS:
        results[part] = import_module(f"benchmarks.{part}").run()
        print(f"\n{part.replace('_', ' ')}")
        for name, value in results[part].items():
            print(f"  {name:<55} {value:10.4g}")
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{datetime.now(UTC):%Y%m%d-%H%M%S}.json"
    path.write_text(json.dumps({"with": context(), "results": results}, indent=2))
    print(f"\n{path}")


def context() -> dict[str, object]:
    import numba

    packages = ("osmofuse", "numpy", "numba", "scipy")
    return {
        "versions": {name: version(name) for name in packages},
        "python": platform.python_version(),
        "machine": platform.machine(),
        "threads": numba.get_num_threads(),
    }


if __name__ == "__main__":
    main(sys.argv[1:])
