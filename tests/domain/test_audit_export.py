"""The export for a tax audit, read as an audit program reads it: by its description, with code of
its own.
"""

import csv
import io
import json
import re
import zipfile
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from xml.etree import ElementTree

import pytest

from eventapi.domain.einvoices import cii
from eventapi.worker import invoice_pdfs
from tests.domain.test_periods import books, clock  # noqa: F401
from tests.support.einvoice_mutations import taxed

# Content of the elements in gdpdu-01-09-2004.dtd, as far as the export uses them: patterns of the
# names of children.
CONTENT = {
    "DataSet": "Version DataSupplier Media ",
    "DataSupplier": "Name Location Comment ",
    "Media": "Name (Table )+",
    "Table": "URL (Name )?(Description )?(Validity )?(UTF8 )?(DecimalSymbol DigitGroupingSymbol )?(Range )?"
    "VariableLength ",
    "Validity": "Range (Format )?",
    "Range": "From (To )?",
    "VariableLength": "(ColumnDelimiter )?(RecordDelimiter )?(TextEncapsulator )?"
    "((VariablePrimaryKey )+(VariableColumn )*|(VariableColumn )+)(ForeignKey )*",
    "VariablePrimaryKey": "Name (Description )?(Numeric |AlphaNumeric |Date )",
    "VariableColumn": "Name (Description )?(Numeric |AlphaNumeric |Date )",
    "Numeric": "(Accuracy )?",
    "Date": "(Format )?",
    "ForeignKey": "(Name )+References ",
}


class Medium:
    """An export as an audit program sees it."""

    def __init__(self, data):
        self.zip = zipfile.ZipFile(io.BytesIO(data))
        self.text = self.zip.read("index.xml").decode()
        self.index = ElementTree.fromstring(self.text)
        self.tables = {table.findtext("Name"): table for table in self.index.iter("Table")}

    def rows(self, name):
        """Return the rows of a table, with the values that its description gives them."""
        table = self.tables[name]
        shape = table.find("VariableLength")
        text = self.zip.read(table.findtext("URL")).decode("utf-8")
        assert text.endswith(shape.findtext("RecordDelimiter"))
        lines = text.split(shape.findtext("RecordDelimiter"))[:-1]
        first = int(table.findtext("Range/From")) - 1
        reader = csv.reader(
            lines,
            delimiter=shape.findtext("ColumnDelimiter"),
            quotechar=shape.findtext("TextEncapsulator"),
        )
        records = list(reader)
        columns = [
            column for column in shape if column.tag in ("VariablePrimaryKey", "VariableColumn")
        ]
        assert records[0] == [column.findtext("Name") for column in columns]
        return [
            {
                column.findtext("Name"): value_of(column, cell, table)
                for column, cell in zip(columns, record, strict=True)
            }
            for record in records[first:]
        ]


def value_of(column, cell, table):
    """Return the value of a cell: a Decimal with at most the described decimals, a date, or a text."""
    if cell == "":
        return None
    if column.find("Numeric") is not None:
        number = Decimal(cell.replace(table.findtext("DecimalSymbol"), "."))
        assert -number.as_tuple().exponent <= int(column.findtext("Numeric/Accuracy")), cell
        return number
    if column.find("Date") is not None:
        assert column.findtext("Date/Format") == "DD.MM.YYYY"
        return datetime.strptime(cell, "%d.%m.%Y").date().isoformat()
    return cell


