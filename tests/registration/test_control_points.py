"""Control points: what people write down is read, or the fault is named."""

import numpy as np
import pytest

from osmofuse.errors import InputError, UnreadableError
from osmofuse.registration.control_points import as_points, read_points

HEADER = "background_x,background_y,foreground_x,foreground_y\n"


def written(folder, text):
    path = folder / "points.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        HEADER + "1,2,3,4\n5,6,7,8.5\n",
        "\ufeffforeground_y, foreground_x, name, background_y, background_x\r\n"
        "4,3,eye,2,1\r\n8.5,7,ear,6,5\r\n",
    ],
)
def test_points_are_read(tmp_path, text):
    assert read_points(written(tmp_path, text)).tolist() == [[1, 2, 3, 4], [5, 6, 7, 8.5]]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("x,y\n1,2\n", "no column background_x, background_y, foreground_x, foreground_y"),
        ("", "no column"),
        (HEADER + "1,2,3\n", "line 2"),
        (HEADER + "1,2,3,4\n1,2,3,four\n", "line 3"),
        (HEADER + "1,2,3,nan\n", "not finite"),
        (HEADER + "1,2,3,-1e7\n", "beyond 1e\\+06 pixels"),
        (HEADER + "1" * 200_000 + ",2,3,4\n", "field limit"),
        (HEADER + "1,2,3,4\n" * 10_001, "more than 10,000 points"),
    ],
)
def test_faults_are_named(tmp_path, text, fault):
    with pytest.raises(UnreadableError, match=fault):
        read_points(written(tmp_path, text))


def test_files_that_are_not_there_or_no_text(tmp_path):
    with pytest.raises(UnreadableError, match="no such file"):
        read_points(tmp_path / "none.csv")
    path = tmp_path / "picture.csv"
    path.write_bytes(b"\xff\xd8\xff\xe0\x00")
    with pytest.raises(UnreadableError, match="text"):
        read_points(path)


def test_arrays_must_have_four_columns():
    assert as_points([[1, 2, 3, 4]]).shape == (1, 4)
    with pytest.raises(InputError, match=r"\(n, 4\)"):
        as_points(np.zeros((3, 2)))
    for wrong in ([[1, 2, 3, 1e7]], [[1, 2], [3]], [["a", 1, 2, 3]], [[1, 2, 3, np.nan]]):
        with pytest.raises(InputError, match=r"^points: .*\(n, 4\)"):
            as_points(wrong)
