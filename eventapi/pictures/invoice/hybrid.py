"""Hybrid invoices: a PDF/A-3 that contains the e-invoice as an XML file (ISO 19005-3, Factur-X 1.0,
ZUGFeRD 2).

reportlab draws the pages. pypdf, which is optional and imported only here, adds what PDF/A-3 and
Factur-X require.
"""

import hashlib
from datetime import timezone
from functools import lru_cache
from importlib import resources
from importlib.util import find_spec
from io import BytesIO

from eventapi.errors import Problem
from eventapi.pictures import fonts
from eventapi.pictures.invoice import xmp

INSTEAD = "Meanwhile, GET /invoices/{id}/xml returns the e-invoice without the PDF."
# keys of the Info dictionary, in lower case
TEXTS = (
    "title",
    "author",
    "subject",
    "creator",
    "producer",
)


def obstacle():
    """Return the Problem that prevents hybrid invoices on this server, or None.

    It is 501 `not_installed` without reportlab or pypdf, and 409 `fonts_missing` without DejaVu:
    PDF/A requires that every font is embedded, and Helvetica, which is used instead, cannot be.
    Nothing is imported, because that would take too long in a write transaction.
    """
    if find_spec("reportlab") is None:
        return fonts.not_installed()
    if find_spec("pypdf") is None:
        return Problem(
            "not_installed",
            "The PDF of an e-invoice requires pypdf. Install python3-pypdf "
            f"(or 'pip install pypdf') on the server. {INSTEAD}",
        )
    if not fonts.installed(fonts.EUROPE):
        return Problem(
            "fonts_missing",
            "The PDF of an e-invoice requires fonts that can be embedded. Install the "
            f"package {fonts.EUROPE} on the server. {INSTEAD}",
        )
    return None


def require():
    """Return the module pypdf, and use the fonts that can be embedded.

    Raise what `obstacle` returns.
    """
    problem = obstacle()
    if problem:
        raise problem
    fonts.use_embeddable()
    import pypdf

    return pypdf


def embed(pdf, xml, made_at) -> bytes:
    """Return the hybrid invoice of a PDF that reportlab has drawn.

    The same arguments result in the same bytes.

    xml: the e-invoice, a CII document of the profile EN 16931.
    made_at: when the invoice was issued, an aware datetime. It is the date of the file.

    Raise 501 `not_installed` or 409 `fonts_missing`, as `require`.
    """
    pypdf = require()
    reader, writer = pypdf.PdfReader(BytesIO(pdf)), pypdf.PdfWriter()
    writer._objects.clear()  # pypdf 3.4 would leave an empty second document in the file
    writer.clone_document_from_reader(reader)
    writer.pdf_header = b"%PDF-1.7"
    made_at = made_at.astimezone(timezone.utc)
    texts = {name: getattr(reader.metadata, name) or "" for name in TEXTS}
    _describe(writer, texts, made_at)
    _set_intent(writer)
    _attach(writer, xml, made_at)
    _set_file_id(writer, hashlib.md5(pdf + xml, usedforsecurity=False).digest())
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


def _describe(writer, texts, made_at):
    """Set the Info dictionary and the XMP metadata, which must say the same."""
    from pypdf.generic import TextStringObject

    date = made_at.strftime("D:%Y%m%d%H%M%S+00'00'")
    info = {
        **{f"/{name.title()}": text for name, text in texts.items()},
        "/CreationDate": date,
        "/ModDate": date,
    }
    stored = writer._info.get_object()
    stored.clear()
    stored.update(_dictionary({name: TextStringObject(text) for name, text in info.items()}))
    metadata = _stream(xmp.packet(texts, made_at), {"/Type": "/Metadata", "/Subtype": "/XML"})
    _set(writer, "/Metadata", writer._add_object(metadata))


def _set_intent(writer):
    """Add the output intent sRGB. It says what the colours of the page mean, which PDF/A requires."""
    from pypdf.generic import NumberObject, TextStringObject

    profile = _stream(_profile(), {"/N": NumberObject(3)})
    intent = _dictionary(
        {
            "/Type": "/OutputIntent",
            "/S": "/GTS_PDFA1",
            "/Info": TextStringObject("sRGB"),
            "/OutputConditionIdentifier": TextStringObject("sRGB"),
            "/DestOutputProfile": writer._add_object(profile),
        }
    )
    _set(writer, "/OutputIntents", _array(writer._add_object(intent)))


def _attach(writer, xml, made_at):
    """Embed the e-invoice as an associated file.

    It is an alternative to the pages: both say the same.
    """
    from pypdf.generic import NumberObject, TextStringObject

    date = TextStringObject(made_at.strftime("D:%Y%m%d%H%M%S+00'00'"))
    stream = _stream(xml, {}).flate_encode()  # in pypdf 3.4, this drops the other keys
    stream.update(
        _dictionary(
            {
                "/Type": "/EmbeddedFile",
                "/Subtype": "/text/xml",
                "/Params": _dictionary({"/Size": NumberObject(len(xml)), "/ModDate": date}),
            }
        )
    )
    content, name = writer._add_object(stream), TextStringObject(xmp.FILE_NAME)
    specification = writer._add_object(
        _dictionary(
            {
                "/Type": "/Filespec",
                "/F": name,
                "/UF": name,
                "/AFRelationship": "/Alternative",
                "/Desc": TextStringObject("Factur-X/ZUGFeRD invoice"),
                "/EF": _dictionary({"/F": content, "/UF": content}),
            }
        )
    )
    names = _dictionary({"/Names": _array(name, specification)})
    _set(writer, "/Names", _dictionary({"/EmbeddedFiles": names}))
    _set(writer, "/AF", _array(specification))


def _set_file_id(writer, digest):
    """Set the identifier of the file, which PDF/A requires.

    It depends on the content, so that bytes are the same.
    """
    from pypdf.generic import ByteStringObject

    writer._ID = _array(ByteStringObject(digest), ByteStringObject(digest))


@lru_cache(maxsize=1)
def _profile():
    """Return the ICC profile of sRGB. The file is stored, because a new one would contain the time
    of its creation.
    """
    return resources.files("eventapi.pictures.invoice").joinpath("srgb.icc").read_bytes()


def _set(writer, name, value):
    writer._root_object.update(_dictionary({name: value}))


def _dictionary(values):
    """Return a dictionary of pypdf. Texts that begin with a slash become names."""
    from pypdf.generic import DictionaryObject, NameObject

    return DictionaryObject(
        {
            NameObject(key): NameObject(value) if type(value) is str else value
            for key, value in values.items()
        }
    )


def _array(*values):
    from pypdf.generic import ArrayObject

    return ArrayObject(values)


def _stream(data, values):
    """Return an uncompressed stream of pypdf."""
    from pypdf.generic import DecodedStreamObject

    stream = DecodedStreamObject()
    stream.update(_dictionary(values))
    stream.set_data(data)
    return stream