@pytest.fixture
def medium(books, organiser, clock, db):  # noqa: F811
    """Add bookings in other currencies, a bank transaction and odd texts, and return the export of
    2026.
    """
    iban = "DE02120300000000202051"
    db.connection.execute(
        "INSERT INTO bank_statements (id, sha256, position, format, account, currency, total, entries, "
        "skipped_pending, created_at, updated_at) VALUES (1, '', 0, 'csv', ?, 'EUR', -250, 1, 0, '', '')",
        (iban,),
    )
    db.connection.execute(
        "INSERT INTO bank_transactions (statement_id, account, currency, identity, booked_on, amount, party, "
        "text, created_at, updated_at) VALUES (1, ?, 'EUR', 'x', '2026-12-31', -250, 'Bank AG', ?, '', '')",
        (iban, '=HYPERLINK("https://evil.example","Fee")'),
    )
    organiser.post(f"/payments/{books['payment']}/refund", {"amount": 5}, status=200)
    db.connection.execute(
        "UPDATE payments SET bank_transaction_id = 1 WHERE id = ?", (books["payment"],)
    )
    db.connection.execute("UPDATE refunds SET bank_transaction_id = 1 WHERE amount = 500")
    clock("2026-06-04T10:00:00Z")
    organiser.patch(
        f"/payments/{books['payment']}",
        {"invoice_number": books["other"]["invoice_number"]},
        status=200,
    )
    for currency in ("JPY", "KWD"):
        draft = organiser.make(
            "/invoices",
            {
                "contact_id": books["contact"],
                "currency": currency,
                "exchange_rate": 2,
                "items": [
                    {
                        "description": 'Stand "A";\r\n=1+1',
                        "quantity": 3,
                        "unit_price": 7,
                        "tax_rate": 19,
                    }
                ],
            },
        )
        organiser.post(f"/invoices/{draft['id']}/send", status=200)
    return Medium(organiser.get("/reports/audit-export?year=2026", status=200).body)


def test_the_description_has_the_structure_of_the_standard(medium):
    assert medium.text.startswith(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE DataSet SYSTEM "gdpdu-01-09-2004.dtd">\n<DataSet>'
    )
    for element in medium.index.iter():
        children = "".join(f"{child.tag} " for child in element)
        assert re.fullmatch(CONTENT.get(element.tag, ""), children), (element.tag, children)
    assert "<RecordDelimiter>&#13;&#10;</RecordDelimiter>" in medium.text
    for table in medium.tables.values():
        assert [table.findtext(f"Validity/Range/{end}") for end in ("From", "To")] == [
            "01.01.2026",
            "31.12.2026",
        ]
        assert all(column.findtext("Description") for column in table.iter("VariableColumn"))
        for key in table.iter("ForeignKey"):
            target = medium.tables[key.findtext("References")]
            assert key.findtext("Name") == target.findtext("VariableLength/VariablePrimaryKey/Name")


def test_sums_of_the_tables_are_those_of_the_reports(medium, organiser):
    def sums(table, *names):
        found = {}
        for row in medium.rows(table):
            total = found.setdefault(row["currency"], dict.fromkeys(names, Decimal(0)))
            for name in names:
                total[name] += row[name]
        return found

    def totals(report, **names):
        data = organiser.data(f"/reports/{report}")["data"]["totals"]
        return {
            row["currency"]: {name: Decimal(str(row[column])) for name, column in names.items()}
            for row in data
        }

    year = "date_from=2026-01-01&date_to=2026-12-31"
    assert sums("invoices", "subtotal", "total") == totals(
        f"revenue?{year}", subtotal="net", total="total"
    )
    assert sums("invoice_taxes", "net", "tax") == totals(f"tax?{year}", net="net", tax="tax")
    assert sums("invoice_lines", "net") == totals(f"revenue?{year}", net="net")
    paid = totals(f"payments?{year}", amount="received", gateway_fee="fees", refunded="refunded")
    assert sums("payments", "amount", "gateway_fee") == {
        currency: {name: row[name] for name in ("amount", "gateway_fee")}
        for currency, row in paid.items()
    }
    assert sums("refunds", "amount") == {
        currency: {"amount": row["refunded"]} for currency, row in paid.items()
    }
    amounts = ("opening_balance", "invoiced", "credited", "received", "refunded", "closing_balance")
    assert sums("ledger", *amounts) == totals(
        "ledger?year=2026", **{name: name for name in amounts}
    )
    assert len(medium.rows("invoices")) == 5 and len(medium.rows("payments")) == 2
    assert {row["currency"] for row in medium.rows("invoices")} == {"EUR", "JPY", "KWD"}


