"""Pictures as SVG.

Text stays text, nothing is loaded from other addresses, and the SVG can be embedded in an HTML
page.
"""

import re
from base64 import b64encode
from html import escape

from eventapi.pictures.shapes import Area, Bitmap, Group, Hatch, Lines, Text
from eventapi.pictures.style import INK

FONTS = "Liberation Sans,Arial,Helvetica,DejaVu Sans,sans-serif"

REMOVED = re.compile("[\\x00-\\x08\\x0b-\\x1f\\ufffe\\uffff\\u202a-\\u202e\\u2066-\\u2069]")
MAP = 250  # millimetres: wider pictures are moved on a phone


def draw(picture, unit="mm"):
    """Return the SVG as bytes. `unit` is that of its width and height: mm or px."""
    width, height = number(picture.width), number(picture.height)
    # A phone shows the whole picture, which can then be zoomed. Larger pictures keep their actual
    # size also there, and are moved like a map: as wide as a phone, a sheet of A3 has letters of
    # two pixels.
    whole = (
        "@media screen and (pointer:coarse){svg:root{max-width:100%;height:auto}}"
        if picture.width < MAP
        else ""
    )
    page = f"<style>@page{{size:{width}{unit} {height}{unit};margin:0}}{whole}</style>"
    hatches = {hatch.name: hatch for hatch in _hatches(picture.parts)}.values()
    name = picture.name
    size = f'width="{width}{unit}" height="{height}{unit}" viewBox="0 0 {width} {height}"'
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="{name}-title {name}-desc" '
            f'lang="{picture.language}" font-family="{FONTS}" text-anchor="middle" '
            f'stroke-linejoin="round" fill="{INK}">',
            f'<title id="{name}-title">{clean(picture.title)}</title>',
            f'<desc id="{name}-desc">{clean(picture.description)}</desc>',
            f"<defs>{page}{''.join(_pattern(picture, hatch) for hatch in hatches)}</defs>",
            *(piece for part in picture.parts for piece in _draw_part(part, name)),
            "</svg>\n",
        ]
    ).encode()


def inner(parts, name):
    """Return shapes as text, for an SVG element within a page. Its ids begin with `name`."""
    return "".join(piece for part in parts for piece in _draw_part(part, name))


def number(value):
    """Format a number with at most two decimals, in the shortest form that SVG allows."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    if text in ("-0", ""):
        return "0"
    if text.startswith("0."):
        return text.removeprefix("0")
    return text.replace("-0.", "-.", 1)


def clean(text):
    """Escape a text for XML. Remove what XML does not allow, and characters that turn the direction
    of a text.

    PDFs lack these as well: a badge or a booth shows a name as it was typed.
    """
    return escape(REMOVED.sub("", text), quote=False)


def _hatches(parts):
    for part in parts:
        if isinstance(part, Group):
            yield from _hatches(part.parts)
        elif isinstance(part, Area) and isinstance(part.hatch, Hatch):
            yield part.hatch


def _pattern(picture, hatch):
    """Return the pattern element of a hatch.

    A tile contains one line and, in two corners, the ends of the neighbouring lines.
    """
    gap, quarter = hatch.gap, hatch.gap / 4
    strokes = [
        ((-quarter, quarter), (quarter, -quarter)),
        ((0, gap), (gap, 0)),
        ((3 * quarter, 5 * quarter), (5 * quarter, 3 * quarter)),
    ]
    if hatch.crossed:
        strokes += [tuple((gap - x, y) for x, y in stroke) for stroke in strokes]
    size = f'width="{number(gap)}" height="{number(gap)}"'
    stroke = f'stroke="{hatch.ink}" stroke-width="{number(hatch.thickness)}"'
    return (
        f'<pattern id="{picture.name}-{hatch.name}" {size} patternUnits="userSpaceOnUse">'
        f'<path d="{"".join(map(_path, strokes))}" fill="none" {stroke}/></pattern>'
    )


def _draw_part(part, name):
    if isinstance(part, Group):
        yield from _group(part, name)
    elif isinstance(part, Area):
        yield from _area(part, name)
    elif isinstance(part, Lines):
        yield (
            f'<path d="{"".join(map(_path, part.lines))}" fill="none" stroke="{part.stroke}" '
            f'stroke-width="{number(part.thickness)}"{_dash(part)}/>'
        )
    elif isinstance(part, Text):
        yield _text(part)
    elif isinstance(part, Bitmap):
        size = " ".join(
            f'{name}="{number(getattr(part, name))}"' for name in ("x", "y", "width", "height")
        )
        yield f'<image {size} href="data:{part.image.kind};base64,{b64encode(part.image.data).decode()}"/>'


def _group(group, name):
    id_ = f' id="{escape(f"{name}-{group.id}")}"' if group.id else ""
    turn = f' transform="rotate({" ".join(map(number, group.turn))})"' if group.turn else ""
    name_of_element = "a" if group.href else "g"
    link = f' href="{escape(group.href)}"' if group.href else ""
    mark = f' class="{escape(group.mark)}"' if group.mark else ""
    yield f"<{name_of_element}{id_}{turn}{link}{mark}>"
    if group.title:
        yield f"<title>{clean(group.title)}</title>"
    for part in group.parts:
        yield from _draw_part(part, name)
    yield f"</{name_of_element}>"


def _area(area, name):
    path = "".join(f"{_path(ring)}Z" for ring in area.rings)
    stroke = (
        f' stroke="{area.stroke}" stroke-width="{number(area.thickness)}"{_dash(area)}'
        if area.stroke
        else ""
    )
    if area.fill or not area.hatch:
        # An area without a fill must still receive pointer events, because its group has a tooltip.
        fill = area.fill or 'none" pointer-events="all'
        yield f'<path d="{path}" fill="{fill}"{"" if area.hatch else stroke}/>'
    if area.hatch:
        yield f'<path d="{path}" fill="url(#{name}-{area.hatch.name})"{stroke}/>'


def _dash(part):
    return f' stroke-dasharray="{number(part.dash)}"' if part.dash else ""


def _path(points):
    """Return path commands: a move and relative lines, with h and v for lines along an axis.

    Coordinates are rounded to hundredths first, so that rounding errors of the relative steps do
    not add up.
    """
    (x, y), *others = [(round(x * 100), round(y * 100)) for x, y in points]
    path = f"M{number(x / 100)} {number(y / 100)}"
    for to_x, to_y in others:
        across, down = number((to_x - x) / 100), number((to_y - y) / 100)
        if to_x == x:
            path += f"v{down}"
        elif to_y == y:
            path += f"h{across}"
        else:
            path += f"l{across} {down}"
        x, y = to_x, to_y
    return path


def _text(text):
    bold = ' font-weight="bold"' if text.bold else ""
    ink = f' fill="{text.ink}"' if text.ink != INK else ""
    anchor = f' text-anchor="{text.align}"' if text.align != "middle" else ""
    x, first, *others = number(text.x), *map(clean, text.lines)
    rest = "".join(
        f'<tspan x="{x}" dy="{number(text.size * text.line_height)}">{line}</tspan>'
        for line in others
    )
    return f'<text x="{x}" y="{number(text.y)}" font-size="{number(text.size)}"{bold}{ink}{anchor}>{first}{rest}</text>'
