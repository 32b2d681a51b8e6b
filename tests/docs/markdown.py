"""The pages of the documentation, and what tests need from Markdown: code blocks, links and
headings.
"""

import re
from dataclasses import dataclass, field
from textwrap import dedent

from tests.support.processes import ROOT

PAGES = sorted(
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "SECURITY.md",
        *(ROOT / "docs").rglob("*.md"),
    ]
)
BLOCK = re.compile(
    r"(?P<marks>(?:^ *<!-- [a-z ]+: .*-->\n)*)^(?P<indent> *)```(?P<language>\S*) *\n"
    r"(?P<text>(?:.*\n)*?)(?P=indent)``` *$",
    re.M,
)
MARK = re.compile(r"<!-- ([a-z ]+): (.*?) *-->")
MARKS = {"not run", "file", "status", "exit"}  # the comments above a block, see docs/README.md
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
RUN = {"sh": "bash", "python": "python"}  # language of a block -> the process that runs it


@dataclass
class Block:
    """A fenced code block.

    `line` is the number of its first line, `marks` are the comments above it.

    `output` is the block directly behind this one if it shows the output of this one.
    """

    line: int
    language: str
    text: str
    marks: dict = field(default_factory=dict)
    output: "Block | None" = None
    is_output: bool = False

    @property
    def runs(self):
        return self.language in RUN and not {"not run", "file"} & self.marks.keys()


def name_of(page):
    return str(page.relative_to(ROOT))


def data_of(page):
    """Return the names of the data with which the samples of a page run: `empty`, `demo`, both, or
    `shared`.
    """
    head = page.read_text(encoding="utf-8").split("\n")[:5]
    return next(
        (mark[2].split(", ") for mark in map(MARK.fullmatch, head) if mark and mark[1] == "data"),
        ["empty"],
    )


def has_mail(page):
    """Return whether the server of a page sends mails, which its samples find in the folder mails/."""
    head = page.read_text(encoding="utf-8").split("\n")[:5]
    return any(mark[1] == "mail" for mark in map(MARK.fullmatch, head) if mark)


def blocks(page):
    """Return the Blocks of a page, in their order."""
    text, found, end = page.read_text(encoding="utf-8"), [], 0
    for match in BLOCK.finditer(text):
        block = Block(
            text.count("\n", 0, match.start("text")) + 1,
            match["language"],
            dedent(match["text"]),
            dict(MARK.findall(match["marks"])),
        )
        is_behind = found and found[-1].runs and not text[end : match.start()].strip()
        if is_behind and block.language not in RUN and not block.marks:
            found[-1].output, block.is_output = block, True
        found.append(block)
        end = match.end()
    return found


def prose(page):
    """Return the text of a page without code."""
    return re.sub(r"`[^`\n]*`", "``", BLOCK.sub("", page.read_text(encoding="utf-8")))


def links(page):
    """Return the targets of all links of a page."""
    return LINK.findall(prose(page))


def anchors(page):
    """Return the anchors that GitHub gives to the headings of a page."""
    found = []
    for heading in re.findall(r"^#+ +(.*)$", BLOCK.sub("", page.read_text(encoding="utf-8")), re.M):
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found.append(anchor if anchor not in found else f"{anchor}-{found.count(anchor)}")
    return set(found)
