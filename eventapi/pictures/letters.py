"""Letters in small spaces: how wide a text is without any font at hand, and how a name fits into a box."""
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

# Widths in DejaVu Sans, in thousandths of the size. Fonts that a browser takes in its place are not wider.
WIDTHS = {char: width for width, chars in {
    275: "'", 278: "ijlı", 284: "ł", 295: "IJ", 318: " ,.‚‘’·\u00a0", 337: "/:;\\|", 352: "f", 361: "-", 390: "()[]", 392: "t",
    401: "!²³", 411: "r", 460: '"', 500: "*_`–°§", 518: "„“”", 521: "s", 525: "z", 531: "?", 550: "c", 557: "L", 562: "Ł", 575: "F",
    579: "k", 590: "•", 592: "vxy", 603: "P", 611: "TY", 612: "oø«»", 613: "a", 615: "e", 630: "ß", 632: "E", 634: "hnu",
    635: "Sbdgpqđ", 636: "$0123456789{}€£", 656: "K", 684: "AV", 685: "XZ", 686: "B", 695: "R", 698: "C", 732: "U", 748: "N",
    752: "H", 770: "D", 775: "GĐ", 780: "&", 787: "OQØ", 818: "w", 838: "#+<=>^~×", 863: "M", 950: "%", 974: "mÆ", 982: "æ",
    989: "W", 1000: "@—…™®©", 1023: "œ", 1070: "Œ"}.items() for char in chars}
BOLD = 1.15                             # how much wider, at most
LEAD = 1.18                             # from line to line
MOST_LINES, MOST_WORDS = 3, 12
WORDS = re.compile(r"\S+?-(?=\w{3})|\S+\s*")            # a line may break after a hyphen
LEGAL_FORM = re.compile(r"[ ,]+(?:(?:GmbH|AG|SE|UG)\s*(?:&\s*Co\.?\s*(?:KGaA|KG|OHG))?|(?:UG )?\(haftungsbeschränkt\)|e\.\s?K\.|e\.\s?V\.|KGaA|KG|OHG|GbR"
                        r"|[Ss]p\.\s?z\s?o\.\s?o\.(?:\s[Ss]p\.\s?k\.)?|[Ss]p\.\s?[jk]\.|S\.\s?A\.|S\.?r\.?l\.?|S\.?p\.?A\.?|s\.\s?r\.\s?o\.|a\.\s?s\."
                        r"|B\.?V\.?|N\.V\.|SAS|SARL|Ltd\.?|Limited|LLC|Inc\.?|PLC|plc|A/S|ApS|AB|Oy|Kft\.?|Zrt\.?)$")


@dataclass(frozen=True)
class Fitted:
    """A text in lines; `is_whole`: nothing was left out of it."""
    lines: tuple
    size: float
    is_whole: bool


@lru_cache(maxsize=16384)
def em(text, bold=False):
    """The width of a text of size 1."""
    return sum(map(_letter, text)) / 1000 * (BOLD if bold else 1)


@lru_cache(maxsize=4096)
def _letter(char):
    known = WIDTHS.get(char) or WIDTHS.get(unicodedata.normalize("NFD", char)[0])
    if known:
        return known
    return 1000 if unicodedata.east_asian_width(char) in "FW" else 800


def fit(text, width, height, largest, smallest):
    """The text as large as it fits in up to three lines: whole, without its legal form, or cut off. None where nothing fits."""
    short = LEGAL_FORM.sub("", text)
    for candidate in dict.fromkeys((text, short)):
        size, lines = max((min(largest, width / max(widest, 0.1), height / (len(lines) * LEAD)), lines)
                          for widest, lines in splits(candidate))
        if size >= smallest:
            return Fitted(lines, size, candidate == text)
    room = min(MOST_LINES, int(height / (smallest * LEAD)))
    lines = cut(short, width / smallest, room)
    return Fitted(lines, smallest, False) if lines else None


@lru_cache(maxsize=4096)
def splits(text):
    """(width of the widest line, lines) for one, two and three lines, each broken where the widest is narrowest."""
    words = WORDS.findall(text)
    words[MOST_WORDS - 1:] = ["".join(words[MOST_WORDS - 1:])] if len(words) >= MOST_WORDS else words[MOST_WORDS - 1:]
    return [min((max(map(em, lines)), lines) for lines in _broken(words, count)) for count in range(1, min(len(words), MOST_LINES) + 1)]


def _broken(words, count):
    for breaks in combinations(range(1, len(words)), count - 1):
        ends = (0, *breaks, len(words))
        yield tuple("".join(words[start:end]).rstrip() for start, end in zip(ends, ends[1:]))


def cut(text, width, room):
    """As much of a text as goes into so many lines of a width (of size 1), with an ellipsis at its end; () where that says nothing."""
    lines, words = [], WORDS.findall(text)
    while words and len(lines) < room:
        line = ""
        while words and em((line + words[0]).rstrip()) <= width:
            line += words.pop(0)
        if words and (not line or len(lines) == room - 1):
            head = _beginning(line + words[0], width, "…" if len(lines) == room - 1 else "-")
            words[0] = (line + words[0])[len(head) - 1:]
            line = head
        lines.append(line.rstrip())
    return tuple(lines) if lines and len(lines[0]) > 2 else ()


def _beginning(text, width, mark):
    """So much of a text as fits with the mark behind it."""
    end = max((end for end in range(1, len(text)) if em(text[:end].rstrip(" ,.&-/") + mark) <= width), default=1)
    return text[:end].rstrip(" ,.&-/") + mark
