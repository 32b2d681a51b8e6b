"""Estimated text widths, and the fitting of names into boxes.

The widths are those of DejaVu Sans, so that no font file is needed. A width is a multiple of the
font size (em). Text is drawn in Liberation Sans, which is a tenth narrower, wherever it is
installed: names fit everywhere, and have some air there.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, combinations

# Widths in DejaVu Sans, in thousandths of the font size. The other fonts of pictures are not wider.
WIDTHS = {
    char: width
    for width, chars in {
        275: "'",
        278: "ijlı",
        284: "ł",
        295: "IJ",
        318: " ,.‚‘’·\u00a0",
        337: "/:;\\|",
        352: "f",
        361: "-",
        390: "()[]",
        392: "t",
        401: "!²³",
        411: "r",
        460: '"',
        500: "*_`–°§",
        518: "„“”",
        521: "s",
        525: "z",
        531: "?",
        550: "c",
        557: "L",
        562: "Ł",
        575: "F",
        579: "k",
        590: "•",
        592: "vxy",
        603: "P",
        611: "TY",
        612: "oø«»",
        613: "a",
        615: "e",
        630: "ß",
        632: "E",
        634: "hnu",
        635: "Sbdgpqđ",
        636: "$0123456789{}€£",
        656: "K",
        684: "AV",
        685: "XZ",
        686: "B",
        695: "R",
        698: "C",
        732: "U",
        748: "N",
        752: "H",
        770: "D",
        775: "GĐ",
        780: "&",
        787: "OQØ",
        818: "w",
        838: "#+<=>^~×",
        863: "M",
        883: "юЪЦ",
        946: "ЫМΜжФф",
        950: "%",
        971: "ш",
        974: "mÆ",
        982: "æ",
        989: "W",
        1000: "@—…™®©",
        1013: "щ",
        1023: "œ",
        1060: "ЊЉ",
        1070: "Œ",
        1140: "ЖШЮ",
        1230: "Щ",
    }.items()
    for char in chars
}
BOLD = 1.03, 62  # bold: the factor, and the thousandths that each letter is wider in addition
LINE_HEIGHT = 1.18  # as a factor of the font size
MAX_LINES, MAX_PIECES = 3, 14
# Words with more letters than this may be broken: in names that fit, and in names that are cut off.
LONG, SHORT = 11, 6
SOFT = "\u00ad"  # the soft hyphen
TRAILING = " ,.&-/"  # characters that are removed before an ellipsis
SYLLABLE = re.compile(
    "(?:sch|ch|ck|ph|th|sz|cz|rz|qu|(?![aeiouyäöüąęó])\\w)(?=[aeiouyäöüąęó])", re.I
)
WORDS = re.compile(r"\S+?-(?=\w{3})|\S+\s*")  # a line can break after a hyphen
LEGAL_FORM = re.compile(
    r"(?<![ ,])[ ,]++(?:(?:GmbH|AG|SE|UG)\s*(?:&\s*Co\.?\s*(?:KGaA|KG|OHG))?|(?:UG )?\(haftungsbeschränkt\)"
    r"|e\.\s?K\.|e\.\s?V\.|KGaA|KG|OHG|GbR|[Ss]p\.\s?z\s?o\.\s?o\.(?:\s[Ss]p\.\s?k\.)?|[Ss]p\.\s?[jk]\.|S\.\s?A\."
    r"|S\.?r\.?l\.?|S\.?p\.?A\.?|s\.\s?r\.\s?o\.|a\.\s?s\.|B\.?V\.?|N\.V\."
    r"|SAS|SARL|Ltd\.?|Limited|LLC|Inc\.?|PLC|plc|A/S|ApS|AB|Oy|Kft\.?|Zrt\.?)$"
)


@dataclass(frozen=True)
class Fitted:
    """A text in lines. `is_whole` is true if nothing was omitted."""

    lines: tuple
    size: float
    is_whole: bool


@lru_cache(maxsize=16384)
def em(text, bold=False):
    """Return the width of a text at font size 1. A soft hyphen has no width."""
    wide = sum(map(_letter, text))
    return (wide * BOLD[0] + len(text) * BOLD[1] if bold else wide) / 1000


@lru_cache(maxsize=4096)
def _letter(char):
    if char == SOFT:
        return 0
    known = WIDTHS.get(char) or WIDTHS.get(unicodedata.normalize("NFD", char)[0])
    if known:
        return known
    return 1000 if unicodedata.east_asian_width(char) in "FW" else 800


def fit(text, width, height, largest, smallest, preferred=0):
    """Return the text as a Fitted in up to three lines, as large as the box allows, or None if it
    does not fit at all.

    Try the whole text, then the text without the legal form of the company, then with broken words.
    Use the first that reaches the font size `preferred`, otherwise the largest. If that is below
    `smallest`, cut the text off.
    """
    if not text.strip():
        return None
    short, best = LEGAL_FORM.sub("", text) or text, None
    for candidate, is_broken in dict.fromkeys(((text, False), (short, False), (short, True))):
        size, lines = max(
            (min(largest, width / max(widest, 0.1), height / (len(lines) * LINE_HEIGHT)), lines)
            for widest, lines in splits(candidate, is_broken)
        )
        if best is None or size > 1.15 * best.size:
            best = Fitted(lines, size, candidate == text)
        if size >= preferred and size >= smallest:
            break
    if best.size >= smallest:
        return best
    lines = cut(short, width / smallest, min(MAX_LINES, int(height / (smallest * LINE_HEIGHT))))
    return Fitted(lines, smallest, False) if lines else None


def pieces(text, unbroken):
    """Split a text where a line can end.

    The pieces are words with the space that follows, parts of hyphenated words, and syllables of
    words with more than `unbroken` letters.
    """
    found = []
    for word in WORDS.findall(text):
        found += _syllables(word) if len(word.rstrip()) > unbroken else [word]
    return found


def _syllables(word):
    """Split a long word before each consonant that a vowel follows, which is right for most words.

    Each part except the last ends in a soft hyphen.
    """
    ends = [
        match.start()
        for match in SYLLABLE.finditer(word)
        if 3 <= match.start() <= len(word.rstrip()) - 3
    ]
    parts = [word[start:end] for start, end in zip([0, *ends], [*ends, len(word)], strict=True)]
    return [*(part + SOFT for part in parts[:-1]), parts[-1]]


def joined(parts):
    """Return the pieces as a line. A soft hyphen at the end becomes a hyphen, others are removed."""
    line = "".join(parts).rstrip()
    return line.replace(SOFT, "") + ("-" if line.endswith(SOFT) else "")


@lru_cache(maxsize=8192)
def splits(text, is_broken=False):
    """Return [(width of the widest line, lines)] for one, two and three lines.

    The breaks make this width minimal.
    """
    parts = pieces(text, LONG if is_broken else len(text))
    if len(parts) > MAX_PIECES:
        parts[MAX_PIECES - 1 :] = ["".join(parts[MAX_PIECES - 1 :])]
    sums = [0, *accumulate(map(em, parts))]
    # At the end of a line, a piece is wider by a hyphen or narrower by the trailing space.
    at_end = [
        0,
        *(em("-") if part.endswith(SOFT) else em(part.rstrip()) - em(part) for part in parts),
    ]

    def spans(ends):
        return zip((0, *ends), (*ends, len(parts)), strict=True)

    def widest(ends):
        return max(sums[end] - sums[start] + at_end[end] for start, end in spans(ends))

    found = []
    for count in range(min(len(parts), MAX_LINES)):
        ends = min(combinations(range(1, len(parts)), count), key=widest)
        found.append((widest(ends), tuple(joined(parts[start:end]) for start, end in spans(ends))))
    return found


def cut(text, width, room):
    """Return the beginning of a text in at most `room` lines, with an ellipsis, or () if hardly
    anything fits.

    `width` is the width of a line at font size 1.
    """
    lines, parts = [], pieces(text, SHORT)
    while parts and len(lines) < room:
        taken = 0
        while taken < len(parts) and em(joined(parts[: taken + 1])) <= width:
            taken += 1
        is_last = len(lines) == room - 1
        if taken < len(parts) and (is_last or not taken):
            lines.append(_beginning(joined(parts).replace(SOFT, ""), width))
            break
        lines.append(joined(parts[:taken]))
        del parts[:taken]
    return tuple(lines) if lines and len(lines[0]) > 2 else ()


def _beginning(text, width):
    """Return as much of a text as fits, followed by an ellipsis."""
    end = max(
        (end for end in range(1, len(text)) if em(text[:end].rstrip(TRAILING) + "…") <= width),
        default=1,
    )
    return text[:end].rstrip(TRAILING) + "…"


def shortened(text, width, size, bold=False):
    """Return the text, cut off with an ellipsis if it is wider than `width`."""
    if em(text, bold) * size <= width:
        return text
    end = len(text)
    while end > 1 and em(text[:end] + "…", bold) * size > width:
        end -= 1
    return text[:end].rstrip() + "…"
