"""Seam visibility: what must be seen, what sources explain, and all kinds of lines."""

from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from faults import BLURS, SEAMS, SOFT_SEAMS, of_scene, pooled, trials
from osmofuse import InputError, gallery
from osmofuse.metrics import seam_map, seam_visibility
from osmofuse.metrics.boundary import relative_log, unexplained
from osmofuse.metrics.boundary_detail import unexplained_detail
from osmofuse.metrics.seam_visibility import _Boundary, _Jumps

BOX = slice(None), slice(None)


def _boundary(inside):
    return _Boundary(inside, 1.0 - inside)


def half(shape=(64, 64)):
    alpha = np.ones(shape)
    alpha[:, : shape[1] // 2] = 0.0
    return alpha


@pytest.fixture
def texture(rng):
    return np.clip(0.5 + 0.05 * rng.standard_normal((64, 64, 3)), 0.0, 1.0)


@pytest.fixture
def edge(texture):
    """A picture with an edge of lightness and colour just where `half` changes."""
    return texture * np.where(half()[..., None] > 0, [1.4, 1.2, 0.8], [0.5, 0.6, 0.9])


def score(c):
    return seam_visibility(c.fused, c.foreground, c.background, c.alpha)


def test_graded_seams_of_the_gallery_are_ranked():
    """A sample of the soak's bench, over scenes together."""
    scenes = (
        gallery.manuscript((150, 120), 4),
        gallery.portrait((150, 130), 4),
        gallery.shadow((130, 150), 4),
    )
    cases = [of_scene(scene, seed=seed) for seed, scene in enumerate(scenes)]
    kinds = {name: SEAMS[name] for name in ("gain", "colour step", "line")} | BLURS | SOFT_SEAMS
    found = pooled(score, trials(cases, kinds, (0.0, 0.25, 0.5, 1.0)))
    assert min(found.pop(name) for name in SOFT_SEAMS) > 0.7, found
    assert min(found.values()) > 0.85, found


@pytest.mark.parametrize("method", ["variational", "direct"])
@pytest.mark.parametrize("where", ["foreground", "background", "both"])
def test_a_true_edge_on_the_boundary_is_excused(texture, edge, where, method):
    f = texture if where == "background" else edge
    b = texture if where == "foreground" else edge
    fused = osmofuse.fuse(f, b, half(), method=method).image
    assert seam_visibility(fused, f, b, half()) <= 0.1
    assert seam_visibility(edge, f, b, half()) <= 0.1
    assert seam_visibility(edge, None, None, half()) > 0.5


def test_a_seam_is_seen_where_the_sources_have_none(texture):
    spoilt = texture * np.where(half()[..., None] > 0, 1.0, 1.2)
    assert seam_visibility(spoilt, texture, texture, half()) > 0.5
    assert seam_visibility(texture, texture, texture, half()) == 0.0
    assert seam_visibility(texture, None, None, half()) < 0.25


def test_a_blurred_region_is_seen(texture):
    from scipy.ndimage import gaussian_filter

    blurred = np.where(half()[..., None] > 0, texture, gaussian_filter(texture, (2, 2, 0)))
    assert seam_visibility(blurred, texture, texture, half()) > 0.2


@pytest.mark.parametrize("gain", [0.3, 0.5, 1.5, 4.0])
def test_a_gain_changes_nothing(texture, edge, gain):
    expected = seam_visibility(edge, texture, texture, half())
    found = seam_visibility(gain * edge, texture / gain, 2 * gain * texture, half())
    assert found == pytest.approx(expected, rel=1e-3)


def test_texture_hides_a_seam(rng):
    def spoilt(contrast):
        x = 0.5 + contrast * rng.standard_normal((64, 64))
        return seam_visibility(x * np.where(half() > 0, 1.0, 1.1), None, None, half())

    assert spoilt(0.0) > 1.3 * spoilt(0.15)


def test_the_map_is_on_the_line_and_says_where(texture):
    spoilt = texture.copy()
    spoilt[:32, :32] *= 1.3
    seen = seam_map(spoilt, texture, texture, half())
    assert seen.shape == (64, 64)
    assert not seen[:, :31].any()
    assert not seen[:, 33:].any()
    assert seen[:20].max(axis=1).min() > 0.4
    assert seen[48:].max() < 0.1
    assert seen[:, 31:33].mean() == pytest.approx(
        seam_visibility(spoilt, texture, texture, half()), abs=1e-12
    )


@pytest.mark.parametrize("level", [np.float64(0.5), np.float64(0.0), np.ones((64, 64))])
def test_without_a_boundary_there_is_a_reason(texture, level):
    with pytest.raises(InputError, match=r"^alpha: does not cross 0\.5"):
        seam_visibility(texture, texture, texture, level)


@pytest.mark.parametrize("shape", [(1, 2), (2, 1, 3), (3, 3, 3), (40, 2), (17, 23, 1), (50, 51, 4)])
@pytest.mark.parametrize("place", ["pixel", "all but a pixel", "half"])
def test_any_shape_and_line(rng, shape, place):
    u, f, b = rng.random((3, *shape))
    alpha = np.ones(shape[:2])
    alpha[0, 0] = 0.0
    if place == "half":
        alpha[: (shape[0] + 1) // 2, : (shape[1] + 1) // 2] = 0.0
    alpha = 1.0 - alpha if place == "all but a pixel" else alpha
    for sources in ((f, b), (None, None), (f, b[..., 0] if b.ndim == 3 else b)):
        assert 0.0 <= seam_visibility(u, *sources, alpha) < 1.0
    assert seam_visibility(f, f, b, alpha) == 0.0


@pytest.mark.parametrize("level", [0.0, 0.1, 1.0])
def test_flat_pictures_have_no_seam(level):
    flat = np.full((20, 20, 3), level)
    assert seam_visibility(flat, None, None, half((20, 20))) == pytest.approx(0.0, abs=1e-4)


def test_flat_pictures_have_no_texture_by_rounding():
    """In single precision a difference of squares would leave some 1e-7."""
    inside = np.arange(40) * np.ones((30, 1)) < 20
    flat = np.where(inside, 0.3, 0.9)[..., np.newaxis] * (1.0, 0.7, 0.2)
    assert _boundary(inside).texture(relative_log(flat, BOX)).max() < 1e-12


def test_maps_may_differ_by_channel(texture):
    alpha = np.repeat(half()[..., None], 3, axis=2)
    spoilt = texture * np.where(alpha > 0, 1.0, 1.2)
    expected = seam_visibility(spoilt, texture, texture, half())
    assert seam_visibility(spoilt, texture, texture, alpha) == expected


def test_far_from_the_line_nothing_counts_but_the_mean(rng):
    """The box around the line holds all that the windows see."""
    u = rng.random((220, 220))
    alpha = np.ones((220, 220))
    alpha[100:120, 90:120] = 0.0
    other = u.copy()
    other[:40, :20] = u[:40, :20][::-1]
    expected = seam_visibility(u, None, None, alpha)
    assert seam_visibility(other, None, None, alpha) == pytest.approx(expected, rel=1e-6)


def test_direct_matting_is_more_visible_than_osmosis(data):
    f, b, alpha = (
        osmofuse.read(data / "paper" / f"4_{name}.png").pixels / 255.0
        for name in ("foreground", "background", "alpha")
    )
    alpha = alpha[..., 0]
    fused = [osmofuse.fuse(f, b, alpha, method=name).image for name in ("direct", "variational")]
    direct, variational = (seam_visibility(u, f, b, alpha) for u in fused)
    assert direct > variational


def test_inputs_are_never_changed(texture, edge):
    before = texture.copy(), edge.copy()
    texture.flags.writeable = edge.flags.writeable = False
    seam_map(edge, texture, texture, half())
    assert np.array_equal(texture, before[0])
    assert np.array_equal(edge, before[1])


def jump_of_a_line(x, inside, block):
    """Mean inside minus mean outside at each place of a line, in windows of blocks."""
    found = []
    weights = np.exp(-(np.arange(-5, 6) ** 2) / (2 * 1.5**2))
    for place in range(len(x)):
        totals = np.zeros((2, 2))
        for k, weight in zip(range(place // block - 5, place // block + 6), weights, strict=True):
            part = slice(max(k * block, 0), max((k + 1) * block, 0))
            for side in (0, 1):
                here = x[part][inside[part] == (side == 0)]
                totals[side] += weight * here.sum(), weight * here.size
        (a, n), (b, m) = totals
        found.append(a / n - b / m if n and m else np.nan)
    return np.array(found)


def test_steps_are_extrapolated_from_two_windows(rng):
    """Along a line: 3/2 of the jump in the fine window less 1/2 of that in the coarse one."""
    x = rng.random(97).astype(np.float32)
    inside = np.arange(97) < 48
    found = _boundary(np.tile(inside, (64, 1)))._step(np.tile(x, (64, 1)))
    fine, coarse = (jump_of_a_line(x, inside, side)[[47, 48]] for side in (1, 2))
    np.testing.assert_allclose(found, np.tile(1.5 * fine - 0.5 * coarse, 64), atol=1e-5)


@pytest.mark.parametrize("width", [1, 6, 20, 40])
def test_the_level_is_the_whole_change_however_wide_the_transition(width):
    """Shrunk by a fixed slope, by less than a quarter at 40 pixels."""
    alpha = np.clip(0.5 + (np.arange(120) - 59.5) / width, 0.0, 1.0) * np.ones((60, 1))
    boundary = _Boundary(alpha < 0.5, alpha)
    found = boundary._level((0.3 + 0.2 * (1.0 - alpha)).astype(np.float32))
    assert 0.75 * 0.2 < found.min() <= found.max() < 0.2


def test_hardly_varying_maps_have_no_level(rng):
    alpha = 0.5 + 0.01 * (np.arange(80) - 39.5) / 80 * np.ones((60, 1))
    noise = 0.05 * rng.standard_normal((60, 80)).astype(np.float32)
    assert np.abs(_Boundary(alpha < 0.5, alpha)._level(noise)).max() < 0.01


@pytest.mark.parametrize("width", [1, 12, 24])
def test_a_change_as_soft_as_the_map_is_seen(texture, width):
    alpha = np.clip(0.5 + (np.arange(64) - 31.5) / width, 0.0, 1.0) * np.ones((64, 1))
    scores = [
        seam_visibility(texture * (1.0 + t * (1.0 - alpha[..., None])), texture, texture, alpha)
        for t in (0.0, 0.1, 0.2, 0.4)
    ]
    assert scores[0] == 0.0
    assert min(np.diff(scores)) > 0.04


def test_parts_are_combined_as_documented(rng):
    """The constants are those of docs/boundary.md."""
    u, f, b = 0.2 + 0.6 * rng.random((3, 60, 50, 3))
    u[:, 25:] *= 0.7
    alpha = np.tile(np.arange(50) >= 25, (60, 1)).astype(float)
    boundary = _Boundary(alpha < 0.5, alpha)
    planes, *explaining = (relative_log(x, BOX) for x in (u, f, b))
    found, texture = boundary.jumps(planes), boundary.texture(planes)
    sources = [boundary.jumps(x) for x in explaining]
    lights = [np.clip(found.light / one.light, 0.5, 4.0) for one in sources]
    hidden = 1.0 - unexplained_detail(planes, explaining, lights, alpha < 0.5, boundary.places)
    constants = {
        "step": (0.05, 1.25, 2 * 2 * 1.5**2 / 14 * texture, 0.3 * np.sqrt(texture)),
        "level": (0.5, 1.0, 0.0, 0.0),
        "line": (0.15, 1.25, 2 / 7 * texture, 0.3 * np.sqrt(texture)),
    }
    for name, (c, tolerance, noise, masking) in constants.items():
        jumps = [
            light[:, None] * getattr(one, name) for light, one in zip(lights, sources, strict=True)
        ]
        left = unexplained(getattr(found, name), jumps, tolerance=tolerance)
        e = np.sqrt(np.maximum((left**2).sum(axis=-1) - noise, 0))
        hidden *= (c + masking) / (e + c + masking)
    seen = seam_map(u, f, b, alpha)
    np.testing.assert_allclose(seen[seen > 0], (1 - hidden)[1 - hidden > 0], rtol=1e-5)


def test_brightness_is_the_derivative_of_the_scale():
    """dl / d(log x) = 2 x / (x + mean) of l = 2 log(1 + x / mean), over 2."""
    x = np.full((40, 40, 3), 0.3)
    x[:5] = 0.9
    boundary = _boundary(np.tile(np.arange(40) < 20, (40, 1)))
    light = boundary.jumps(relative_log(x, BOX)).light.reshape(40, 2)[20:35]
    np.testing.assert_allclose(light, 0.3 / (0.3 + x.mean()), rtol=1e-5)


@pytest.mark.parametrize(("light", "factor"), [(0.01, 0.5), (0.3, 1.5), (0.9, 4.0)])
def test_jumps_of_sources_are_adjusted_to_the_brightness_within_limits(rng, light, factor):
    step, level, line = rng.standard_normal((3, 7, 3))
    source = _Jumps(step, level, line, np.full(7, 0.2))
    ratio = _Jumps(step, level, line, np.full(7, light)).brightness_over(source)
    np.testing.assert_allclose(ratio, factor, rtol=1e-12)
    for name in ("step", "level", "line"):
        expected = factor * getattr(source, name)
        np.testing.assert_allclose(getattr(source.scaled(ratio), name), expected, rtol=1e-12)
