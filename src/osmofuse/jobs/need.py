"""Memory and time that jobs need, and the limits on them.

A limit is the memory that the machine has, not what is free at the moment: a refusal must not
depend on what else is running.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from osmofuse.errors import LimitError
from osmofuse.io import Description
from osmofuse.io.header import memory_limit
from osmofuse.jobs.files import InputFile
from osmofuse.maps.auto_alpha import auto_alpha_cost
from osmofuse.methods import Method
from osmofuse.methods.cost import Cost, cost_of
from osmofuse.metrics.score import score_cost
from osmofuse.registration.align import alignment_cost
from osmofuse.report.pages import page_cost

if TYPE_CHECKING:
    from osmofuse.jobs.sources import SourcesJob


PROGRAM_BYTES = 350e6  # memory of the process with its kernels, rounded up
START_SECONDS = 1.5  # time to import the package and load compiled kernels


@dataclass(frozen=True)
class Need:
    """Rough needs of a job, estimated from the headers of its files.

    Attributes
    ----------
    bytes : int
        Peak memory of the process.
    seconds : float
        Run time with compiled kernels on one core of an ordinary computer.
    files : mapping of str to InputFile
        Files that were checked, by role. A job that runs with this need refuses others.
    """

    bytes: int
    seconds: float
    files: Mapping[str, InputFile] = field(default_factory=dict)


def check_limit(needed: Need, limit: int | None, work: str) -> None:
    """Refuse work that needs more memory than the user allows or the machine has."""
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


def need_beyond_start(work_bytes: float, seconds: float) -> Need:
    """Return the need of work minus that of the loaded package."""
    return Need(bytes=round(PROGRAM_BYTES + work_bytes), seconds=START_SECONDS + seconds)


def with_page(
    work_bytes: float, pixels: int, samples: int, report: Path | None
) -> tuple[float, float]:
    """Return the bytes of work or of its report, whichever is more, and the report's seconds."""
    if report is None:
        return work_bytes, 0.0
    drawing, seconds = page_cost(pixels, samples)
    return max(work_bytes, drawing), seconds


def in_bytes(count: float) -> str:
    """Return a number of bytes as text with a unit."""
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


def peak_bytes() -> int | None:
    """Return the peak memory of this process, or None if the system does not report it."""
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


# Paths of the Linux interface.
CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")


def memory_of_machine(groups: Path = CGROUPS, own: Path = OWN_CGROUP) -> int | None:
    """Return the bytes of memory that this process may use, or None if unknown.

    This is the minimum of the physical memory, the limits of the control groups of the process, as
    in containers, and its own limit of address space.
    """
    return min([*_system_limits(), *_group_limits(groups, own)], default=None)


def _system_limits() -> Iterator[int]:
    """Yield the physical memory and the limit of the process; nothing on Windows."""
    with suppress(AttributeError, ValueError, OSError):
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if (limit := memory_limit()) is not None:
        yield limit


def _group_limits(groups: Path, own: Path) -> Iterator[int]:
    """Yield the limits of the process's control groups and of all groups around them."""
    lines = []
    with suppress(OSError, UnicodeDecodeError):
        lines = own.read_text(encoding="utf-8").splitlines()
    for line in lines:
        _, _, rest = line.partition(":")
        kinds, _, group = rest.partition(":")
        # Version 2 has one tree without a kind; version 1 has a tree for memory.
        if kinds == "":
            yield from _limits_above(groups, group, "memory.max")
        elif "memory" in kinds.split(","):
            yield from _limits_above(groups / "memory", group, "memory.limit_in_bytes")


def _limits_above(root: Path, group: str, name: str) -> Iterator[int]:
    # In a container the group may have its name on the host; then only the root exists.
    path = PurePosixPath("/") / group
    for place in (path, *path.parents):
        with suppress(OSError, ValueError):  # "max" means no limit
            yield int((root / str(place).lstrip("/") / name).read_text(encoding="ascii"))


FILE_SECONDS = 0.15  # seconds per million samples to read the inputs and write the output
_STORING_BYTES = 24  # per sample, to convert a result to the depth of its file
_KEPT_BYTES = 26  # per sample, that each result of a series keeps, with its place on the sheet


def need_of_fusion(job: SourcesJob[Any], files: Mapping[str, InputFile], method: Method) -> Need:
    """Return the need of a fusion by a method, with its report if the job has one."""
    described = {role: file.picture for role, file in files.items()}
    fusing = _need(job, described, cost_of(method))
    return fusing if job.report is None else _with_report(fusing, job, described)


def need_of_series(
    job: SourcesJob[Any], files: Mapping[str, InputFile], methods: Sequence[Method], *, scored: bool
) -> Need:
    """Return the need of fusions by several methods whose results are all kept."""
    file = files["foreground"].picture
    needs = [need_of_fusion(job, files, method) for method in methods]
    samples = file.rows * file.cols * file.bands
    scoring, seconds = score_cost(samples) if scored else (0.0, 0.0)
    kept = samples * _KEPT_BYTES * (len(methods) - 1) + scoring
    once = START_SECONDS + _preparation_cost(job, file.rows * file.cols)[1]
    seconds = once + sum(one.seconds - once + seconds for one in needs)
    return Need(bytes=round(max(one.bytes for one in needs) + kept), seconds=seconds)


def _need(job: SourcesJob[Any], files: Mapping[str, Description], cost: Cost) -> Need:
    """Return the need of a job from the cost of its fusion."""
    foreground = files["foreground"]
    pixels = foreground.rows * foreground.cols
    samples = pixels * foreground.bands
    work = cost.colour if foreground.bands >= 3 else cost.grey
    work *= cost.wide if _is_wide(files) else 1
    # The decoding child holds a file at most twice, and ends before the work begins.
    held = sum(file.decoded_bytes for file in files.values())
    maps = sum(role.startswith("alpha") for role in files)
    held += maps * pixels * (8 if job.soften == 0 else 40)
    if job.working_space != "encoded":
        held += 8 * samples
    fusing = samples * max(work, _STORING_BYTES)
    seconds = samples / 1e6 * (cost.seconds + FILE_SECONDS)
    if job.align is not None:
        held += sum(files[role].decoded_bytes for role in job.background_roles)  # before and after
    if "auto" in job.maps:
        held += 8 * pixels
    preparing, longer = _preparation_cost(job, pixels)
    return need_beyond_start(held + max(fusing, preparing), seconds + longer)


def _preparation_cost(job: SourcesJob[Any], pixels: int) -> tuple[float, float]:
    """Return the bytes and seconds to prepare the pictures of a job."""
    costs = [(0.0, 0.0)]
    if job.align is not None:
        costs.append(alignment_cost(pixels))
    if "auto" in job.maps:
        costs.append(auto_alpha_cost(pixels))
    return max(most for most, _ in costs), sum(seconds for _, seconds in costs)


def _with_report(fusing: Need, job: SourcesJob[Any], files: Mapping[str, Description]) -> Need:
    """Return the need of a job with a report from the need of its fusion."""
    foreground = files["foreground"]
    pixels = foreground.rows * foreground.cols
    samples = pixels * foreground.bands
    drawing, seconds = page_cost(
        pixels, samples, wide=_is_wide(files), linear=job.working_space != "encoded"
    )
    held = sum(file.decoded_bytes for file in files.values()) + 8 * pixels
    most = max(fusing.bytes, round(PROGRAM_BYTES + held + drawing))
    return Need(bytes=most, seconds=fusing.seconds + seconds)


def _is_wide(files: Mapping[str, Description]) -> bool:
    return any(file.depth == "float64" for file in files.values())
