"""The command fuse on real files: what it writes, says, and how it ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

import osmofuse
from osmofuse import cli
from osmofuse.errors import OutputError, SettingError
from osmofuse.record import read_record
from pairs import command, contents, osmofuse_in, write_pair

PAIR = ["visible.tif", "infrared.tif"]
FAST = ["--method", "direct"]
LONG = ["--set", "solver=ipiano", "--set", "rtol=0"]  # minutes, on a picture that is not small


@pytest.mark.usefixtures("warmed")
def test_one_command_makes_a_fused_picture(folder):
    done = osmofuse_in(folder, "fuse", *PAIR, "-o", "fused.tif")
    assert done.returncode == 0, done.stderr
    fused = osmofuse.read(folder / "fused.tif")
    assert fused.pixels.dtype == np.uint16
    visible, infrared = (osmofuse.read(folder / name) for name in PAIR)
    expected = visible.with_samples(osmofuse.fuse(visible, infrared).image)[0]
    np.testing.assert_array_equal(fused.pixels, expected.pixels)
    record = read_record(folder / "fused.tif.json")
    assert record.alpha is None
    assert set(record.method["chosen"]) == {"reach", "eta", "offset"}
    line, *notes = done.stderr.splitlines()
    assert line == "Fusing ...", "no animation off a terminal"
    assert "px wide" in notes[0]
    assert record.method["notes"][0] in notes[0]
    assert "fused.tif.json" in done.stdout


def test_help_says_all_a_newcomer_needs(invoke):
    text = invoke("--help").output
    assert "osmofuse fuse visible.tif infrared.tif -o fused.tif" in text
    for words in ("--alpha", "--reach", "--set NAME=VALUE", "osmofuse methods NAME", "η"):
        assert words in text


def test_json_is_all_there_is_on_stdout(folder):
    done = osmofuse_in(folder, "fuse", *PAIR, "--alpha", "map.png", "-o", "f.tif", "--json", *FAST)
    data = json.loads(done.stdout)
    assert data["files"] == {"output": "f.tif", "record": "f.tif.json"}
    assert data["notes"] == []
    assert data["record"] == json.loads((folder / "f.tif.json").read_text(encoding="utf-8"))


def test_all_that_can_be_asked_for(invoke, folder):
    result = invoke(
        *PAIR, "--alpha", "map.png", "--soften", "2", "--eta", "0.3", "--gamma", "inf",
        "--reach", "5", "--structure", "s.tif", "--alpha-out", "a.tif", "-o", "f.tif",
        "--max-memory", "4G",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    record = read_record(folder / "f.tif.json")
    settings = record.method["settings"]
    assert (settings["eta"], settings["gamma"], settings["reach"]) == (0.3, np.inf, 5.0)
    assert record.alpha == {"value": None, "soften": 2.0}
    assert (folder / "s.tif").exists()
    soft = osmofuse.soften(osmofuse.read(folder / "map.png").pixels, 2.0)
    np.testing.assert_allclose(osmofuse.read(folder / "a.tif").pixels / 65535, soft, atol=1e-5)
    assert "stopped at the given reach (reached, reach 5.0 px)" in result.stdout
    assert "since none was given" not in result.stderr


def test_a_report_on_request(invoke, folder):
    asked = ["--report", "out/page", "--iiif", "https://museum.example/r", "--json"]
    result = invoke(*PAIR, "--alpha", "map.png", "-o", "f.tif", *FAST, *asked)
    assert result.exit_code == 0, result.output
    page = folder / "out" / "page" / "index.html"
    files = json.loads(result.stdout)["files"]
    assert files["report"] == str(page.relative_to(folder))
    assert files["manifest"] == str(page.with_name("manifest.json").relative_to(folder))
    assert "osmofuse fuse --from f.tif.json -o f-again.tif" in page.read_text(encoding="utf-8")
    assert (page.parent / "manifest.json").is_file()
    (folder / "f.tif").unlink()
    again = invoke(*PAIR, "-o", "f.tif", *FAST, "--report", "out/page")
    assert isinstance(again.exception, OutputError)
    assert not (folder / "f.tif").exists(), "refused before any work"


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: names are bytes")
def test_names_that_are_no_text(folder):
    names = {name: os.fsdecode(name.encode() + b"\xff.tif") for name in ("visible", "infrared")}
    for name, odd in names.items():
        (folder / f"{name}.tif").rename(folder / odd)
    output = os.fsdecode(b"out\xff.tif")
    done = osmofuse_in(
        folder, "fuse", *names.values(), "-o", output, *FAST, "--report", "look", "--json"
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["files"]["output"] == output
    record = read_record(folder / f"{output}.json")
    assert record.input("foreground").path == names["visible"]
    assert "visible\ufffd.tif" in (folder / "look" / "index.html").read_text(encoding="utf-8")
    again = osmofuse_in(folder, "fuse", "--from", f"{output}.json", "-o", "again.tif")
    assert again.returncode == 0, again.stderr
    refused = osmofuse_in(folder, "fuse", *names.values(), "-o", output)
    assert refused.returncode == 7
    assert "exists already" in refused.stderr


def truncate(folder):
    path = folder / "infrared.tif"
    path.write_bytes(path.read_bytes()[:200])


def shrink(folder):
    osmofuse.write(np.zeros((8, 9), np.uint8), folder / "infrared.tif", overwrite=True)


def lose(folder):
    """Remove the inputs: what is refused in spite of that was refused before any work."""
    for name in PAIR:
        (folder / name).unlink()


CASES = {
    "missing argument": (2, None, ["visible.tif", "-o", "f.tif"], "BACKGROUND"),
    "manifest without report": (2, None, [*PAIR, "-o", "f.tif", "--iiif", "http://a"], "--report"),
    "missing output": (2, None, PAIR, "'-o'"),
    "unknown method": (2, None, [*PAIR, "-o", "f.tif", "--method", "magic"], "magic"),
    "strange setting": (2, None, [*PAIR, "-o", "f.tif", *FAST, "--eta", "1"], "--eta is no"),
    "wrong number": (2, None, [*PAIR, "-o", "f.tif", "--eta", "-1"], "eta: -1.0; must be"),
    "alpha too large": (2, None, [*PAIR, "-o", "f.tif", "--alpha", "255"], "alpha: 255.0"),
    "offset without levels": (
        2, None, [*PAIR, "-o", "f.tif", "--offset", "1e6"],
        "offset: 1000000.0; must be a number from 0 to 100",
    ),
    "huge weight": (
        2, None, [*PAIR, "-o", "f.tif", "--mu", "1e30"], "mu: 1e+30; must be",
    ),
    "huge blur": (
        2, None, [*PAIR, "-o", "f.tif", "--alpha", "map.png", "--soften", "1e6"],
        "soften: 1000000.0; must be a number from 0 to 1000",
    ),
    "huge window": (
        2, None, [*PAIR, "-o", "f.tif", "--method", "guided-filter", "--set", "split_radius=99999"],
        "split_radius: 99999; must be a whole number from 0 to 10000",
    ),
    "many digits": (
        2, None, [*PAIR, "-o", "f.tif", "--set", "max_iter=" + "9" * 5000], "a whole number",
    ),
    "long name for a map": (3, None, [*PAIR, "-o", "f.tif", "--alpha", "n" * 5000], "nnn"),
    "device for a record": (
        3, None, ["--from", os.devnull, "-o", "f.tif"], "a device, not a file",
    ),
    "folder for a record": (3, None, ["--from", ".", "-o", "f.tif"], "a directory, not a file"),
    "no size": (2, None, [*PAIR, "-o", "f.tif", "--max-memory", "lots"], "'lots' is not a number"),
    "vanished input": (3, None, ["gone.tif", "infrared.tif", "-o", "f.tif"], "gone.tif: no such"),
    "vanished map": (3, None, [*PAIR, "--alpha", "gone.png", "-o", "f.tif"], "gone.png: no such"),
    "damaged input": (3, truncate, [*PAIR, "-o", "f.tif"], "infrared.tif: damaged"),
    "no picture": (3, None, [__file__, "infrared.tif", "-o", "f.tif"], "not a PNG, TIFF"),
    "a picture for a record": (
        3, None, ["--from", "map.png", "-o", "f.tif"],
        "map.png: a PNG picture, not a record, and no record map.png.json lies beside it",
    ),
    "no record": (3, None, ["--from", __file__, "-o", "f.tif"], "a damaged record, or none"),
    "two sizes": (
        4, shrink, [*PAIR, "-o", "f.tif"],
        "infrared.tif: 9 × 8 pixels, but the foreground visible.tif has 32 × 40 pixels",
    ),
    "two colours": (
        4, None, [*PAIR[::-1], "-o", "f.tif"],
        "visible.tif: 3 bands of colour, but the foreground infrared.tif has 1; the picture whose "
        "colours are kept comes first: are the two swapped?",
    ),
    "decimal comma": (2, None, [*PAIR, "-o", "f.tif", "--alpha", "0,5"], "did you mean 0.5?"),
    "comma in a setting": (2, None, [*PAIR, "-o", "f.tif", "--eta", "0,1"], "did you mean 0.1?"),
    "comma in a blur": (2, None, [*PAIR, "-o", "f.tif", "--soften", "2,5"], "did you mean 2.5?"),
    "no format": (7, lose, [*PAIR, "-o", "f.bmp"], "f.bmp: the suffix says no format"),
    "over the limit": (6, None, [*PAIR, "-o", "f.tif", "--max-memory", "1M"], "limit of 1 MB"),
    "output exists": (7, None, [*PAIR, "-o", "map.png"], "map.png: exists already"),
    "over an input": (7, None, [*PAIR, "-o", "visible.tif", "--overwrite"], "would replace"),
    "no folder": (7, None, [*PAIR, "-o", "none/f.tif"], "there is no folder none"),
    "too deep": (7, None, [*PAIR, "-o", "f.jpg"], "f.jpg: JPEG cannot hold uint16"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_goes_wrong_has_its_code_and_one_line(folder, monkeypatch, capsys, case):
    code, spoil, arguments, words = CASES[case]
    if spoil:
        spoil(folder)
    before = contents(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["osmofuse", "fuse", *arguments])
    with pytest.raises(SystemExit) as end:
        cli.main()
    out, err = capsys.readouterr()
    assert end.value.code == code, err
    assert words in err
    assert not out
    assert contents(folder) == before, "something was written or lost"


@pytest.mark.parametrize("case", ["strange setting", "vanished input", "two sizes", "no format"])
def test_the_shell_sees_the_same_codes(folder, case):
    code, spoil, arguments, words = CASES[case]
    if spoil:
        spoil(folder)
    done = osmofuse_in(folder, "fuse", *arguments)
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_not_converged_is_written_and_ends_with_5(folder):
    arguments = ["--set", "solver=ipiano", "--set", "max_iter=1", "-o", "f.tif", "--json"]
    done = osmofuse_in(folder, "fuse", *PAIR, *arguments)
    assert done.returncode == 5, done.stderr
    assert json.loads(done.stdout)["record"]["result"]["status"] == "max_iter"
    assert "did not converge (max_iter): reached the largest number" in done.stderr
    assert "--set max_iter=" in done.stderr
    assert osmofuse.read(folder / "f.tif").shape == (40, 32)


def test_overwrite_replaces_picture_and_record(invoke, folder):
    assert invoke(*PAIR, *FAST, "-o", "f.tif").exit_code == 0
    first = contents(folder)
    assert invoke(*PAIR, *FAST, "-o", "f.tif", "--alpha", "1", "--overwrite").exit_code == 0
    second = contents(folder)
    changed = {name for name in second if second[name] != first.get(name)}
    assert changed == {"f.tif", "f.tif.json"}


@pytest.mark.parametrize("name", ["0,5", "5,25"])
def test_a_map_may_have_a_comma_in_its_name(invoke, folder, name):
    (folder / "map.png").rename(folder / name)
    assert invoke(*PAIR, *FAST, "--alpha", name, "-o", "f.tif").exit_code == 0


def test_notes_go_to_stderr(invoke, folder):
    (folder / "infrared.tif").rename(folder / "infrared.png")
    result = invoke("visible.tif", "infrared.png", *FAST, "-o", "f.tif")
    assert "Note: infrared.png: its name says png, its content is tiff" in result.stderr
    assert "Note" not in result.stdout


def test_an_interrupt_leaves_no_debris_and_ends_with_130(tmp_path):
    folder = tmp_path
    write_pair(folder, (500, 400))
    before = contents(folder)
    # A shell may have told its background jobs to ignore interrupts; this process listens.
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    process = subprocess.Popen(
        command("fuse", *PAIR, *LONG, "-o", "f.tif", before=listen),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr.readline() == "Fusing ...\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err.endswith("osmofuse: interrupted\n")
    assert "Traceback" not in err
    assert not out
    assert contents(folder) == before


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX: limits of file sizes")
def test_a_full_disk_ends_with_7_and_loses_nothing(folder):
    osmofuse_in(folder, "fuse", *PAIR, *FAST, "-o", "f.tif")
    before = contents(folder)
    # Writes beyond the limit fail as they do on a full disk, in the middle of the file.
    small = (
        "import resource\n"
        "limit = 4000, resource.RLIM_INFINITY\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, limit)"
    )
    arguments = [*PAIR, *FAST, "--alpha", "0.1", "-o", "f.tif", "--overwrite"]
    done = osmofuse_in(folder, "fuse", *arguments, before=small)
    assert done.returncode == 7, done.stderr
    assert "f.tif: cannot be written" in done.stderr
    assert contents(folder) == before


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX: permissions")
def test_a_read_only_folder_ends_with_7():
    folder = Path(tempfile.mkdtemp())
    try:
        write_pair(folder)
        (folder / "out").mkdir()
        (folder / "out").chmod(0o555)
        folder.chmod(0o755)
        # Root may write everywhere. So become nobody, but only once all is imported: Python's
        # own files may be root's alone.
        warm = ["fuse", *PAIR, *FAST, "-o", "warm.tif"]
        nobody = (
            "import os\nfrom osmofuse.cli import commands\n"
            f"commands({warm!r}, standalone_mode=False)\n"
            "os.geteuid() == 0 and os.seteuid(65534)"
        )
        arguments = [*PAIR, *FAST, "-o", "out/f.tif"]
        done = osmofuse_in(folder, "fuse", *arguments, before=nobody)
        assert done.returncode == 7, done.stderr
        assert "out/f.tif: cannot be written" in done.stderr
        assert contents(folder / "out") == {}
    finally:
        (folder / "out").chmod(0o755)
        shutil.rmtree(folder)


def test_a_recipe_for_shadows_is_refused(invoke, folder):
    done = invoke("visible.tif", "infrared.tif", "--recipe", "shadow", "-o", "out.tif")
    assert isinstance(done.exception, SettingError)
    assert "removal of shadows" in str(done.exception)
    assert not (folder / "out.tif").exists()
