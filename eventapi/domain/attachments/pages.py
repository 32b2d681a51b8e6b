"""The web page and the PDF of a document that was made from a template.

Both are made from one tree of elements.

Both have the letterhead of the organiser. Contracts also name both parties and have lines for their
signatures.
"""

import base64
from hashlib import sha256
from html import escape

from eventapi import markup, times
from eventapi.domain.attachments import placeholders
from eventapi.domain.attachments.content_types import HTML, PDF
from eventapi.errors import Faults, Problem
from eventapi.languages import choice, formats
from eventapi.names import full_name
from eventapi.pictures import document as picture
from eventapi.pictures import style
from eventapi.pictures.parties import LABELS, addresses
from eventapi.pictures.words import WORDS, address, contact, register

ADDRESS = ("address", "postal_code", "city", "state", "country")
PARTNER = ("company_name", "first_name", "last_name", *ADDRESS)
ORGANISER = (
    "name",
    "street",
    "postal_code",
    "city",
    "country",
    "contact",
    "phone",
    "email",
    "vat_id",
    "tax_number",
    "register_number",
    "register_court",
    "directors",
    "footer",
    "iban",
    "bic",
)

STYLE = """\
:root{color-scheme:light}*{box-sizing:border-box}
body{margin:0;font:16px/1.5 system-ui,sans-serif;color:#1b2330;background:#f3f5f8;overflow-wrap:break-word}
main{max-width:46rem;margin:1.5rem auto;padding:2.5rem 3rem;background:#fff;border:1px solid #d9dfe7}
h1,h2,h3{line-height:1.25;margin:1.6em 0 .5em}h1{font-size:1.6rem;margin-top:0}h2{font-size:1.2rem}\
h3{font-size:1.02rem}p{margin:.7em 0}
ul,ol{padding-left:1.6em}li{margin:.25em 0}table{border-collapse:collapse;width:100%;margin:1em 0}
th,td{text-align:left;vertical-align:top;padding:.4em .6em;border-bottom:1px solid #d9dfe7}th{background:#f3f5f8}
header{display:flex;justify-content:space-between;align-items:center;gap:1.5rem;font-size:1.15rem}
header img{max-width:14rem;max-height:5rem}.about{color:#5b6675;font-size:.85em;text-align:right;margin:.6em 0 1.6em}
.parties{display:grid;grid-template-columns:repeat(2,1fr);gap:2rem;margin:1.5em 0;break-inside:avoid}
.parties small{display:block;color:#5b6675}.line{height:3.6em;border-bottom:1px solid #1b2330}
footer{margin-top:3em;padding-top:.7em;border-top:1px solid #d9dfe7;color:#5b6675;font-size:.85em}
@media(max-width:40rem){main{margin:0;padding:1.2rem 1rem;border:0}}\
@media print{body{background:#fff}main{margin:0;padding:0;border:0;max-width:none}}
"""
# Content-Security-Policy of the page: it runs no scripts and loads nothing.
STYLE_HASH = base64.b64encode(sha256(STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; sandbox"
)


def tree(row):
    """Return the parsed content of a document."""
    return markup.parse(row["content"], Faults(), "/content")


def partner(db, row):
    """Return the other party of a contract as a dict for `address`, or None if the document is no
    contract.
    """
    if not row["is_contract"]:
        return None
    subject = {name: row[name] for name in ("entity_type", "entity_id")}
    contact = {**dict.fromkeys(PARTNER), **placeholders.contact_of(db, subject)}
    person = full_name(contact)
    return {
        "name": contact["company_name"] or person,
        "contact_name": person if contact["company_name"] else None,
        **{name: contact[name] for name in ADDRESS},
    }


def organiser(config):
    """Return the organiser as a dict for the letterhead."""
    return {name: getattr(config, f"organiser_{name}") for name in ORGANISER}


def language_of(config, row):
    """Return the language of a document."""
    return choice.choose(config, row["language"])


def date_of(config, row):
    """Return the day on which the document was made, as it is written in its language."""
    return formats.day(
        times.local_date(row["created_at"], config.timezone), language_of(config, row)
    )


def page(config, row, party):
    """Return the HTML page of a document as bytes. `party` is the `partner`."""
    body = "".join(markup.to_html(block) for block in markup.blocks(tree(row)))
    language, owner = language_of(config, row), organiser(config)
    about = " · ".join(filter(None, (row["document_number"], date_of(config, row))))
    parties = _columns(_party, addresses(owner, party, language), language) if party else ""
    signatures = _columns(_signature, (owner["name"], party["name"]), language) if party else ""
    foot = " · ".join(
        (
            *address(owner, language),
            *contact(owner, language),
            *register(owner, language),
            *owner["footer"],
        )
    )
    return (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8">'
        f"<title>{escape(heading(row))}</title>"
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><style>{STYLE}</style></head>\n'
        f"<body><main><header><b>{escape(owner['name'])}</b>{_logo(config.organiser_logo)}</header>"
        f'<p class="about">{escape(about)}</p>{parties}{body}{signatures}<footer>{escape(foot)}</footer></main>'
        "</body></html>\n"
    ).encode()


def _logo(image):
    return (
        f'<img alt="" src="data:{image.kind};base64,{base64.b64encode(image.data).decode()}">'
        if image
        else ""
    )


def _columns(draw, parties, language):
    words = WORDS[language]
    found = "".join(
        f"<div>{draw(party, words[label], words)}</div>"
        for party, label in zip(parties, LABELS, strict=True)
    )
    return f'<div class="parties">{found}</div>'


def _party(lines, label, _):
    name, *others = map(escape, lines or [""])
    return f"<small>{label}</small><b>{name}</b>{''.join(f'<br>{line}' for line in others)}"


def _signature(name, label, words):
    lines = "".join(
        f'<div class="line"></div><small>{words[key]}</small>'
        for key in ("place_date", "signature")
    )
    return f"{lines}<b>{escape(name)}</b><small>{label}</small>"


def pdf(config, row, party):
    """Return the PDF of a document as bytes. The same document always results in the same bytes.

    `party` is the `partner`. Raise 501 `not_installed` without reportlab or without a font that has
    every letter.
    """
    return picture.draw(
        markup.blocks(tree(row)),
        title=heading(row),
        number=row["document_number"] or "",
        date=date_of(config, row),
        language=language_of(config, row),
        organiser=organiser(config),
        brand=style.brand(config),
        partner=party,
    )


def to_sign(config, row, party):
    """Return `(content type, bytes)` of the file that is to be signed: a PDF, or HTML if none can
    be drawn.
    """
    try:
        return PDF, pdf(config, row, party)
    except Problem as problem:
        if problem.code != "not_installed":
            raise
        return HTML, page(config, row, party)


def heading(row):
    """Return the title of a document, or its number."""
    return row["title"] or row["document_number"]
