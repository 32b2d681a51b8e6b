"""Uploaded pictures that are written anew: what is left of them, and what a hostile file costs."""

import io
import resource
import struct
import subprocess
import sys
import zlib

import pytest

from eventapi import images
from eventapi.errors import Problem
from eventapi.parsing import processes, shrinking
from eventapi.storage import files
from tests.support.images import cmyk_jpeg, grey_png_of_16_bits, jpeg, png, png_with_alpha

Image = pytest.importorskip("PIL.Image")
pictures = pytest.importorskip("eventapi.parsing.pictures")

GPS, ORIENTATION, LATITUDE = 0x8825, 0x0112, 2
RED, BLUE, CLEAR = (230, 20, 20), (20, 20, 230), (0, 0, 0, 0)
HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"
SVG = b'\xef\xbb\xbf<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>'


def renewed(data, purpose="logo"):
    return pictures.renewed(io.BytesIO(data), pictures.PURPOSES[purpose])


def refusal(data, purpose="logo"):
    """Return (code, text) of the refusal of a file."""
    with pytest.raises(pictures.Refused) as caught:
        renewed(data, purpose)
    return caught.value.code, str(caught.value)


def saved(picture, form, **options):
    file = io.BytesIO()
    picture.save(file, form, **options)
    return file.getvalue()


