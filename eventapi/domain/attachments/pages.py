"""The web page and the PDF of a document that was made from a template. Both are made from one tree of elements."""
import base64
from hashlib import sha256
from html import escape

from eventapi import markup
from eventapi.domain.attachments.content_types import HTML, PDF
from eventapi.errors import Faults, Problem
from eventapi.languages import choice
from eventapi.pictures import document as picture

STYLE = """\
:root{color-scheme:light}*{box-sizing:border-box}
body{margin:0;font:16px/1.5 system-ui,sans-serif;color:#1b2330;background:#f3f5f8;overflow-wrap:break-word}
main{max-width:46rem;margin:1.5rem auto;padding:2.5rem 3rem;background:#fff;border:1px solid #d9dfe7}
h1,h2,h3{line-height:1.25;margin:1.6em 0 .5em}h1{font-size:1.6rem;margin-top:0}h2{font-size:1.2rem}\
h3{font-size:1.02rem}p{margin:.7em 0}
ul,ol{padding-left:1.6em}li{margin:.25em 0}table{border-collapse:collapse;width:100%;margin:1em 0}
th,td{text-align:left;vertical-align:top;padding:.4em .6em;border-bottom:1px solid #d9dfe7}th{background:#f3f5f8}
footer{margin-top:3em;padding-top:.7em;border-top:1px solid #d9dfe7;color:#5b6675;font-size:.85em}
@media(max-width:40rem){main{margin:0;padding:1.2rem 1rem;border:0}}\
@media print{body{background:#fff}main{margin:0;padding:0;border:0;max-width:none}}
"""
# Content-Security-Policy of the page: it runs no scripts and loads nothing.
STYLE_HASH = base64.b64encode(sha256(STYLE.encode()).digest()).decode()
POLICY = (f"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; base-uri 'none'; "
          "form-action 'none'; frame-ancestors 'none'; sandbox")


def tree(row):
    """Return the parsed content of a document."""
    return markup.parse(row["content"], Faults(), "/content")


def page(config, row):
    """Return the HTML page of a document as bytes."""
    body = "".join(markup.to_html(block) for block in markup.blocks(tree(row)))
    foot = " · ".join(escape(part) for part in (config.organiser_name, row["document_number"]) if part)
    language = choice.choose(config, row["language"])
    return (f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8">'
            f'<title>{escape(heading(row))}</title>'
            f'<meta name="viewport" content="width=device-width,initial-scale=1"><style>{STYLE}</style></head>\n'
            f"<body><main>{body}<footer>{foot}</footer></main></body></html>\n").encode()


def pdf(config, row):
    """Return the PDF of a document as bytes. The same document always results in the same bytes.

    Raise 501 `not_installed` without reportlab or without a font that has every letter.
    """
    return picture.draw(markup.blocks(tree(row)), title=heading(row), number=row["document_number"] or "",
                        author=config.organiser_name, language=choice.choose(config, row["language"]))


def to_sign(config, row):
    """Return `(content type, bytes)` of the file that is sent for signature: a PDF, or HTML if none can be drawn."""
    try:
        return PDF, pdf(config, row)
    except Problem as problem:
        if problem.code != "not_installed":
            raise
        return HTML, page(config, row)


def heading(row):
    """Return the title of a document, or its number."""
    return row["title"] or row["document_number"]
