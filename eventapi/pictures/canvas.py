"""Pictures as PDF, drawn with reportlab. svg.py draws the same tree of shapes as SVG."""

import logging
from functools import lru_cache
from io import BytesIO
from math import ceil, floor

from eventapi.pictures import fonts
from eventapi.pictures.shapes import Area, Bitmap, Group, Lines, Text

log = logging.getLogger(__name__)


def draw(*pictures):
    """Return a PDF as bytes, with one page for each picture.

    The same pictures result in the same bytes.

    Raise 501 `not_installed` if reportlab is missing or no installed font has one of the
    characters.
    """
    fonts.require()
    from reportlab.pdfgen.canvas import Canvas

    with fonts.lock:
        file, first = BytesIO(), pictures[0]
        canvas = Canvas(file, pageCompression=1, invariant=1, lang=first.language)
        canvas.setTitle(fonts.clean(first.title))
        canvas.setSubject(fonts.clean(first.description))
        canvas.setCreator("eventapi")
        canvas.setViewerPreference("DisplayDocTitle", "true")
        for picture in pictures:
            _page(canvas, picture)
        canvas.save()
        return file.getvalue()


def _page(canvas, picture):
    canvas.setPageSize((picture.width * fonts.POINTS, picture.height * fonts.POINTS))
    canvas.scale(fonts.POINTS, -fonts.POINTS)  # use millimetres, with y pointing down
    canvas.translate(0, -picture.height)
    canvas.setLineJoin(1)
    for part in picture.parts:
        _draw_part(canvas, part)
    canvas.showPage()


@lru_cache(maxsize=256)
def color(text):
    """Return the colour of reportlab for one such as #23694a."""
    from reportlab.lib.colors import HexColor

    return HexColor(text)


def _draw_part(canvas, part):
    if isinstance(part, Group):
        _group(canvas, part)
    elif isinstance(part, Area):
        _area(canvas, part)
    elif isinstance(part, Lines):
        _lines(canvas, part)
    elif isinstance(part, Text):
        _text(canvas, part)
    elif isinstance(part, Bitmap):
        canvas.saveState()
        canvas.translate(part.x, part.y + part.height)
        canvas.scale(1, -1)
        draw_image(canvas, part.image, 0, 0, part.width, part.height)
        canvas.restoreState()


def _group(canvas, group):
    if group.turn:
        degrees, x, y = group.turn
        canvas.saveState()
        canvas.translate(x, y)
        canvas.rotate(degrees)
        canvas.translate(-x, -y)
    for part in group.parts:
        _draw_part(canvas, part)
    if group.turn:
        canvas.restoreState()


def _area(canvas, area):
    path = _path(canvas, area.rings, closed=True)
    if area.fill:
        canvas.setFillColor(color(area.fill))
        canvas.drawPath(path, stroke=0, fill=1)
    if area.hatch:
        _hatch(canvas, area, path)
    if area.stroke:
        canvas.setStrokeColor(color(area.stroke))
        canvas.setLineWidth(area.thickness)
        _stroke(canvas, path, area.dash)


def _hatch(canvas, area, path):
    hatch = area.hatch
    canvas.saveState()
    canvas.clipPath(path, stroke=0, fill=0)
    across, down = zip(*(point for ring in area.rings for point in ring), strict=True)
    box = min(across), min(down), max(across), max(down)
    canvas.setStrokeColor(color(hatch.ink))
    canvas.setLineWidth(hatch.thickness)
    lines = [*_rising(box, hatch.gap), *(_falling(box, hatch.gap) if hatch.crossed else ())]
    canvas.drawPath(_path(canvas, lines), stroke=1, fill=0)
    canvas.restoreState()


def _rising(box, gap):
    """Yield the lines x + y = n * gap that cross a box."""
    left, top, right, bottom = box
    for place in range(floor((left + top) / gap), ceil((right + bottom) / gap) + 1):
        yield (left, place * gap - left), (right, place * gap - right)


def _falling(box, gap):
    """Yield the lines x - y = n * gap that cross a box."""
    left, top, right, bottom = box
    for place in range(floor((left - bottom) / gap), ceil((right - top) / gap) + 1):
        yield (left, left - place * gap), (right, right - place * gap)


def _lines(canvas, lines):
    canvas.setStrokeColor(color(lines.stroke))
    canvas.setLineWidth(lines.thickness)
    _stroke(canvas, _path(canvas, lines.lines), lines.dash)


def _stroke(canvas, path, dash):
    canvas.setDash(*([dash, dash],) if dash else ())
    canvas.drawPath(path, stroke=1, fill=0)
    if dash:
        canvas.setDash()


def _path(canvas, lines, closed=False):
    path = canvas.beginPath()
    for (x, y), *others in lines:
        path.moveTo(x, y)
        for point in others:
            path.lineTo(*point)
        if closed:
            path.close()
    return path


def _text(canvas, text):
    canvas.setFillColor(color(text.ink))
    for place, line in enumerate(text.lines):
        line = fonts.clean(line)
        # text.size is in millimetres, not in points
        wide = fonts.width(line, text.size, text.bold) * fonts.POINTS
        x = text.x - {"start": 0, "middle": wide / 2, "end": wide}[text.align]
        canvas.saveState()
        canvas.translate(x, text.y + place * text.size * text.line_height)
        canvas.scale(1, -1)
        fonts.draw(canvas, 0, 0, line, text.size, text.bold)
        canvas.restoreState()


def draw_image(canvas, image, x, y, width, height):
    """Draw an Image on a reportlab canvas. An image that cannot be decoded is logged and left out.

    `x` and `y` are the bottom left. All lengths are in the units of the canvas.
    """
    reader = _reader(image)
    if reader:
        canvas.drawImage(reader, x, y, width, height, mask="auto")


@lru_cache(maxsize=4)
def _reader(image):
    """Return the decoded image, or None if it is damaged in a way that eventapi/images.py does not
    notice.
    """
    from reportlab.lib.utils import ImageReader

    try:
        reader = ImageReader(_drawable(image.data))
        reader.getRGBData()
    except (
        Exception
    ) as error:  # reportlab raises what its decoder raises, which depends on the file
        log.warning(
            "an image of %d x %d pixels cannot be drawn: %s", image.width, image.height, error
        )
        return None
    return reader


def _drawable(data):
    """Return the file of an image in a form that reportlab draws as it is meant and that PDF/A
    allows.

    A CMYK JPEG becomes RGB: the page has no profile of a press, without which ISO 19005-3, 6.2.4.3
    forbids CMYK. reportlab would draw grey of 16 bits as white; it becomes grey of 8 bits.
    """
    from PIL import Image

    file = BytesIO(data)
    picture = Image.open(file)
    if picture.mode == "CMYK":
        file = BytesIO()
        picture.convert("RGB").save(file, "JPEG", quality=92)
    elif picture.mode in ("I", "I;16"):
        file = BytesIO()
        picture.convert("I").point(lambda level: level * (1 / 256)).convert("L").save(file, "PNG")
    file.seek(0)
    return file
