"""Energy curve of a fusion as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from osmofuse.progress import Step

_CURVE_WIDTH, _CURVE_HEIGHT = 640, 300  # of the SVG's view box
_LEFT, _RIGHT, _TOP, _BOTTOM = 76, 16, 16, 48  # margins for the numbers
_TICKS = 4  # intervals on an axis, about
_STROKES = ("#c0392b", "#2e8b57", "#2f6fb5")  # red, green, blue; one line is drawn in the ink
_CHANNELS = ("red", "green", "blue")  # names of the lines
_DOTTED = 40  # most steps that are marked one by one

Point = tuple[float, float]


def energy_curve(history: Sequence[Step]) -> str | None:
    """Return an SVG of the energy over the reach, or over iterations where a step has no reach.

    The element takes the colour of the text around it. None if there are fewer than two
    energies.
    """
    steps = [step for step in history if step.energy is not None and math.isfinite(step.energy)]
    by_reach = all(step.reach is not None for step in steps)
    lines: dict[int | None, list[Point]] = {}
    for step in steps:
        across = step.reach if by_reach else step.iteration
        lines.setdefault(step.channel, []).append((float(across or 0), float(step.energy or 0)))
    if max(map(len, lines.values()), default=0) < 2:
        return None
    return _drawn(lines, "Reach in pixels" if by_reach else "Iteration")


def _drawn(lines: dict[int | None, list[Point]], across: str) -> str:
    points = [point for line in lines.values() for point in line]
    xs, ys = (_ticks([point[axis] for point in points]) for axis in (0, 1))

    def place(point: Point) -> str:
        x = _LEFT + (point[0] - xs[0]) / (xs[-1] - xs[0]) * (_CURVE_WIDTH - _LEFT - _RIGHT)
        y = (
            _CURVE_HEIGHT
            - _BOTTOM
            - (point[1] - ys[0]) / (ys[-1] - ys[0]) * (_CURVE_HEIGHT - _TOP - _BOTTOM)
        )
        return f"{x:.1f},{y:.1f}"

    last = "; ".join(f"{_named(channel)}{line[-1][1]:.6g}" for channel, line in lines.items())
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_CURVE_WIDTH} {_CURVE_HEIGHT}" '
        'role="img" class="curve" color="#333" font-family="system-ui, sans-serif" '
        f'font-size="13" fill="currentColor"><title>Energy, at the end {escape(last)}</title>',
        *(_across(place((x, ys[0])), _number(x, xs)) for x in xs),
        *(_up(place((xs[0], y)), _number(y, ys)) for y in ys),
        f'<text x="{_CURVE_WIDTH - _RIGHT}" y="{_CURVE_HEIGHT - 8}" '
        f'text-anchor="end">{across}</text>',
        *(_line([place(p) for p in line], _stroke(c, lines)) for c, line in lines.items()),
        *_key(list(lines)),
        "</svg>",
    ]
    return "\n".join(parts)


def _ticks(values: list[float]) -> list[float]:
    """Return round numbers from below the minimum to above the maximum."""
    low, high = min(values), max(values)
    span = (high - low) or abs(high) or 1.0
    unit = 10.0 ** math.floor(math.log10(span / _TICKS))
    step = next(unit * k for k in (1, 2, 5, 10) if span / (unit * k) <= _TICKS)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [step * k for k in range(first, max(last, first + 1) + 1)]


def _number(value: float, ticks: list[float]) -> str:
    step = ticks[1] - ticks[0]
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:,.{digits}f}".replace(",", "\u2009").replace("-", "−")


def _across(place: str, number: str) -> str:
    x, y = place.split(",")
    return f'<text x="{x}" y="{float(y) + 18:.1f}" text-anchor="middle">{number}</text>'


def _up(place: str, number: str) -> str:
    x, y = place.split(",")
    return (
        f'<line x1="{x}" y1="{y}" x2="{_CURVE_WIDTH - _RIGHT}" y2="{y}" stroke="currentColor" '
        f'stroke-opacity="0.18"/><text x="{_LEFT - 10}" y="{float(y) + 4:.1f}" '
        f'text-anchor="end">{number}</text>'
    )


def _line(places: list[str], stroke: str) -> str:
    curve = (
        f'<polyline points="{" ".join(places)}" fill="none" stroke="{stroke}" '
        'stroke-width="2" stroke-linejoin="round"/>'
    )
    if len(places) > _DOTTED:
        return curve
    return curve + "".join(
        '<circle cx="{}" cy="{}" r="3.5" fill="{}"/>'.format(*place.split(","), stroke)
        for place in places
    )


def _stroke(channel: int | None, lines: dict[int | None, list[Point]]) -> str:
    return "currentColor" if channel is None or len(lines) == 1 else _STROKES[channel % 3]


def _named(channel: int | None) -> str:
    return "" if channel is None else f"{_CHANNELS[channel % 3]} "


def _key(channels: list[int | None]) -> list[str]:
    """Return the names of several lines, in their colours."""
    if len(channels) == 1:
        return []
    return [
        f'<text x="{_CURVE_WIDTH - _RIGHT}" y="{_TOP + 18 * (row + 1)}" text-anchor="end" '
        f'font-weight="600" fill="{_STROKES[(channel or 0) % 3]}">{_named(channel).strip()}</text>'
        for row, channel in enumerate(channels)
    ]
