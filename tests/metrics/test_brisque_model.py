from __future__ import annotations

import pickle

import numpy as np
import pytest

from osmofuse import InputError
from osmofuse.metrics.brisque_model import installed_model, read_model

HEAD = "svm_type epsilon_svr\nkernel_type rbf\ngamma 0.05\nnr_class 2\ntotal_sv 2\nrho -1.5\nSV\n"


@pytest.fixture
def files(tmp_path):
    """A model of two vectors, the second with most entries 0, and ranges [k, k + 2]."""
    svm, ranges = tmp_path / "svm.txt", tmp_path / "ranges.txt"
    first = " ".join(f"{k}:{k / 100}" for k in range(1, 37))
    svm.write_text(f"{HEAD}-3 {first} \n2.5 2:0.5 36:-1 \n")
    ranges.write_text("x\n-1 1\n" + "".join(f"{k} {k} {k + 2}\n" for k in range(1, 37)))
    return svm, ranges


def test_the_score_is_the_sum_of_kernels(files, rng):
    model = read_model(*files)
    z = np.arange(1, 37) + 2 * rng.random(36)
    x = z - np.arange(1, 37) - 1
    second = np.zeros(36)
    second[[1, 35]] = 0.5, -1
    expected = 1.5
    for c, s in ((-3, np.arange(1, 37) / 100), (2.5, second)):
        expected += c * np.exp(-0.05 * np.sum((x - s) ** 2))
    assert model(z) == pytest.approx(expected, abs=1e-12)


def test_features_that_never_varied_are_left_out(files):
    files[1].write_text(files[1].read_text().replace("\n5 5 7\n", "\n"))
    model, z = read_model(*files), np.arange(1.0, 37.0)
    before = model(z)
    z[4] = 1e9
    assert model(z) == before


def test_ranges_in_a_pickle(files, tmp_path):
    path = tmp_path / "ranges.pickle"
    low = [k / 7 for k in range(36)]
    path.write_bytes(pickle.dumps({"min_": low, "max_": [x + 1.0 for x in low]}, protocol=4))
    np.testing.assert_array_equal(read_model(files[0], path).ranges, [low, [x + 1 for x in low]])


def test_a_pickle_is_never_loaded(files, tmp_path):
    """One that would write a file when it is loaded is read for its numbers, or refused."""
    trace = tmp_path / "trace"

    class Evil:
        def __reduce__(self):
            return open, (str(trace), "w")

    path = tmp_path / "evil.pickle"
    path.write_bytes(pickle.dumps({"min_": [0.5] * 36, "max_": Evil()}, protocol=4))
    with pytest.raises(InputError, match=r"evil\.pickle has no feature ranges"):
        read_model(files[0], path)
    assert not trace.exists()


@pytest.mark.parametrize(
    ("which", "text", "match"),
    [
        (0, "hello", "not a regression model of libsvm"),
        (0, HEAD.replace("epsilon_svr", "c_svc") + "1 1:1\n", "not a regression model of libsvm"),
        (0, HEAD.replace("rbf", "linear") + "1 1:1\n", "kernel linear"),
        (0, HEAD + "1 37:1\n", "feature 37 of 36"),
        (0, HEAD + "nan 1:1\n", "not finite"),
        (1, "", "has no feature ranges"),
        (1, "x\n0 1\n1 0 1\n", "not scaled to"),
        (1, "x\n-1 1\n0 0 1\n", "feature 0 of 36"),
        (1, "\x80\x04K\x01.", "has no feature ranges"),
    ],
)
def test_what_is_no_model(files, which, text, match):
    files[which].write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=match):
        read_model(*files)


def test_a_file_that_is_not_there(files, tmp_path):
    with pytest.raises(InputError, match=r"^model: .*nothing cannot be read \(No such file"):
        read_model(tmp_path / "nothing", files[1])
    with pytest.raises(InputError, match=r"^model: .*nothing cannot be read \(No such file"):
        read_model(files[0], tmp_path / "nothing")


def test_the_model_of_the_wheel():
    try:
        model = installed_model()
    except InputError as reason:
        pytest.skip(f"needs the models: {reason}")
    assert model.vectors.shape == (770, 36)
    assert (model.gamma, model.rho) == (0.05, -155.845)
    assert model.ranges[:, 0].tolist() == [0.336999, 9.999411]
    assert (model.ranges[1] > model.ranges[0]).all()
    assert np.abs(model.weights).max() == 1024
