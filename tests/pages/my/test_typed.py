"""What applicants and exhibitors type, outside of pages: in mails, PDFs, pictures, e-invoices,
lists and files.

Each field gets its name and a text that attacks. The judges are parsers of e-mail, HTML, PDF, XML
and CSV.
"""

import csv
import io
import re
import subprocess
from email import message_from_bytes, policy
from xml.etree import ElementTree

import pytest

from eventapi.domain.access import links
from eventapi.worker.mail import message as mail_message
from tests.pages.attack.test_texts import TAGS, Judge
from tests.pages.my.conftest import My, hidden
from tests.pages.my.test_pages import PDF
from tests.web.test_leaks import PDFTOTEXT

pypdf = pytest.importorskip("pypdf")

# A formula, the end of attributes and elements, markup of HTML and ReportLab, a template, a header,
# another direction.
EVIL = "\"'></p><img src='file:///etc/passwd' onerror=x><b>{{70*70+1}}{0}%0d%0aBcc:x\u202e"
PLAIN = EVIL.replace("\u202e", "")
LONG = f'{PLAIN}\r\nBcc: evil@evil.example\r\n\r\n<script>x</script>\r\n<a href="javascript:x">y</a>\u2067'
# Keys and names of actions in a PDF.
NEVER = {
    "/JavaScript",
    "/JS",
    "/Launch",
    "/OpenAction",
    "/AA",
    "/URI",
    "/SubmitForm",
    "/GoToR",
    "/RichMedia",
    "/XFA",
}
HEADERS = {
    "message-id",
    "date",
    "from",
    "to",
    "subject",
    "auto-submitted",
    "mime-version",
    "content-type",
    "content-language",
}
APPLICANT = ("company_name", "first_name", "last_name", "address", "city", "message")


def typed(field, text=EVIL):
    return f"={field} {text}"


def shown(field):
    """Return what is shown of `typed`: all but the character that turns the direction, which
    nothing shows.
    """
    return f"={field} {PLAIN}"


@pytest.fixture
def office(site, settings, monkeypatch):
    """The office of a show to which an exhibitor has applied, and in which it has filled in each
    form of its page.
    """
    for name, value in (
        ("smtp_host", "localhost"),
        ("smtp_sender", "office@example.org"),
        ("base_url", "https://fair.example.org"),
        ("organiser_name", "Fair GmbH"),
    ):
        monkeypatch.setattr(settings, name, value)
    api, act = site.organiser, site.act
    site.change(is_public=True, show_plan=True, badges_free=2)
    application = api.make(
        "/applications",
        {
            **{name: typed(name) for name in APPLICANT},
            "event_keys": ["fair"],
            "category_keys": ["gold"],
            "email": "ada@rosen.example",
            "postal_code": "<1010>",
            "country": "DE",
            "phone": typed("phone")[:40],
        },
    )
    act("applications", application, "approve", {"mail": True})
    me = api.data("/participants?search=company_name")[0]
    act("participants", me, "confirm")
    api.patch(f"/services/{site.power['id']}", {"requires_specification": True}, status=200)
    link, visitor = site.visitor(me, name=typed("link"), email="ada@rosen.example")
    with site.db.write():
        secret = links.add_secret(
            site.db, links.get(site.db, link["id"]), "mailed", mailed_to="ada@rosen.example"
        )
    visitor.sign_in(secret)
    my = My(link, visitor)
    my.send(
        "profile",
        "profile",
        {
            "is_listed": "1",
            "display_name": typed("display_name"),
            "text_en": typed("text", LONG),
            "text_de": typed("text", LONG),
            "products": typed("products")[:60],
            "phone": typed("phone")[:40],
            "website": "https://rosen.example/'\"><xss",
            "email": "x'y@rosen.example",
        },
    )
    for kind, value in (
        ("text", typed("value")),
        ("textarea", typed("values", LONG)),
        ("checkbox", "1"),
    ):
        my.send(f"submissions/{kind}", f"submissions/{kind}", {"value": value, "action": "submit"})
    # %22 as browsers write it
    my.send(
        "submissions/file",
        "submissions/file/file",
        upload=(typed("filename").replace('"', "%22").replace("/", ":") + ".pdf", PDF),
    )
    my.send("booth", "booth/hold", {"booth_number": "A1"})
    page = my.send(
        "orders",
        "orders",
        {f"q.{site.power['id']}": "1", f"s.{site.power['id']}": typed("specification", LONG)},
    )
    my.send("orders/check", "orders/check", {"agree": "1", **hidden(page.text, "orders/check")})
    for kind in ("booth-reservations", "service-orders"):
        act(kind, api.data(f"/{kind}?event_participant_id={me['id']}")[0], "confirm")
    site.contracts = [site.contract(me), site.contract(me)]
    accept, decline = (f"contract/{contract['id']}" for contract in site.contracts)
    my.send(accept, f"{accept}/accept", {"signer_name": typed("signer_name"), "agree": "1"})
    my.send(decline, f"{decline}/decline", {"reason": typed("reason", LONG)})
    my.send(
        "badges", "badges", {"first_name": typed("first", PLAIN), "last_name": typed("last", PLAIN)}
    )
    site.sent = act("invoices", site.bill(me)[0], "send", {"mail": True})
    api.post(f"/links/{link['id']}/mail", status=202)
    site.contract(me)
    api.post(f"/links/{link['id']}/remind", status=202)
    site.me, site.my = me, my
    return site


