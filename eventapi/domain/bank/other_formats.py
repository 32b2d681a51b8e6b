"""Formats that banks and programs offer beside camt.053 and CSV, which are recognised and refused."""

import re
from zipfile import ZipFile

from eventapi.domain.bank.entries import Refused

ASK = (
    "Ask the bank for the statement as camt.053 (often called CAMT or XML), as camt.052, or as CSV"
)
MT940 = re.compile(rb"\s*(?:\{1:[^}]{1,40}\}.*?)?:20:", re.DOTALL)
OFX = re.compile(rb"\s*(?:OFXHEADER|<OFX>|<\?xml[^>]*>\s*<\?OFX|<\?OFX)", re.IGNORECASE)
QIF = re.compile(rb"\s*!(?:Type|Account|Option)", re.IGNORECASE)
OLE = b"\xd0\xcf\x11\xe0"  # an XLS, or a workbook with a password
# What the code of a format means, and what to do. The first bytes of a file decide which it is.
REFUSALS = {
    "pdf": f"The file is a PDF, a statement to be read by people. {ASK}.",
    "mt940": f"The file is MT940, which most banks have ended. {ASK}.",
    "ofx": f"The file is OFX, a format of American programs. {ASK}.",
    "qif": f"The file is QIF, a format of old programs, which lacks the account. {ASK}.",
    "workbook": "The file is a workbook of a spreadsheet program, which may have changed days and amounts. "
    f"{ASK}, and send it as the bank wrote it. If the bank offers workbooks only, save it as CSV.",
    "camt_054": "The file is camt.054, the details of single bookings, which come again in the statement. "
    f"{ASK}.",
    "camt_version_1": "The file is {}, a version that banks no longer use. Ask the bank for the statement as camt.053 "
    "(often called CAMT or XML), as camt.052, or as CSV; of camt, the versions 02 and 08 are usual.",
}


def refuse(code, name=""):
    """Raise Refused for a file of this format. `name` is that of its version, where the text has it."""
    raise Refused(code, REFUSALS[code].format(name))


def refuse_other(start):
    """Raise Refused if a file that begins with these bytes has a format of REFUSALS."""
    start = start.removeprefix(b"\xef\xbb\xbf")
    if start.startswith(b"%PDF-"):
        refuse("pdf")
    if start.startswith(OLE):
        refuse("workbook")
    if MT940.match(start):
        refuse("mt940")
    if OFX.match(start):
        refuse("ofx")
    if QIF.match(start):
        refuse("qif")


def refuse_workbook(archive: ZipFile):
    """Raise Refused if a ZIP is a file of a spreadsheet program."""
    names = set(archive.namelist())
    is_office = "[Content_Types].xml" in names
    is_open_document = {"mimetype", "content.xml"} <= names
    if is_office or is_open_document:
        refuse("workbook")
