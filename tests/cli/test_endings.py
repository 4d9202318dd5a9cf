from __future__ import annotations

from osmofuse.cli.endings import ENDINGS, REMEDIES, warning
from osmofuse.progress import Status


def test_every_status_has_its_words():
    assert set(ENDINGS) == set(Status)
    assert len(set(ENDINGS.values())) == len(Status)


def test_every_failure_of_a_fusion_has_its_remedy():
    others = {Status.cancelled, Status.refused}  # of what was asked for, and of registration
    assert set(REMEDIES) == {one for one in Status if not one.is_success} - others
    for status in REMEDIES:
        assert "The result is written" in warning(status)
