from __future__ import annotations

import io
import math

import numpy as np
import pytest

import osmofuse
import osmofuse.filters
from osmofuse import InputError, SettingError
from osmofuse.filters import halve
from osmofuse.metrics import brisque
from osmofuse.metrics import quality_models as models
from osmofuse.metrics.brisque import brisque_features
from osmofuse.metrics.brisque_model import installed_model
from osmofuse.metrics.natural_scene import coefficients


@pytest.fixture(scope="module")
def model():
    try:
        return installed_model()
    except InputError as reason:
        pytest.skip(f"needs the models: {reason}")


@pytest.fixture(scope="module")
def photo(data):
    return osmofuse.read(data / "paper" / "1_foreground.png").pixels[100:340, 200:440] / 255


def by_hand(plane, symmetric):
    entries = np.arange(200, 10_001) / 1000
    ratio = np.array(
        [math.gamma(2 / g) ** 2 / math.gamma(1 / g) / math.gamma(3 / g) for g in entries]
    )

    def sides(v):
        left, right = (math.sqrt(np.mean(v[s] ** 2)) for s in (v < 0, v > 0))
        q = left / right
        target = np.mean(np.abs(v)) ** 2 / np.mean(v**2) * (q**3 + 1) * (q + 1) / (q**2 + 1) ** 2
        return entries[np.argmin(np.abs(ratio - target))], left, right

    found = []
    for x in (plane, halve(plane)):
        m = coefficients(x, "zero")
        g, left, right = sides(m)
        if symmetric:
            inverse = np.mean(m**2) / np.mean(np.abs(m)) ** 2
            found += [entries[np.argmin(np.abs(1 / ratio - inverse))], np.mean(m**2)]
        else:
            found += [g, (left**2 + right**2) / 2]
        rows, cols = m.shape
        for down, along in ((0, 1), (1, 0), (1, 1), (-1, 1)):
            v = np.array(
                [
                    [m[i, j] * m[(i - down) % rows, (j - along) % cols] for j in range(cols)]
                    for i in range(rows)
                ]
            )
            g, left, right = sides(v)
            mean = (right - left) * math.gamma(2 / g) / math.gamma(1 / g)
            mean *= math.sqrt(math.gamma(1 / g) / math.gamma(3 / g))
            found += [g, mean, left**2, right**2]
    return found


@pytest.mark.parametrize("fit", ["asymmetric", "symmetric"])
def test_features_against_loops(rng, fit):
    plane = np.cumsum(rng.integers(-9, 10, (19, 24)), axis=1) + 128.0
    expected = by_hand(plane, fit == "symmetric")
    np.testing.assert_allclose(brisque_features(plane, fit), expected, rtol=1e-9)


def test_faults_raise_the_score(model, photo, rng):
    from PIL import Image

    whole = np.rint(255 * photo).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(whole).save(buffer, "JPEG", quality=8)
    noisy = (photo + 0.08 * rng.standard_normal(photo.shape)).clip(0, 1)
    blurred = osmofuse.filters.gaussian(photo, 2.5, radius=8)
    clean = brisque(photo)
    for faulty in (noisy, blurred, np.asarray(Image.open(buffer)) / 255):
        assert brisque(faulty) > clean + 10


def test_channels_are_averaged_or_made_grey(model, photo):
    alone = [brisque(photo[..., c]) for c in range(3)]
    assert brisque(photo) == pytest.approx(np.mean(alone), abs=1e-12)
    grey = np.rint(255 * photo @ [0.298936, 0.587043, 0.114021]) / 255
    assert brisque(photo, colour="grey") == pytest.approx(brisque(grey), abs=1e-6)


@pytest.mark.parametrize("level", [0.0, 0.1, 1.0])
def test_flat_pictures_have_a_reason(model, photo, level):
    flat = np.full((40, 40), level)
    with pytest.raises(InputError, match=r"^fused: flat in a channel"):
        brisque(flat)
    with pytest.raises(InputError, match=r"^fused: flat in a channel"):
        brisque(np.dstack([photo[:40, :40, 0], flat]))


def test_a_single_speck_has_a_number_or_a_reason(model):
    speck = np.full((40, 40), 0.1)
    speck[20, 20] = 0.5
    found = osmofuse.score(speck, speck, speck, 0.5, metrics="brisque")["brisque"]
    assert "hardly any variation" in (found.reason or "") or math.isfinite(found.value)


def test_small_pictures_have_a_reason(model, rng):
    with pytest.raises(InputError, match="needs 13 pixels"):
        brisque(rng.random((12, 40)))
    assert math.isfinite(brisque(rng.random((13, 13))))


def test_bad_settings(rng):
    with pytest.raises(SettingError, match=r"^fit: 'best'; must be"):
        brisque(rng.random((20, 20)), fit="best")


def test_without_the_wheel_score_says_why(monkeypatch, rng):
    def absent(name):
        raise models.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(models.metadata, "distribution", absent)
    x = rng.random((200, 200))
    found = osmofuse.score(x, x, x, 0.5, metrics=["brisque", "niqe"])
    for name, fix in (("brisque", "--no-deps brisque==0.2.0"), ("niqe", "'osmofuse[quality]'")):
        assert found[name].value is None
        assert f"pip install {fix}" in found[name].reason


def test_a_model_of_ones_own(tmp_path, rng):
    svm, ranges = tmp_path / "svm", tmp_path / "ranges"
    svm.write_text("svm_type epsilon_svr\nkernel_type rbf\ngamma 0\nrho -4\nSV\n2 1:1\n")
    ranges.write_text("x\n-1 1\n1 0 1\n")
    assert brisque(rng.random((20, 20)), model=(svm, ranges)) == 6.0


def test_direct_matting_of_the_face(model, direct_face):
    assert brisque(direct_face[0]) == pytest.approx(32.1, abs=0.05)
    assert brisque(direct_face[0], fit="symmetric") == pytest.approx(32.38, abs=0.01)
