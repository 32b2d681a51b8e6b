"""The look of all pictures and letters: colours, sizes and distances, those of the web pages in
light.

The names of the colours are those of the variables of the stylesheet. Lengths are in millimetres,
font sizes of letters in points.
"""

from dataclasses import dataclass
from hashlib import sha256

# Text, paper and lines
INK, QUIET, PAPER = "#1c2420", "#56625c", "#ffffff"
LINE, EDGE, SOFT = "#dde2dd", "#7a867f", "#e9f1ec"
ACCENT = "#23694a"  # unless the option organiser_color names another colour
LATE, WAIT, WAIT_SOFT = "#a3291c", "#765000", "#fbf2de"

# Hall plans
WALL, BOOTH_LINE, THING = "#57605b", "#a9b4ad", "#e7e4ee"
NAMED, NAMED_INK = "#dcebe2", "#143326"  # a booth with the name of its exhibitor
FREE, FREE_INK = "#ffffff", "#6a756f"  # a booth that visitors see without a name
TAKEN, TAKEN_INK = "#ebebe8", "#5d625f"
OPEN, ON_OPEN = "#23694a", "#ffffff"  # a booth for sale, where booths are chosen

# Font sizes of letters: the title, headings in documents, the subtitle, text, tables, the footer
TITLE, HEADING, SUBTITLE, TEXT, TABLE, FOOT = 16, 12.5, 10.5, 10, 9.5, 7.5
RULE, HAIRLINE = 0.4, 0.2  # thickness of a line in the colour of the organiser, and of others
SMALL = 100_000  # bytes of a logo on plans and charts
READABLE = 4.5  # least contrast of text (WCAG 2.2 AA)


@dataclass(frozen=True)
class Brand:
    """What shows whose letter or picture it is: an Image or None, and a colour such as #23694a."""

    logo: object = None
    color: str = ACCENT

    @property
    def ink(self):
        """Return the colour for text on paper: that of the organiser, or INK if that would be hard
        to read.
        """
        return self.color if contrast(self.color, PAPER) >= READABLE else INK

    @property
    def small_logo(self):
        """Return the logo, or None if it is too large for pictures that web pages load."""
        return self.logo if self.logo and len(self.logo.data) <= SMALL else None

    @property
    def key(self):
        """Return a text that is another one if the logo or the colour is another one."""
        return f"{self.color} {sha256(self.logo.data).hexdigest() if self.logo else ''}"


PLAIN = Brand()


def brand(config):
    """Return the Brand that the configuration names."""
    return Brand(config.organiser_logo, config.organiser_color)


def ink_on(fill):
    """Return black or white, whichever has the higher contrast with `fill`."""
    return max("#000000", PAPER, key=lambda ink: contrast(ink, fill))


def contrast(one, other):
    """Return the contrast of two colours (WCAG 2), from 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def luminance(color):
    """Return the relative luminance (WCAG 2) of a colour such as #0b4f8a, from 0 to 1."""
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
