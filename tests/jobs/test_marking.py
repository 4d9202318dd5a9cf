from __future__ import annotations

from pathlib import Path

import numpy as np

from osmofuse.jobs.marking import history_of, marked
from osmofuse.picture import Picture
from osmofuse.record import Record


def test_metadata_name_the_sources_and_the_settings():
    method = {"name": "shadow", "settings": {"k": 3}}
    record = Record(job="shadow", inputs=(), alpha={}, method=method, result={}, output={})
    history = history_of(record)
    assert history["method"]["settings"] == {"k": 3}
    assert "result" not in history
    xmp = marked(Picture(np.zeros((2, 2), np.uint8)), [Path("a/one.tif")], history).metadata.xmp
    assert b"one.tif" in xmp
    assert b"a/one.tif" not in xmp
    assert b"composite" in xmp
    assert b"shadow" in xmp
