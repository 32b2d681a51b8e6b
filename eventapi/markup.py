"""The markup of documents: a closed subset of HTML, read strictly into a tree from which page and PDF are made.

html.parser forgives whatever it meets; here every letter is understood or refused, so that nothing comes through that
was not meant.
"""
import re
from dataclasses import dataclass, field
from html import escape
from html.entities import html5

INLINE = frozenset(("strong", "em", "br"))
# tag -> the tags that may stand in it; "" stands for text
WITHIN = {
    "": frozenset(("h1", "h2", "h3", "p", "ul", "ol", "table", *INLINE, "")),
    **dict.fromkeys(("h1", "h2", "h3", "p", "strong", "em"), INLINE | {""}),
    **dict.fromkeys(("li", "th", "td"), INLINE | {"", "p", "ul", "ol"}),
    "ul": frozenset(("li",)), "ol": frozenset(("li",)), "table": frozenset(("tr",)), "tr": frozenset(("th", "td")), "br": frozenset(),
}
MAX_DEPTH = 16
MAX_LENGTH = 200_000           # characters of a document
MAX_FAULTS = 100                # faults, after which the rest is not read
TOKEN = re.compile(r"<(?P<end>/?)(?P<tag>[A-Za-z][A-Za-z0-9]*)\s*/?>|&(?P<entity>#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]*);|(?P<text>[^<&]+|& )")
OPENING = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)")
PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")       # blanks are stripped afterwards: three ways to match one would take cubic time
CONTROL = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass
class Element:
    tag: str
    parts: list = field(default_factory=list)       # elements and texts


class Reader:
    """One text being read. `wrong` gathers (place, code, detail); reading goes on behind each fault."""

    def __init__(self, text, is_known):
        self.text, self.is_known, self.wrong = text, is_known, []
        self.open = [(Element(""), 0)]

    def read(self):
        place = 0
        while place < len(self.text) and len(self.wrong) < MAX_FAULTS:
            token = TOKEN.match(self.text, place)
            if token is None:
                place = self._skip(place)
                continue
            if token["tag"]:
                self._tag(token["tag"].lower(), bool(token["end"]), place)
            elif token["entity"]:
                self._entity(token["entity"], place)
            else:
                self._text(token["text"], place)
            place = token.end()
        for element, at in self.open[1:] if place >= len(self.text) else ():
            self._fault(at, "unclosed", f"<{element.tag}> is never closed")
        return self.open[0][0]

    def _fault(self, place, code, detail):
        self.wrong.append((place, code, detail))

    def _skip(self, place):
        """Names what cannot be read, and gives where reading goes on."""
        if self.text[place] == "&":
            self._fault(place, "entity", "an ampersand is written &amp;")
            return place + 1
        end = self.text.find(">", place) + 1 or len(self.text)
        opening = OPENING.match(self.text, place)
        if self.text.startswith(("<!", "<?"), place):
            self._fault(place, "not_allowed", "comments, doctypes and instructions are not allowed")
        elif opening and opening[1].lower() in WITHIN:
            self._fault(place, "attribute", f"<{opening[1].lower()}> takes no attributes")
        elif opening:
            self._fault(place, "not_allowed", f"<{opening[1].lower()}> is not allowed")
        else:
            self._fault(place, "not_allowed", "a less-than sign is written &lt;")
            return place + 1
        return end

    def _tag(self, tag, ends, place):
        if tag not in WITHIN:
            return self._fault(place, "not_allowed", f"<{tag}> is not allowed; these are: {', '.join(filter(None, WITHIN))}")
        if ends:
            return self._close(tag, place)
        element, outer = Element(tag), self.open[-1][0]
        if tag not in WITHIN[outer.tag]:
            self._fault(place, "misplaced", f"<{tag}> cannot stand {f'in <{outer.tag}>' if outer.tag else 'by itself'}")
        outer.parts.append(element)
        if len(self.open) > MAX_DEPTH:
            self._fault(place, "too_deep", f"is nested more than {MAX_DEPTH} deep")
        elif tag != "br":
            self.open.append((element, place))

    def _close(self, tag, place):
        names = [element.tag for element, _ in self.open[1:]]
        if tag not in names:
            return self._fault(place, "unopened", f"</{tag}> closes nothing")
        while self.open[-1][0].tag != tag:
            element, at = self.open.pop()
            self._fault(at, "unclosed", f"<{element.tag}> is not closed before </{tag}>")
        self.open.pop()

    def _entity(self, name, place):
        letter = _letter(name)
        if letter is None:
            return self._fault(place, "entity", f"&{name}; is no character")
        self._text(letter, place)

    def _text(self, text, place):
        element = self.open[-1][0]
        if text.strip() and "" not in WITHIN[element.tag]:
            self._fault(place, "misplaced", f"text cannot stand in <{element.tag}>")
        if CONTROL.search(text):
            self._fault(place, "characters", "must not hold control characters")
        if self.is_known:
            self._placeholders(text, place)
        if element.parts and isinstance(element.parts[-1], str):
            element.parts[-1] += text
        else:
            element.parts.append(text)

    def _placeholders(self, text, place):
        for found in PLACEHOLDER.finditer(text):
            name = found[1].strip()
            if not self.is_known(name):
                self._fault(place + found.start(), "placeholder", f"{{{{{name[:100]}}}}} is no placeholder")
        rest = PLACEHOLDER.sub(lambda found: " " * len(found[0]), text)
        for sign in ("{{", "}}"):
            if sign in rest:
                self._fault(place + rest.index(sign), "placeholder", "a placeholder is written {{name}}")


def parse(text, faults, pointer, is_known=None):
    """The tree of a text; what is wrong with it goes to `faults`, each with line and column.

    `is_known` judges placeholders.
    """
    reader = Reader(text, is_known)
    root = reader.read()
    for place, code, detail in sorted(reader.wrong, key=lambda entry: entry[0]):
        line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
        faults.add(pointer, code, f"line {line}, column {column}: {detail}")
    return root


def fill(element, value_of):
    """The tree with each placeholder replaced by value_of(name); a value is text, whatever it looks like, and keeps its lines."""
    parts = []
    for part in element.parts:
        if isinstance(part, Element):
            parts.append(fill(part, value_of))
        else:
            text = PLACEHOLDER.sub(lambda found: CONTROL.sub("", value_of(found[1].strip())).replace("\r", "").replace("\n", "\0"), part)
            for place, line in enumerate(text.split("\0")):
                parts += [Element("br"), line] if place else [line]
    return Element(element.tag, parts)


def to_html(element):
    """The tree as HTML, which `parse` reads again as the same tree."""
    inside = "".join(to_html(part) if isinstance(part, Element) else escape(part, quote=False) for part in element.parts)
    if not element.tag:
        return inside
    return "<br>" if element.tag == "br" else f"<{element.tag}>{inside}</{element.tag}>"


def blocks(element):
    """What stands in an element as blocks: texts and inline elements between them are gathered into paragraphs."""
    found, line = [], Element("p")
    for part in [*element.parts, None]:
        if isinstance(part, str) or part is not None and part.tag in INLINE:
            line.parts.append(part)
            continue
        if any(isinstance(inner, Element) or inner.strip() for inner in line.parts):
            found.append(line)
        line = Element("p")
        if part is not None:
            found.append(part)
    return found


def _letter(name):
    """The character of a reference, or None."""
    if not name.startswith("#"):
        return html5.get(f"{name};")
    number = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    usable = number in (9, 10, 13) or 32 <= number < 0xD800 or 0xE000 <= number <= 0x10FFFF
    return chr(number) if usable else None
