"""The one script of the pages, for tests that look for foreign ones."""

import re

OWN = re.compile(r'<script src="[./]*pages/pages-[0-9a-f]{12}\.js" defer></script>')


def without(text):
    """Return the text of a page without the element of its own script, which stands there once."""
    return OWN.sub("", text, count=1)
