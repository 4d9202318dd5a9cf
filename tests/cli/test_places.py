from __future__ import annotations

from pathlib import Path

import click
import pytest

from osmofuse.cli.places import PlacesType, places_of
from osmofuse.errors import InputError, UnreadableError


def convert(value):
    return PlacesType().convert(value, None, None)


@pytest.mark.parametrize("text", ["0,0 480,-7", " 0,0;480,-7 ", "0,0\n480,-7"])
def test_pairs_are_column_and_row(text):
    found = convert(text)
    assert found == [(None, 0, 0), (None, 480, -7)]
    assert places_of(found, [Path("a"), Path("b")]) == [(0, 0), (-7, 480)]


@pytest.mark.parametrize("text", ["", "0", "0,0 1.5,2", "0,0 a,b", "nan,0", "0,0,0", "no.csv"])
def test_other_texts_are_refused(text):
    with pytest.raises(click.BadParameter, match="is neither a file nor X,Y"):
        convert(text)


@pytest.mark.parametrize(
    "text", ["0,0\n480,-7\n", "x,y\n0,0\n480,-7\n", "# scan\n\n0 0\n480\t-7\n", "0;0\n480; -7"]
)
def test_a_file_has_a_line_for_each_picture(tmp_path, text):
    (tmp_path / "places.csv").write_text(text, encoding="utf-8")
    assert convert(tmp_path / "places.csv") == [(None, 0, 0), (None, 480, -7)]


def test_lines_with_names_are_assigned_by_name(tmp_path):
    (tmp_path / "places.csv").write_text("name,x,y\nb.tif,480,-7\na 1.tif,0,0\n", encoding="utf-8")
    found = convert(tmp_path / "places.csv")
    assert places_of(found, [Path("in/a 1.tif"), Path("b.tif")]) == [(0, 0), (-7, 480)]
    with pytest.raises(click.UsageError, match=r"no line for c\.tif"):
        places_of(found, [Path("a 1.tif"), Path("c.tif")])


def test_a_wrong_line_is_named(tmp_path):
    (tmp_path / "places.csv").write_text("0,0\n480,left\n", encoding="utf-8")
    with pytest.raises(UnreadableError, match=r"places\.csv: line 2: '480,left'"):
        convert(tmp_path / "places.csv")


@pytest.mark.parametrize("content", [b"", b"x,y\n", b"\xff\xfe\x00"])
def test_a_file_without_places_is_refused(tmp_path, content):
    (tmp_path / "places.csv").write_bytes(content)
    with pytest.raises((click.BadParameter, UnreadableError), match=r"places\.csv"):
        convert(tmp_path / "places.csv")


def test_a_name_that_stands_twice_is_refused():
    images = [Path("a.tif"), Path("b.tif")]
    with pytest.raises(InputError, match=r"^--places: there are several lines for 'a\.tif'; leave"):
        places_of([("a.tif", 0, 0), ("a.tif", 5, 0)], images)
    with pytest.raises(InputError, match=r"several pictures for 'a\.tif'"):
        places_of([("a.tif", 0, 0), ("b.tif", 5, 0)], [Path("one/a.tif"), Path("two/a.tif")])
    two = [Path("one/a.tif"), Path("two/a.tif")]
    assert places_of([(None, 0, 0), (None, 5, 1)], two) == [(0, 0), (1, 5)]
