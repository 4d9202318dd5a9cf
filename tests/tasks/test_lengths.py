"""Lengths as a part of the picture's side."""

import pytest

from osmofuse import SettingError
from osmofuse.tasks.lengths import in_pixels, is_part


@pytest.mark.parametrize(
    ("text", "pixels"), [("2 %", 4.0), ("2%", 4.0), ("0.5 %", 1.0), ("100 %", 200.0)]
)
def test_a_percentage_is_of_the_side_of_a_square_of_the_same_area(text, pixels):
    assert in_pixels({"reach": text, "soften": text}, (100, 400)) == {
        "reach": pytest.approx(pixels), "soften": pytest.approx(pixels)
    }  # fmt: skip
    assert is_part(text)


def test_numbers_and_other_settings_stay():
    given = {"reach": 3.0, "soften": None, "target": "product", "eta": 0.1}
    assert in_pixels(given, (100, 400)) == given


@pytest.mark.parametrize("text", ["2", "-2 %", "two %", "2 % ", "2  %", "%", "2 px", "1e2 %"])
def test_other_texts_are_refused(text):
    assert not is_part(text)
    with pytest.raises(SettingError, match=r'^reach: .*text like "2 %"'):
        in_pixels({"reach": text}, (100, 400))
