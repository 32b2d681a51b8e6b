"""Small pieces of HTML: texts with code, permalinks, examples and lists of names."""

import json
import re
from html import escape


def prose(text):
    """Return a description as HTML, with words between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def paragraphs(text):
    """Return a description as HTML paragraphs, which blank lines separate in the text."""
    return "".join(f"<p>{prose(part)}</p>" for part in text.split("\n\n") if part)


def permalink(id, text):
    """Return a name, as code, that links to the element with this id."""
    return f'<a href="#{escape(id)}"><code>{escape(text)}</code></a>'


def as_json(value):
    """Return a value as indented JSON; short arrays and objects stay on one line."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) <= 60 or not isinstance(value, (dict, list)):
        return flat
    if isinstance(value, list):
        inner, ends = [as_json(part) for part in value], "[]"
    else:
        inner, ends = [f"{json.dumps(name)}: {as_json(part)}" for name, part in value.items()], "{}"
    lines = ",\n".join(inner).replace("\n", "\n  ")
    return f"{ends[0]}\n  {lines}\n{ends[1]}"


def sample(caption, text, kind=""):
    """Return a block of code with its caption. The script adds a button that copies it."""
    return (
        f'<figure class="sample {kind}"><figcaption>{escape(caption)}</figcaption>'
        f"<pre><code>{escape(text, quote=False)}</code></pre></figure>"
    )


def in_words(name):
    """Return a name such as `CreditNote` or `credit_note` in words: `credit note`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]", " ", name).lower()
