"""The child process of `isolation`: it limits itself, decodes files one by one and answers.

Run as ``python -m osmofuse.io.decoder LIMITS FILE...``.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Sequence
from threading import Thread

from osmofuse.errors import OsmofuseError
from osmofuse.io.description import describe
from osmofuse.io.isolation import send
from osmofuse.io.limits import Limits, check
from osmofuse.io.reading import read
from osmofuse.picture import Picture

__all__ = ["main"]

# What Python, NumPy and libvips reserve before they have done anything; far less is touched.
_BASE = 2 * 2**30


def main(paths: Sequence[str], limits: Limits) -> None:
    """Decode files within limits and answer on the standard output, until one is refused.

    Parameters
    ----------
    paths : sequence of str
        The files.
    limits : Limits
        What each may ask for.
    """
    os.set_blocking(sys.stderr.fileno(), False)  # nobody listens there before the end
    for path in paths:
        answer = _answer(path, limits, limits.seconds * len(paths))
        send(answer, sys.stdout.buffer)
        sys.stdout.flush()
        if isinstance(answer, OsmofuseError):
            return


def end_with_parent() -> None:
    """End when the process that asked does, which holds our standard input open till then."""

    def wait() -> None:
        os.read(sys.stdin.fileno(), 1)
        os._exit(1)

    Thread(target=wait, daemon=True).start()


def _answer(path: str, limits: Limits, seconds: float) -> Picture | OsmofuseError:
    try:
        _limit_self(seconds, _BASE)
        found = describe(path)
        check(found, limits)
        # The header is known now: the picture, a turned copy, and the file mapped into memory.
        _limit_self(seconds, _BASE + 3 * found.decoded_bytes + 2 * os.stat(path).st_size)
        return read(path, limits=limits)
    except OsmofuseError as error:
        return error


def _limit_self(seconds: float, memory: int) -> None:
    """Let the system end this process when it takes too much."""
    if os.name == "nt":  # there the parent's clock has to do
        return
    import resource

    limits = {
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_CPU: math.ceil(seconds) + 1,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in limits.items():
        hard = resource.getrlimit(kind)[1]
        within = most if hard == resource.RLIM_INFINITY else min(most, hard)
        # Memory alone may be raised again, once the header is known.
        resource.setrlimit(kind, (within, hard if kind == resource.RLIMIT_AS else within))


if __name__ == "__main__":
    end_with_parent()
    main(sys.argv[2:], Limits(**json.loads(sys.argv[1])))
