"""The paper's two experiments, each run once by each solver; and an energy in plain NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

import osmofuse


@dataclass(frozen=True, eq=False)
class Experiment:
    """An experiment of the paper: its sources, its weights and the runs asked for so far."""

    sources: osmofuse.Sources
    weights: dict[str, float]
    runs: dict[str, osmofuse.Fusion]

    def run(self, solver):
        if solver not in self.runs:
            method = osmofuse.VariationalOsmosis(solver=solver, **self.weights)
            self.runs[solver] = osmofuse.fuse(
                self.sources.foreground,
                self.sources.backgrounds[0],
                self.sources.alpha,
                method=method,
            )
        return self.runs[solver]


def pictures(data, number):
    names = ("foreground", "background", "alpha")
    return [osmofuse.read(data / "paper" / f"{number}_{name}.png").pixels for name in names]


@pytest.fixture(scope="session")
def puppets(data):
    weights = {"eta": 0.5, "mu": 100.0, "gamma": 1.0}
    return Experiment(osmofuse.Sources(*pictures(data, 1)), weights, {})


@pytest.fixture(scope="session")
def face(data):
    f, b, alpha = pictures(data, 4)
    weights = {"eta": 0.01, "mu": 10.0, "gamma": 1.0}
    return Experiment(osmofuse.Sources(f, b, osmofuse.soften(alpha == 255, 5)), weights, {})


def _differences(x):
    """Return both forward differences, zero in the last row and the last column."""
    down = np.diff(x, axis=0, append=x[-1:])
    return down, np.diff(x, axis=1, append=x[:, -1:])


def _osmosis(u, v, edges):
    total = 0.0
    for x, r in ((v, u / v), (v.T, (u / v).T)):
        base, end = x[:-1], x[1:]
        weight = base if edges == "forward" else 2.0 / (1.0 / base + 1.0 / end)
        total += 0.5 * np.sum(weight * np.diff(r, axis=0) ** 2)
    return total


def _regulariser(v, kind, epsilon):
    down, right = _differences(v)
    t = np.sqrt(down**2 + right**2)
    if kind is None:
        return 0.0
    if kind == "tikhonov":
        return np.sum(t**2) / 2
    if kind == "tv" or epsilon == 0:
        return np.sum(t)
    return np.sum(np.where(t < epsilon, t**2 / (2 * epsilon), t - epsilon / 2))


def _energy(u, v, f, b, alpha, settings, edges):
    """Return the energy of one channel; all planes without the offset, white at 1.0."""
    u, v, f, b = (np.asarray(x, np.float64) + settings.offset for x in (u, v, f, b))
    w = f**alpha * b ** (1 - alpha)
    return (
        _osmosis(u, v, edges)
        + settings.mu / 2 * np.sum((v - w) ** 2)
        + settings.gamma / 2 * np.sum(alpha * (u - f) ** 2)
        + settings.eta * _regulariser(v, settings.regulariser, settings.epsilon)
    )


@pytest.fixture(scope="session")
def reference():
    """Return what the tests know of the model, written without a line of the package."""

    def per_channel(u, v, f, b, alpha, settings, *, edges="harmonic"):
        f, b, alpha = (x / 255 if x.dtype == np.uint8 else x for x in (f, b, alpha))
        alpha = alpha if alpha.ndim == 3 else alpha[..., None]
        alpha = np.broadcast_to(alpha, f.shape)
        planes = [np.moveaxis(x, -1, 0) for x in (u, v, f, b, alpha)]
        return np.array([_energy(*p, settings, edges) for p in zip(*planes, strict=True)])

    return SimpleNamespace(differences=_differences, energy=_energy, energies=per_channel)
