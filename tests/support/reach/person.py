"""Somebody with a browser, mailboxes and perhaps an API key.

All that reaches such a person is written down.
"""

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from email import message_from_bytes, policy
from html import unescape
from io import BytesIO
from urllib.parse import urlencode, urljoin, urlsplit

from eventapi.domain.access import links
from eventapi.domain.mail.contents import Gone
from eventapi.worker.mail import message as mail_message

LINK = re.compile(r"/link/(evl_[\w-]{32})")
HOME = re.compile(r"/(?:(?:my|apply)/[a-z]{8}|door|desk)/")
TOKEN = re.compile(r'name="(?:form_)?token" value="([^"]+)"')
OWN = re.compile(r'href="[^"]*?(contract/\d+|invoices/\d+/xml)"')
FORM = "application/x-www-form-urlencoded"
HTML = {"Accept": "text/html", "Accept-Language": "en"}
RECORDS = ("applications", "exhibitors", "booths", "invoices", "contacts", "badges")
COMPANY = ("company", "bank", "taxes", "invoices", "dunning", "mails", "look", "datev")
# first part of the addresses of a session -> the pages below its first one
PAGES = {
    "my": (
        "",
        "profile",
        "submissions",
        "submissions/text",
        "booth",
        "orders",
        "contract",
        "invoices",
        "badges",
        "programme",
    ),
    "apply": ("", "badge", "badge.svg"),
    "door": ("", "now", "roster", "search?q=Person"),
    "desk": (
        "",
        "now",
        "applications",
        "exhibitors",
        "exhibitors/submissions",
        "exhibitors/orders",
        "exhibitors/new",
        "visitors/new",
        "hall",
        "hall/booths",
        "hall/holds",
        "money",
        "money/dunning",
        "money/payments",
        "money/letters",
        "money/to_print",
        "money/bank",
        "money/bank/rules",
        "people",
        "tasks",
        "badges",
        "contacts",
        "contacts/duplicates",
        "visitors",
        "print",
        "print/door",
        "print/halls",
        "setup",
        "account",
        "account/factor",
        "start",
        "team",
        "team/new",
        "team/1",
        *(f"company/{page}" for page in COMPANY),
        *(f"{records}/{id}" for records in RECORDS for id in (1, 2)),
    ),
}


@dataclass
class Answer:
    """A response of the service."""

    status: int
    headers: list
    body: bytes
    method: str
    path: str

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    @property
    def data(self):
        return json.loads(self.body)["data"]

    @property
    def where(self):
        """The path that the response redirects to, or ""."""
        place = next((value for name, value in self.headers if name == "Location"), "")
        return urlsplit(urljoin(f"http://localhost{self.path}", place)).path if place else ""