def test_no_typed_text_leaves_its_place_in_a_mail(office):
    cursor = office.db.connection.execute("SELECT * FROM mails ORDER BY id")
    names = [column[0] for column in cursor.description]
    rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    assert {row["kind"] for row in rows} == {"application_decision", "invoice", "link", "todos"}
    for row in rows:
        recipient, raw = mail_message.build(office.db, row)
        message = message_from_bytes(raw, policy=policy.default)
        assert {name.lower() for name in message} <= HEADERS and recipient == "ada@rosen.example"
        assert (
            message["To"].addresses[0].addr_spec == recipient and len(message["To"].addresses) == 1
        )
        assert (
            message["From"].addresses[0].addr_spec,
            message["From"].addresses[0].display_name,
        ) == ("office@example.org", "Fair GmbH")
        assert not [part for part in message.walk() if part.defects]
        text, html = (message.get_body((kind,)).get_content() for kind in ("plain", "html"))
        assert Judge(html.replace(' style="font:16px/1.5 sans-serif"', "")).wrong == []
        links_ = set(re.findall(r'href="([^"]*)"', html))
        assert all(link.startswith("https://fair.example.org/link/evl_") for link in links_), links_
        assert "4901" not in text + html
        files = [part.get_filename() for part in message.iter_attachments()]
        assert all(re.fullmatch(r"[\w-]+\.(pdf|xml)", name) for name in files)
        if row["kind"] == "invoice":
            assert files and message["To"].addresses[0].display_name == one_line(
                typed("company_name")
            )


def one_line(text):
    return " ".join(text.split())


def keys_of(value):
    """Yield the names in the objects of a PDF, without those that others contain by reference."""
    if isinstance(value, dict):
        yield from value
        yield from keys_of(list(map(value.raw_get, value)))
    elif isinstance(value, list):
        for part in value:
            yield from keys_of(part)
    elif isinstance(value, pypdf.generic.NameObject):
        yield value


