"""Writing picture files: refusals, and files that are whole or absent."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from osmofuse.errors import InputError, OutputError
from osmofuse.io import Staging, read, write
from osmofuse.picture import Metadata, Picture
from picture_files import exif, full, noise

# Refusals of write, and files whole or absent


@pytest.mark.parametrize(
    ("name", "dtype", "fix"),
    [
        ("a.jpg", "uint16", "JPEG cannot hold uint16 .*; TIFF and PNG can"),
        ("a.jpg", "float32", "JPEG cannot hold float32 .*; TIFF can"),
        ("a.png", "float32", "PNG cannot hold float32 .*; TIFF can"),
        ("a.webp", "uint16", "WEBP cannot hold uint16"),
        ("a.tif", "int32", "TIFF cannot hold int32 .*; convert to uint8, uint16 or float"),
        ("a.gif", "uint8", r"use one of \.png, \.tif, \.tiff, \.jpg, \.jpeg, \.webp"),
        ("a", "uint8", "use one of"),
    ],
)
def test_no_depth_is_converted_silently(tmp_path, name, dtype, fix):
    with pytest.raises(OutputError, match=fix):
        write(noise((5, 7, 3), dtype), tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "bands", "transparency"),
    [
        ("a.jpg", 4, True),
        ("a.jpg", 2, False),
        ("a.png", 4, False),
        ("a.png", 5, True),
        ("a.webp", 2, True),
    ],
)
def test_no_band_is_dropped_silently(tmp_path, name, bands, transparency):
    picture = Picture(noise((5, 7, bands), "uint8"), transparency=transparency)
    with pytest.raises(OutputError, match="cannot hold"):
        write(picture, tmp_path / name)


@pytest.mark.parametrize("part", ["exif", "xmp", "iptc"])
def test_no_metadata_is_dropped_silently(tmp_path, part):
    blob = exif(_270="x" * 70000) if part == "exif" else b"x" * 70000
    picture = Picture(noise((5, 7, 3), "uint8"), metadata=Metadata(**{part: blob}))
    with pytest.raises(OutputError, match=r"JPEG cannot hold 7\d+ bytes of metadata"):
        write(picture, tmp_path / "a.jpg")
    back = getattr(read(write(picture, tmp_path / "a.tif")).metadata, part)
    assert len(back) >= 70000


def test_an_existing_file_is_kept_unless_told(tmp_path):
    path = tmp_path / "a.tif"
    path.write_bytes(b"precious")
    with pytest.raises(OutputError, match=r"a\.tif: exists already"):
        write(noise((5, 7), "uint8"), path)
    assert path.read_bytes() == b"precious"
    write(noise((5, 7), "uint8"), path, overwrite=True)
    assert read(path).shape == (5, 7)


def test_missing_folder(tmp_path):
    with pytest.raises(OutputError, match=r"there is no folder .*nowhere"):
        write(noise((5, 7), "uint8"), tmp_path / "nowhere" / "a.tif")


def test_a_folder_is_not_overwritten(tmp_path):
    (tmp_path / "a.tif").mkdir()
    with pytest.raises(OutputError, match="is a folder"):
        write(noise((5, 7), "uint8"), tmp_path / "a.tif", overwrite=True)


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("suffix", [".tif", ".png", ".jpg", ".webp"])
def test_a_full_disk_leaves_the_old_file_and_no_partial(tmp_path, monkeypatch, suffix, step):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"precious")

    def full_disk(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, step, full_disk)
    with pytest.raises(OutputError, match=f"a{suffix}: cannot be written .*No space left"):
        write(noise((5, 7, 3), "uint8"), path, overwrite=True)
    assert path.read_bytes() == b"precious"
    assert os.listdir(tmp_path) == [path.name]


def test_an_interrupt_leaves_no_partial(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(noise((5, 7, 3), "uint8"), tmp_path / "a.tif")
    assert not list(tmp_path.iterdir())


def test_the_name_appears_only_when_the_file_is_synced(tmp_path, monkeypatch):
    path, seen, fsync = tmp_path / "a.tif", [], os.fsync

    def watch(handle):
        seen.append((path.exists(), Staging.partial(path).exists()))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", watch)
    write(noise((5, 7), "uint8"), path)
    assert seen == [(False, True), (True, False)]  # first the file, then its folder


def test_vips_failures_are_output_errors(tmp_path):
    Staging.partial(tmp_path / "a.tif").mkdir()
    with pytest.raises(OutputError, match="cannot be written"):
        write(noise((5, 7), "uint8"), tmp_path / "a.tif")


def test_importing_costs_no_pyvips():
    code = "import osmofuse.io, sys; sys.exit('pyvips' in sys.modules or 'tifffile' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_replacing_pixels_keeps_the_rest(tmp_path):
    first = read(write(full(noise((5, 7, 3), "uint16")), tmp_path / "a.tif"))
    second = read(write(replace(first, pixels=255 - first.pixels), tmp_path / "b.tif"))
    assert (second.profile, second.metadata) == (first.profile, first.metadata)


# Inputs are never written over


@pytest.mark.parametrize("link", ["same", "symbolic", "hard", "dotted"])
def test_an_input_is_never_written_over(tmp_path, link):
    source = write(noise((5, 7), "uint8"), tmp_path / "in.tif")
    target = {"same": source, "dotted": tmp_path / ".." / tmp_path.name / "in.tif"}.get(
        link, tmp_path / "out.tif"
    )
    if link == "symbolic":
        target.symlink_to(source)
    elif link == "hard":
        os.link(source, target)
    before = source.read_bytes()
    with pytest.raises(OutputError, match=r"would replace the input .*in\.tif"):
        write(noise((5, 7), "uint16"), target, overwrite=True, inputs=[source, "missing.tif"])
    assert source.read_bytes() == before


def test_an_input_named_like_the_partial_file_is_kept(tmp_path):
    source = write(noise((5, 7), "uint8"), tmp_path / "a.tif")
    source = source.rename(Staging.partial(tmp_path / "b.tif"))
    with pytest.raises(OutputError, match="would replace the input"):
        write(noise((5, 7), "uint8"), tmp_path / "b.tif", inputs=[source])
    assert read(source).shape == (5, 7)


def test_a_link_in_the_place_of_the_partial_file_is_not_followed(tmp_path):
    (tmp_path / "precious").write_bytes(b"precious")
    Staging.partial(tmp_path / "a.tif").symlink_to(tmp_path / "precious")
    write(noise((5, 7), "uint8"), tmp_path / "a.tif")
    assert (tmp_path / "precious").read_bytes() == b"precious"
    assert not (tmp_path / "a.tif").is_symlink()


# Disks that refuse, in processes of their own

ATTEMPT = """
import os, resource, sys
import numpy as np
from osmofuse.errors import OutputError
from osmofuse.io import write
pixels = np.random.default_rng(0).integers(0, 256, (300, 300, 3)).astype(np.uint8)
write(pixels[:8, :8], "warm.tif")
{prepare}
try:
    write(pixels, sys.argv[1], overwrite=True)