class Person:
    """A browser, mailboxes and a key.

    Attributes:
        cookies: name -> value.
        homes: first pages of the sessions that were opened, such as /my/abcdefgh/.
        secrets: addresses of links that were mailed or shown, each once.
        reached: (owner, kind) of a record -> where it was seen first.
        records: pairs (kind, id) of the records that the key has made.
        phase: what the person does now, for the places in `reached`.
    """

    def __init__(self, service, world, mailboxes, key=None):
        self.service, self.world, self.mailboxes, self.key = service, world, set(mailboxes), key
        self.cookies, self.homes, self.secrets, self.reached, self.records = {}, [], [], {}, []
        self.last_mail, self.opened, self.phase = 0, 0, ""

    def state(self):
        """Return what `restore` needs."""
        return (
            dict(self.cookies),
            list(self.homes),
            list(self.secrets),
            dict(self.reached),
            list(self.records),
            self.last_mail,
            self.opened,
        )

    def restore(self, state):
        cookies, homes, secrets, reached, records, self.last_mail, self.opened = state
        self.cookies, self.homes, self.secrets = dict(cookies), list(homes), list(secrets)
        self.reached, self.records = dict(reached), list(records)

    def made(self, kind):
        """Return the ids of the records of a kind that the key has made, such as `links`."""
        return [id for made, id in self.records if made == kind]

    # Requests

    def send(self, method, path, body=b"", headers=()):
        """Send a request, note which records the response contains, and return it."""
        self.world.clock.tick()
        answer = self.service(method, path, body, dict(headers))
        self.note(f"{answer.headers} {answer.text}", f"{method} {path}")
        return answer

    def note(self, text, place):
        """Write down the records that a text contains."""
        for record in sorted(self.world.reached(text)):
            self.reached.setdefault(record, f"{self.phase}{place}")

    def api(self, method, path, body=None):
        """Send a request with the key."""
        headers = {"Authorization": f"Bearer {self.key}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        answer = self.send(
            method, f"/api/v1{path}", b"" if body is None else json.dumps(body).encode(), headers
        )
        assert answer.status < 500, f"{method} {path} {body}: {answer.status} {answer.text}"
        self.find_links(answer.text)
        if answer.status == 201 and "id" in answer.data:
            self.records.append((path.split("/")[1], answer.data["id"]))
        return answer

    def get(self, path):
        """Read a page in the browser."""
        return self.browse("GET", path)

    def post(self, path, **fields):
        """Send a form of the browser as it is."""
        return self.browse("POST", path, urlencode(fields).encode(), {"Content-Type": FORM})

    def submit(self, page, path, **fields):
        """Send a form with the token of a page."""
        answer = self.get(page)
        token = TOKEN.search(answer.text)
        return self.post(path, form_token=unescape(token[1]), **fields) if token else answer

    def browse(self, method, path, body=b"", headers=()):
        sent = {**HTML, **dict(headers)}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        answer = self.send(method, path, body, sent)
        assert answer.status < 500, f"{method} {path}: {answer.status} {answer.text}"
        for name, value in answer.headers:
            if name == "Set-Cookie":
                name, _, value = value.partition(";")[0].partition("=")
                self.cookies[name] = value
        home = HOME.match(answer.where)
        if home and home[0] not in self.homes:
            self.homes.append(home[0])
        return answer

    # Mails and links

    def find_links(self, text):
        for secret in LINK.findall(text):
            if secret not in self.secrets:
                self.secrets.append(secret)

    def read_mails(self):
        """Let the worker send all mails, and read those to the own mailboxes. Return their texts."""
        db, found = self.world.db, []
        links.handle_requests(db, 100)
        cursor = db.connection.execute(
            "SELECT * FROM mails WHERE id > ? ORDER BY id", (self.last_mail,)
        )
        names = [column[0] for column in cursor.description]
        for row in [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]:
            self.last_mail = row["id"]
            if row["recipient"].lower() in self.mailboxes and row["state"] == "queued":
                with suppress(Gone):
                    found.append(self.read_mail(row))
        with db.write():
            db.connection.execute(
                "UPDATE mails SET state = 'sent', next_at = NULL WHERE state = 'queued'"
            )
        return found

    def read_mail(self, row):
        recipient, raw = mail_message.build(self.world.db, row)
        assert recipient.lower() in self.mailboxes
        # Texts are quoted-printable, and the names of files stand in headers. A parser is slow, so
        # only files get one.
        text = raw.decode("ascii").replace("=\r\n", "").replace("=3D", "=")
        if "Content-Disposition: attachment" in text:
            text += "".join(
                map(text_of_pdf, message_from_bytes(raw, policy=policy.default).iter_attachments())
            )
        self.note(
            f"{row['subject']} {text}", f"a mail of the kind {row['kind']} to {row['recipient']}"
        )
        self.find_links(text)
        return text

    def open(self, secret):
        """Open a link in the browser."""
        return self.post(f"/link/{secret}")

    def open_all(self):
        """Read all mails, and open each link that is new."""
        self.read_mails()
        for secret in self.secrets[self.opened :]:
            self.open(secret)
        self.opened = len(self.secrets)

    def sign_in(self, key):
        """Sign in at the desk with a key."""
        token = TOKEN.search(self.get("/desk/sign-in").text)
        return self.post("/desk/sign-in", token=unescape(token[1]), key=key)

    def fill_in(self, form, email, **fields):
        """Send the public form `apply` or `visit` of the running event.

        Return the page that follows.
        """
        path = f"/e/fair/{form}"
        token = TOKEN.search(self.get(path).text)
        category = {"apply": "gold", "visit": "guests"}[form]
        typed = {
            "first_name": "Eve",
            "last_name": "Attacker",
            "company_name": "Own Ltd",
            "address": "Weg 1",
            "postal_code": "04109",
            "city": "Leipzig",
            "country": "DE",
            "terms": "1",
            "category": category,
            "email": email,
            **fields,
        }
        answer = self.post(path, token=unescape(token[1]), **typed)
        assert answer.status == 200, answer.text
        return answer

    def ask_for_link(self, email):
        """Ask for a new link to the pages of an address."""
        token = TOKEN.search(self.get("/my").text)
        return self.post("/my", token=unescape(token[1]), email=email)

    def look(self, homes=None):
        """Read all pages of the sessions with these first pages, by default of all sessions."""
        for home in list(self.homes if homes is None else homes):
            kind, found = home.split("/")[1], set()
            for page in PAGES[kind]:
                answer = self.get(home + page)
                found |= self.world.reached(answer.text)
                if not page and answer.status != 200:
                    break
                for path in sorted(set(OWN.findall(answer.text))):
                    self.get(home + path)
            if found and kind == "my":  # a file is slow to draw, and that of the own badge is known
                self.get(f"{home}badges/own.pdf")

    def note_page(self, home):
        """Read a page. Return the records that it contains."""
        return self.world.reached(self.get(home).text)

    def cross(self):
        """Ask each page of an application for the page of its exhibitor."""
        for home in [home for home in self.homes if home.startswith("/apply/")]:
            self.submit(home, f"{home}my")


def text_of_pdf(part):
    """Return the text of a PDF that is attached to a mail.

    Where no PDF can be drawn, pypdf may be missing.
    """
    from pypdf import PdfReader

    return "".join(page.extract_text() for page in PdfReader(BytesIO(part.get_content())).pages)


def service_of(app):
    """Return a function (method, path, body, headers) that sends a request to a WSGI application."""

    def send(method, path, body, headers):
        path, _, query = path.partition("?")
        environ = {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": "localhost",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": BytesIO(body),
            "wsgi.errors": BytesIO(),
            "wsgi.multithread": False,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        if body or method != "GET":
            environ["CONTENT_LENGTH"] = str(len(body))
        for name, value in headers.items():
            name = name.upper().replace("-", "_")
            environ[name if name == "CONTENT_TYPE" else f"HTTP_{name}"] = value
        started = []
        chunks = app(environ, lambda status, sent, problem=None: started.extend((status, sent)))
        try:
            received = b"".join(chunks)
        finally:
            if hasattr(chunks, "close"):
                chunks.close()
        return Answer(int(started[0][:3]), started[1], received, method, path)

    return send
