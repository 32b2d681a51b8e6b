"""The file index.xml of the export for a tax audit: which tables it has, and how their columns are to be read.

Source: Beschreibungsstandard für die Datenträgerüberlassung of the German tax administration (gdpdu-01-09-2004.dtd).
The order of the elements is that of the DTD.
"""
from datetime import date
from xml.etree import ElementTree
from xml.etree.ElementTree import SubElement

from eventapi.domain.books.tables import PLACES

DTD = "gdpdu-01-09-2004.dtd"
DAY, CRLF = "DD.MM.YYYY", "\r\n"
HEAD = f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE DataSet SYSTEM "{DTD}">\n'


def document(config, tables, first, last, money_places):
    """Return index.xml as bytes.

    `first` and `last` are the days of the export, `money_places` the decimals of amounts.
    """
    root = ElementTree.Element("DataSet")
    SubElement(root, "Version").text = "1.0"
    supplier = SubElement(root, "DataSupplier")
    place = f"{config.organiser_postal_code} {config.organiser_city}".strip()
    comment = "Debitorenbuchhaltung aus eventapi. Absätze in Texten sind durch Leerzeichen ersetzt."
    for name, text in (("Name", config.organiser_name), ("Location", place), ("Comment", comment)):
        SubElement(supplier, name).text = text
    media = SubElement(root, "Media")
    SubElement(media, "Name").text = f"{german(first)} bis {german(last)}"
    for table in tables:
        _add_table(media, table, first, last, money_places)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f"{HEAD}{text.replace(CRLF, '&#13;&#10;')}\n".encode()      # a parser would read CRLF as LF


def german(day):
    """Return a date such as 2026-05-01 as 01.05.2026."""
    return f"{date.fromisoformat(day):%d.%m.%Y}"


def _add_table(media, table, first, last, money_places):
    element = SubElement(media, "Table")
    for name, text in (("URL", f"{table.name}.csv"), ("Name", table.name), ("Description", table.title)):
        SubElement(element, name).text = text
    validity = SubElement(element, "Validity")
    _add_range(validity, german(first), german(last))
    SubElement(validity, "Format").text = DAY
    SubElement(element, "UTF8")
    SubElement(element, "DecimalSymbol").text = ","
    SubElement(element, "DigitGroupingSymbol").text = "."
    _add_range(element, "2")                        # the first line has the names of the columns
    shape = SubElement(element, "VariableLength")
    for name, text in (("ColumnDelimiter", ";"), ("RecordDelimiter", CRLF), ("TextEncapsulator", '"')):
        SubElement(shape, name).text = text
    for column in sorted(table.columns, key=lambda column: not is_key(column)):
        _add_column(shape, column, money_places)
    if table.foreign:
        key = SubElement(shape, "ForeignKey")
        SubElement(key, "Name").text, SubElement(key, "References").text = table.foreign


def _add_range(parent, first, last=None):
    found = SubElement(parent, "Range")
    SubElement(found, "From").text = first
    if last:
        SubElement(found, "To").text = last


def is_key(column):
    """Return whether a column is the primary key of its table. It is the first one."""
    return column.kind in ("key", "text-key")


def _add_column(shape, column, money_places):
    element = SubElement(shape, "VariablePrimaryKey" if is_key(column) else "VariableColumn")
    SubElement(element, "Name").text = column.name
    SubElement(element, "Description").text = column.description
    places = money_places if column.kind == "money" else PLACES.get(column.kind)
    if places is not None:
        SubElement(SubElement(element, "Numeric"), "Accuracy").text = str(places)
    elif column.kind == "day":
        SubElement(SubElement(element, "Date"), "Format").text = DAY
    else:
        SubElement(element, "AlphaNumeric")