@pytest.mark.skipif(not PDFTOTEXT, reason="needs pdftotext (poppler-utils)")
def test_no_typed_text_is_markup_in_a_pdf(office):
    api, id = office.organiser, office.me["id"]
    staff = api.data(f"/participants?host_participant_id={id}")[0]
    pdf = {"Accept": "application/pdf"}
    page = Judge(office.my.get(f"contract/{office.contracts[0]['id']}").text)
    assert page.wrong == [] and shown("company_name") in "".join(page.texts).replace("\u202e", "")
    found = {
        "contract": office.my.get(f"contract/{office.contracts[0]['id']}/file").body,
        "invoice": api.get(f"/invoices/{office.sent['id']}/pdf", headers=pdf, status=200).body,
        "badge": api.get(f"/participants/{staff['id']}/badge", headers=pdf, status=200).body,
        "badges": api.get("/participants/badges?event_key=fair", headers=pdf, status=200).body,
        "plan": api.get(f"/plans/{office.plan_id}/svg?view=public", headers=pdf, status=200).body,
    }
    wanted = {
        "contract": ("company_name",),
        "invoice": ("company_name", "address", "city"),
        "badge": ("first",),
        "badges": ("company_name",),
        "plan": ("company_name",),
    }
    for name, data in found.items():
        reader = pypdf.PdfReader(io.BytesIO(data))
        keys = set(
            keys_of([reader.get_object(number) for number in range(1, reader.trailer["/Size"])])
        )
        assert not keys & NEVER, name
        assert "/Font" in keys
        read = subprocess.run(
            [PDFTOTEXT, "-raw", "-", "-"], input=data, capture_output=True, check=True
        )
        text = read.stdout.decode()
        squeezed = re.sub(r"[\s\u00ad-]", "", text)
        for field in wanted[name]:
            literal = re.sub(r"[\s-]", "", shown(field))
            # a small box cuts it off
            begin = literal if name in ("contract", "invoice") else f"={field}"
            assert begin in squeezed, (name, field, text)
        assert "root:" not in text and "\u202e" not in text


def test_no_typed_text_leaves_its_place_in_a_file(office):
    """The names of files are read by the parser of e-mail, which reads RFC 2231 as browsers read
    RFC 6266.
    """
    pictures_and_invoices(office)
    lists(office)
    names_of_files(office)


def pictures_and_invoices(office):
    api, id = office.organiser, office.me["id"]
    staff = api.data(f"/participants?host_participant_id={id}")[0]
    for path in (
        f"/participants/{staff['id']}/badge",
        f"/participants/{id}/badge",
        f"/plans/{office.plan_id}/svg?view=public",
        f"/plans/{office.plan_id}/svg?view=internal",
    ):
        root = ElementTree.fromstring(
            api.get(path, headers={"Accept": "image/svg+xml"}, status=200).body
        )
        assert {element.tag.rpartition("}")[2] for element in root.iter()} <= TAGS | {
            "image",
            "pattern",
        }, path
        assert not [
            name for element in root.iter() for name in element.attrib if name.startswith("on")
        ]
        assert "\u202e" not in "".join(root.itertext())
    root = ElementTree.fromstring(api.get(f"/invoices/{office.sent['id']}/xml", status=200).body)
    texts = {element.text for element in root.iter()}
    assert typed("company_name") in texts and typed("address") in texts


def lists(office):
    """No cell is a formula."""
    api, seen = office.organiser, ""
    for path in (
        "/applications",
        "/contacts",
        "/participants?include=contact",
        "/submissions",
        "/service-orders",
        "/documents",
        "/invoices",
        "/booth-reservations",
    ):
        text = api.get(path, headers={"Accept": "text/csv"}, status=200).body.decode()
        rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
        assert len({len(row) for row in rows}) == 1, path
        assert [
            cell
            for row in rows
            for cell in row
            if cell[:1] in tuple("=+@\t\r") and not re.fullmatch(r"\+[\d ]+", cell)
        ] == [], path
        seen += text
    assert all(
        f"'={field} " in seen for field in (*APPLICANT, "value", "values", "signer_name", "first")
    )


def names_of_files(office):
    (file,) = [row for row in office.organiser.data("/documents") if row["filename"]]
    answer = office.organiser.get(f"/documents/{file['id']}/content", status=200)
    for headers in (answer.headers, office.my.get("submissions/file/file").headers):
        message = message_from_bytes(
            b"Content-Disposition: "
            + headers["Content-Disposition"].encode("latin-1")
            + b"\r\n\r\n",
            policy=policy.default,
        )
        assert set(message["Content-Disposition"].params) == {"filename"}
        assert (
            message.get_filename() == file["filename"].replace("%", "_")
            and "\u202e" not in file["filename"]
        )