def test_the_tables_have_what_was_booked(medium, organiser, books):  # noqa: F811
    invoice = medium.rows("invoices")[0]
    assert (
        invoice["invoice_number"],
        invoice["issue_date"],
        invoice["total"],
        invoice["buyer_name"],
    ) == ("INV-2026-00001", "2026-05-12", Decimal("119"), "Muster GmbH")
    assert medium.rows("invoice_lines")[-1]["description"] == 'Stand "A"; =1+1'
    refund = medium.rows("refunds")
    assert [(row["refund_date"], row["amount"]) for row in refund] == [
        ("2026-05-12", 10),
        ("2026-06-03", 5),
    ]
    moves = medium.rows("moves")
    assert [(row["move_date"], row["amount"]) for row in moves] == [
        ("2026-05-12", 5),
        ("2026-06-04", 85),
    ]
    assert [(row["series"], row["count"], row["gaps"]) for row in medium.rows("number_series")] == [
        ("credit_note-2026", 1, None),
        ("invoice-2026", 4, None),
    ]
    assert medium.rows("customers")[0]["city"] == "Leipzig"
    assert [
        (row["booked_on"], row["amount"], row["party"], row["text"])
        for row in medium.rows("bank_transactions")
    ] == [("2026-12-31", Decimal("-2.5"), "Bank AG", '\'=HYPERLINK("https://evil.example","Fee")')]
    (transaction,) = medium.rows("bank_transactions")
    for rows in (medium.rows("payments"), refund):
        found = [
            row["bank_transaction_id"] for row in rows if row["payment_id"] == books["payment"]
        ]
        assert found[-1] == transaction["bank_transaction_id"] == 1
    (month,) = medium.rows("periods")
    assert (
        month["month"] == "2026-05"
        and sha256(month["figures"].encode()).hexdigest() == month["sha256"]
    )
    assert {row["entity_type"] for row in medium.rows("audit_log")} == {
        "invoice",
        "payment",
        "period",
    }


def test_letters_are_in_the_year_in_which_they_were_sent_and_withdrawn(books, organiser, clock):  # noqa: F811
    organiser.make("/invoices/dunning-levels", {"name": "Mahnung", "days": 1, "fee": 5})
    clock("2026-12-20T10:00:00Z")
    first, *others = organiser.post("/invoices/dunning/send", {}, status=200).json["data"]["sent"]
    clock("2027-01-10T10:00:00Z")
    organiser.post(
        f"/invoices/{first['invoice_id']}/dunning/{first['id']}/withdraw",
        {"reason": "Bar bezahlt"},
        status=200,
    )
    found = {
        year: Medium(organiser.get(f"/reports/audit-export?year={year}", status=200).body).rows(
            "letters"
        )
        for year in (2025, 2026, 2027)
    }
    assert {year: [row["letter_id"] for row in rows] for year, rows in found.items()} == {
        2025: [],
        2026: [first["id"], *(letter["id"] for letter in others)],
        2027: [first["id"]],
    }
    letter = found[2027][0]
    assert {
        name: letter[name]
        for name in ("sent_on", "costs", "claimed", "withdrawn_on", "withdrawn_reason")
    } == {
        "sent_on": "2026-12-20",
        "costs": 5,
        "claimed": 5,
        "withdrawn_on": "2027-01-10",
        "withdrawn_reason": "Bar bezahlt",
    }
    calculation = json.loads(letter["calculation"])
    paid = sum(payment["amount"] for payment in calculation["payments"])
    assert calculation["total"] - calculation["credited"] - paid == 100 * letter["open_amount"]


