"""A blind ranking: its order, its file, and the record that keeps it."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from osmofuse.errors import LimitError, MismatchError, UnreadableError
from osmofuse.record import read_record, write_record
from osmofuse.report.ranking import blind_pairs, read_ranking, tally, with_ranking
from pairs import a_record

NAMES = ["direct", "poisson", "pyramid", "variational"]
ANSWERS = [
    {"pair": ["direct", "poisson"], "better": "poisson"},
    {"pair": ["variational", "direct"], "better": None},
    {"pair": ["poisson", "variational"], "better": "poisson"},
]
GIVEN = {
    "format": 1, "kind": "osmofuse ranking", "sha256_of_pixels": "c" * 64, "by": "A. Judge",
    "answers": ANSWERS,
}  # fmt: skip


def given(folder, **changes):
    path = folder / "ranking.json"
    path.write_text(json.dumps(GIVEN | changes), encoding="utf-8")
    return path


def test_every_pair_comes_once_in_an_order_of_the_record_s_own():
    pairs = blind_pairs(NAMES, a_record())
    assert sorted(map(sorted, pairs)) == [list(pair) for pair in combinations(range(4), 2)]
    assert pairs == blind_pairs(NAMES, a_record())
    others = [blind_pairs(NAMES, a_record(output={"sha256_of_pixels": str(k)})) for k in range(5)]
    assert any(other != pairs for other in others)
    assert any(left > right for other in others for left, right in other), "sides change too"


def test_so_many_that_nobody_would_judge_them():
    with pytest.raises(LimitError, match="36 comparisons"):
        blind_pairs([str(k) for k in range(9)], None)


def test_points_are_counted_from_the_answers(tmp_path):
    ranking = read_ranking(given(tmp_path, points={"direct": 99}))
    assert ranking["points"] == {"poisson": 2.0, "direct": 0.5, "variational": 0.5}
    assert next(iter(ranking["points"])) == "poisson"
    assert ranking["by"] == "A. Judge"


def test_the_record_keeps_it_and_is_read_again(tmp_path):
    record = with_ranking(a_record(), given(tmp_path))
    again = read_record(write_record(record, tmp_path / "fused.tif.json"))
    assert again.ranking == (read_ranking(tmp_path / "ranking.json"),)
    assert "ranking" not in a_record().as_json()
    assert record.as_json()["ranking"][0]["answers"] == ANSWERS


def test_several_judges_are_kept_and_counted_together_and_each_once(tmp_path):
    record = a_record()
    for by, answers in (("A", ANSWERS), ("B", ANSWERS), ("", ANSWERS), ("", ANSWERS[:1])):
        record = with_ranking(record, given(tmp_path, by=by, answers=answers))
    assert tally(record) == {"poisson": 7.0, "direct": 1.5, "variational": 1.5}
    again = with_ranking(record, given(tmp_path, by="A", answers=ANSWERS[:1]))
    assert [one["by"] for one in again.ranking] == ["B", "", "", "A"]
    assert tally(again)["poisson"] == 6.0
    assert (
        with_ranking(again, given(tmp_path, by="", answers=ANSWERS[:1])).ranking[-1]
        == (again.ranking[2])
    )
    assert tally(a_record()) == {}


@pytest.mark.parametrize(
    "damage", [{}, 3, [3], [{"by": "A"}], [{"by": "A", "answers": [], "points": {"a": "b"}}]]
)
def test_a_damaged_ranking_in_a_record_is_told(tmp_path, damage):
    parts = a_record().as_json() | {"ranking": damage}
    path = tmp_path / "record.json"
    path.write_text(json.dumps(parts), encoding="utf-8")
    with pytest.raises(UnreadableError, match=r"damaged record \(ranking"):
        read_record(path)


def test_of_another_picture_it_is_refused(tmp_path):
    with pytest.raises(MismatchError, match="other pictures"):
        with_ranking(a_record(), given(tmp_path, sha256_of_pixels="d" * 64))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kind": "record"}, "not a ranking"),
        ({"format": 2}, "not a ranking of format 1"),
        ({"answers": None}, r"answers: .* must be a list"),
        ({"answers": [{"pair": ["a"], "better": None}]}, r"answers\[0\]"),
        ({"answers": [{"pair": ["a", "b"], "better": "c"}]}, r"answers\[0\]"),
        ({"answers": [3]}, r"answers\[0\]"),
    ],
)
def test_damage_is_told(tmp_path, changes, reason):
    with pytest.raises(UnreadableError, match=reason):
        read_ranking(given(tmp_path, **changes))


def test_no_file_and_no_json_are_told(tmp_path):
    with pytest.raises(UnreadableError, match="no such file"):
        read_ranking(tmp_path / "none.json")
    (tmp_path / "x.json").write_bytes(b"\xff{")
    with pytest.raises(UnreadableError, match="damaged"):
        read_ranking(tmp_path / "x.json")
    with pytest.raises(UnreadableError):
        read_ranking(tmp_path)
