"""The shapes of a picture: a tree that svg.py and canvas.py draw.

Positions and lengths are in millimetres from the top left.
"""

from dataclasses import dataclass

from eventapi.pictures.style import INK


@dataclass(frozen=True)
class Hatch:
    """A pattern of parallel lines at 45 degrees over the fill of an area."""

    name: str
    ink: str
    gap: float  # from line to line, measured along x
    thickness: float
    crossed: bool = False  # lines in both directions


@dataclass(frozen=True)
class Area:
    """One or more polygons that are filled and outlined as one shape."""

    rings: tuple  # each a sequence of points
    fill: str = None
    hatch: Hatch = None
    stroke: str = None
    thickness: float = 0.2
    dash: float = 0  # of the outline, as that of Lines


@dataclass(frozen=True)
class Lines:
    """Open polylines."""

    lines: tuple
    stroke: str = INK
    thickness: float = 0.2
    dash: float = 0  # length of the dashes and of the gaps between them; 0 is a solid line


@dataclass(frozen=True)
class Text:
    """Lines of text. `y` is the base line of the first line."""

    x: float
    y: float
    lines: tuple
    size: float
    bold: bool = False
    ink: str = INK
    align: str = "middle"  # start, middle or end
    line_height: float = 1.18  # as a factor of `size`


@dataclass(frozen=True)
class Bitmap:
    """An image of eventapi/images.py in a box whose top left is (x, y)."""

    x: float
    y: float
    width: float
    height: float
    image: object


@dataclass(frozen=True)
class Group:
    """Shapes that belong together.

    `title` is the tooltip, `turn` is (degrees clockwise, x, y): a rotation about a point, `href`
    the address to which the group is a link on a web page, `mark` its class there.
    """

    parts: tuple
    id: str = None
    title: str = None
    turn: tuple = None
    href: str = None
    mark: str = None


@dataclass(frozen=True)
class Picture:
    """A complete drawing.

    `name` is part of the ids in the SVG, so that a page can contain several pictures.
    """

    name: str
    width: float
    height: float
    title: str
    description: str
    language: str
    parts: tuple


def rectangle(x, y, width, height):
    """Return the corners of a rectangle with its top left at (x, y), clockwise."""
    return (x, y), (x + width, y), (x + width, y + height), (x, y + height)


def contained(image, width, height):
    """Return (width, height) of an image that is scaled into a box without being distorted."""
    scale = min(width / image.width, height / image.height)
    return image.width * scale, image.height * scale
