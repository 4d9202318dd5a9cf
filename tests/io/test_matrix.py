"""A matrix of files by other writers: read, written again, and checked by other readers.

Format × depth × bands × layout × compression × orientation × geography; each file carries a
profile, EXIF, XMP and a resolution, and TIFF also IPTC. TIFF is checked by tifffile, PNG by a
decoder in `picture_files`, JPEG and WebP by Pillow.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field

import cv2
import numpy as np
import pytest
import tifffile
from PIL import Image

from osmofuse.io import describe, read, write
from picture_files import (
    GREY_PROFILE,
    IPTC,
    PROFILE,
    TURNS,
    XMP,
    exif,
    noise,
    opened_exif,
    png_chunks,
    png_pixels,
)

DPI = (254, 508)  # along columns and rows: 10 and 20 pixels per millimetre
GEOGRAPHY = {
    33550: ("d", (0.5, 0.25, 0.0)),
    33922: ("d", (0.0, 0.0, 0.0, 440720.0, 3751320.0, 0.0)),
    34735: ("H", (1, 1, 0, 1, 3072, 0, 1, 32633)),
    34736: ("d", (6378137.0, 298.25)),
    34737: ("s", "UTM zone 33N|"),
    42112: ("s", "<GDALMetadata/>"),
}


def profile_for(bands):
    return GREY_PROFILE if bands < 3 else PROFILE


@dataclass(frozen=True)
class Case:
    """A TIFF to be written by tifffile."""

    dtype: str
    bands: int
    orientation: int = 1
    options: dict = field(default_factory=dict)
    geo: bool = False
    nodata: str | None = None

    def __str__(self):
        layout = "-".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.dtype}-{self.bands}-turn{self.orientation}-{layout}-geo{self.geo:d}"

    @property
    def stored(self):
        shape = (24, 40) if self.bands == 1 else (24, 40, self.bands)
        pixels = noise(shape, self.dtype)
        if self.nodata is not None:
            pixels[3:5, 7:9] = float(self.nodata)
        return pixels

    def save(self, path):
        pixels, options = self.stored, {"photometric": "rgb" if self.bands > 2 else "minisblack"}
        if self.bands in (2, 4):
            options["extrasamples"] = [2]
        elif self.bands > 4:
            options["extrasamples"] = [0] * (self.bands - 3)
        if self.options.get("planarconfig") == "separate":
            pixels = np.moveaxis(pixels, -1, 0)
        elif self.bands > 1:
            options["planarconfig"] = "contig"
        tags = [
            (271, "s", 0, "Phase One", True),
            (274, "H", 1, self.orientation, True),
            (700, "B", len(XMP), XMP, True),
            (33723, "B", len(IPTC), IPTC, True),
        ]
        if self.geo:
            tags += [
                (tag, kind, 0 if kind == "s" else len(value), value, True)
                for tag, (kind, value) in GEOGRAPHY.items()
            ]
        if self.nodata is not None:
            tags.append((42113, "s", 0, self.nodata, True))
        tifffile.imwrite(
            path, pixels, iccprofile=profile_for(self.bands), resolution=DPI, resolutionunit="INCH",
            metadata=None, extratags=tags, **options | self.options,
        )  # fmt: skip


LAYOUTS = [
    {"rowsperstrip": 5},
    {"tile": (16, 32)},
    {"bigtiff": True},
    {"byteorder": ">"},
    {"compression": "zlib"},
    {"compression": "zlib", "tile": (16, 16)},
    {"planarconfig": "separate"},
    {"bigtiff": True, "byteorder": ">", "tile": (32, 16)},
]
DEPTHS = ["uint8", "uint16", "int16", "float32", "float64"]
CASES = [
    *(
        Case(
            dtype,
            bands,
            orientation=1 + (5 * i + j) % 8,
            options=LAYOUTS[(i + 2 * j) % 6],
            geo=(i + j) % 2 == 0,
        )
        for i, dtype in enumerate(DEPTHS)
        for j, bands in enumerate([1, 2, 3, 4, 7])
    ),
    *(Case("uint16", 3, options=layout) for layout in LAYOUTS),
    Case("uint16", 3, options={"compression": "zlib", "predictor": True}),
    Case("int16", 1, options={}, geo=True, nodata="-9999"),
    Case("uint8", 3, options={}, geo=True, nodata="0"),
    Case("float32", 1, options={"tile": (16, 16)}, geo=True, nodata="nan"),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_tiff(case, tmp_path):
    case.save(tmp_path / "in.tif")
    write(read(tmp_path / "in.tif"), tmp_path / "out.tif")
    with tifffile.TiffFile(tmp_path / "out.tif") as file:
        page = file.pages[0]
        assert page.dtype == case.dtype
        np.testing.assert_array_equal(page.asarray(), TURNS[case.orientation](case.stored))
        tags = {tag.code: tag.value for tag in page.tags}
        assert (tags[271], tags[34675], tags[33723]) == ("Phase One", profile_for(case.bands), IPTC)
        assert bytes(tags[700]) == XMP
        assert tags.get(274, 1) == 1
        assert_resolution(tags, turned=case.orientation > 4)
        for tag, (_, value) in GEOGRAPHY.items():
            if case.orientation == 1 or tag > 34264:  # see test_geography for those that turn
                assert tags.get(tag) == (value if case.geo else None)
        assert (34264 in tags) == (case.geo and case.orientation > 1)
        assert tags.get(42113) == case.nodata
        assert [int(kind) for kind in page.extrasamples] == {2: [2], 4: [2], 7: [0, 0, 0, 0]}.get(
            case.bands, []
        )


def assert_resolution(tags, *, turned):
    cols, rows = (tags[tag][0] / tags[tag][1] for tag in (282, 283))
    per_inch = {2: 1, 3: 2.54}[int(tags[296])]
    expected = DPI[::-1] if turned else DPI
    np.testing.assert_allclose((cols * per_inch, rows * per_inch), expected, rtol=1e-3)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_tiff_is_described_as_it_is_read(case, tmp_path):
    case.save(tmp_path / "in.tif")
    found, picture = describe(tmp_path / "in.tif"), read(tmp_path / "in.tif")
    assert (found.rows, found.cols) == picture.shape
    assert found.bands == (1 if picture.pixels.ndim == 2 else picture.pixels.shape[2])
    assert (found.depth, found.transparency) == (picture.depth.name, picture.transparency)
    assert found.resolution == picture.metadata.resolution
    assert found.orientation == case.orientation
    assert found.decoded_bytes >= picture.pixels.nbytes
    assert found.tiled == ("tile" in case.options)
    assert found.compression == ("deflate" if "compression" in case.options else "none")
    assert (found.geo is not None) == case.geo
    np.testing.assert_equal(found.nodata, case.nodata and float(case.nodata))


# Compressions that tifffile cannot write by itself


@pytest.mark.parametrize(
    ("mode", "compression"),
    [
        *((mode, name) for mode in ("L", "RGB", "RGBA") for name in ("tiff_lzw", "packbits")),
        ("I;16", "tiff_lzw"),
        ("I;16", "tiff_adobe_deflate"),
        ("F", "tiff_lzw"),
    ],
)
def test_tiff_of_pillow(mode, compression, tmp_path):
    bands = {"RGB": 3, "RGBA": 4}.get(mode)
    dtype = {"I;16": "uint16", "F": "float32"}.get(mode, "uint8")
    pixels = noise((24, 40, bands) if bands else (24, 40), dtype)
    Image.fromarray(pixels).save(
        tmp_path / "in.tif", compression=compression, icc_profile=profile_for(bands or 1), dpi=DPI
    )
    names = {"tiff_lzw": "lzw", "packbits": "packbits"}
    assert describe(tmp_path / "in.tif").compression == names.get(compression, "deflate")
    picture = read(tmp_path / "in.tif")
    write(picture, tmp_path / "out.tif")
    with tifffile.TiffFile(tmp_path / "out.tif") as file:
        np.testing.assert_array_equal(file.pages[0].asarray(), pixels)
        assert file.pages[0].tags[34675].value == profile_for(bands or 1)


@pytest.mark.parametrize("code", [1, 5, 8])
def test_tiff_of_opencv_in_16_bit_colour(code, tmp_path):
    pixels = noise((24, 40, 3), "uint16")
    options = [cv2.IMWRITE_TIFF_COMPRESSION, code]
    assert cv2.imwrite(str(tmp_path / "in.tif"), pixels[..., ::-1], options)
    write(read(tmp_path / "in.tif"), tmp_path / "out.tif")
    again = cv2.imread(str(tmp_path / "out.tif"), cv2.IMREAD_UNCHANGED)
    assert again.dtype == np.uint16
    np.testing.assert_array_equal(again[..., ::-1], pixels)


@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_tiff_with_jpeg_inside(mode, tmp_path):
    ramp = np.linspace(0, 255, 64 * 64).reshape(64, 64).astype("u1")
    picture = Image.fromarray(ramp).convert(mode)
    picture.save(tmp_path / "in.tif", compression="jpeg", quality=95)
    assert describe(tmp_path / "in.tif").compression == "jpeg"
    with Image.open(tmp_path / "in.tif") as other:
        expected = np.asarray(other).astype(int)
    np.testing.assert_allclose(read(tmp_path / "in.tif").pixels.astype(int), expected, atol=2)


# Pages and pyramids


def pyramid(path, pixels, kind):
    half = pixels[::2, ::2]
    with tifffile.TiffWriter(path) as file:
        if kind == "thumbnail first":
            file.write(half, photometric="rgb", subfiletype=1, metadata=None)
            file.write(pixels, photometric="rgb", metadata=None)
            return
        below = 2 if kind == "directories below" else 0
        file.write(pixels, photometric="rgb", subifds=below, tile=(16, 16), metadata=None)
        for level in (half, half[::2, ::2]):
            file.write(level, photometric="rgb", subfiletype=1, tile=(16, 16), metadata=None)


@pytest.mark.parametrize("kind", ["directories below", "pages", "thumbnail first"])
@pytest.mark.parametrize("dtype", ["uint16", "float64"])
def test_of_a_pyramid_the_full_size_is_read(kind, dtype, tmp_path):
    pixels = noise((64, 96, 3), dtype)
    pyramid(tmp_path / "in.tif", pixels, kind)
    found = describe(tmp_path / "in.tif")
    assert (found.rows, found.cols) == (64, 96)
    assert (found.pages, found.levels) == (1, 1 if kind == "thumbnail first" else 3)
    np.testing.assert_array_equal(read(tmp_path / "in.tif").pixels, pixels)


def test_of_several_pages_the_first_is_read(tmp_path):
    pages = noise((3, 24, 40), "uint16")
    with tifffile.TiffWriter(tmp_path / "in.tif") as file:
        for page in pages:
            file.write(page, metadata=None)
    assert describe(tmp_path / "in.tif").pages == 3
    np.testing.assert_array_equal(read(tmp_path / "in.tif").pixels, pages[0])


# PNG, JPEG, WebP


def png_with(pixels, orientation):
    """Encode with OpenCV, and put chunks of metadata behind the header."""
    order = {1: [0], 3: [2, 1, 0], 4: [2, 1, 0, 3]}[1 if pixels.ndim == 2 else pixels.shape[2]]
    data = cv2.imencode(".png", pixels if pixels.ndim == 2 else pixels[..., order])[1].tobytes()
    chunks = {
        b"iCCP": b"P3\0\0" + zlib.compress(profile_for(len(order))),
        b"pHYs": struct.pack(">IIB", 10_000, 20_000, 1),
        b"eXIf": exif(_274=orientation),
        b"iTXt": b"XML:com.adobe.xmp\0\0\0\0\0" + XMP,
    }
    extra = b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks.items()
    )
    return data[:33] + extra + data[33:]


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("bands", [1, 3, 4])
@pytest.mark.parametrize("orientation", [1, 6])
def test_png(dtype, bands, orientation, tmp_path):
    pixels = noise((24, 40) if bands == 1 else (24, 40, bands), dtype)
    (tmp_path / "in.png").write_bytes(png_with(pixels, orientation))
    picture = read(tmp_path / "in.png")
    assert picture.transparency == (bands == 4)
    data = write(picture, tmp_path / "out.png").read_bytes()
    written = png_pixels(data)
    assert written.dtype.itemsize == np.dtype(dtype).itemsize
    np.testing.assert_array_equal(written, TURNS[orientation](pixels))
    chunks = dict(png_chunks(data))
    assert zlib.decompress(chunks[b"iCCP"].split(b"\0\0", 1)[1]) == profile_for(bands)
    assert chunks[b"iTXt"].endswith(XMP)
    assert struct.unpack(">II", chunks[b"pHYs"][:8]) == (
        (20_000, 10_000) if orientation > 4 else (10_000, 20_000)
    )
    tags = opened_exif(chunks[b"eXIf"].removeprefix(b"Exif\0\0"))
    assert tags[271] == "Phase One"
    assert tags.get(274, 1) == 1


@pytest.mark.parametrize("bands", [1, 3])
@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_jpeg(bands, orientation, tmp_path):
    ramp = np.linspace(0, 255, 48 * 64).reshape(48, 64).astype("u1")
    stored = ramp if bands == 1 else np.stack([ramp, ramp[::-1], ramp], -1)
    Image.fromarray(stored).save(
        tmp_path / "in.jpg", quality=95, icc_profile=profile_for(bands), dpi=DPI, xmp=XMP,
        exif=b"Exif\0\0" + exif(_274=orientation),
    )  # fmt: skip
    write(read(tmp_path / "in.jpg"), tmp_path / "out.jpg")
    with Image.open(tmp_path / "out.jpg") as other:
        expected = TURNS[orientation](stored).astype(int)
        np.testing.assert_allclose(np.asarray(other).astype(int), expected, atol=12)
        assert other.info["icc_profile"] == profile_for(bands)
        assert other.info["xmp"] == XMP
        turned = orientation > 4
        tags = other.getexif()
        assert tags[296] == 2  # per inch
        dpi = [float(tags[tag]) for tag in (282, 283)]
        np.testing.assert_allclose(dpi, DPI[::-1] if turned else DPI, rtol=1e-2)
        assert (tags[271], tags.get(274, 1)) == ("Phase One", 1)


@pytest.mark.parametrize("bands", [3, 4])
@pytest.mark.parametrize("lossless", [True, False])
def test_webp(bands, lossless, tmp_path):
    stored = noise((24, 40, bands), "uint8")
    Image.fromarray(stored).save(
        tmp_path / "in.webp", lossless=lossless, exact=True, icc_profile=PROFILE, xmp=XMP,
        exif=b"Exif\0\0" + exif(),
    )  # fmt: skip
    with Image.open(tmp_path / "in.webp") as other:
        shown = np.asarray(other)
    write(read(tmp_path / "in.webp"), tmp_path / "out.webp")
    with Image.open(tmp_path / "out.webp") as other:
        np.testing.assert_array_equal(np.asarray(other), shown)
        assert other.info["icc_profile"] == PROFILE
        assert other.info["xmp"] == XMP
        assert other.getexif()[271] == "Phase One"


# Names that lie


@pytest.mark.parametrize("suffix", [".png", ".tif", ".jpg", ".webp"])
@pytest.mark.parametrize("kind", ["png", "tiff", "jpeg", "webp"])
def test_a_lying_name_is_reported(suffix, kind, tmp_path):
    path = tmp_path / f"a{suffix}"
    Image.fromarray(noise((8, 9, 3), "uint8")).save(path, format=kind)
    found = describe(path)
    truth = {".tif": "tiff", ".jpg": "jpeg"}.get(suffix, suffix[1:])
    assert found.format == kind
    assert found.format_of_name == (None if truth == kind else truth)
    assert read(path).shape == (8, 9)


def test_a_name_that_claims_nothing_does_not_lie(tmp_path):
    Image.fromarray(noise((8, 9), "uint8")).save(tmp_path / "scan.bak", format="png")
    assert describe(tmp_path / "scan.bak").format_of_name is None
