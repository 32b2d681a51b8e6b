"""The targets of the fuzzer: functions (world, data) that give bytes to one part of the service.

Each says in its docstring what must hold for all inputs, and raises AssertionError where it does
not. Errors that a client causes are Problems (or, below HTTP, the error that the part documents);
any other exception is a fault, and so is an input that takes longer than a second
(tests/fuzz/run.py).
"""

import base64
import csv
import io
import json
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from html.parser import HTMLParser
from urllib.parse import urlsplit
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

from bottle import request

from eventapi import images, markup, money, spreadsheet, times
from eventapi.domain.attachments import content_types, own_party, pages, placeholders
from eventapi.domain.bank import archives, previews
from eventapi.domain.bank.entries import Refused
from eventapi.domain.einvoices import cii, profiles, reading, received, rules, ubl
from eventapi.domain.events import icalendar
from eventapi.domain.halls import formulas
from eventapi.domain.imports import files as import_files
from eventapi.domain.imports import job
from eventapi.domain.webhooks import addresses
from eventapi.errors import Faults, Problem
from eventapi.plugins.validation import accepted, body_of, parse_query, query_of
from eventapi.storage.database import as_json
from eventapi.validation import xml_documents
from eventapi.validation.formats import CHECKS
from eventapi.validation.schema_files import document, resource_names
from eventapi.web import client, downloads, json_bodies, lists, masking

ZONES = ("UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Africa/Monrovia")
LANGUAGES = ("en", "de")
LISTED = [name for name in resource_names() if "query" in document(name).get("$defs", {})]
WRITABLE = [name for name in resource_names() if document(name).get("x-required", {}).get("POST")]


def as_text(data):
    """Return text of these bytes, with any character but lone surrogates, which no input of the
    service contains.
    """
    return data.decode("utf-8", "replace")


def chosen(data, values):
    """Return (value, rest): the first byte chooses one of the values."""
    return values[data[0] % len(values)] if data else values[0], data[1:]


def json_body(world, data):
    """A JSON body is refused by a Problem, or its value survives being written (as in responses)
    and read again.

    A valid body of a change is valid again after it was normalised, and stays the same.
    """
    name, raw = chosen(data, WRITABLE)
    try:
        value = json_bodies.parse(raw)
    except Problem:
        return
    assert as_json(json_bodies.parse(as_json(value).encode())) == as_json(value)
    check = body_of(name, "PATCH", world.config.timezone)
    try:
        clean = check(value)
    except Problem as problem:
        as_json(problem.document(None, "req_1"))
        return
    if clean:
        assert check(json_bodies.parse(as_json(clean).encode())) == clean


def query(world, data):
    """A query string is refused by a Problem or results in typed parameters."""
    name, raw = chosen(data, LISTED)
    try:
        pairs = parse_query(raw.decode("latin-1"))
        query_of(f"{name}.query", True, world.config.timezone)(pairs)
    except Problem as problem:
        as_json(problem.document(None, "req_1"))


def cursor(world, data):
    """A cursor is refused by a Problem, or SQLite can store its two values.

    A written cursor reads as it was.
    """
    request.bind({"PATH_INFO": "/api/v1/contacts"})
    values = {"sort": "name", "order": "ASC"}
    with_place = as_json([*lists._place(values)])[:-1].encode() + b"," + data + b"]"
    for raw in (data, base64.urlsafe_b64encode(data), base64.urlsafe_b64encode(with_place)):
        try:
            found = lists._read_cursor({**values, "after": as_text(raw)[:1000]})
        except Problem:
            continue
        if found:
            stored = world.db.connection.execute("SELECT ?, ?", found).fetchone()
            assert stored[1] == found[1]
            again = lists._read_cursor({**values, "after": lists._write_cursor(values, found)})
            assert again == found or found[0] != found[0]  # NaN


