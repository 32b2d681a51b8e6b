"""The documents of a batch: a ZIP file with the bookings, the PDFs of their invoices, and
document.xml.

The adviser imports the bookings into the accounting program, and the ZIP file with DATEV
Belegtransfer. Column 20 of a booking names its document by a GUID, which is made of the SHA-256 of
the PDF: the same PDF always has the same one. Source: DATEV, interface description of document.xml
(Belegtransfer), version 6.0.
"""

import zipfile
from datetime import datetime
from hashlib import sha256
from uuid import UUID
from xml.etree import ElementTree

from eventapi import times
from eventapi.domain.billing import pdf
from eventapi.domain.datev import export
from eventapi.errors import invalid_parameter
from eventapi.storage import files
from eventapi.storage.statements import statements

sql = statements("datev")

NAMESPACE = "http://xml.datev.de/bedi/tps/document/v06.0"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
OUTGOING, NEW = "2", "1"  # type of the document, and what Belegtransfer does with it
MOST_CHARACTERS = 40  # of a description


def listed(db, year, month):
    """Return the documents that a kept batch names, [{invoice_id, guid}].

    A PDF that is not drawn yet gets a GUID from what it will be drawn from: a closing draws nothing.
    """
    chosen = export.period(db.config, year, month)
    return [
        {
            "invoice_id": row["id"],
            "guid": guid(row["pdf_sha256"] or sha256(row["pdf_source"].encode()).hexdigest()),
        }
        for row in db.iterate(sql.documents, first=chosen.first, last=chosen.last)
    ]


def guid(digest):
    """Return the GUID of a document with this SHA-256."""
    return str(UUID(digest[:32]))


def archive(db, year, month, kept=None, kept_links=None):
    """Return the File of a month with its documents.

    `kept` is the File of the bookings of a closed month, `kept_links` {invoice id: GUID} of the
    documents that it names.

    Raise as `export.batch`, and 422 without a month.
    """
    if month is None:
        raise invalid_parameter("month", "required", "is required together with `documents=1`")
    chosen = export.period(db.config, year, month)
    with export.temporary(db.config) as content, db.snapshot():
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as target:
            links, entries = {}, []
            for row in db.iterate(sql.documents, first=chosen.first, last=chosen.last):
                id = row["id"]
                if kept and id not in kept_links:
                    continue
                digest, name = _add(db, target, row)
                links[id] = kept_links[id] if kept else guid(digest)
                entries.append((links[id], row["invoice_number"], name))
            batch = kept or export.batch(db, year, month, links)
            with target.open(batch.name, "w") as member:
                for piece in batch.pieces():
                    member.write(piece)
            target.writestr("document.xml", document(entries, times.now(), db.config.timezone))
        size = content.tell()
        content.seek(0)
    name = f"DATEV_{chosen.name}.zip"
    return export.File(
        name, size, content, {**batch.summary, "file": name, "documents": len(links)}
    )


def _add(db, target, row):
    """Add the PDF of an invoice or credit note, and return its SHA-256 and the name of its file."""
    body = (
        files.read(db.config, row["pdf_sha256"])
        if row["pdf_sha256"]
        else pdf.draw_sent(db, pdf.thawed(row["pdf_source"]))
    )
    name = pdf.file_name(row, words=(str(row["id"]),))
    target.writestr(zipfile.ZipInfo(name), body)  # a PDF is compressed already
    return sha256(body).hexdigest(), name


def document(listed, made_at, zone):
    """Return document.xml as bytes. `listed`: (GUID, number, name of the file) of each document."""
    ElementTree.register_namespace("", NAMESPACE)
    ElementTree.register_namespace("xsi", XSI)
    root = ElementTree.Element(
        f"{{{NAMESPACE}}}archive",
        {
            "version": "6.0",
            "generatingSystem": "eventapi",
            f"{{{XSI}}}schemaLocation": f"{NAMESPACE} Document_v060.xsd",
        },
    )
    header = ElementTree.SubElement(root, f"{{{NAMESPACE}}}header")
    ElementTree.SubElement(header, f"{{{NAMESPACE}}}date").text = (
        datetime.fromisoformat(made_at).astimezone(times.zone(zone)).strftime("%Y-%m-%dT%H:%M:%S")
    )
    content = ElementTree.SubElement(root, f"{{{NAMESPACE}}}content")
    for guid, number, name in listed:
        entry = ElementTree.SubElement(
            content, f"{{{NAMESPACE}}}document", {"guid": guid, "type": OUTGOING, "processID": NEW}
        )
        ElementTree.SubElement(entry, f"{{{NAMESPACE}}}description").text = number[:MOST_CHARACTERS]
        ElementTree.SubElement(
            entry, f"{{{NAMESPACE}}}extension", {f"{{{XSI}}}type": "File", "name": name}
        )
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
