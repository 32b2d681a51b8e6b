"""The scripts of the pages, for tests that look for foreign ones."""

import re

OWN = re.compile(r'<script src="[./]*pages/pages-[0-9a-f]{12}\.js" defer></script>')
OF_FORM_EDITOR = re.compile(
    r'<script src="[./]*pages/form_editor-[0-9a-f]{12}\.js" defer></script>\s*</main>'
)


def without(text):
    """Return the text of a page without the elements of its own scripts: that of all pages, and that
    of the form editor at its end, each once.
    """
    return OF_FORM_EDITOR.sub("</main>", OWN.sub("", text, count=1), count=1)
