"""Somebody who knows no more than pages show: follows links, fills in forms by their labels, and
presses buttons.
"""

import re
from urllib.parse import urlencode, urljoin, urlsplit

from bs4 import BeautifulSoup

BLOCKS = ["section", "div", "li", "tr", "form", "fieldset"]


class Reader:
    """A person with a browser without scripts.

    `get(path)` and `post(path, fields)` return responses of WebTest. `fields` are pairs; the last
    one may be (name, (name of the file, bytes)). `path`, `response` and `page` are those of the
    page that is open, `text` is what it says.
    """

    def __init__(self, get, post):
        self._get, self._post = get, post

    def open(self, path):
        """Open an address, follow where it leads to, and return what the page says."""
        return self._shown(path, self._get(path))

    def _shown(self, path, response):
        while response.status_int in (301, 303, 308):
            path = (
                urlsplit(urljoin(path, response.headers["Location"]))
                ._replace(scheme="", netloc="")
                .geturl()
            )
            response = self._get(path)
        self.path, self.response, self.page, self.text = path, response, None, ""
        if response.content_type == "text/html":
            self.page = BeautifulSoup(response.body, "html.parser")
            self.text = plain(self.page.main)
        return self.text

    def follow(self, words, within=None):
        """Follow the link with these words and return what its page says. See `find`."""
        return self.open(self.address(words, within))

    def address(self, words, within=None):
        """Return the address of the link with these words. See `find`."""
        return urljoin(self.path, self.find("a", words, within)["href"])

    def press(self, words, fill=None, within=None, file=None):
        """Press the button with these words, once its form is filled in by the labels of the
        fields.

        A value of `fill` is a text, or True or False for a box; a list has those of the fields with
        the same label, in their order. `file` is (name, bytes). Return what the page that follows
        says.
        """
        button = self.find("button", words, within)
        form, typed = button.find_parent("form"), {}
        for label, value in (fill or {}).items():
            controls = labelled(form, label)
            assert controls, f"{self.path} has no field {label!r}: {plain(form)[:1500]}"
            typed.update(
                zip(map(id, controls), value if isinstance(value, list) else [value], strict=False)
            )
        fields = sent(form, typed)
        if button.get("name"):
            fields.append((button["name"], button.get("value", "")))
        if file:
            fields.append((form.find("input", type="file")["name"], file))
        action = urljoin(self.path, button.get("formaction") or form.get("action") or self.path)
        if form.get("method", "get") == "get":
            return self.open(f"{action.partition('?')[0]}?{urlencode(fields)}")
        return self._shown(action, self._post(action, fields))

    def tick(self, *names):
        """Tick the boxes of the rows of a table of which a cell begins with one of these names, and
        no others.
        """
        for row in self.page.main.find_all("tr"):
            box = row.find("input", type="checkbox")
            cells = [f"{plain(cell)} " for cell in row.find_all("td")]
            if box is not None:
                box.attrs.pop("checked", None)
                if any(cell.startswith(f"{name} ") for cell in cells for name in names):
                    box["checked"] = ""

    def find(self, kind, words, within=None):
        """Return the link (`a`) or button with these words, or with these words in bold: the first,
        or that of the smallest block with `within`.
        """
        places = [self.page]
        if within is not None:
            places = sorted(
                (each for each in self.page.main.find_all(BLOCKS) if within in plain(each)),
                key=lambda each: len(each.get_text()),
            )
        for place in places:
            for each in place.find_all(kind):
                bold = each.find("b")
                text = plain(each).removesuffix("…").strip()
                # a view of a list ends with the number of its rows
                if words in (text, plain(bold) if bold else None, re.sub(r" [0-9]+$", "", text)):
                    return each
        raise AssertionError(
            f"{self.path} has no {kind} {words!r} within {within!r}: {self.text[:3000]}"
        )

    def rows(self):
        """Return the cells of the tables, as lists of texts, without the heads."""
        return [
            [plain(cell) for cell in row.find_all("td")]
            for row in self.page.main.select("tbody tr")
        ]


def forms_of(visitor):
    """Return the functions with which a Reader gets pages and sends forms."""

    def get(path):
        return visitor.app.get(path, headers=visitor.headers, status="*")

    def post(path, fields):
        if not fields or not isinstance(fields[-1][1], tuple):
            return visitor.app.post(path, fields, headers=visitor.headers, status="*")
        *texts, (name, (filename, content)) = fields
        head = "".join(
            f'--b0\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
            for key, value in texts
        )
        head += (
            f'--b0\r\nContent-Disposition: form-data; name="{name}"; filename="{filename}"\r\n\r\n'
        )
        return visitor.app.request(
            path,
            method="POST",
            body=head.encode() + content + b"\r\n--b0--\r\n",
            status="*",
            headers={**visitor.headers, "Content-Type": "multipart/form-data; boundary=b0"},
        )

    return get, post


def plain(element):
    """Return the text of an element as it is read, with single spaces."""
    return re.sub(r"\s+", " ", element.get_text(" ")).strip()


def labelled(form, label):
    """Return the fields of a form with a label, or whose label begins with it and a dot, in their order.

    The star of required fields is no part of it.
    """
    found = []
    for control in form.find_all(["input", "select", "textarea"]):
        if control.get("type") in ("hidden", "file"):
            continue
        texts = [control.get("aria-label", "")]
        around = control.find_parent("label")
        if around is not None:
            texts += [next(iter((around.find("span") or around).stripped_strings), "")]
        elif control.get("id"):
            texts += [plain(each) for each in form.find_all("label", attrs={"for": control["id"]})]
        named = [f"{text.removesuffix('*').strip()} ·" for text in texts]
        if any(text.startswith(f"{label} ·") for text in named):
            found.append(control)
    return found


def sent(form, typed):
    """Return what a browser sends of a form, as pairs.

    `typed` are the values of fields, by `id()` of the control.
    """
    found = []
    for control in form.find_all(["input", "select", "textarea"]):
        name, kind, value = control.get("name"), control.get("type", "text"), typed.get(id(control))
        if not name or kind in ("file", "submit"):
            continue
        if kind in ("checkbox", "radio"):
            if control.get("checked") is not None if value is None else value:
                found.append((name, control.get("value", "on")))
        elif control.name == "select":
            if chosen := chosen_of(control, value):
                found.append((name, chosen.get("value", plain(chosen))))
        elif value is None:
            found.append(
                (
                    name,
                    control.get_text() if control.name == "textarea" else control.get("value", ""),
                )
            )
        else:
            found.append((name, value))
    return found


def chosen_of(select, text):
    """Return the option that is chosen: the one with this text, or whose text begins with it and a
    dot.
    """
    options = select.find_all("option")
    if text is None:
        return next(
            (each for each in options if each.get("selected") is not None),
            options[0] if options else None,
        )
    return next(each for each in options if f"{plain(each)} ·".startswith(f"{text} ·"))
