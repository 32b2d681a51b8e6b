"""The targets of the fuzzer hold for their valid inputs, and for hostile ones that are worth
keeping.

`make fuzz` changes these inputs, guided by the branches that they reach.
"""

import zlib

import pytest

from tests.fuzz.seeds import COMDIRECT, seeds
from tests.fuzz.targets import TARGETS
from tests.fuzz.world import World

# target -> inputs that once failed, or that come close to a limit
UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
EXTENSION = (
    f"<Invoice xmlns='{UBL}Invoice-2' xmlns:a='{UBL}CommonAggregateComponents-2' "
    f"xmlns:b='{UBL}CommonBasicComponents-2'>"
    "<b:CustomizationID>xrechnung#conformant#</b:CustomizationID>"
    "<a:LegalMonetaryTotal>%s</a:LegalMonetaryTotal>%s</Invoice>"
)
SELLER = (
    "<a:AccountingSupplierParty><a:Party><a:PartyName><b:Name>%s</b:Name></a:PartyName></a:Party>"
    "</a:AccountingSupplierParty>"
)
UNECE = "urn:un:unece:uncefact:data:standard:"
EXTENDED = (
    f"<m:CrossIndustryInvoice xmlns:m='{UNECE}CrossIndustryInvoice:100' "
    f"xmlns:r='{UNECE}ReusableAggregateBusinessInformationEntity:100'><m:ExchangedDocumentContext>"
    "<r:GuidelineSpecifiedDocumentContextParameter><r:ID>:extended</r:ID>"
    "</r:GuidelineSpecifiedDocumentContextParameter></m:ExchangedDocumentContext><m:SupplyChainTradeTransaction>"
    "<r:IncludedSupplyChainTradeLineItem><r:AssociatedDocumentLineDocument>%s</r:AssociatedDocumentLineDocument>"
    "</r:IncludedSupplyChainTradeLineItem></m:SupplyChainTradeTransaction></m:CrossIndustryInvoice>"
)
HOSTILE = {
    "json_body": [
        '\0{"a": 1e30, "b": -1E-30, "c": 0E-9999999999}',
        '\0{"a": 1e31}',
        "\0" + '{"a":' * 40,
        "\0[" * 5,
        '\0{"a":' + "9" * 5000 + "}",
        '\0{"\\ud800": "\\u0000"}',
        '\0{"a": 38.' + "1" * 50 + "}",
    ],
    "query": [
        "\0page=\xff",
        "\0ids=" + "1," * 101,
        "\0cf.a=%00&updated_since=0001-01-01T00:00:00%2B23:59",
    ],
    "cursor": [
        "[" * 900,
        "NaN,5",
        "1e999,5",
        '"\\ud800",5',
        "9223372036854775808,5",
        "true,true",
        "9" * 700 + ",1",
    ],
    "csv_file": [
        "\x02\r",
        '"',
        '"a"b\n',
        "sep=;",
        "sep=;\n",
        "a;a\n1;2\n",
        "\ufeff",
        'a\n"\r\n\n"""\n',
        "ß\n",
        b"\xff\xfe",
        b"\xff\xfea\0\n\0\0\xd8",
        b"\xef\xbb\xbfa\n\xe4\n",
        b"a\n\x81\n",
        b"PK\x03\x04",
    ],
    "csv_text": ["\r5", "'=1", "''=1", "\t5", "a|", "\\", "+1 (2)", "-1-1e", "a,b", "|"],
    "formula": [
        "(" * 60 + "1" + ")" * 60,
        "-" * 2000,
        "1/0",
        "IF(1,2,1/0)",
        "9" * 2000,
        "1" + "/3" * 900,
        "NOT " * 500,
        "ROUND(1, 99)",
        "{field:a}",
        "{ days }%%",
        "5%%",
        "1<2<3",
        "MIN()",
        "{",
        "٦",
        "1e5",
    ],
    "markup": [
        "<" * 2000,
        "&" * 2000,
        "<p>" * 100,
        "{{" * 500 + "}}",
        "<br></br>",
        "&#0;&#xD800;&lt;script&gt;",
        "<p a=1>",
        "<!-- x -->",
        "&ngE;",
        "<P>{{a\n}}</p >",
        "{{a}}\r\nb",
        "<em>" * 17,
        "&#13;x",
    ],
    "document": [
        "\u202e\x1f\u0600\x1f<p>" + "x" * 3000 + "</p>",
        "a\x1fb\x1f<table><tr></tr></table><ul></ul>",
    ],
    "placeholder": ['{"a": 1e30, "b": 1E-30, "c": -0.0, "d": [1], "e": {}}'],
    "calendar": [
        "BEGIN:VEVENT\r\nEND:VCALENDAR\x1f\x85\u2028\x1f\\n\\N;,",
        "\U0001f600" * 40 + "\x1f:\x1f\r",
        '"^n\x1f \x1f\t',
    ],
    "import": [
        "\1a;b\n",
        "\0[]",
        "\0{}",
        '\0{"records": [1]}',
        '\0{"records": [{"cf.\\ud83d": 1}]}',
        "\1email\n" + "a@b.de\n" * 2100,
    ],
    "request": [
        "GET /api/v1/events?after=%ff\n\n",
        "GET /\xff\n\n",
        "POST /api/v1/notes\nContent-Type: a\n\n{",
        "\n\n",
        "TRACE /\n\n",
        "GET /feeds/" + "a" * 300 + ".ics\n\n",
        "GET /api/v1/events\nAuthorization: Bearer \xe4\n\n",
    ],
    "moment": [
        "0001-01-01T00:00:00+14:00",
        "9999-12-31",
        "9998-12-31T23:59:59-14:00",
        "2026-02-30",
        "0002-01-01",
        "../UTC",
        "Europe",
        "2026-05-01t09:00z",
        "x" * 65 + "@a.de",
    ],
    "amount": [
        "1e30",
        "-0",
        "0.00000000000000000000000000000001",
        "1E-30",
        "NaN",
        "99999999999999999999",
    ],
    "webhook_url": [
        "https://[::ffff:127.0.0.1]/",
        "https://0x7f.1/",
        "https://a@b/",
        "https://a:0/",
        "https://[]/",
        "https://[::1%25a]/",
        "https://a:65536/",
        "https://" + "a." * 130 + "a",
        "https://[1.2.3.4]/",
    ],
    "header": [
        "q=;q=,*/*;q=nan",
        "bytes=5-3",
        "bytes=-0",
        "bytes=999999999999999999-",
        "::1%a",
        "text/csv;q=inf",
        ";" * 5000,
    ],
    "file": [
        b"\xff\xd8\xff" + b"\xff" * 3000,
        b"\xff\xd8\xff\xe0\0\0",
        b"\x89PNG\r\n\x1a\n" + b"\xff" * 40,
        b"RIFF\0\0\0\0WEBP",
        b"PK\x03\x04" * 9000,
        b"\xff\xfe\0",
        '\u202e\r\n".pdf',
        b"GIF89a" + bytes(7),
    ],
    "statement": [
        "<a><BkToCstmrStmt/></a>",
        "<a><BkToCstmrStmt><Stmt/></BkToCstmrStmt></a>",
        "<a><BkToCstmrStmt><Ntry><Sts>BOOK</Sts><Amt Ccy='EUR'>1</Amt></Ntry></BkToCstmrStmt></a>",
        "<a><BkToCstmrStmt><Stmt>"
        + "<Ntry><Sts>PDNG</Sts></Ntry>" * 9000
        + "</Stmt></BkToCstmrStmt></a>",
        ":20:" * 9000,
        "{1:" * 9000 + "}:20:",
        "\n" * 300 + ":20:",
        "OFXHEADER",
        "<OFX><STMTTRN><TRNAMT>1",
        "!Type:Bank",
        "%PDF-",
        b"\xd0\xcf\x11\xe0" * 100,
        "<a><BkToCstmrStmtV01/></a>",
        "<a><BkToCstmrAcctRpt/></a>",
        "<a><BkToCstmrAcctRpt><Rpt/></BkToCstmrAcctRpt></a>",
        "<a><BkToCstmrAcctRpt><Stmt/></BkToCstmrAcctRpt></a>",
        "<a><BkToCstmrAcctRpt>"
        + "<Rpt><Acct><Ccy>EUR</Ccy></Acct></Rpt>" * 9000
        + "</BkToCstmrAcctRpt></a>",
        COMDIRECT.replace("119,00", "9" * 15),
        COMDIRECT + "Alter Kontostand;" * 9000,
        COMDIRECT + '"Neuer Kontostand";"1,00"\n' * 2000,
        COMDIRECT.replace("5.000,00 EUR", "\u0661"),
    ],
    "own_statement": [
        "Datum;Text;Betrag\n" + "Note\n" * 9000,
        "Datum;Text;Betrag\n" + "\n".join(f"{day}/1/2026;;1.250" for day in range(1, 32)),
        "Datum;Text;Betrag\n" + "1'" * 9000 + ";;" + "1'000" * 9000,
        "Datum;Text;Betrag\n01-01-0001;;'\n\u0661/\u0661/2026;;\u0661\n2026/99/99;;.\n",
        "Datum;Text;Betrag\n20.11.2026;x;1,00\n2",
        "Datum;Datum;Betrag\n",
        "Datum;Text;Betrag\n20.11.2026;;1\n;;" + "1" * 49_000 + "x\n",
        "Datum;Text;Betrag\n20.11.2026;;1\n;;" + "1 " * 24_000 + "x\n",
        "Datum;Text;Betrag\n20.11.2026;Saldo;\nAnfangssaldo;20261130;1\nEndsaldo;1;1\n",
        "Datum;Text;Betrag\n" + "Anzahl;;2\nUmsätze;;\n" * 4000,
        "Datum;Text;Betrag\n15/12/2025m;Ttx;eBetrag\n30/12/2025?Fe5a\nR0r;st;\ndelrag" * 600,
    ],
    "statement_preview": [
        "Datum;" * 8000 + "\n" + ";" * 40_000,
        "a;b\n" * 12_000,
        "Betrag;betrag;BETRAG\n1;2;3\n",
        "1.1.2026;1\n" * 4000,
        "1.1.2026" + ";" * 80 + "1,00\n",
        "Datum;Betrag\n" + "1;" * 20_000,
        '"><script>;{{x}};\u202e\n1;2;3\n',
        "Datum;Betrag;State\n" + "".join(f"1.1.2026;1;{n}\n" for n in range(2000)),
        "\n" * 40_000 + "Datum;Betrag",
        "PK\x03\x04",
        "",
    ],
    "hybrid": [
        "obj /EmbeddedFile stream",
        "/EmbeddedFile" * 3000,
        "7 0 obj<</Subtype/application#2Foctet-stream>>stream\n" * 900,
        "/EF<</F 7 0 R>>" + "7 0 obj" * 6000,
        "/EF<</F 7 0 R>>7 0 obj" + ">>" * 3000 + "stream",
        "/EF<</F " + "1" * 40_000,
        "/application#2F/EF <<",
        "/#45mbedded#46ile" * 2900,
        "/#45#46<</#46 7 0 R>>" + "7 0 obj<</Fi#6Cter/Flate#44ecode>>stream\n" * 900,
        b"7 0 obj<</Type/EmbeddedFile/Filter/FlateDecode>>stream\n\x78\x9c"
        + zlib.compressobj(wbits=-15).compress(b"")
        + b"\xff" * 40_000,
        b"7 0 obj<</Type/EmbeddedFile>>stream\n<CrossIndustryDocument urn:ferd:" * 500,
        b"obj /text#2Fxml /Filter /FlateDecode stream\n\x78\x9c",
        b"obj /EmbeddedFile stream\r\n<Invoice urn:oasis:names:specification:ubl:schema:xsd:Invoice-2",
    ],
    "e_invoice": [
        "<Invoice xmlns='urn:oasis:names:specification:ubl:schema:xsd:Invoice-2'/>",
        "<CreditNote xmlns='urn:oasis:names:specification:ubl:schema:xsd:Invoice-2'/>",
        "<!-- <Invoice x -->" * 500,
        "<CrossIndustryInvoice " * 400,
        b"\xff\xfe<\0",
        b"<\0I\0n\0v\0o\0i\0c\0e\0 \0",
        "<CrossIndustryDocument " * 400 + "urn:ferd:",
        "<CrossIndustryDocument urn:ferd:CrossIndustryDocument:invoice:1p0",
        b"<\0C\0r\0o\0s\0s\0I\0n\0d\0u\0s\0t\0r\0y\0D\0",
        "<Invoice xmlns='urn:ferd:invoice:rc'>" + "<a>" * 9000,
        EXTENSION % ("", SELLER % ("e. " * 9000)),
        EXTENSION % ("", SELLER % "&#x202e;&#x130; GmbH & Co".replace("& ", "&amp; ")),
        EXTENSION % ("<TaxExclusiveAmount>1</TaxExclusiveAmount>", ""),
        EXTENSION % ("<b:PayableAmount>1</b:PayableAmount>" * 500, ""),
        EXTENSION % ("".join(f"<b:PayableAmount>{n}</b:PayableAmount>" for n in range(800)), ""),
        EXTENSION
        % (f"<b:PayableAmount currencyID='{'x' * 9000}'>{'9' * 20}</b:PayableAmount>", ""),
        EXTENSION
        % ("", "<a:PrepaidPayment><b:PaidAmount>1</b:PaidAmount></a:PrepaidPayment>" * 500),
        EXTENSION % ("", "<a:PrepaidPayment><b:PaidAmount/></a:PrepaidPayment>"),
        EXTENSION % ("", "<a:LegalMonetaryTotal><b:x/></a:LegalMonetaryTotal>" * 500),
        EXTENDED % "<r:LineStatusReasonCode>GROUP</r:LineStatusReasonCode>",
        EXTENDED.replace("</m:SupplyChain", "</m:SupplyChainTradeTransaction><m:SupplyChain", 1)
        % "",
    ],
    "xml": [
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        "<a>" * 65,
        "<a/><b/>",
        "<a xmlns='u}v'/>",
        "<a b='" + "x" * 300_000,
        "<?xml version='1.0' encoding='UTF-7'?><a/>",
        "<a>&#0;</a>",
        "<a>\0</a>",
        b"<a>\xe4</a>",
        "]]>",
        "<a>]]></a>",
    ],
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    world = World(tmp_path_factory.mktemp("fuzz"))
    yield world
    world.close()


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_of_the_fuzzer_holds(world, name):
    target, _ = TARGETS[name]
    if name == "calendar":
        pytest.importorskip("icalendar", reason="it judges the calendar")
    for data in [
        *seeds(name)[:20],
        *(text.encode() if isinstance(text, str) else text for text in HOSTILE[name]),
    ]:
        target(world, data)