def test_the_manifest_has_the_hash_of_each_file_and_the_proof(medium):
    manifest = json.loads(medium.zip.read("manifest.json"))
    names = {entry["name"] for entry in manifest["files"]}
    assert names == set(medium.zip.namelist()) - {"manifest.json"}
    for entry in manifest["files"]:
        data = medium.zip.read(entry["name"])
        assert (len(data), sha256(data).hexdigest()) == (entry["size"], entry["sha256"])
        if entry["name"].endswith(".csv"):
            assert entry["rows"] == len(medium.rows(entry["name"].removesuffix(".csv")))
    assert manifest["proof"]["agrees"] is True


def test_a_year_without_bookings_has_empty_tables(medium, organiser):
    empty = Medium(organiser.get("/reports/audit-export?year=2025", status=200).body)
    assert set(empty.tables) == set(medium.tables)
    assert not any(empty.rows(name) for name in empty.tables)


def test_the_export_holds_the_documents_as_they_were_sent(medium, organiser, db):
    """A PDF is in the export once the worker has stored it, and if the request asks for it."""
    pytest.importorskip("pypdf")
    pytest.importorskip("reportlab")
    rows = [row for row in medium.rows("invoices") if row["xml_sha256"]]
    names = {name for name in medium.zip.namelist() if name.startswith("e_invoices/")}
    assert len(rows) == len(names) > 1
    assert {sha256(medium.zip.read(name)).hexdigest() for name in names} == {
        row["xml_sha256"] for row in rows
    }
    assert not any(name.startswith("pdf/") for name in medium.zip.namelist())
    invoice_pdfs.run(db, stopping=lambda: False)
    whole = Medium(organiser.get("/reports/audit-export?year=2026&pdf=1", status=200).body)
    stored = {
        name: whole.zip.read(name) for name in whole.zip.namelist() if name.startswith("pdf/")
    }
    sent = [invoice for invoice in organiser.data("/invoices?per_page=100") if invoice["is_locked"]]
    assert len(stored) == len(sent)
    assert sorted(stored.values()) == sorted(
        organiser.get(f"/invoices/{invoice['id']}/pdf").body for invoice in sent
    )


def test_invoices_of_suppliers_are_in_the_year_of_their_date(books, organiser):  # noqa: F811
    """Part D of the second review: the file for the auditor had none."""
    supplier = organiser.make("/contacts", {"company_name": "Messebau AG"})
    sent = {}
    for number, issued in (
        ("R-4711", "2026-11-20"),
        ("R/4712 ä", "2026-12-31"),
        ("R-4713", "2027-01-01"),
    ):
        document = organiser.make(
            "/documents",
            {
                "entity_type": "contact",
                "entity_id": supplier["id"],
                "filename": f"{number.replace('/', ' ')}.xml",
            },
        )
        sent[document["id"]] = cii.write(
            taxed(number=number, issue_date=issued, due_date="2027-02-01")
        )
        organiser.put(
            f"/documents/{document['id']}/content",
            raw=sent[document["id"]],
            status=200,
            headers={"Content-Type": "application/octet-stream"},
        )
    medium = Medium(organiser.get("/reports/audit-export?year=2026", status=200).body)
    rows = medium.rows("supplier_invoices")
    assert [
        (
            row["issue_date"],
            row["type"],
            row["number"],
            row["seller_vat_id"],
            row["currency"],
            row["net_total"],
            row["tax_total"],
            row["total"],
        )
        for row in rows
    ] == [
        (
            "2026-11-20",
            "invoice",
            "R-4711",
            "DE136695976",
            "EUR",
            180,
            Decimal("23.4"),
            Decimal("203.4"),
        ),
        (
            "2026-12-31",
            "invoice",
            "R/4712 ä",
            "DE136695976",
            "EUR",
            180,
            Decimal("23.4"),
            Decimal("203.4"),
        ),
    ]
    files = {
        name: medium.zip.read(name)
        for name in medium.zip.namelist()
        if name.startswith("supplier_invoices/")
    }
    assert [body for _, body in sorted(files.items())] == [sent[row["document_id"]] for row in rows]
    assert [sha256(body).hexdigest() for _, body in sorted(files.items())] == [
        row["sha256"] for row in rows
    ]
    assert all(name.count("/") == 1 for name in files)
