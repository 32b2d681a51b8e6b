"""The body of a template as a text that somebody can type, and back.

A blank line begins a new paragraph, and a line break stays one. A line that begins with `# `, `## ` or
`### ` is a heading, lines that begin with `- ` are a list, and `**words**` are bold. Everything else,
such as a table, exists only in HTML.
"""

import re
from html import escape

from eventapi import markup
from eventapi.errors import Faults

HEADING = re.compile(r"(#{1,3}) (.+)")
ITEM = re.compile(r"- (.+)")
# Without a star inside: otherwise each pair of stars that nothing ends would search to the end.
BOLD = re.compile(r"\*\*(?! )([^*]+)(?<! )\*\*")
SIGNS = {"h1": "#", "h2": "##", "h3": "###"}
SPACES = " \t\r\n"
SPACE = re.compile(r"[ \t\r\n]+")
BESIDE_TAG = re.compile(r" ?(</?(?:h1|h2|h3|p|ul|li|br)>) ?")


class NotPlain(Exception):
    """The tree has an element that the text cannot say."""


# From text to HTML


def from_text(text):
    """Return the HTML that a text means, a block on each line. Markup in the text is escaped."""
    blocks, items, lines = [], [], []

    def end():
        """End the list or the paragraph that is open."""
        if items:
            blocks.append(f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>")
        if lines:
            blocks.append(f"<p>{'<br>'.join(lines)}</p>")
        items.clear()
        lines.clear()

    for line in text.replace("\r\n", "\n").split("\n"):
        line = SPACE.sub(" ", line).strip(SPACES)
        heading, item = HEADING.fullmatch(line), ITEM.fullmatch(line)
        is_other = bool(lines) if item else bool(items)
        if heading or not line or is_other:
            end()
        if heading:
            level = len(heading[1])
            blocks.append(f"<h{level}>{_inline(heading[2])}</h{level}>")
        elif item:
            items.append(_inline(item[1]))
        elif line:
            lines.append(_inline(line))
    end()
    return "\n".join(blocks)


def _inline(line):
    """Return a line as HTML, with its bold words."""
    return BOLD.sub(r"<strong>\1</strong>", escape(line, quote=False))


# From HTML to text


def to_text(body):
    """Return the text that means the same as the HTML of a body.

    None if there is none: the body has a table, for instance, or a line that the text would read as
    a heading.
    """
    faults = Faults()
    tree = markup.parse(body, faults, "/body")
    if list(faults):
        return None
    try:
        text = "\n\n".join(_block(block) for block in markup.blocks(tree))
    except NotPlain:
        return None
    again = markup.parse(from_text(text), Faults(), "/body")
    return text if _compared(again) == _compared(tree) else None


def _block(block):
    """Return a block element as lines of text. Raise NotPlain if that is not possible."""
    if block.tag in SIGNS:
        return f"{SIGNS[block.tag]} {_line(block)}"
    if block.tag == "p":
        return _line(block)
    if block.tag != "ul":
        raise NotPlain
    return "\n".join(f"- {_line(item)}" for item in block.parts if isinstance(item, markup.Element))


def _line(element):
    """Return texts and bold words of an element, with a line break for each <br>."""
    found = []
    for part in element.parts:
        if isinstance(part, str):
            found.append(SPACE.sub(" ", part))
        elif part.tag == "br":
            found.append("\n")
        elif part.tag == "strong":
            found.append(f"**{_line(part)}**")
        else:
            raise NotPlain
    lines = "".join(found).split("\n")
    return "\n".join(line.strip(SPACES) for line in lines)


def _compared(tree):
    """Return a tree as HTML in which spaces that nobody sees are missing."""
    html = "".join(markup.to_html(block) for block in markup.blocks(tree))
    return BESIDE_TAG.sub(r"\1", SPACE.sub(" ", html))
