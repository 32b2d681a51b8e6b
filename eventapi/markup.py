"""The markup of documents: a small subset of HTML, parsed strictly into a tree for the HTML page
and the PDF.

html.parser accepts any input. This parser refuses everything that it does not know, so that no
other HTML reaches a page.
"""

import re
from dataclasses import dataclass, field
from html import escape
from html.entities import html5

INLINE = frozenset(("strong", "em", "br"))
# tag -> the tags that it may contain; "" is text, and as a key the whole document
WITHIN = {
    "": frozenset(("h1", "h2", "h3", "p", "ul", "ol", "table", *INLINE, "")),
    **dict.fromkeys(("h1", "h2", "h3", "p", "strong", "em"), INLINE | {""}),
    **dict.fromkeys(("li", "th", "td"), INLINE | {"", "p", "ul", "ol"}),
    "ul": frozenset(("li",)),
    "ol": frozenset(("li",)),
    "table": frozenset(("tr",)),
    "tr": frozenset(("th", "td")),
    "br": frozenset(),
}
MAX_DEPTH = 16
MAX_LENGTH = 200_000  # characters of a document
MAX_FAULTS = 100  # parsing stops after so many faults
TOKEN = re.compile(
    r"<(?P<end>/?)(?P<tag>[A-Za-z][A-Za-z0-9]*)\s*/?>"
    r"|&(?P<entity>#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]*);"
    r"|(?P<text>[^<&]+|& )"
)
OPENING = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)")
# Spaces in a placeholder are stripped afterwards. With \s* on both sides, a match could take cubic
# time.
PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
CONTROL = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f]")
LINE_BREAK = "\0"  # stands for a line break in a value; no text contains it


@dataclass
class Element:
    """A node of the tree. The root has the tag ""."""

    tag: str
    parts: list = field(default_factory=list)  # Elements and texts


class Parser:
    """Parses one text.

    is_known: function that returns whether a placeholder is known, or None if placeholders are not allowed.
    open: the elements that are not closed, outermost first, each with its position in the text.
    found: faults as (position, code, detail). Parsing continues after each fault.
    """

    def __init__(self, text, is_known):
        self.text, self.is_known, self.found = text, is_known, []
        self.open = [(Element(""), 0)]

    def parse(self):
        """Return the root of the tree."""
        place = 0
        while place < len(self.text) and len(self.found) < MAX_FAULTS:
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
        if place >= len(self.text):
            for element, at in self.open[1:]:
                self._fault(at, "unclosed", f"<{element.tag}> is never closed")
        return self.open[0][0]

    def _fault(self, place, code, detail):
        self.found.append((place, code, detail))

    def _skip(self, place):
        """Add a fault for text that is not a token. Return the position at which parsing continues."""
        if self.text[place] == "&":
            self._fault(place, "entity", "an ampersand must be written as &amp;")
            return place + 1
        end = self.text.find(">", place) + 1 or len(self.text)
        opening = OPENING.match(self.text, place)
        if self.text.startswith(("<!", "<?"), place):
            self._fault(place, "not_allowed", "comments, doctypes and instructions are not allowed")
        elif opening and opening[1].lower() in WITHIN:
            self._fault(place, "attribute", f"<{opening[1].lower()}> cannot have attributes")
        elif opening:
            self._fault(place, "not_allowed", f"<{opening[1].lower()}> is not allowed")
        else:
            self._fault(place, "not_allowed", "a less-than sign must be written as &lt;")
            return place + 1
        return end

    def _tag(self, tag, ends, place):
        if tag not in WITHIN:
            tags = ", ".join(filter(None, WITHIN))
            return self._fault(
                place, "not_allowed", f"<{tag}> is not allowed; the allowed tags are {tags}"
            )
        if ends:
            return self._close(tag, place)
        element, outer = Element(tag), self.open[-1][0]
        if tag not in WITHIN[outer.tag]:
            where = f"in <{outer.tag}>" if outer.tag else "outside other elements"
            self._fault(place, "misplaced", f"<{tag}> is not allowed {where}")
        outer.parts.append(element)
        if len(self.open) > MAX_DEPTH:
            self._fault(place, "too_deep", f"must not be nested more than {MAX_DEPTH} levels deep")
        elif tag != "br":
            self.open.append((element, place))

    def _close(self, tag, place):
        names = [element.tag for element, _ in self.open[1:]]
        if tag not in names:
            return self._fault(place, "unopened", f"</{tag}> has no opening tag")
        while self.open[-1][0].tag != tag:
            element, at = self.open.pop()
            self._fault(at, "unclosed", f"<{element.tag}> is not closed before </{tag}>")
        self.open.pop()

    def _entity(self, name, place):
        letter = _letter(name)
        if letter is None:
            return self._fault(place, "entity", f"&{name}; is not a known character")
        self._text(letter, place)

    def _text(self, text, place):
        element = self.open[-1][0]
        if text.strip() and "" not in WITHIN[element.tag]:
            self._fault(place, "misplaced", f"text is not allowed in <{element.tag}>")
        if CONTROL.search(text):
            self._fault(place, "characters", "must not contain control characters")
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
                self._fault(
                    place + found.start(),
                    "placeholder",
                    f"{{{{{name[:100]}}}}} is not a known placeholder",
                )
        rest = PLACEHOLDER.sub(lambda found: " " * len(found[0]), text)
        for sign in ("{{", "}}"):
            if sign in rest:
                self._fault(
                    place + rest.index(sign),
                    "placeholder",
                    "a placeholder must be written as {{name}}",
                )


