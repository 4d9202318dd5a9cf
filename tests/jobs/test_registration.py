"""Registration from files to files: what the command does not ask for."""

import numpy as np
import pytest

import osmofuse
from osmofuse import gallery
from osmofuse.jobs import Registration, register
from osmofuse.picture import quantise
from osmofuse.record import read_record


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    pixels = quantise(gallery.manuscript((160, 130), seed=4).truth, np.uint8)[0]
    return [
        osmofuse.write(pixels[5:], folder / "moving.png"),
        osmofuse.write(pixels, folder / "fixed.png"),
    ]


def test_the_record_has_the_transform_with_its_field(files, tmp_path):
    job = Registration(*files, tmp_path / "aligned.tif", deformation=True)
    result = register(job)
    assert result.alignment.status == "converged"
    record = read_record(tmp_path / "aligned.tif.json")
    assert record.method["settings"]["deformation"] is True
    assert np.shape(record.transform["matrix"]) == (3, 3)
    bent = result.alignment.transform.deformation
    assert (record.transform["deformation"] is None) == (bent is None)
    assert record.result["quality"]["agreement"] > 0.9


def test_a_record_of_this_kind_is_not_taken_for_a_fusion(files, tmp_path):
    from osmofuse.jobs import job_of_record

    register(Registration(*files, tmp_path / "aligned.tif", transform="translation"))
    with pytest.raises(osmofuse.SettingError, match="'osmofuse align', not of a fusion"):
        job_of_record(tmp_path / "aligned.tif.json", output=tmp_path / "again.tif")
