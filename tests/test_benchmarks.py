"""What the benchmarks measure with; their figures are judged in `make bench`."""

import json
import math
import subprocess
import sys
from copy import deepcopy
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from benchmarks import __main__ as bench
from benchmarks import accuracy, kernel_traffic, pictures, stages, timing
from benchmarks.triad import Triad

import osmofuse
from conftest import ROOT
from osmofuse import gallery
from osmofuse.energies import flow_kernels, regularisers
from osmofuse.linalg import grid_passes, multigrid
from osmofuse.linalg.grid_passes import CORRECTED, EXTENDED, FRESH, RESTRICTED
from osmofuse.linalg.multigrid import Hierarchy
from osmofuse.linalg.stencil import inside, padded_shape, zeros
from osmofuse.methods.variational import VariationalOsmosis
from osmofuse.optimise import sdirk

LARGE_PARENT = """
import subprocess, sys
ballast = b"x" * 600_000_000
command = [sys.executable, "-m", "benchmarks.scaling", "0.25", "3"]
print(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
"""
MODULES = (flow_kernels, regularisers, sdirk)
SMALL = (40, 56)


def small_job(**settings):
    scene = gallery.portrait(SMALL)
    f, b, alpha = scene.foreground, scene.background, scene.alpha
    return partial(
        osmofuse.fuse, f, b, alpha, target="product", **{"eta": 0.5, "reach": 8.0, **settings}
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux: its /proc")
def test_memory_is_that_of_the_process_itself_whoever_started_it():
    done = subprocess.run(
        [sys.executable, "-c", LARGE_PARENT], capture_output=True, text=True, check=True, cwd=ROOT
    )
    _, memory = json.loads(done.stdout)
    assert 0 < memory < 100  # bytes a sample; the parent's would be 800 more


def test_the_parts_are_the_modules_with_a_run():
    modules = {path.stem for path in Path(bench.__file__).parent.glob("[!_]*.py")}
    parts = {name for name in modules if hasattr(import_module(f"benchmarks.{name}"), "run")}
    assert parts == set(bench.PARTS)
    assert len(bench.PARTS) == len(parts)


def test_rounds_take_all_jobs_in_turn_after_a_warm_up():
    done = []
    found = timing.rounds({"a": lambda: done.append("a"), "b": lambda: done.append("b")}, runs=3)
    assert done == ["a", "b"] * 4
    assert {name: len(seconds) for name, seconds in found.items()} == {"a": 3, "b": 3}
    assert all((seconds >= 0).all() for seconds in found.values())


def test_the_spread_is_that_between_quartiles():
    found = timing.spread("ratio", np.array([5.0, 1.0, 4.0, 2.0, 3.0]))
    assert found == {"ratio": 3.0, "ratio, lower quartile": 2.0, "ratio, upper quartile": 4.0}


def test_an_enlarged_picture_repeats_pixels(rng):
    picture = rng.integers(0, 255, (5, 7, 3), np.uint8)
    large = pictures.enlarged(picture)
    assert large.shape == (20, 28, 3)
    assert large.dtype == np.uint8
    assert np.array_equal(large[3::4, ::4], picture)
    assert pictures.three_bands(picture[..., 0]).shape == (5, 7, 3)
    assert np.array_equal(pictures.one_band(picture), picture[..., 0])


@pytest.mark.parametrize("settings", [{"reach": None}, {"regulariser": "tikhonov"}])
def test_a_formula_counts_each_kernel_of_a_fusion(settings):
    job = small_job(**settings)
    job()
    found = stages.traffic(job)
    assert set(found) <= kernel_traffic.PLANES.keys() | kernel_traffic.FORMULAS.keys()
    assert all(moved > 0 for calls in found.values() for call in calls for moved in call)
    plane = 4 * SMALL[0] * SMALL[1]
    assert found["implicit_step"][0] == [9 * plane]
    assert found["_store"][0] == [6 * plane]  # three planes read, three bands written


@pytest.mark.parametrize("settings", [{"reach": None}, {"regulariser": "tikhonov"}])
def test_the_planes_of_a_kernel_are_those_it_reads_or_sets(settings):
    known = {
        name: getattr(m, name)
        for m in MODULES
        for name in kernel_traffic.PLANES.keys() & vars(m).keys()
    }
    kept = {}
    job = small_job(**settings)
    job()
    with stages.observed(lambda name, _, arguments: kept.update({name: deepcopy(arguments)})):
        job()
    found = {name: planes_touched(known[name], kept[name]) for name in known.keys() & kept.keys()}
    assert {"implicit_step", "second_stage", "structure_system", "end_step"} <= set(found)
    assert found == {name: kernel_traffic.PLANES[name] for name in found}


def planes_touched(kernel, arguments):
    """Return how many planes a kernel reads or sets, those of the coarse level as a quarter.

    A plane is read if another input gives another output, and set if its input is lost.
    """
    half = SMALL[0] // 2, SMALL[1] // 2
    usual, expected = outputs(kernel, deepcopy(arguments))
    total = 0.0
    for k, plane in enumerate(usual):
        shape = {padded_shape(SMALL): SMALL, padded_shape(half): half}.get(plane.shape)
        if shape is None:
            continue
        changed = deepcopy(arguments)
        there = inside(planes_in(changed)[k], shape)
        there *= np.float32(1.25)
        given = there.copy()
        found, result = outputs(kernel, changed)
        is_set = not np.array_equal(inside(found[k], shape), given)
        same = [np.array_equal(*pair) for pair in zip(found, usual, strict=True)]
        if not is_set:
            same[k] = True  # it differs because it was changed
        is_read = not (all(same) and np.array_equal(result, expected))
        total += (is_set + is_read) * (1.0 if shape == SMALL else 0.25)
    return total


def outputs(kernel, arguments):
    """Return all planes after a call, and its result."""
    result = kernel(*arguments)
    return planes_in(arguments), np.zeros(0) if result is None else result


def planes_in(arguments):
    """Return the arrays among arguments, except rows for scratch."""
    flat = [one for a in arguments for one in (a if isinstance(a, tuple) else (a,))]
    return [one for one in flat if isinstance(one, np.ndarray) and one.ndim == 2]


def test_kernels_are_themselves_again_after_an_error_of_an_observed_job():
    def job():
        assert multigrid.run_passes is not kernel
        raise ZeroDivisionError

    kernel = multigrid.run_passes
    with pytest.raises(ZeroDivisionError):
        stages.traffic(job)
    assert multigrid.run_passes is grid_passes.run_passes is kernel


def test_an_observed_fusion_is_the_same_and_its_stages_add_up():
    job = small_job()
    fused = job().image
    with stages.observed(lambda *told: None):
        assert np.array_equal(job().image, fused)
    found = stages.stages_of(job, Triad((2**16, 2**18), work=2**20), samples=fused.size, runs=3)
    kernels = {name: value for name, value in found.items() if name.endswith(", MB moved")}
    assert found["bytes a sample"] == pytest.approx(1e6 * sum(kernels.values()) / fused.size)
    assert found["run passes, GB/s"] == pytest.approx(
        found["run passes, MB moved"] / found["run passes, ms"]
    )
    assert found["huber edges, part of the triad"] > 0
    assert all(isinstance(value, int | float) for value in found.values())


@pytest.mark.parametrize(
    ("sweeps", "how"),
    [
        (0, FRESH | RESTRICTED),
        (0, RESTRICTED),
        (3, 0),
        (3, CORRECTED),
        (4, FRESH | CORRECTED | EXTENDED),
        (3, CORRECTED | RESTRICTED),
    ],
)
def test_a_pass_of_multigrid_moves_the_planes_that_it_reads_or_sets(sweeps, how):
    """With NaN in each plane in turn, the result tells if a pass reads it."""
    own, coarse = kernel_traffic.planes_of_pass(sweeps, how)
    read, coarse_read = planes_read(sweeps, how)
    assert own == read + (sweeps > 0)  # y is set
    assert coarse == coarse_read + bool(how & RESTRICTED)


def planes_read(sweeps, how):
    """Return how many planes of the finest level and of the coarser one a pass depends on."""
    grid = Hierarchy((12, 16))
    s, level = grid.finest, grid.levels[0]
    for plane in (s.down, s.right, s.mass):
        inside(plane, s.shape)[...] = 1.0
    grid.update()
    x, y, b = (zeros(s.shape) for _ in range(3))
    for plane in (x, b):
        inside(plane, s.shape)[...] = 1.0
    passes = np.array([(0, grid_passes.X, grid_passes.Y, 0, sweeps, how)])

    def spoilt(plane):
        kept = plane.copy()
        plane[...] = np.nan
        y.fill(0.0)
        level.b.fill(0.0)
        grid._run(passes, x, y, b, -math.inf)
        result = np.isnan(y).any() or np.isnan(level.b).any()
        plane[...] = kept
        return result

    own = sum(map(spoilt, (x, b, s.down, s.right, s.mass, s.inverse)))
    return own, int(spoilt(level.x))


def test_what_is_set_by_coarsening_is_counted():
    table = Hierarchy((8, 12))._table
    moved = kernel_traffic.passes_of("coarsen", (*[None] * 3, zeros((1, 1)), table, 2))
    assert moved == [4 * (2.5 * 96 + 3 * 24), 4 * 6 * 24]
    assert kernel_traffic.passes_of("no kernel", ()) == []


def test_a_triad_tells_the_time_of_a_pass():
    triad = Triad((2**16, 2**18), work=2**20)
    assert min(triad.told().values()) > 0
    triad.speeds = [20.0, 10.0]
    assert triad.seconds(2**16) == pytest.approx(2**16 / 20e9)
    assert triad.seconds(2**17) == pytest.approx(2**17 / 15e9)
    assert triad.seconds(2**20) == pytest.approx(2**20 / 10e9)  # as for the largest


def test_decibels_tell_how_far_a_flow_is_from_the_fine_one():
    sources = accuracy.sources_of(gallery.portrait((24, 32), seed=3))
    flow = VariationalOsmosis(reach=8.0)
    usual = accuracy.decibels(flow, sources)
    assert usual > 45
    plan = flow.plan(sources)
    rough = replace(plan, steps=(plan.time,), cycles=(1,), part=1.0)
    by_hand = flow.run(sources, rough).image - accuracy.fine(flow, sources, plan).image
    assert -10 * np.log10(np.mean(by_hand**2)) < usual - 3
    fine = accuracy.fine(flow, sources, plan).plan
    assert fine.time == pytest.approx(plan.time)
    assert len(fine.steps) == accuracy.STEPS


def test_accuracy_tells_the_worst_scene_of_each_setting(monkeypatch):
    monkeypatch.setattr(accuracy, "SCENES", ("night", "portrait"))
    reached = {0: 60.0, 1: 50.0}
    calls = []

    def decibels(flow, sources):
        calls.append(flow)
        return reached[len(calls) % 2]

    monkeypatch.setattr(accuracy, "decibels", decibels)
    found = accuracy.run()
    assert len(found) == len(accuracy.SETTINGS) + 1
    assert set(found.values()) == {50.0}
    assert all("least, on night" in name for name in found)
    assert {flow.reach for flow in calls} >= {0.5, 2.0, 8.0, 30.0, 100.0}
