"""Letters in small spaces: how wide a text is without any font at hand, and how a name fits into a box."""
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, combinations

# Widths in DejaVu Sans, in thousandths of the size. Fonts that a browser takes in its place are not wider.
WIDTHS = {char: width for width, chars in {
    275: "'", 278: "ijlı", 284: "ł", 295: "IJ", 318: " ,.‚‘’·\u00a0", 337: "/:;\\|", 352: "f", 361: "-", 390: "()[]", 392: "t",
    401: "!²³", 411: "r", 460: '"', 500: "*_`–°§", 518: "„“”", 521: "s", 525: "z", 531: "?", 550: "c", 557: "L", 562: "Ł", 575: "F",
    579: "k", 590: "•", 592: "vxy", 603: "P", 611: "TY", 612: "oø«»", 613: "a", 615: "e", 630: "ß", 632: "E", 634: "hnu",
    635: "Sbdgpqđ", 636: "$0123456789{}€£", 656: "K", 684: "AV", 685: "XZ", 686: "B", 695: "R", 698: "C", 732: "U", 748: "N",
    752: "H", 770: "D", 775: "GĐ", 780: "&", 787: "OQØ", 818: "w", 838: "#+<=>^~×", 863: "M", 883: "юЪЦ", 946: "ЫМΜжФф", 950: "%", 971: "ш", 974: "mÆ", 982: "æ",
    989: "W", 1000: "@—…™®©", 1013: "щ", 1023: "œ", 1060: "ЊЉ",
    1070: "Œ", 1140: "ЖШЮ", 1230: "Щ"}.items() for char in chars}
BOLD = 1.03, 62                         # bold is wider by this factor, and by so much each letter
LEAD = 1.18                             # from line to line
MOST_LINES, MOST_PIECES = 3, 14
LONG, SHORT, SOFT, TRAILING = 11, 6, "\u00ad", " ,.&-/"
SYLLABLE = re.compile("(?:sch|ch|ck|ph|th|sz|cz|rz|qu|(?![aeiouyäöüąęó])\\w)(?=[aeiouyäöüąęó])", re.I)
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
    """The width of a text of size 1; a soft hyphen is not seen."""
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


def fit(text, width, height, largest, smallest, comfort=0):
    """The text as large as it fits in up to three lines: whole, without its legal form, with words broken, or cut off.

    The first of these that reaches `comfort` is taken, else the largest. None where nothing fits in `smallest`.
    """
    if not text.strip():
        return None
    short, best = LEGAL_FORM.sub("", text) or text, None
    for candidate, is_broken in dict.fromkeys(((text, False), (short, False), (short, True))):
        size, lines = max((min(largest, width / max(widest, 0.1), height / (len(lines) * LEAD)), lines)
                          for widest, lines in splits(candidate, is_broken))
        if best is None or size > 1.15 * best.size:
            best = Fitted(lines, size, candidate == text)
        if size >= comfort and size >= smallest:
            break
    if best.size >= smallest:
        return best
    lines = cut(short, width / smallest, min(MOST_LINES, int(height / (smallest * LEAD))))
    return Fitted(lines, smallest, False) if lines else None


def pieces(text, unbroken):
    """What a line may end behind: words with the blank that follows, parts of hyphenated words, syllables of words longer than `unbroken`."""
    return [piece for word in WORDS.findall(text) for piece in (_syllables(word) if len(word.rstrip()) > unbroken else [word])]


def _syllables(word):
    """Parts of a long word, each but the last with a soft hyphen: before a consonant that a vowel follows, which is mostly right."""
    ends = [match.start() for match in SYLLABLE.finditer(word) if 3 <= match.start() <= len(word.rstrip()) - 3]
    parts = [word[start:end] for start, end in zip([0, *ends], [*ends, len(word)])]
    return [part + SOFT for part in parts[:-1]] + parts[-1:]


def joined(parts):
    """A line: of the soft hyphens only that at its end is seen."""
    line = "".join(parts).rstrip()
    return line.replace(SOFT, "") + ("-" if line.endswith(SOFT) else "")


@lru_cache(maxsize=8192)
def splits(text, is_broken=False):
    """(width of the widest line, lines) for one, two and three lines, each broken where the widest is narrowest."""
    parts = pieces(text, LONG if is_broken else len(text))
    if len(parts) > MOST_PIECES:
        parts[MOST_PIECES - 1:] = ["".join(parts[MOST_PIECES - 1:])]
    sums = [0, *accumulate(map(em, parts))]
    over = [0, *(em("-") if part.endswith(SOFT) else em(part.rstrip()) - em(part) for part in parts)]      # at the end of a line

    def widest(ends):
        return max(sums[end] - sums[start] + over[end] for start, end in zip((0, *ends), (*ends, len(parts))))
    found = []
    for count in range(min(len(parts), MOST_LINES)):
        ends = min(combinations(range(1, len(parts)), count), key=widest)
        found.append((widest(ends), tuple(joined(parts[start:end]) for start, end in zip((0, *ends), (*ends, len(parts))))))
    return found


def cut(text, width, room):
    """As much of a text as goes into so many lines of a width (of size 1), with an ellipsis at its end; () where that says nothing."""
    lines, parts = [], pieces(text, SHORT)
    while parts and len(lines) < room:
        taken = 0
        while taken < len(parts) and em(joined(parts[:taken + 1])) <= width:
            taken += 1
        is_last = len(lines) == room - 1
        if taken < len(parts) and (is_last or not taken):
            lines.append(_beginning(joined(parts).replace(SOFT, ""), width))
            break
        lines.append(joined(parts[:taken]))
        del parts[:taken]
    return tuple(lines) if lines and len(lines[0]) > 2 else ()


def _beginning(text, width):
    """So much of a text as fits with an ellipsis behind it."""
    end = max((end for end in range(1, len(text)) if em(text[:end].rstrip(TRAILING) + "…") <= width), default=1)
    return text[:end].rstrip(TRAILING) + "…"
