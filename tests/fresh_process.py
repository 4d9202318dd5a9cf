"""Python in a fresh process, whose caches of compiled kernels are those that a test gives."""

import os
import subprocess
import sys


def run(code, *arguments, prefix=(), **env):
    """Run code whose caches are those of env only; return the words it prints."""
    names = ("OSMOFUSE_CACHE", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR", "TMPDIR")
    clean = {k: v for k, v in os.environ.items() if k not in names}
    done = subprocess.run(
        [*prefix, sys.executable, "-c", code, *arguments],
        env=clean | {k: str(v) for k, v in env.items()},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
