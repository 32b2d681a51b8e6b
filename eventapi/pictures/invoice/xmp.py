"""The XMP metadata of a hybrid invoice (ISO 16684-1, ISO 19005-3, Factur-X 1.0).

XMP repeats the Info dictionary of the PDF, so both are written from the same values here.
"""

from html import escape

FILE_NAME = "factur-x.xml"
FACTUR_X = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"
# A credit note has the document type INVOICE too.
PROPERTIES = {
    "DocumentType": ("INVOICE", "Kind of the business document"),
    "DocumentFileName": (FILE_NAME, "Name of the embedded XML file"),
    "Version": ("1.0", "Version of the XML schema of the invoice"),
    "ConformanceLevel": ("EN 16931", "Profile of the XML invoice"),
}
PACKET = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/">
<pdfaid:part>3</pdfaid:part>
<pdfaid:conformance>U</pdfaid:conformance>
</rdf:Description>
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>{author}</rdf:li></rdf:Seq></dc:creator>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">{subject}</rdf:li></rdf:Alt></dc:description>
</rdf:Description>
<rdf:Description rdf:about="" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">
<pdf:Producer>{producer}</pdf:Producer>
</rdf:Description>
<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
<xmp:CreatorTool>{creator}</xmp:CreatorTool>
<xmp:CreateDate>{made_at}</xmp:CreateDate>
<xmp:ModifyDate>{made_at}</xmp:ModifyDate>
</rdf:Description>
<rdf:Description rdf:about="" xmlns:fx="{factur_x}">
{values}
</rdf:Description>
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" \
xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
<pdfaSchema:namespaceURI>{factur_x}</pdfaSchema:namespaceURI>
<pdfaSchema:prefix>fx</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq>
{declarations}
</rdf:Seq></pdfaSchema:property>
</rdf:li></rdf:Bag></pdfaExtension:schemas>
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>"""
DECLARATION = (
    '<rdf:li rdf:parseType="Resource"><pdfaProperty:name>{name}</pdfaProperty:name>'
    "<pdfaProperty:valueType>Text</pdfaProperty:valueType>"
    "<pdfaProperty:category>external</pdfaProperty:category>"
    "<pdfaProperty:description>{description}</pdfaProperty:description></rdf:li>"
)


def packet(texts, made_at) -> bytes:
    """Return the XMP packet.

    texts: `title`, `author`, `subject`, `creator` and `producer` of the Info dictionary.
    made_at: the aware datetime that is both the date of creation and of the last change.
    """
    values = "\n".join(f"<fx:{name}>{value}</fx:{name}>" for name, (value, _) in PROPERTIES.items())
    declarations = "\n".join(
        DECLARATION.format(name=name, description=description)
        for name, (_, description) in PROPERTIES.items()
    )
    escaped = {name: escape(text, quote=False) for name, text in texts.items()}
    return PACKET.format(
        **escaped,
        made_at=made_at.isoformat(timespec="seconds"),
        factur_x=FACTUR_X,
        values=values,
        declarations=declarations,
    ).encode()
