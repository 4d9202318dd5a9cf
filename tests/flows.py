"""A small picture for the flow, and its exact flow by direct sparse solves."""

import math

import numpy as np
from scipy.sparse import coo_array, diags_array
from scipy.sparse.linalg import splu

from osmofuse.energies import Channel, HuberTV
from osmofuse.linalg import inside, padded
from osmofuse.optimise.flow import Flow, Weights, Workspace
from osmofuse.optimise.sdirk import G
from osmofuse.progress import Guard

SHAPE = (40, 33)


def channel(rng, dtype=np.float64, shape=SHAPE, contrast=0.05):
    """A picture and a foreground that agree on one side only; contrast is that of the noise."""
    smooth = np.add.outer(np.sin(np.arange(shape[0]) / 5), np.cos(np.arange(shape[1]) / 7))
    w = 1.5 + 0.2 * smooth + contrast * rng.random(shape)
    jump = 2 * contrast + contrast * rng.random(shape)
    f = w + np.where(np.arange(shape[1]) < shape[1] // 2, 0.0, jump)
    alpha = np.where(np.arange(shape[1]) < shape[1] // 2, 1.0, 0.0) * np.ones(shape)
    f, alpha, w = (padded(x, dtype) for x in (f, alpha, w))
    return Channel(f, alpha, w, f)


WEIGHTS = Weights(100.0, 1.0, HuberTV(0.1, 0.05))


def flow_of(*channels, weights=WEIGHTS, dtype=np.float64):
    flow = Flow(channels, weights, Workspace(SHAPE, dtype, len(channels)))
    flow.begin(goal=1e-6, guard=Guard(None))
    return flow


def exact_flow(flow, time, steps):
    """SDIRK2 with sparse direct solves on v as it stands, in u, of the first channel."""
    c, one = flow.channels[0], flow.unknowns[0]
    u, v, f, a = (inside(x, SHAPE).astype(float) for x in (one.u, one.v, c.f, c.alpha))
    index = np.arange(u.size).reshape(SHAPE)
    rows, cols, values = [], [], []
    pairs = ((index[1:], index[:-1]), (index[:, 1:], index[:, :-1]))
    for i, j in ((p.ravel(), q.ravel()) for p, q in pairs):
        m = 2 * v.flat[i] * v.flat[j] / (v.flat[i] + v.flat[j])
        for a_, b_, s in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
            rows.append(a_), cols.append(b_), values.append(s * m)
    laplace = coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))))
    inverse = diags_array(1 / v.ravel())
    matrix = inverse @ laplace @ inverse + diags_array(a.ravel())
    u, source = u.ravel(), (a * f).ravel()
    growth = 1.05
    first = time * (growth - 1) / (growth**steps - 1)
    for k in range(steps):
        h = first * growth**k
        solve = splu((diags_array(np.ones(u.size)) + G * h * matrix).tocsc()).solve
        u1 = solve(u + G * h * source)
        u = solve(u + (1 - G) / G * (u1 - u) + G * h * source)
    return u.reshape(SHAPE)


def decibels(x, y):
    return -10 * math.log10(np.mean((x - y) ** 2))


def still(flow):
    """Keep v where it is, to compare with a flow on a fixed structure."""

    def relax(k, u, goal):
        terms = flow._measure(k, u)
        flow.unknowns[k].terms = terms | {"structure": 0.0, "regulariser": 0.0}

    flow.relax = relax
    return flow