def parse(text, faults, pointer, is_known=None):
    """Return the root of the tree of a text.

    Add faults, with line and column, to the Faults `faults` at `pointer`.

    `is_known`: function that returns whether a placeholder is known, or None if braces have no
    meaning.
    """
    parser = Parser(text, is_known)
    root = parser.parse()
    for place, code, detail in sorted(parser.found, key=lambda entry: entry[0]):
        line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
        faults.add(pointer, code, f"line {line}, column {column}: {detail}")
    return root


def fill(element, value_of):
    """Return the tree with each placeholder replaced by value_of(name).

    A value is text, even if it looks like markup. Its line breaks become <br>.
    """

    def value(found):
        return (
            CONTROL.sub("", value_of(found[1].strip())).replace("\r", "").replace("\n", LINE_BREAK)
        )

    parts = []
    for part in element.parts:
        if isinstance(part, Element):
            parts.append(fill(part, value_of))
        else:
            for place, line in enumerate(PLACEHOLDER.sub(value, part).split(LINE_BREAK)):
                parts += [Element("br"), line] if place else [line]
    return Element(element.tag, parts)


def to_html(element):
    """Return the tree as HTML. `parse` returns the same tree for it."""
    parts = (
        to_html(part) if isinstance(part, Element) else escape(part, quote=False)
        for part in element.parts
    )
    inside = "".join(parts)
    if not element.tag:
        return inside
    return "<br>" if element.tag == "br" else f"<{element.tag}>{inside}</{element.tag}>"


def blocks(element):
    """Return the parts of an element as block elements.

    Texts and inline elements between blocks become paragraphs.
    """
    found, line = [], Element("p")
    for part in [*element.parts, None]:
        if isinstance(part, str) or (part is not None and part.tag in INLINE):
            line.parts.append(part)
            continue
        if any(isinstance(inner, Element) or inner.strip() for inner in line.parts):
            found.append(line)
        line = Element("p")
        if part is not None:
            found.append(part)
    return found


def _letter(name):
    """Return the character of a reference such as amp or #233, or None if there is none."""
    if not name.startswith("#"):
        return html5.get(f"{name};")
    number = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    usable = number in (9, 10, 13) or 32 <= number < 0xD800 or 0xE000 <= number <= 0x10FFFF
    return chr(number) if usable else None