except OutputError as error:
    print(error.exit_code, error)
"""


def attempt(folder, name, prepare, *, prefix=()):
    (folder / name).write_bytes(b"precious")
    done = subprocess.run(
        [*prefix, sys.executable, "-c", ATTEMPT.format(prepare=prepare), name],
        capture_output=True, text=True, cwd=folder, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX: limits")
@pytest.mark.parametrize("suffix", [".tif", ".png", ".jpg", ".webp"])
def test_no_room_for_the_file(tmp_path, suffix):
    name = f"a{suffix}"
    told = attempt(tmp_path, name, "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))")
    assert told.startswith(f"7 {name}: cannot be written (File too large); ")
    assert "another disk" in told
    assert (tmp_path / name).read_bytes() == b"precious"
    assert sorted(os.listdir(tmp_path)) == sorted([name, "warm.tif"])


@pytest.mark.parametrize("suffix", [".tif", ".png", ".jpg", ".webp"])
def test_a_disk_that_is_full(tmp_path, suffix):
    disk, name = tmp_path / "disk", f"a{suffix}"
    disk.mkdir()
    # The mount lives in a namespace that ends with the process.
    mount = f"mount -t tmpfs -o size=96k tmpfs '{disk}' && cd '{disk}' && exec \"$@\""
    prefix = ["unshare", "--mount", "sh", "-c", mount, "sh"]
    try:
        trial = subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode
    except FileNotFoundError:
        trial = 1
    if trial:
        pytest.skip("needs root: to mount a small disk")
    listing = "import atexit; atexit.register(lambda: print(sorted(os.listdir('.'))))"
    told = attempt(disk, name, listing, prefix=prefix)
    assert told.startswith(f"7 {name}: cannot be written (No space left on device); free some")
    assert told.splitlines()[1] == "['warm.tif']"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid(), reason="needs root: to become nobody"
)
def test_a_folder_that_is_read_only_for_an_ordinary_user(tmp_path):
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    told = attempt(tmp_path, "a.tif", "os.setgid(65534); os.setuid(65534)")
    assert told.startswith("7 a.tif: cannot be written (Permission denied); choose a folder")
    assert (tmp_path / "a.tif").read_bytes() == b"precious"
    assert sorted(os.listdir(tmp_path)) == ["a.tif", "warm.tif"]


def test_what_with_samples_returns_is_told_apart(tmp_path):
    picture = Picture(np.zeros((4, 5), np.uint8))
    with pytest.raises(InputError, match="return the picture and a count"):
        write(picture.with_samples(np.zeros((4, 5))), tmp_path / "a.png")


# No data


@pytest.mark.parametrize("suffix", ["png", "webp"])
@pytest.mark.parametrize("transparency", [False, True])
def test_no_data_becomes_transparency(tmp_path, suffix, transparency):
    pixels = noise((5, 7, 4 if transparency else 3), "uint8") | 1
    pixels[1:3, 2] = 0
    picture = Picture(pixels, transparency=transparency, nodata=0.0)
    found = read(write(picture, tmp_path / f"a.{suffix}"))
    assert (found.transparency, found.nodata) == (True, None)
    np.testing.assert_array_equal(found.valid, picture.valid)
    np.testing.assert_array_equal(found.colour, picture.colour)
    opaque = pixels[..., -1] if transparency else 255
    np.testing.assert_array_equal(found.pixels[..., -1], np.where(found.valid, opaque, 0))


def test_no_data_value_without_such_pixels_costs_nothing(tmp_path):
    picture = Picture(noise((5, 7, 3), "uint8") | 1, nodata=0.0)
    assert not read(write(picture, tmp_path / "a.png")).transparency
    assert read(write(picture, tmp_path / "a.jpg")).shape == (5, 7)


def test_no_data_is_refused_by_jpeg(tmp_path):
    picture = Picture(np.zeros((5, 7, 3), np.uint8), nodata=0.0)
    with pytest.raises(
        OutputError, match=r"a\.jpg: 35 pixels hold no data, .*write \.tif, or \.png"
    ):
        write(picture, tmp_path / "a.jpg")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("size", "refused"), [(60_000, False), (60_001, True)])
def test_metadata_fill_a_segment_of_jpeg_at_most(tmp_path, size, refused):
    picture = Picture(noise((4, 4), "uint8"), metadata=Metadata(xmp=b"<x/>".ljust(size)))
    if refused:
        with pytest.raises(OutputError, match=f"JPEG cannot hold {size} bytes of metadata"):
            write(picture, tmp_path / "a.jpg")
    else:
        assert len(read(write(picture, tmp_path / "a.jpg")).metadata.xmp) == size
