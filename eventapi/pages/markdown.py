"""The Markdown of docs/ as HTML: headings, paragraphs, lists, tables, blocks of code, links,
pictures, bold and code.

What GitHub understands besides is not used in docs/; tests/pages/test_guides.py compares each page
with its source.
"""

import re
from html import escape
from itertools import takewhile
from textwrap import dedent

FENCE = re.compile(r" *```(\S*) *$")
ITEM = re.compile(r"(-|\d+\.) +")
COMMENT = re.compile(r"^ *<!-- [a-z ]+:.*?-->\n", re.M)
INLINE = re.compile(
    r"`(?P<code>[^`]+)`|(?P<image>!)?\[(?P<text>[^\[\]]+)\]\((?P<target>[^()\s]+)\)|"
    r"\*\*(?P<bold>[^*]+)\*\*"
)


def render(text, link):
    """Return a page as HTML. `link(target)` returns the address of a link, or None if its text is
    shown without it.
    """
    return "\n".join(_blocks(COMMENT.sub("", text).split("\n"), link, {}))


def anchor(heading, used):
    """Return the id of a heading, as GitHub forms it. `used` counts those of the page."""
    found = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    used[found] = used.get(found, -1) + 1
    return f"{found}-{used[found]}" if used[found] else found


def plain(text):
    """Return a text without backticks and links."""
    return re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", text).replace("`", "").replace("**", "")


def inline(text, link):
    """Return the text of a paragraph, a cell or a heading as HTML."""
    parts, place = [], 0
    for found in INLINE.finditer(text):
        parts.append(escape(text[place : found.start()], quote=False))
        place = found.end()
        if found["code"]:
            parts.append(f"<code>{escape(found['code'].strip(), quote=False)}</code>")
        elif found["bold"]:
            parts.append(f"<strong>{inline(found['bold'], link)}</strong>")
        else:
            address, inside = link(found["target"]), inline(found["text"], link)
            if found["image"]:
                parts.append(
                    f'<img src="{escape(address)}" alt="{escape(found["text"])}" loading="lazy">'
                )
            else:
                parts.append(
                    inside if address is None else f'<a href="{escape(address)}">{inside}</a>'
                )
    return "".join([*parts, escape(text[place:], quote=False)])


def _blocks(lines, link, used):
    """Yield the blocks of a page or of a list item as HTML."""
    place = 0
    while place < len(lines):
        line, rest = lines[place], lines[place:]
        if not line.strip():
            place += 1
        elif FENCE.match(line):
            code = list(takewhile(lambda line: not FENCE.match(line), rest[1:]))
            yield f"<pre><code>{escape(dedent(chr(10).join(code)), quote=False)}</code></pre>"
            place += len(code) + 2
        elif line.startswith("#"):
            marks, _, title = line.partition(" ")
            yield f'<h{len(marks)} id="{anchor(title, used)}">{inline(title, link)}</h{len(marks)}>'
            place += 1
        elif line.startswith("|"):
            rows = list(takewhile(lambda line: line.startswith("|"), rest))
            yield _table(rows, link)
            place += len(rows)
        elif ITEM.match(line):
            html, count = _list(rest, link, used)
            yield html
            place += count
        else:
            paragraph = [line, *takewhile(_continues, rest[1:])]
            yield f"<p>{inline(chr(10).join(part.strip() for part in paragraph), link)}</p>"
            place += len(paragraph)


def _continues(line):
    """Return whether a line belongs to the paragraph before it."""
    return bool(line.strip()) and not (
        FENCE.match(line) or ITEM.match(line) or line.startswith(("#", "|"))
    )


def _table(rows, link):
    """Return a table, whose second row only separates the head from the rest."""
    head, _, *body = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip()[1:-1])] for row in rows
    ]
    lines = [
        "".join(f"<{tag}>{inline(cell, link)}</{tag}>" for cell in row)
        for tag, row in (("th", head), *(("td", row) for row in body))
    ]
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _list(lines, link, used):
    """Return (a list as HTML, number of its lines).

    The lines of an item are indented like its text.
    """
    kind, items, place = "ul" if lines[0].startswith("-") else "ol", [], 0
    while place < len(lines) and (mark := ITEM.match(lines[place])):
        width, item = mark.end(), [lines[place][mark.end() :]]
        for line in lines[place + 1 :]:
            if line.strip() and not line.startswith(" " * width):
                break
            item.append(line[width:])
        place += len(item)
        html = list(_blocks(item, link, used))
        first = (
            html[0].removeprefix("<p>").removesuffix("</p>")
            if html[0].startswith("<p>")
            else html[0]
        )
        items.append("\n".join([first, *html[1:]]))
    return f"<{kind}>" + "".join(f"<li>{item}</li>" for item in items) + f"</{kind}>", place
