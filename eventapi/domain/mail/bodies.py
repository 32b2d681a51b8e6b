"""The body of a mail as text and as HTML.

The worker that sends a mail and the preview of it both get it here, so they have the same.
"""

from html import escape

from eventapi.domain.mail.contents import one_line


def rendered(subject, contents):
    """Return {subject, text, html, language} of a mail. `contents` are a Contents."""
    return {
        "subject": one_line(subject),
        "text": as_text(contents.paragraphs),
        "html": as_html(contents.paragraphs, contents.language),
        "language": contents.language,
    }


# Paragraphs: text, or (text, address) of a link


def as_text(paragraphs):
    """Return the paragraphs as plain text. A link is shown as its address."""
    return "\n\n".join(part if isinstance(part, str) else part[1] for part in paragraphs) + "\n"


def as_html(paragraphs, language):
    """Return the paragraphs as an HTML page."""
    lines = []
    for part in paragraphs:
        if isinstance(part, str):
            text = escape(part).replace("\n", "<br>\n")
            lines.append(f"<p>{text}</p>")
        else:
            text, link = part
            lines.append(f'<p><a href="{escape(link)}">{escape(text)}</a></p>')
    inside = "\n".join(lines)
    return (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8"></head>'
        '<body style="font:16px/1.5 sans-serif">\n'
        f"{inside}\n</body></html>\n"
    )
