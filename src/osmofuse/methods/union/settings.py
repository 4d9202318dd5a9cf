"""Constants of the union target, all of them fields that can be varied."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class UnionSettings:
    """Constants of the missing layer; the defaults serve all pictures that were tried.

    Parameters
    ----------
    offset : float
        Added to both pictures before the logarithm, relative to white.
    noise_quantile : float
        Quantile of a band's local energies that is its noise: a tenth of any picture is flat.
    noise_growth, noise_fall : float
        Largest ratio of noise energies of a band and the next finer one, fine and coarse bands.
    shrink : float
        Energies below this many times the noise are noise.
    shared : tuple of float
        Correlation of bands above which structure counts as shared: none, all.
    scale : float
        Structure scale relative to the mean band's Gaussian.
    reach : float
        Reach in structure scales: about the width of a stroke.
    sound_correlation, sound_gain : float
        Squared correlation and ratio of contrasts from which both pictures show the same.
    sound_share : tuple of float
        Share of sound windows between which the thresholds change.
    lenient : tuple of float
        Part of b's structure that f shows: below the first it is missing, above the second not.
    strict : tuple of float
        The same without sound windows, above the part that f shows of most of it: faded ink may
        have kept a fifth of its contrast, and print beside lost writing a third.
    faded : float
        Largest part that counts as faded there.
    most_gain : float
        Largest contrast of f relative to b.
    tint : float
        Energy of differences in colour relative to that in brightness from which structure of f
        hardly counts in that contrast.
    scatter : tuple of float
        Ratio of the quartiles of that contrast between which what is added is held back, for
        pictures that did not fit: 2 to 3 if one is blurred, displaced and compressed.
    least_trust : float
        Part of it that is added nevertheless.
    strangers : tuple of float
        Agreement below which nothing is added, and from which all is: pages have 1.3 to 4, and
        strangers 0.5 to 1.2. A foreground without structure cannot agree, and is not asked.
    contrary : tuple of float
        Share of common structure with opposite signs, between which what is added is held back:
        pages have at most 0.07, scenes of a visible and a thermal camera 0.4 to 0.7.
    blank : float
        Energy of the foreground's structure relative to the background's from which it is asked.
    rounds : int
        Re-weightings of the tie.
    tie_width : float
        Layer that counts as strong, relative to its mean strength.
    one_sided : tuple of float
        Ratio of the energies of two signs between which the weaker one is taken for an error.
    smoothing : float
        Total variation removed from the layer, in deviations of the noise and widths of a stroke
        in pixels. 0.1 to 0.3 work: less leaves grain in wide strokes, more blurs fine ones.
    """

    offset: float = 0.05
    noise_quantile: float = 10.0
    noise_growth: float = 2.0
    noise_fall: float = 0.56
    shrink: float = 3.0
    shared: tuple[float, float] = (0.2, 0.35)
    scale: float = 0.32
    reach: float = 3.0
    sound_correlation: float = 0.6
    sound_gain: float = 0.6
    sound_share: tuple[float, float] = (0.05, 0.2)
    lenient: tuple[float, float] = (0.75, 1.15)
    strict: tuple[float, float] = (0.1, 0.2)
    faded: float = 0.25
    most_gain: float = 4.0
    tint: float = 0.08
    scatter: tuple[float, float] = (1.6, 2.6)
    least_trust: float = 0.3
    strangers: tuple[float, float] = (1.1, 1.25)
    contrary: tuple[float, float] = (0.2, 0.35)
    blank: float = 0.25
    rounds: int = 6
    tie_width: float = 0.7
    one_sided: tuple[float, float] = (0.03, 0.09)
    smoothing: float = 0.2
