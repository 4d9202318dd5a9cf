"""Memory and time to fuse files, estimated from their headers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from osmofuse.io import Description
from osmofuse.jobs.files import InputFile
from osmofuse.jobs.need import PROGRAM, START, Need
from osmofuse.jobs.sources import SourcesJob
from osmofuse.maps.auto_alpha import auto_alpha_cost
from osmofuse.methods import Method
from osmofuse.methods.cost import Cost, cost_of
from osmofuse.metrics.score import score_cost
from osmofuse.registration.align import alignment_cost
from osmofuse.report.pages import page_cost

FILES = 0.15  # seconds a million samples, to read and to write
_STORING = 24  # bytes a sample while a result is brought to the depth of its file
_KEPT = 26  # bytes a sample that each of several results keeps, with its place on the sheet


def need_of_fusion(job: SourcesJob[Any], files: Mapping[str, InputFile], method: Method) -> Need:
    """Return what it takes to fuse the files of a job by a method, and to report it if asked."""
    described = {role: file.picture for role, file in files.items()}
    fusing = _need(job, described, cost_of(method))
    return fusing if job.report is None else _with_report(fusing, job, described)


def need_of_series(
    job: SourcesJob[Any], files: Mapping[str, InputFile], methods: Sequence[Method], *, scored: bool
) -> Need:
    """Return what it takes to fuse the files of a job by several methods, and keep all results.

    Parameters
    ----------
    job : SourcesJob
        How they are made ready.
    files : mapping of str to InputFile
        Which files.
    methods : sequence of Method
        One for each fusion, with its settings.
    scored : bool
        True if results are scored.
    """
    file = files["foreground"].picture
    needs = [need_of_fusion(job, files, method) for method in methods]
    samples = file.rows * file.cols * file.bands
    scoring, seconds = score_cost(samples) if scored else (0.0, 0.0)
    kept = samples * _KEPT * (len(methods) - 1) + scoring
    once = START + _preparing(job, file.rows * file.cols)[1]
    seconds = once + sum(one.seconds - once + seconds for one in needs)
    return Need(bytes=round(max(one.bytes for one in needs) + kept), seconds=seconds)


def _need(job: SourcesJob[Any], files: Mapping[str, Description], cost: Cost) -> Need:
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
    fusing, seconds = samples * max(work, _STORING), samples / 1e6 * (cost.seconds + FILES)
    if job.align is not None:
        held += sum(files[role].decoded_bytes for role in job.background_roles)  # before and after
    if "auto" in job.maps:
        held += 8 * pixels
    preparing, longer = _preparing(job, pixels)
    most = PROGRAM + held + max(fusing, preparing)
    return Need(bytes=round(most), seconds=START + seconds + longer)


def _preparing(job: SourcesJob[Any], pixels: int) -> tuple[float, float]:
    """Return the bytes and the seconds to make the pictures of a job ready."""
    costs = [(0.0, 0.0)]
    if job.align is not None:
        costs.append(alignment_cost(pixels))
    if "auto" in job.maps:
        costs.append(auto_alpha_cost(pixels))
    return max(most for most, _ in costs), sum(seconds for _, seconds in costs)


def _with_report(fusing: Need, job: SourcesJob[Any], files: Mapping[str, Description]) -> Need:
    """Return what a job needs whose fusion needs so much, and whose result is reported."""
    foreground = files["foreground"]
    pixels = foreground.rows * foreground.cols
    samples = pixels * foreground.bands
    drawing, seconds = page_cost(
        pixels, samples, wide=_is_wide(files), linear=job.working_space != "encoded"
    )
    held = sum(file.decoded_bytes for file in files.values()) + 8 * pixels
    most = max(fusing.bytes, round(PROGRAM + held + drawing))
    return Need(bytes=most, seconds=fusing.seconds + seconds)


def _is_wide(files: Mapping[str, Description]) -> bool:
    return any(file.depth == "float64" for file in files.values())