def request_(world, data):
    """A request results in a response below 500 (501 without fonts), and a refusal is a problem
    document.

    data: method and address, headers and body, as in HTTP, with LF at the ends of lines.
    """
    head, _, body = data.partition(b"\n\n")
    first, *lines = head.decode("latin-1").split("\n")
    method, _, address = first.partition(" ")
    path, _, text = address.partition("?")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        key = name.strip().upper().replace("-", "_")
        headers[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"] = value.strip()
    status, headers, content = world.request(method, path, text, headers, body)
    for value in headers.values():
        assert not {"\r", "\n", "\0"} & set(value), headers
    if status >= 400 and headers.get("Content-Type") == "application/problem+json":
        problem = json.loads(content)
        assert problem["status"] == status and problem["detail"]


def imported(world, data):
    """An import is refused, or each of its records is counted once; a large one by the worker.

    data: a byte that chooses the form, and the body.
    """
    form, body = chosen(data, ("application/json", "text/csv"))
    query = "skip_on_error=true&dry_run=false" if form == "text/csv" else ""
    status, _, content = world.request(
        "POST", "/api/v1/bulk-import/contacts", query, {"CONTENT_TYPE": form}, body
    )
    if status >= 400:
        assert status in (400, 413, 415, 422), content
        return
    number = json.loads(content)["data"]["id"]
    if status == 202:
        job.run(world.db, number, lambda: False)
    _, _, content = world.request("GET", f"/api/v1/bulk-import/{number}")
    done = json.loads(content)["data"]
    if done["status"] == "failed":
        assert done["failure"] and not done["created"] + done["updated"], done
    else:
        assert (
            done["created"] + done["updated"] + done["skipped"]
            == done["processed"]
            == done["total"]
        ), done
    status, _, _ = world.request("GET", f"/api/v1/bulk-import/{number}/errors")
    assert status == 200


def csv_file(world, data):
    """A file is refused by a Problem, or it can be read, twice with the same result, without
    another error.
    """
    path = world.file(data)
    try:
        form, total = import_files.read_form(path)
    except Problem as problem:
        as_json(problem.document(None, "req_1"))
        return
    first = list(import_files.records(path, form))
    assert len(first) == total and first == list(import_files.records(path, form))
    as_json(form)
    as_json(first)


def csv_text(world, data):
    """Texts that are written as CSV are read as they were; so is a list of texts in one cell.

    Python's csv module, as a spreadsheet program would, sees no cell that begins like a formula.
    """
    texts = [text for text in as_text(data).replace("\0", "").split("\x1f") if text.strip()][:20]
    if not texts:
        return
    names = [f"c{number}" for number in range(len(texts))]
    content = spreadsheet.table(names, [dict(zip(names, texts, strict=True))])
    for text in list(csv.reader(io.StringIO(content.decode(), newline="")))[1]:
        assert not text.startswith(("=", "@")) and not (
            text[0] in "+-\t\r" and any(map(str.isalpha, text))
        ), text
    path = world.file(content)
    form, total = import_files.read_form(path)
    ((_, cells, _),) = import_files.records(path, form)
    assert total == 1 and [spreadsheet.unescape_formula(text) for text in cells] == texts
    joined = spreadsheet.cell(texts)
    found = [spreadsheet.unescape_formula(part) for part in spreadsheet.split_list(joined)]
    assert found == texts or found == [*texts, ""], (found, texts)


def formula(world, data):
    """A formula is refused by a FormulaError, or its value is a finite number, the same each time.

    With the numbers in place of the variables, the value is the same.
    """
    text = as_text(data)
    values = {name: Fraction(number, 7) for number, name in enumerate(formulas.VARIABLES, start=-2)}
    try:
        tree = formulas.parse(text)
        used = formulas.variables(tree)
        value = formulas.evaluate(text, values)
    except (formulas.FormulaError, formulas.Missing):
        return
    formulas.parse.cache_clear()
    assert Fraction(value) == Fraction(formulas.evaluate(text, values))
    formulas.rounded(value, 2)
    if not any(name.startswith("field:") for name in used):
        plain = formulas.TOKEN.sub(lambda token: _number(token, values), text)
        try:
            assert formulas.evaluate(plain, {}) == value, (text, plain)
        except formulas.FormulaError:
            pass  # too long, too deep, or a division by zero in a part that IF does not evaluate


def _number(token, values):
    if token["variable"] is None:
        return token[0]
    number = values[token["variable"].strip().lower()]
    return f" (({number.numerator}) / {number.denominator})"


class _Page(HTMLParser):
    """What an independent parser of HTML sees."""

    def __init__(self):
        super().__init__()
        self.odd = []

    def handle_starttag(self, tag, attrs):
        if tag not in markup.WITHIN or attrs:
            self.odd.append((tag, attrs))

    def handle_comment(self, data):
        self.odd.append(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def markup_(world, data):
    """Markup without faults is the same tree after it was written as HTML, in which another parser
    sees no other tag.

    So is a template that was filled with any text.
    """
    text = as_text(data)[: markup.MAX_LENGTH]
    for is_known in (None, lambda name: True):
        faults = Faults()
        tree = markup.parse(text, faults, "/body", is_known)
        if faults:
            continue
        value = text[:50]
        for whole in (tree, markup.fill(tree, lambda name, value=value: value)):
            html = markup.to_html(whole)
            again = Faults()
            assert markup.to_html(markup.parse(html, again, "/body")) == html and not again, again
            page = _Page()
            page.feed(html)
            page.close()
            assert not page.odd, page.odd


def document_(world, data):
    """A document with any title, content and partner is drawn as a page and as a PDF."""
    title, _, rest = as_text(data).partition("\x1f")
    name, _, content = rest.partition("\x1f")
    faults = Faults()
    markup.parse(content[: markup.MAX_LENGTH], faults, "/content")
    if faults:
        content = ""
    row = {
        "title": title[:200],
        "content": content[: markup.MAX_LENGTH],
        "document_number": "DOC-1",
        "language": "de",
        "created_at": "2026-05-01T09:00:00Z",
    }
    party = {
        **dict.fromkeys(pages.ADDRESS),
        "name": name[:200],
        "contact_name": title[:100] or None,
    }
    for partner in (None, party):
        page = pages.page(world.config, row, partner)
        assert page.endswith(b"</html>\n") and b"<script" not in page.lower()
        try:
            pdf = pages.pdf(world.config, row, partner)
            assert pdf.startswith(b"%PDF-")
        except Problem as problem:
            assert problem.code == "not_installed"


def placeholder(world, data):
    """Any metadata of a document is written as text in each language."""
    try:
        value = json_bodies.parse(data)
        body = body_of("document", "PATCH", world.config.timezone)({"metadata": value})
    except Problem:
        return
    for name, part in (body["metadata"] or {}).items():
        for language in LANGUAGES:
            assert isinstance(placeholders._metadata(part, language), str), name


def calendar(world, data):
    """A calendar with any texts is iCalendar: its lines are short, and another parser reads the
    same texts.
    """
    import icalendar as judge

    title, location, description = [*as_text(data).split("\x1f"), "", ""][:3]
    entry = {
        "kind": "event",
        "record_id": 1,
        "id": 1,
        "title": title,
        "location": location,
        "description": description,
        "first_at": "2026-05-01T09:00:00Z",
        "last_at": "2026-05-01T10:00:00Z",
        "timezone": None,
        "is_cancelled": 0,
        "sequence": 0,
        "speakers": [],
        "created_at": "2026-05-01T09:00:00Z",
        "updated_at": "2026-05-01T09:00:00Z",
    }
    content = icalendar.calendar(
        title, [entry, {**entry, "record_id": 2}], "x", "Europe/Berlin", "de"
    )
    assert all(len(line) <= 75 for line in content.split(b"\r\n"))
    assert b"\r" not in content.replace(b"\r\n", b"") and b"\n" not in content.replace(b"\r\n", b"")
    found = judge.Calendar.from_ical(content)
    assert [part.name for part in found.walk()] == ["VCALENDAR", "VEVENT", "VEVENT"]
    event = found.walk("VEVENT")[0]
    for name, text in (("SUMMARY", title), ("LOCATION", location), ("DESCRIPTION", description)):
        plain = icalendar.CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
        assert str(event.get(name, "")) == plain, (name, plain, str(event.get(name, "")))


def moment(world, data):
    """A text that is a timestamp or a date becomes UTC, days and weeks later too, in any zone."""
    text = as_text(data)
    for name in (
        "date",
        "date-time",
        "day-or-moment",
        "clock",
        "timezone",
        "email",
        "url",
        "language",
        "available-language",
    ):
        CHECKS[name](text)
    if CHECKS["timezone"](text):
        ZoneInfo(text)
    if times.CLOCK.fullmatch(text):
        for zone in ZONES:
            times.at("2026-03-29", text, zone)
            begin, end = times.day_around("2026-03-29T00:30:00Z", text, zone)
            assert begin <= "2026-03-29T00:30:00Z" < end
    if not times.is_date_or_timestamp(text):
        return
    for zone in ZONES:
        first, last = times.start(text, zone), times.end(text, zone)
        assert first <= last and times.is_date(times.local_date(text, zone))
        if not times.is_date(text):
            assert first == last and times.is_timestamp(first) and times.utc(first, zone) == first
        times.unix(first)
        for days in (-3660, -1, 0, 1, 3660):
            try:
                times.shifted(text, days, zone)
            except OverflowError:
                pass


def amount(world, data):
    """A number of a body is an amount in minor units or refused, and the amount is the same number
    as JSON.
    """
    try:
        number = json_bodies.parse(data)
    except Problem:
        return
    if type(number) not in (int, Decimal):
        return
    for currency in ("EUR", "JPY", "KWD", "CLF"):
        units = money.minor(number, currency)
        if units is not None and abs(number) < 10**12:
            assert Decimal(as_json(money.major(units, currency))) == number
    try:
        money.scaled(Decimal(as_text(data).strip()), 2)
    except InvalidOperation:
        pass


def webhook_url(world, data):
    """A URL is refused, or Python's own parser finds the same host and port in it, and an IP
    address is judged.
    """
    url = as_text(data)
    try:
        target = addresses.parse(url)
    except addresses.Refused:
        return
    other = urlsplit(url)
    assert target.host == addresses.normal_host(
        f"[{other.hostname}]" if ":" in other.hostname else other.hostname
    )
    assert target.port == (other.port or {"http": 80, "https": 443}[target.scheme])
    assert addresses.parse(f"{target.scheme}://{target.authority}{target.path}") == target
    assert not {"\r", "\n", " "} & set(target.path + target.authority)
    if addresses.is_ip(target.host):
        addresses.may_be_called(target.host, ())


def header(world, data):
    """Any value of a request header is understood, ignored or refused by a Problem."""
    text = data.decode("latin-1")
    request.bind({"HTTP_ACCEPT_LANGUAGE": text, "HTTP_X_FORWARDED_FOR": text, "REMOTE_ADDR": text})
    assert all(isinstance(tag, str) for tag in client.languages())
    client.is_local()
    try:
        assert accepted(text, ("application/json", "text/csv")) in ("application/json", "text/csv")
    except Problem as problem:
        assert problem.code == "not_acceptable"
    try:
        part = downloads.requested_range({"HTTP_RANGE": text}, 1000, '"x"')
        assert part is None or 0 <= part[0] <= part[1] < 1000
    except Problem as problem:
        assert problem.code == "range_not_satisfiable"
    assert "evk_a" not in masking.path(text.replace("\n", "")) or "evk_" not in text


def file(world, data):
    """A file has a content type, an image has a size or is Broken, and any name fits into a header."""
    kind = content_types.detect(data)
    assert kind in content_types.STORED or kind.startswith("application/vnd.oasis.opendocument.")
    for extension in (*content_types.BY_EXTENSION, *content_types.SIGNATURES, "xyz"):
        content_types.fits(extension, data)
    for form in images.READERS:
        try:
            width, height = images.size(io.BytesIO(data), form)
            assert 0 < width <= images.LARGEST and 0 < height <= images.LARGEST
        except images.Broken:
            pass
    try:
        images.load(data)
    except images.Broken:
        pass
    value = downloads.disposition("attachment", as_text(data)[:255])
    assert value.isascii() and value.isprintable()


def xml(world, data):
    """XML is refused by a ValueError, or its tree is that of ElementTree, and it is the same read
    by elements.
    """
    try:
        root = xml_documents.parse(data)
    except ValueError:
        return
    assert ElementTree.tostring(root) == ElementTree.tostring(ElementTree.fromstring(data))
    names = {part.tag.rpartition("}")[2] for part in root.iter()}
    found = list(xml_documents.iterate(io.BytesIO(data), *names))
    assert sorted(part.tag for part in found) == sorted(part.tag for part in root.iter())
    assert found[-1].tag == root.tag and len(found[-1]) == 0


OWN_COLUMNS = {"booked_on": "Datum", "amount": "Betrag", "text": "Text"}
OWN_STYLES = (
    {},
    {"decimal": "."},
    {"thousands": " ", "dates": "ymd"},
    {"thousands": ".", "dates": "mdy"},
)


def statement(world, data):
    """A bank statement is refused by a ValueError, or its entries are money, differ in their keys,
    and add up.
    """
    refused_or_sound(data, None)


def own_statement(world, data):
    """The same is true for a CSV file whose columns are named, however it writes."""
    for style in OWN_STYLES:
        refused_or_sound(data, {**OWN_COLUMNS, **style})


def refused_or_sound(data, own):
    accounts = ["DE02120300000000202051"]
    try:
        found = list(archives.read(io.BytesIO(data), own=own, accounts=accounts))
    except ValueError as error:
        assert isinstance(error, Refused), repr(error)
        assert str(error).endswith(".") and len(str(error)) < 1000
        return
    for one in found:
        booked = [entry.amount for entry in one.entries]
        assert all(booked) and len({entry.key for entry in one.entries}) == len(booked)
        assert all(times.is_date(entry.booked_on) for entry in one.entries)
        if None not in (one.opening, one.closing) and {entry.currency for entry in one.entries} <= {
            one.currency
        }:
            assert one.opening + sum(booked) == one.closing


def statement_preview(world, data):
    """The first rows of a statement are refused by a ValueError, or few and short.

    The columns that are guessed are in the file, and read it or refuse it.
    """
    try:
        table = previews.preview(io.BytesIO(data), None, None, [], reads=False)["table"]
    except ValueError as error:
        assert isinstance(error, Refused), repr(error)
        return
    if table is None:
        return
    assert len(table["rows"]) <= previews.ROWS
    for cells in (table["names"], *table["rows"]):
        assert len(cells) <= previews.COLUMNS
        assert all(len(cell) <= previews.NAME + 1 for cell in cells)
    assert set(table["guess"].values()) <= table["columns"].keys()
    if table["bank"] is None and {"booked_on", "amount"} <= table["guess"].keys():
        refused_or_sound(data, table["guess"])


def e_invoice(world, data):
    """A file is refused by a ValueError, or it is a document that is the same after it was written
    and read again.

    Each fault that the rules find in it is a sentence. What is shown of it is short.
    """
    assert reading.recognise(data) in (True, False)
    summary, warnings = received.summary(data, False)
    is_shown_briefly(summary, warnings)
    for party in (summary["seller"], summary["buyer"]) if summary else ():
        assert own_party.is_organiser(world.config, party) in (True, False, None)
    try:
        found = reading.read(data)
    except ValueError as fault:
        assert str(fault).endswith("."), fault
        return
    for profile in profiles.IDS:
        assert all(fault.detail.endswith(".") for fault in rules.check(found, profile))
    for writer in (cii, ubl):
        content = writer.write(found)
        assert reading.recognise(content)
        assert writer.write(reading.read(content)) == content


def hybrid(world, data):
    """Any PDF contains an e-invoice or not, and what is kept of it can be stored: it is short, and
    JSON.
    """
    if not data.startswith(b"%PDF-"):
        data = b"%PDF-1.7\n" + data
    path = world.file(data)
    with path.open("rb") as file:
        found = next(received.parse(file, None), None)
    with path.open("rb") as file:
        assert received.may_be(file) or not found
    if found:
        is_shown_briefly(found["e_invoice"], found["warnings"])


def is_shown_briefly(found, warnings):
    """Assert that the terms and warnings of an e-invoice are short, and say whether it is valid."""
    assert len(as_json([found, warnings])) < 100_000
    assert all(warning["detail"].endswith(".") for warning in warnings)
    assert not found or found["faults"] or found["is_valid"] or warnings


# name -> (target, longest input in bytes; inputs are also repeated up to it, which finds what takes
# quadratic time)
TARGETS = {
    "json_body": (json_body, 100_000),
    "query": (query, 8_000),
    "cursor": (cursor, 1_000),
    "csv_file": (csv_file, 50_000),
    "csv_text": (csv_text, 20_000),
    "formula": (formula, 2_100),
    "markup": (markup_, 200_000),
    "document": (document_, 4_000),
    "placeholder": (placeholder, 20_000),
    "calendar": (calendar, 20_000),
    "import": (imported, 20_000),
    "request": (request_, 10_000),
    "moment": (moment, 300),
    "amount": (amount, 100),
    "webhook_url": (webhook_url, 2_000),
    "header": (header, 8_190),
    "file": (file, 65_536),
    "xml": (xml, 300_000),
    "statement": (statement, 300_000),
    "own_statement": (own_statement, 50_000),  # read in each of OWN_STYLES
    "statement_preview": (statement_preview, 50_000),
    "e_invoice": (e_invoice, 50_000),
    "hybrid": (hybrid, 50_000),
}
