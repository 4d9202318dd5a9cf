"""How much memory and time a job will need, told from the headers of its files."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from osmofuse.errors import LimitError, MismatchError
from osmofuse.io import Description
from osmofuse.jobs.job import Job
from osmofuse.jobs.machine import memory_of_machine
from osmofuse.jobs.outputs import check_outputs
from osmofuse.jobs.reading import describe_files
from osmofuse.methods import METHODS, Method, VariationalOsmosis
from osmofuse.preparation.auto_alpha import LARGEST


@dataclass(frozen=True)
class Need:
    """What a job will need, roughly.

    Attributes
    ----------
    bytes : int
        The most memory that the process will have in use.
    seconds : float
        How long it will take with compiled kernels on one core of an ordinary computer.
    """

    bytes: int
    seconds: float


@dataclass(frozen=True)
class _Cost:
    """Bytes a sample beyond inputs, in colour and in grey, and seconds a million samples.

    Files of float64 take `wide` times as many bytes.
    """

    colour: float
    grey: float
    seconds: float
    wide: float = 1.0


# Measured on a manuscript of a megapixel, on one core; rounded up.
_COSTS = {
    "variational": _Cost(68, 88, 0.5),
    "direct": _Cost(16, 16, 0.02),
    "average": _Cost(16, 16, 0.02),
    "pyramid": _Cost(20, 30, 0.06, wide=2.4),
    "poisson": _Cost(90, 160, 2.5),
    "guided-filter": _Cost(55, 145, 0.6),
    "structure-aware": _Cost(50, 85, 0.2),
    "linear-osmosis": _Cost(130, 300, 3.0),
    "spectral-tv": _Cost(130, 130, 5.0),
}
# The paper's solvers end when they have converged: after some 200 iterations on most pictures.
_SOLVERS = {"ipiano": _Cost(130, 260, 32.0), "published": _Cost(140, 260, 95.0)}
PROGRAM = 350e6  # the process itself, with its kernels
START = 1.5  # seconds until the kernels are loaded
_STORING = 24  # bytes a sample while a result is brought to the depth of its file
_FILES = 0.15  # seconds a million samples, to read and to write
# Of several results: bytes a sample that each keeps, with its place on the sheet; bytes a sample
# and seconds a million samples to score one.
_KEPT, _SCORING, _SCORED = 26, 40, 1.0
# Of a report: bytes a sample and bytes a pixel while its pictures are scored and drawn, twice that
# in double precision; bytes a sample more for linear light; seconds a million samples.
_REPORTING, _DRAWING, _DECODING, _REPORTED = 50, 70, 24, 1.0
# Bytes a pixel while a map is made: of the copy that is looked at, and of the whole picture.
_SEEING, _CARRYING = 400, 60
# Bytes a pixel while pictures are aligned, and how many pixels of them are looked at; above what
# 12 and 100 megapixels were measured to take.
_ALIGNING, _LOOKED_AT = 300, 3_000_000
_COMPARING = 8  # bytes a sample of either picture, as they are compared


def need(job: Job, *, report: bool = False) -> Need:
    """Return what a job will need, from the headers of its files alone.

    Parameters
    ----------
    job : Job
        What is to be done.
    report : bool
        A report is written, too.

    Raises
    ------
    UnreadableError
        A file is missing or no picture.
    MismatchError
        The pictures are not of one size, or their bands do not fit.
    """
    files = _described(job)
    fusing = _need(job, files, _cost_of(job.fuser))
    return _with_report(fusing, job, files) if report else fusing


def _with_report(fusing: Need, job: Job, files: dict[str, Description]) -> Need:
    """Return what a job needs whose fusion needs so much, and whose result is reported."""
    foreground = files["foreground"]
    pixels = foreground.rows * foreground.cols
    samples = pixels * foreground.bands
    wide = 2 if _is_wide(files) else 1
    drawing = wide * (_REPORTING * samples + _DRAWING * pixels)
    if job.working_space != "encoded":
        drawing += _DECODING * samples
    held = sum(file.decoded_bytes for file in files.values()) + 8 * pixels
    seconds = fusing.seconds + _REPORTED * samples / 1e6
    return Need(bytes=max(fusing.bytes, round(PROGRAM + held + drawing)), seconds=seconds)


def _described(job: Job) -> dict[str, Description]:
    files = describe_files(job.inputs, job.page)
    check_fit(job.inputs, files, aligned=job.align is not None)
    return files


def _is_wide(files: dict[str, Description]) -> bool:
    return any(file.depth == "float64" for file in files.values())


def _need(job: Job, files: dict[str, Description], cost: _Cost) -> Need:
    """Return what a job needs whose fusion costs so much."""
    foreground = files["foreground"]
    pixels = foreground.rows * foreground.cols
    samples = pixels * foreground.bands
    work = cost.colour if foreground.bands >= 3 else cost.grey
    work *= cost.wide if _is_wide(files) else 1
    # The child that decodes has a file twice at the most, and is gone when the work begins.
    held = sum(file.decoded_bytes for file in files.values())
    maps = sum(role.startswith("alpha") for role in files)
    held += maps * pixels * (8 if job.soften == 0 else 40)
    if job.working_space != "encoded":
        held += 8 * samples
    fusing, seconds = samples * max(work, _STORING), samples / 1e6 * (cost.seconds + _FILES)
    if job.align is not None:
        seen = min(pixels, _LOOKED_AT)
        held += sum(files[role].decoded_bytes for role in job.background_roles)  # before and after
        fusing = max(fusing, _ALIGNING * seen)
        seconds += 4.0 + 2.0 * seen / 1e6
    if job.alpha == "auto":
        seen = min(pixels, LARGEST)
        held += 8 * pixels
        fusing = max(fusing, _SEEING * seen + _CARRYING * pixels)
        seconds += 3.5e-6 * seen + 0.5e-6 * pixels
    return Need(bytes=round(PROGRAM + held + fusing), seconds=START + seconds)


def need_of_series(job: Job, methods: Sequence[Method], *, scored: bool) -> Need:
    """Return what it takes to fuse the files of a job by several methods, and keep all results.

    Parameters
    ----------
    job : Job
        Which files, and how they are made ready.
    methods : sequence of Method
        One for each fusion, with its settings.
    scored : bool
        Whether results are scored.

    Raises
    ------
    UnreadableError, MismatchError
        As for `need`.
    """
    files = _described(job)
    file = files["foreground"]
    needs = [_need(job, files, _cost_of(method)) for method in methods]
    samples = file.rows * file.cols * file.bands
    kept = samples * (_KEPT * (len(methods) - 1) + _SCORING * scored)
    fusing = sum(one.seconds - START for one in needs)
    scoring = len(methods) * samples / 1e6 * _SCORED * scored
    most = max(one.bytes for one in needs)
    return Need(bytes=most + kept, seconds=START + fusing + scoring)


def need_of_alignment(moving: Description, fixed: Description) -> Need:
    """Return what it takes to lay a picture over another, and to write it."""
    pixels = fixed.rows * fixed.cols
    seen = min(max(pixels, moving.rows * moving.cols), _LOOKED_AT)
    laid = pixels * (moving.decoded_bytes / (moving.rows * moving.cols))
    held = 2 * moving.decoded_bytes + fixed.decoded_bytes + 2 * laid
    held += _COMPARING * (pixels * fixed.bands + moving.rows * moving.cols * moving.bands)
    return Need(
        bytes=round(PROGRAM + held + _ALIGNING * seen),
        seconds=START + 4.0 + 2.0 * seen / 1e6 + _FILES * pixels * moving.bands / 1e6,
    )


def check(job: Job, *, report: bool = False) -> Need:
    """Return what a job will need, once it is known that it can be done.

    Parameters
    ----------
    job, report
        As for `need`.

    Raises
    ------
    OutputError
        An output cannot be written, or must not.
    UnreadableError, MismatchError
        A file is missing or no picture, or the files do not fit together.
    LimitError
        It needs more memory than it may have.
    """
    check_outputs(job)
    needed = need(job, report=report)
    check_limit(needed, job.max_memory, f"{job.foreground}: fusing it")
    return needed


def check_limit(needed: Need, limit: int | None, work: str) -> None:
    """Refuse work that needs more memory than it may have, or than the machine has.

    Parameters
    ----------
    needed : Need
        Of the work.
    limit : int, optional
        Bytes that the user allows.
    work : str
        What it is, for the message.

    Raises
    ------
    LimitError
        It does.
    """
    there = memory_of_machine()
    if there is not None and needed.bytes > there and (limit is None or limit > there):
        raise LimitError(
            f"{work} needs about {in_bytes(needed.bytes)} of memory, and this machine has "
            f"{in_bytes(there)}; take a smaller picture, or a machine that has more"
        )
    if limit is not None and needed.bytes > limit:
        raise LimitError(
            f"{work} needs about {in_bytes(needed.bytes)} of memory, over the limit of "
            f"{in_bytes(limit)}; allow more, or take a smaller picture"
        )


def in_bytes(count: float) -> str:
    """Return a number of bytes as people say it."""
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


def peak_bytes() -> int | None:
    """Return the most memory this process has had in use; None where that cannot be asked."""
    # A child begins with its parent's peak in getrusage, so ask Linux itself if it is there.
    with suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        line = next(line for line in lines if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    if os.name == "nt":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _cost_of(method: Method) -> _Cost:
    if not isinstance(method, VariationalOsmosis):
        return _COSTS[next(name for name, kind in METHODS.items() if kind is type(method))]
    if method.solver != "flow":
        cost = _SOLVERS[method.solver]
    else:
        cost = _COSTS["variational"]
        if method.precision == "double" or method.reach == float("inf"):
            cost = _Cost(2 * cost.colour, 2.4 * cost.grey, 2 * cost.seconds)
    if method.w == "spectral":  # bands are found in double precision
        cost = _Cost(cost.colour + 20, cost.grey + 40, cost.seconds + _COSTS["spectral-tv"].seconds)
    return cost


def check_fit(
    paths: dict[str, Path], files: dict[str, Description], *, aligned: bool = False
) -> None:
    """Refuse files that do not fit together, by what their headers say.

    Parameters
    ----------
    paths, files : dict
        By role.
    aligned : bool
        The background will be laid over the foreground: it may have a size of its own.

    Raises
    ------
    MismatchError
        They do not.
    """
    foreground = files["foreground"]
    backgrounds = [role for role in files if role.startswith("background")]
    for role, file in files.items():
        if aligned and role in backgrounds:
            continue
        if (file.rows, file.cols) != (foreground.rows, foreground.cols):
            raise MismatchError(
                f"{paths[role]}: {size_of(file)}, but the foreground {paths['foreground']} has "
                f"{size_of(foreground)}; {_remedy(role)}"
            )
    for role in backgrounds:
        if files[role].colours not in (1, foreground.colours):
            raise MismatchError(
                f"{paths[role]}: {files[role].colours} bands of colour, but the foreground "
                f"{paths['foreground']} has {foreground.colours}; the picture whose colours are "
                "kept comes first: are the two swapped? Else give the background as many bands, "
                "or one"
            )


def _remedy(role: str) -> str:
    if role.startswith("background"):
        return "lay it over the foreground with --align homography, or crop them to one size"
    return "crop or enlarge it to that size"


def size_of(file: Description) -> str:
    """Return the size of a picture as viewers show it, its width first."""
    return f"{file.cols} × {file.rows} pixels"