def halves(width, height, mode="RGB"):
    """Return a picture whose left half is red and whose right half is blue."""
    picture = Image.new("RGB", (width, height), RED)
    picture.paste(BLUE, (width // 2, 0, width, height))
    return picture.convert(mode)


def noise(width, height):
    """Return a picture that no file can shorten."""
    bands = [Image.effect_noise((width, height), 100) for _ in range(3)]
    return Image.merge("RGB", bands)


def opened(image):
    return Image.open(io.BytesIO(image.data))


def is_like(pixel, color):
    return all(abs(one - other) <= 25 for one, other in zip(pixel, color, strict=True))


def png_of(width, height, *chunks, color_type=2):
    """Return a PNG with this size in its header and these chunks behind it."""
    head = struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0)
    parts = [(b"IHDR", head), *chunks, (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )


def chunk_names(data):
    """Return the names of the chunks of a PNG."""
    names, place = [], 8
    while place < len(data):
        length, name = struct.unpack(">I4s", data[place : place + 8])
        names.append(name)
        place += 12 + length
    return names


def segments(data):
    """Return the markers of the segments before the pixels of a JPEG."""
    markers, place = [], 2
    while data[place + 1] != 0xDA:
        markers.append(data[place + 1])
        place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return markers


def exif(orientation):
    """Return EXIF with an orientation and the place where the photograph was taken."""
    tags = Image.Exif()
    tags[ORIENTATION] = orientation
    tags.get_ifd(GPS)[LATITUDE] = (51.0, 20.0, 25.0)
    return tags.tobytes()


# What is left


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_a_logo_is_a_png_of_at_most_1200_by_600_pixels(form):
    image = renewed(saved(halves(3000, 1000), form))
    assert (image.kind, image.width, image.height) == ("image/png", 1200, 400)
    picture = opened(image)
    assert (picture.format, picture.size) == ("PNG", (1200, 400))
    assert is_like(picture.getpixel((10, 200)), RED)
    assert is_like(picture.getpixel((1190, 200)), BLUE)


def test_a_high_logo_is_made_smaller_by_its_height():
    image = renewed(saved(halves(1000, 3000), "PNG"))
    assert (image.width, image.height) == (200, 600)


def test_a_small_picture_keeps_its_size():
    image = renewed(png(60, 20))
    assert (image.width, image.height) == (60, 20)
    assert opened(image).getpixel((30, 10)) == (200, 30, 40)


def test_the_picture_of_a_show_is_a_jpeg_of_at_most_1600_pixels():
    image = renewed(saved(halves(4000, 3000), "PNG"), "show")
    assert (image.kind, image.width, image.height) == ("image/jpeg", 1600, 1200)
    picture = opened(image)
    assert (picture.format, picture.size) == ("JPEG", (1600, 1200))
    assert is_like(picture.getpixel((10, 10)), RED) and is_like(picture.getpixel((1590, 10)), BLUE)


def test_a_transparent_picture_of_a_show_stays_transparent():
    picture = Image.new("RGBA", (2000, 1000), (*BLUE, 255))
    picture.paste(CLEAR, (0, 0, 1000, 1000))
    image = renewed(saved(picture, "WEBP", lossless=True), "show")
    assert (image.kind, image.width, image.height) == ("image/png", 1600, 800)
    assert opened(image).getpixel((10, 10))[3] == 0
    assert opened(image).getpixel((1590, 10)) == (*BLUE, 255)


def test_a_picture_whose_transparency_is_not_used_becomes_a_jpeg():
    assert renewed(saved(halves(100, 50, "RGBA"), "PNG"), "show").kind == "image/jpeg"


@pytest.mark.parametrize("purpose, most", [("logo", 300_000), ("show", 1024 * 1024)])
def test_a_picture_whose_file_would_be_too_long_becomes_smaller(purpose, most):
    picture = noise(1600, 1500)
    picture.putalpha(200)
    image = renewed(saved(picture, "PNG", compress_level=0), purpose)
    assert most * 0.6 < len(image.data) <= most
    assert opened(image).size == (image.width, image.height)
    assert abs(image.width / image.height - 16 / 15) < 0.01


@pytest.mark.parametrize(
    "mode, form",
    [(mode, "PNG") for mode in ("1", "L", "LA", "P", "RGB", "RGBA")]
    + [("L", "JPEG"), ("CMYK", "JPEG"), ("RGBA", "WEBP")],
)
def test_colours_of_every_mode_stay(mode, form):
    colours = Image.new("RGB", (40, 20), (0, 0, 0))
    colours.paste((255, 255, 255), (20, 0, 40, 20))
    picture = opened(renewed(saved(colours.convert(mode), form))).convert("RGB")
    assert is_like(picture.getpixel((4, 10)), (0, 0, 0))
    assert is_like(picture.getpixel((36, 10)), (255, 255, 255))


def test_the_first_picture_of_a_gif_is_taken_for_a_show_but_not_as_a_logo():
    first, second = halves(60, 20, "P"), Image.new("P", (60, 20))
    data = saved(first, "GIF", save_all=True, append_images=[second])
    image = renewed(data, "show")
    assert (image.kind, image.width, image.height) == ("image/jpeg", 60, 20)
    assert is_like(opened(image).getpixel((5, 10)), RED)
    code, text = refusal(data)
    assert (code, text.endswith("must be a PNG, JPEG or WebP. Save it as PNG or JPEG")) == (
        "picture_format",
        True,
    )


def test_a_gif_whose_first_picture_is_larger_than_it_says_is_refused():
    data = bytearray(saved(halves(60, 20, "P"), "GIF"))
    data[6:10] = struct.pack("<HH", 30, 10)
    assert refusal(bytes(data), "show")[0] == "broken_picture"


def test_a_palette_with_a_transparent_colour_stays_transparent():
    picture = halves(40, 20).quantize(4)
    picture.info["transparency"] = picture.getpixel((1, 1))
    image = opened(renewed(saved(picture, "PNG", transparency=picture.getpixel((1, 1)))))
    assert image.getpixel((1, 1))[3] == 0
    assert image.getpixel((39, 1))[3] == 255


def test_grey_of_16_bits_stays_grey():
    # 0x4000 of 0xffff is 64 of 255
    assert opened(renewed(grey_png_of_16_bits())).getpixel((4, 4)) == (64, 64, 64)


def test_a_cmyk_jpeg_becomes_rgb():
    image = renewed(cmyk_jpeg(), "show")
    assert (opened(image).mode, opened(image).format) == ("RGB", "JPEG")


def test_the_first_picture_of_an_animated_webp_is_taken():
    first, second = Image.new("RGB", (50, 20), RED), Image.new("RGB", (50, 20), BLUE)
    data = saved(first, "WEBP", save_all=True, append_images=[second], lossless=True, duration=100)
    assert b"ANMF" in data
    image = opened(renewed(data))
    assert getattr(image, "n_frames", 1) == 1
    assert is_like(image.getpixel((25, 10)), RED)


def test_the_first_picture_of_a_jpeg_with_several_is_taken():
    first, second = Image.new("RGB", (50, 20), RED), Image.new("RGB", (10, 10), BLUE)
    image = renewed(saved(first, "MPO", save_all=True, append_images=[second]))
    assert (image.width, image.height) == (50, 20)
    assert is_like(opened(image).getpixel((25, 10)), RED)


# EXIF and other metadata

# orientation -> the corner where the stored left half, which is red, is seen: the side of the picture
RED_SIDE = {
    1: "left",
    2: "right",
    3: "right",
    4: "left",
    5: "top",
    6: "top",
    7: "bottom",
    8: "bottom",
}


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_turned_as_exif_says_and_forgets_where_it_was_taken(orientation, form):
    data = saved(halves(3200, 1600), form, exif=exif(orientation))
    image = renewed(data, "show")
    picture = opened(image)
    lies = orientation >= 5
    assert picture.size == ((800, 1600) if lies else (1600, 800))
    places = {
        "left": (5, picture.height // 2),
        "right": (picture.width - 5, picture.height // 2),
        "top": (picture.width // 2, 5),
        "bottom": (picture.width // 2, picture.height - 5),
    }
    for side, place in places.items():
        if side == RED_SIDE[orientation]:
            assert is_like(picture.getpixel(place), RED)
    assert len(picture.getexif()) == 0
    assert b"Exif" not in image.data


def test_the_box_of_a_logo_is_that_of_the_turned_picture():
    image = renewed(saved(halves(600, 1200), "JPEG", exif=exif(6)))
    assert (image.width, image.height) == (1200, 600)


@pytest.mark.filterwarnings("ignore:Corrupt EXIF data")
def test_exif_that_cannot_be_read_is_left_out():
    data = saved(halves(60, 20), "JPEG", exif=b"Exif\0\0MM\0*\xff\xff\xff\xff")
    assert (renewed(data).width, renewed(data).height) == (60, 20)


def test_only_the_pixels_of_a_png_are_left():
    from PIL.PngImagePlugin import PngInfo

    notes = PngInfo()
    notes.add_text("Author", "Erika Muster")
    notes.add_itxt("XML:com.adobe.xmp", "<x:xmpmeta/>")
    picture = halves(60, 20)
    data = saved(picture, "PNG", pnginfo=notes, dpi=(72, 72), icc_profile=b"profile", exif=exif(1))
    assert {b"tEXt", b"iTXt", b"pHYs", b"iCCP", b"eXIf"} <= set(chunk_names(data))
    assert set(chunk_names(renewed(data).data)) == {b"IHDR", b"IDAT", b"IEND"}


def test_only_the_pixels_of_a_jpeg_are_left():
    data = saved(
        halves(60, 20), "JPEG", comment=b"Erika", icc_profile=b"profile", exif=exif(1), dpi=(72, 72)
    )
    image = renewed(data, "show")
    assert 0xE1 in segments(data) and 0xE2 in segments(data)
    # tables, the size, and the head that says it is a JFIF
    assert set(segments(image.data)) <= {0xE0, 0xDB, 0xC0, 0xC4}
    assert b"Erika" not in image.data


@pytest.mark.parametrize(
    "behind", [b"<script>alert(1)</script>", b"PK\x03\x04" + bytes(40), b"%PDF-1.7\n", SVG]
)
@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_what_stands_behind_a_picture_is_left_out(form, behind):
    image = renewed(saved(halves(60, 20), form) + behind)
    assert behind[:12] not in image.data
    assert images.load(image.data).width == 60


# What is refused


@pytest.mark.parametrize(
    "data, name",
    [
        (HEIC, "is a HEIC"),
        (SVG, "is an SVG"),
        (b" \n<svg></svg>", "is an SVG"),
        (b"%PDF-1.7\n", "is a PDF"),
        (b"GIF89a" + bytes(20), "is a GIF"),
        (b"II*\0" + bytes(20), "is a TIFF"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n", "has an unknown format"),
        (b"<html><img src=a.png></html>", "has an unknown format"),
        (b"", "has an unknown format"),
    ],
    ids=["heic", "svg", "bare-svg", "pdf", "gif", "tiff", "eps", "html", "empty"],
)
def test_a_file_of_another_format_is_refused_with_the_way_out(data, name):
    code, text = refusal(data)
    assert code == "picture_format"
    assert name in text and "Save it as PNG or JPEG" in text


def test_a_damaged_picture_is_refused_with_a_reason_if_its_decoder_gives_none():
    code, text = refusal(b"RIFF1234WEBPVP8X")
    assert code == "broken_picture"
    assert text == "cannot be used as a picture: it is damaged. Save it as PNG or JPEG"


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_a_truncated_picture_is_refused(form):
    data = saved(noise(300, 200), form)
    for length in (20, 40, len(data) // 3, len(data) - 100):
        code, text = refusal(data[:length])
        assert code == "broken_picture" and "Save it as PNG or JPEG" in text, length


@pytest.mark.parametrize(
    "width, height", [(60_000, 60_000), (4001, 4000), (2**31 - 1, 2**31 - 1), (2**31 - 1, 1)]
)
def test_a_png_of_too_many_pixels_is_refused_before_it_is_decoded(width, height):
    code, text = refusal(png_of(width, height, (b"IDAT", zlib.compress(bytes(1000)))))
    assert code == "picture_too_large"
    assert f"{width} x {height} pixels" in text and "16000000" in text and "smaller" in text


@pytest.mark.parametrize("width, height", [(60_000, 60_000), (7072, 7072)])
def test_a_jpeg_of_too_many_pixels_is_refused_before_it_is_decoded(width, height):
    data = jpeg()
    place = data.index(b"\xff\xc0") + 5
    large = data[:place] + struct.pack(">HH", height, width) + data[place + 4 :]
    code, text = refusal(large)
    assert code == "picture_too_large" and "50000000" in text


def test_a_webp_of_too_many_pixels_is_refused_before_it_is_decoded():
    data = bytearray(saved(png_picture(), "WEBP", exif=exif(1)))
    assert data[12:16] == b"VP8X"
    data[24:27] = data[27:30] = (4095).to_bytes(3, "little")
    code, text = refusal(bytes(data))
    assert code == "picture_too_large" and "4096 x 4096" in text


def png_picture():
    return Image.open(io.BytesIO(png_with_alpha()))


@pytest.mark.parametrize("width, height", [(0, 10), (10, 0), (0, 2**31)])
def test_a_picture_without_pixels_is_refused(width, height):
    code, text = refusal(png_of(width, height, (b"IDAT", zlib.compress(b""))))
    assert code == "broken_picture" and "no pixels" in text


def test_a_png_that_names_two_sizes_is_refused():
    second = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    data = png_of(10, 10, (b"IHDR", second), (b"IDAT", zlib.compress(bytes(310))))
    code, text = refusal(data)
    assert code == "broken_picture" and "two sizes" in text


def test_a_jpeg_that_names_two_sizes_is_refused():
    data = jpeg()
    place = data.index(b"\xff\xc0")
    length = 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    frame = data[place : place + length]
    second = frame[:5] + struct.pack(">HH", 60_000, 60_000) + frame[9:]
    both = data[: place + length] + second + data[place + length :]
    code, text = refusal(both)
    assert code == "broken_picture" and "two sizes" in text


def test_a_progressive_jpeg_that_needs_too_much_memory_is_refused():
    picture = Image.new("RGB", (7000, 7000), RED)
    code, text = refusal(saved(picture, "JPEG", progressive=True, subsampling=0, quality=50))
    assert code == "picture_too_large" and "not progressive" in text


@pytest.mark.parametrize("kind", [b"iTXt", b"zTXt", b"iCCP"])
def test_text_of_a_png_that_unpacks_to_much_does_no_harm(kind):
    packed = zlib.compress(bytes(200_000_000), 9)
    texts = {
        b"iTXt": b"a\0\1\0\0\0" + packed,
        b"zTXt": b"a\0\0" + packed,
        b"iCCP": b"a\0\0" + packed,
    }
    data = png_of(10, 10, (kind, texts[kind]), (b"IDAT", zlib.compress(bytes(310))))
    try:
        assert renewed(data).width == 10
    except pictures.Refused as refused:
        assert refused.code == "broken_picture"


# The process


@pytest.fixture
def shrunk(tmp_path):
    """Return a function that has a file made smaller, as an upload is."""

    def shrunk(data, purpose="logo"):
        (tmp_path / "file").write_bytes(data)
        with files.opened(tmp_path / "file") as file:
            return shrinking.shrunk(file, purpose, tmp_path)

    return shrunk


def fault(shrunk, data, purpose="logo"):
    """Return the fault of the 422 for a file."""
    with pytest.raises(Problem) as caught:
        shrunk(data, purpose)
    assert caught.value.status == 422
    (only,) = caught.value.errors
    assert only["pointer"] == ""
    return only


@pytest.mark.processes
def test_a_picture_comes_back_from_its_process(shrunk):
    data = saved(halves(3000, 1000), "PNG")
    image = shrunk(data)
    assert (image.kind, image.width, image.height) == ("image/png", 1200, 400)
    assert image.data == renewed(data).data


@pytest.mark.processes
@pytest.mark.parametrize(
    "data, code",
    [(HEIC, "picture_format"), (png(60, 20)[:-40], "broken_picture")],
    ids=["heic", "truncated"],
)
def test_a_refusal_comes_back_from_its_process(shrunk, data, code):
    found = fault(shrunk, data)
    assert found["code"] == code and "Save it as PNG or JPEG" in found["detail"]


@pytest.mark.processes
def test_the_longest_picture_comes_back_from_its_process(shrunk):
    picture = noise(1600, 1500)
    picture.putalpha(200)
    image = shrunk(saved(picture, "PNG", compress_level=1), "show")
    assert 0.6 * 1024 * 1024 < len(image.data) <= 1024 * 1024


LARGEST = """
import sys
from PIL import Image
bands = [Image.effect_noise((252, 252), 80).resize(({width}, {height}), 0) for _ in range({bands})]
Image.merge("{mode}", bands).save(sys.argv[1], "{form}", {options})
"""


@pytest.mark.processes
@pytest.mark.parametrize(
    "width, height, mode, form, options",
    [
        (8160, 6120, "RGB", "JPEG", "quality=60"),
        (8160, 6120, "CMYK", "JPEG", "quality=40"),
        (8160, 6120, "RGB", "JPEG", "quality=60, progressive=True"),
        (5760, 5760, "RGB", "JPEG", "quality=60, progressive=True, subsampling=0"),
        (4000, 4000, "RGBA", "PNG", "compress_level=1"),
        (4032, 3024, "RGBA", "WEBP", "quality=50, method=0"),
    ],
    ids=["jpeg", "cmyk", "progressive", "progressive-444", "png", "webp"],
)
def test_the_largest_pictures_fit_into_the_process(
    shrunk, tmp_path, width, height, mode, form, options
):
    file = tmp_path / "large"
    source = LARGEST.format(
        width=width, height=height, mode=mode, form=form, options=options, bands=len(mode)
    )
    subprocess.run([sys.executable, "-c", source, str(file)], check=True)
    for purpose in ("logo", "show"):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        assert shrunk(file.read_bytes(), purpose).width > 200
        assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 10


@pytest.mark.processes
def test_a_file_of_endless_chunks_costs_at_most_its_seconds(shrunk, monkeypatch):
    monkeypatch.setattr(shrinking, "SECONDS", 1)
    chunk = struct.pack(">I4sI", 0, b"teXt", zlib.crc32(b"teXt"))
    data = png(10, 10)
    found = fault(shrunk, data[:33] + chunk * 2_000_000 + data[33:])
    assert found["code"] == "picture_stopped"
    assert "takes more than 1 seconds" in found["detail"] and "smaller" in found["detail"]


@pytest.mark.processes
def test_a_process_without_memory_is_answered(shrunk, monkeypatch):
    monkeypatch.setattr(processes, "MEMORY", 40_000_000)
    found = fault(shrunk, saved(Image.new("RGB", (4000, 4000), RED), "PNG"))
    assert found["code"] == "picture_stopped" and "40 MB of memory" in found["detail"]


def test_a_file_that_is_too_long_starts_no_process(shrunk, monkeypatch):
    monkeypatch.setattr(processes, "run", None)
    found = fault(shrunk, png(10, 10) + bytes(25 * 1024 * 1024))
    assert found["code"] == "picture_too_large" and "26214400" in found["detail"]


# Without Pillow


@pytest.fixture
def without_pillow(monkeypatch):
    monkeypatch.setattr(shrinking, "find_spec", lambda name: None)
    monkeypatch.setattr(processes, "run", None)


@pytest.mark.parametrize("data", [png(60, 20), jpeg()], ids=["png", "jpeg"])
def test_without_pillow_a_small_picture_is_taken_as_it_is(shrunk, without_pillow, data):
    assert shrunk(data).data == data


@pytest.mark.parametrize(
    "data, reason",
    [
        (png(2100, 2000), "2100 x 2000 pixels"),
        (png(60, 20) + bytes(1 << 20), "1048576"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "not a PNG or JPEG"),
    ],
    ids=["pixels", "bytes", "webp"],
)
def test_without_pillow_a_large_picture_is_refused_with_the_way_out(
    shrunk, without_pillow, data, reason
):
    found = fault(shrunk, data)
    assert found["code"] == "broken_picture"
    assert reason in found["detail"] and "python3-pil" in found["detail"]
