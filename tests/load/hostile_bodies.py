"""Print the CPU seconds that the service spends on hostile bodies and queries: python3
tests/load/hostile_bodies.py.

Each body is the worst of its kind that the size limit allows. The last column is CPU seconds per
megabyte.
"""

import io
import json
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ["EVENTAPI_LOG_LEVEL"] = "error"

from eventapi import config as configuration
from eventapi.app import App
from eventapi.domain.access import api_keys
from eventapi.storage import database, migrations

MIB = 1024 * 1024 - 200
MANY = 49_000  # values: slightly fewer than a body may have
CSV = "text/csv"


def text_of(piece, size=MIB):
    """Return the piece, repeated up to `size` characters."""
    return piece * (size // len(piece))


def array_of(item, size=MIB, before="", after=""):
    """Return a JSON array of the item, repeated up to `size` characters, between two texts."""
    count = size // (len(item) + 1) if size > MIB else min(MANY, size // (len(item) + 1))
    return f"{before}[{(item + ',') * (count - 1)}{item}]{after}"


def fields_of(size=MIB, value="1"):
    """Return a JSON object with as many fields as fit into `size` characters."""
    return "{" + ",".join(f'"k{number}":{value}' for number in range(min(MANY, size // 12))) + "}"


def record(body):
    """Return the body of an import of one record."""
    return f'{{"records":[{body}]}}'


BODIES = [
    ("unknown fields", "POST", "/contacts", fields_of()),
    ("unknown fields, null", "POST", "/invoices", fields_of(value="null")),
    ("unknown fields in an item", "POST", "/invoices", '{"items":[' + fields_of() + "]}"),
    (
        "custom fields",
        "POST",
        "/contacts",
        '{"email":"a@b.example","custom_fields":' + fields_of() + "}",
    ),
    (
        "custom fields that are arrays",
        "POST",
        "/contacts",
        array_of("1", before='{"email":"a@b.example","custom_fields":{"size":', after="}}"),
    ),
    ("metadata", "POST", "/documents", '{"name":"a","metadata":' + fields_of() + "}"),
    (
        "headers",
        "POST",
        "/webhooks",
        '{"url":"https://example.org","headers":' + fields_of(value='"x"') + "}",
    ),
    ("open brackets", "POST", "/contacts", "[" * MIB),
    ("brackets 32 deep", "POST", "/contacts", array_of("[" * 30 + "]" * 30)),
    ("too many values", "POST", "/contacts", "[" + text_of("1,") + "1]"),
    ("integers", "POST", "/contacts", array_of("1")),
    ("decimals", "POST", "/contacts", array_of("0.1")),
    ("exponents", "POST", "/contacts", array_of("1e29")),
    ("huge exponent", "POST", "/contacts", '{"rating":1e999999}'),
    ("integer of a million digits", "POST", "/contacts", '{"rating":' + "9" * MIB + "}"),
    ("empty arrays", "POST", "/contacts", array_of("[]")),
    ("empty objects", "POST", "/contacts", array_of("{}")),
    ("tags, numbers", "POST", "/contacts", array_of("1", before='{"tags":', after="}")),
    ("tags, texts", "POST", "/contacts", array_of('"a"', before='{"tags":', after="}")),
    ("event keys", "POST", "/contacts", array_of('"a"', before='{"event_keys":', after="}")),
    ("title is an array", "POST", "/events", array_of("1", before='{"title":', after="}")),
    ("items are empty", "POST", "/invoices", array_of("{}", before='{"items":', after="}")),
    (
        "1,000 items with faults",
        "POST",
        "/invoices",
        array_of(
            '{"description":1,"quantity":"x","unit_price":[],"tax_rate":{},"a":1}',
            80_000,
            '{"items":',
            "}",
        ),
    ),
    (
        "2,000 objects with faults",
        "POST",
        "/plans",
        array_of(
            '{"kind":"x","x":"a","y":[],"width":{},"height":1,"a":1}', 100_000, '{"objects":', "}"
        ),
    ),
    (
        "1,000 scans with faults",
        "POST",
        "/check-ins/batch",
        array_of('{"badge_number":1,"scanned_at":"x","a":1}', 40_000, '{"scans":', "}"),
    ),
    ("assignments", "POST", "/schedules", array_of("{}", before='{"assignments":', after="}")),
    ("opening hours", "POST", "/events", array_of("{}", before='{"opening_hours":', after="}")),
    ("long e-mail", "POST", "/contacts", json.dumps({"email": "a@" + text_of("a.")})),
    ("long e-mail without dots", "POST", "/contacts", json.dumps({"email": "a@" + text_of("a-")})),
    ("long website", "POST", "/contacts", json.dumps({"website": "https://" + text_of("a?")})),
    ("long language", "POST", "/contacts", json.dumps({"language": text_of("aa-")})),
    ("long key", "POST", "/events", json.dumps({"title": "a", "event_key": text_of("a.")})),
    ("long filename", "POST", "/documents", json.dumps({"name": "a", "filename": text_of(".")})),
    (
        "long text",
        "POST",
        "/events",
        json.dumps({"title": text_of("Ä"), "description": text_of("é")}, ensure_ascii=False)[:MIB],
    ),
    ("long timezone", "POST", "/events", json.dumps({"title": "a", "timezone": text_of("../")})),
    ("escaped letters", "POST", "/contacts", '{"company_name":"' + text_of("\\u00e9") + '"}'),
    (
        "markup: open tags",
        "POST",
        "/documents/templates",
        json.dumps({"name": "a", "content": text_of("<p><b>")}),
    ),
    (
        "markup: loops",
        "POST",
        "/documents/templates",
        json.dumps({"name": "a", "content": text_of("{{#items}}")}),
    ),
    (
        "markup: braces",
        "POST",
        "/documents/templates",
        json.dumps({"name": "a", "content": text_of("{{")}),
    ),
    (
        "markup: less-than signs",
        "POST",
        "/documents/templates",
        json.dumps({"name": "a", "content": text_of("<")}),
    ),
    (
        "formula: brackets",
        "POST",
        "/booth-formulas",
        json.dumps({"name": "a", "formula": text_of("(")}),
    ),
    (
        "formula: minus signs",
        "POST",
        "/booth-formulas",
        json.dumps({"name": "a", "formula": text_of("-") + "1"}),
    ),
    (
        "webhook events",
        "POST",
        "/webhooks",
        array_of('"payment.creatod"', before='{"url":"https://example.org","events":', after="}"),
    ),
    (
        "field options",
        "POST",
        "/custom-fields",
        array_of('"a"', before='{"field_options":', after="}"),
    ),
    (
        "import: one record, tags",
        "POST",
        "/bulk-import/contacts",
        record(array_of("1", before='{"tags":', after="}")),
    ),
    (
        "import: one record, 16 MiB",
        "POST",
        "/bulk-import/contacts",
        record(array_of("1", 12 * MIB, before='{"tags":', after="}")),
    ),
    (
        "import: empty records",
        "POST",
        "/bulk-import/contacts",
        array_of("{}", 16 * MIB, '{"records":', "}"),
    ),
    (
        "import: unknown fields",
        "POST",
        "/bulk-import/contacts",
        array_of(fields_of(5000), 4 * MIB, '{"records":', "}"),
    ),
    (
        "import: a million wrong tags",
        "POST",
        "/bulk-import/contacts",
        array_of(array_of("1", 2000, '{"tags":', "}"), 2 * MIB, '{"records":', "}"),
    ),
    (
        "import: 400 wrong fields",
        "POST",
        "/bulk-import/contacts",
        array_of(
            json.dumps(
                dict.fromkeys(
                    (
                        "email",
                        "phone",
                        "company_name",
                        "website",
                        "country",
                        "language",
                        "rating",
                        "tags",
                        "category_keys",
                    ),
                    -1,
                )
            ),
            2 * MIB // 10,
            '{"records":',
            "}",
        ),
    ),
    (
        "import: many columns mapped wrong",
        "POST",
        "/bulk-import/contacts",
        json.dumps(
            {"records": [{}], "field_mapping": {f"x{n}": f"compayn_nam{n}" for n in range(500)}}
        ),
    ),
    (
        "import: CSV, empty lines",
        "POST",
        "/bulk-import/contacts",
        "email\n" + text_of("\n", 20 * MIB),
        CSV,
    ),
    (
        "import: CSV, separators",
        "POST",
        "/bulk-import/contacts",
        "email\n" + text_of("," * 1000 + "\n", 20 * MIB),
        CSV,
    ),
    (
        "import: CSV, quotation marks",
        "POST",
        "/bulk-import/contacts",
        "email\n" + text_of('""\n', 20 * MIB),
        CSV,
    ),
    (
        "import: CSV, 500 unknown columns",
        "POST",
        "/bulk-import/contacts",
        ",".join(f"compayn_nam{n}" for n in range(500)) + "\na",
        CSV,
    ),
    ("import: CSV, header of 1 MiB", "POST", "/bulk-import/contacts", text_of("a,") + "\na", CSV),
    (
        "200 unknown parameters",
        "GET",
        "/contacts?" + "&".join(f"compayn_nam{n}=1" for n in range(200)),
        None,
    ),
    ("search: wildcards", "GET", "/contacts?search=" + "%25_" * 1000, None),
    ("search: words", "GET", "/contacts?search=" + "a+" * 3000, None),
    ("ids", "GET", "/contacts?ids=" + ",".join(["1"] * 4000), None),
    ("include", "GET", "/contacts?include=" + ",".join(["events"] * 1000), None),
    ("cursor", "GET", "/contacts?after=" + "A" * 8000, None),
    ("unknown path", "GET", "/" + "contacst-" * 20, None),
]


def main(wanted=""):
    with tempfile.TemporaryDirectory() as folder:
        config = configuration.load(ROOT / "tests" / "support" / "organiser.conf", data_dir=folder)
        migrations.migrate(config.database)
        db = database.Database(config)
        with db.write():
            key = api_keys.create_key(db, "load", api_keys.SCOPES)[1]
        app = App(config)
        print("CPU s   MB     s/MB    status")
        for name, method, path, body, *kind in BODIES:
            if wanted in name:
                raw = (body or "").encode()
                ask(app, key, method, path, b"{}", *kind)  # compiles the schemas
                took, status = ask(app, key, method, path, raw, *kind)
                size = max(len(raw), 1000) / 1e6
                print(f"{took:6.3f} {size:6.2f} {took / size:7.3f}   {status}  {name}", flush=True)
        db.close()


def ask(app, key, method, path, raw, kind="application/json"):
    """Send a request. Return the CPU seconds that it took, and its status."""
    started, statuses = [], []
    path, _, query = path.partition("?")
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": f"/api/v1{path}",
        "QUERY_STRING": query,
        "SERVER_NAME": "test",
        "SERVER_PORT": "80",
        "wsgi.url_scheme": "http",
        "HTTP_AUTHORIZATION": f"Bearer {key}",
        "wsgi.input": io.BytesIO(raw),
        "wsgi.errors": sys.stderr,
        "CONTENT_LENGTH": str(len(raw)),
        "CONTENT_TYPE": kind,
        "REMOTE_ADDR": "127.0.0.1",
        "SCRIPT_NAME": "",
    }
    started = time.process_time()
    b"".join(app(environ, lambda status, headers, *_: statuses.append((status, headers))))
    return time.process_time() - started, statuses[0][0]


if __name__ == "__main__":
    main(*sys.argv[1:])
