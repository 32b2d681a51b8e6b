"""What a picture is made of, in millimetres from the top left of the sheet: the one tree that svg.py and canvas.py draw."""
from dataclasses import dataclass

INK, PAPER = "#1a1a1a", "#ffffff"


@dataclass(frozen=True)
class Hatch:
    """Lines at 45 degrees, rising or both ways, over what is filled already."""
    name: str
    ink: str
    gap: float                          # from line to line, measured along x
    thickness: float
    crossed: bool = False


@dataclass(frozen=True)
class Area:
    """Polygons that are filled and outlined as one."""
    rings: tuple                        # each a sequence of points
    fill: str = None
    hatch: Hatch = None
    stroke: str = None
    thickness: float = 0.2


@dataclass(frozen=True)
class Lines:
    """Strokes that are not closed."""
    lines: tuple
    stroke: str = INK
    thickness: float = 0.2
    dash: float = 0                     # length of dashes and of the gaps between them


@dataclass(frozen=True)
class Text:
    """Lines of text; `y` is the base line of the first."""
    x: float
    y: float
    lines: tuple
    size: float
    bold: bool = False
    ink: str = INK
    align: str = "middle"               # of start, middle, end
    lead: float = 1.18


@dataclass(frozen=True)
class Group:
    """What belongs together: `title` is shown to who points at it, `turn` is (degrees clockwise, x, y)."""
    parts: tuple
    id: str = None
    title: str = None
    turn: tuple = None


@dataclass(frozen=True)
class Picture:
    """A sheet of paper; `name` is part of the ids in it, so that two pictures may stand in one page."""
    name: str
    width: float
    height: float
    title: str
    description: str
    language: str
    parts: tuple


def rectangle(x, y, width, height):
    return (x, y), (x + width, y), (x + width, y + height), (x, y + height)
