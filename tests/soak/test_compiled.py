"""The process that compiles the kernels must give the pixels of those that load them."""

from __future__ import annotations

import json

import pytest

from pairs import osmofuse_in, write_pair

pytestmark = pytest.mark.soak


@pytest.mark.xfail(reason="Numba runs other machine code where it compiles than where it loads")
def test_the_first_fusion_on_a_machine_is_repeated_bit_for_bit(tmp_path):
    write_pair(tmp_path, (400, 300))
    pair = "visible.tif", "infrared.tif", "--alpha", "map.png"
    cache = {"OSMOFUSE_CACHE": str(tmp_path / "cache")}
    osmofuse_in(tmp_path, "fuse", *pair, "-o", "first.tif", **cache)
    again = osmofuse_in(
        tmp_path, "fuse", "--from", "first.tif.json", "-o", "again.tif", "--json", **cache
    )
    assert json.loads(again.stdout)["repeat"]["identical"]
