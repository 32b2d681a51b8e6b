"""Page requests: those of somebody with a session.

Its page, its redirections, and the pages for those without one.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from html import escape

import bottle

from eventapi.errors import Problem
from eventapi.languages import choice
from eventapi.web import client
from eventapi.web.html import cookies, forms, schema_forms, shell, tokens
from eventapi.web.rest import Response

COMMON = "eventapi.pages.link"  # package of the pages about links, sessions and errors
# kind of session -> ref in the cookie of all sessions of the kind
ONE_COOKIE = {
    "door": "door",
    "admin": "desk",
}


@dataclass
class PageRequest:
    """A request with a session.

    `link` is the row of the link with `rights` as a list; None at the desk. `session` is the row of
    the session, at the desk with `admin_id`; `event` that of the link's event or None, `fields` the
    texts of the form that was sent, by name, `form` its fields if they are those of a schema.
    `problem` is the refusal of that form if its page is shown again. `owner` is who the tokens of
    forms are for.
    """

    kind: str
    ref: str
    link: dict | None
    session: dict
    event: dict | None
    who: object
    owner: str
    key: bytes
    language: str
    fields: dict = field(default_factory=dict)
    form: forms.Form | None = None
    form_id: str | None = None
    problem: Problem | None = None

    def home(self) -> str:
        """Return the relative address of the first page of the part, which ends in a slash."""
        return shell.up() + path_of({"kind": self.kind, "ref": self.ref})


def path_of(link: dict) -> str:
    """Return the path of the pages of a link, below the root."""
    return {
        "participant": f"my/{link['ref']}/",
        "application": f"apply/{link['ref']}/",
        "door": "door/",
        "admin": "desk/",  # of no link, but of a page request
    }[link["kind"]]


def cookie_ref(link: dict) -> str:
    """Return the ref in the name of the cookie: that of the link, or `door` for all links of doors."""
    return ONE_COOKIE.get(link["kind"], link["ref"])


@lru_cache
def words(package: str, language: str) -> dict[str, str]:
    """Return the texts of a part of the pages, those of the part that it continues, and those that
    all parts share.
    """
    base = shell.CONTINUES.get(package, package)
    return {
        **shell.words(shell.FORMS, language),
        **shell.words(COMMON, language),
        **shell.words(base, language),
        **shell.words(package, language),
    }


def render_page(
    request: PageRequest, package: str, name: str, *, status: int | None = None, **values: object
) -> Response:
    """Return the page of a template within the layout of its part.

    Its status is that of `request.problem`, else 200. Templates have, besides what shell.render_html
    provides: `request`, `home`, `done` (the sentence of `?done=`, or that of `values`), `note` (the
    sentence of a problem that belongs to no field), `form_token()`, `typed(name, stored)`,
    `fault(name)`, `faults`, and for the piece `faults`: `sentences` and `label_of(name)`.
    """
    texts = words(package, request.language)
    problem = request.problem
    faults = faults_of(request, texts)
    known = {
        "request": request,
        "event": request.event,
        "home": request.home(),
        "form_token": lambda: hidden_token(request),
        "typed": typed(request),
        "fault": lambda name: faults.beside.get(name, ""),
        "faults": faults.beside,
        "sentences": {"beside": faults.beside, "top": faults.top},
        "label_of": partial(label_of, request, texts),
        "note": problem and not (faults.beside or faults.top) and sentence(problem, texts),
        "done": done_sentence(texts),
    }
    page = render_html(package, name, request.language, **{**known, **values})
    if problem:
        page = with_fault_in_title(page, texts)
    response = shell.private(page, request.language, status or (problem.status if problem else 200))
    if shell.asked("language").get("language") == request.language:
        response.headers["Set-Cookie"] = cookies.keep_language(request.language)
    return response


def done_sentence(texts: dict[str, str]) -> str | None:
    """Return the sentence about what was done, which `?done=` names, or None."""
    word = shell.asked("done").get("done")
    return texts.get(f"done_{word}") if word else None


def render_html(package: str, name: str, language: str, **values: object) -> str:
    """Return a page of a part with its own texts and those that all parts share."""
    known = {
        "event": None,
        "title": None,
        "asked": {},
        "embed": False,
        "home": shell.up(),
        "request": None,
        "imprint": f"{shell.up()}imprint",
        "privacy_url": bottle.request.environ["eventapi.config"].privacy_url,
    }
    return shell.render_html(
        package, name, language, words(package, language), **{**known, **values}
    )


def fragment(package: str, name: str, language: str, **values: object) -> str:
    """Return a piece of a page as HTML, with the texts of its part and those that all parts share."""
    known = {"asked": {}, "embed": False}
    return shell.fragment(package, name, language, words(package, language), **known, **values)


def hidden_token(request: PageRequest) -> str:
    """Return the hidden field with a new token for a form of the visitor."""
    return f'<input type="hidden" name="form_token" value="{tokens.session_token(request.key, request.owner)}">'


def typed(request: PageRequest) -> Callable[[str, object], str]:
    """Return a function of a field's name and stored value that returns what was typed, else the
    stored value.
    """

    def text(name, stored=None):
        if name in request.fields:
            return request.fields[name][0]
        return "" if stored is None else str(stored)

    return text


def with_fault_in_title(page: str, texts: dict[str, str]) -> str:
    """Return a page whose title begins with the word for a fault, so that it is heard first."""
    return page.replace("<title>", f"<title>{escape(texts['fault_title'])} ", 1)


def form_of(package: str, schema: str, language: str, **options: object) -> schema_forms.Form:
    """Return the form of a schema with the words of a part of the pages: `field_NAME` is the label
    of a field, `help_NAME` the sentence below it. `options` are those of schema_forms.Form.
    """
    texts = words(package, language)

    def label(path):
        return texts.get(f"field_{path}", ""), texts.get(f"help_{path}", "")

    return schema_forms.Form(schema, "POST", label, language=language, **options)


def faults_of(request: PageRequest, texts: dict[str, str]) -> forms.Faults:
    """Return the sentences about the form that was refused.

    The name of a field that the form of the request lacks is its pointer without the slash.
    """
    errors = (request.problem.errors if request.problem else None) or []
    fields = list(request.form.fields) if request.form else []
    for error in errors:
        pointer = error.get("pointer") or f"/{error.get('parameter') or ''}"
        is_known = any(f"{pointer}/".startswith(f"{each.pointer}/") for each in fields)
        if pointer != "/" and not is_known:
            name = pointer[1:].replace("/", ".")
            fields.append(forms.Field(name, pointer, "", kind=""))  # its kind is not known
    sentences = forms.Sentences(texts, request.language)
    return forms.faults_of(errors, fields, request.fields, sentences, lambda name: "")


def label_of(request: PageRequest, texts: dict[str, str], name: str) -> str:
    """Return the label of a field: of the form of the request, else the one of its name, or ""."""
    known = request.form.fields if request.form else []
    labels = {each.name: each.label for each in known}
    return labels.get(name) or texts.get(f"field_{name}", "")


class Members(dict):
    """The members of a problem as values of a sentence. One that is missing is left empty."""

    def __missing__(self, key: str) -> str:
        return ""


def sentence(problem: Problem, texts: dict[str, str]) -> str:
    """Return the sentence about a problem, by its code.

    The English detail of the API is never shown.
    """
    text = texts.get(f"problem_{problem.code}") or texts["problem_other"]
    return text.format_map(Members(problem.members))


def see_other(request: PageRequest, address: str, *, done: str | None = None) -> Response:
    """Return the redirection to a page of the part, which shows the sentence `done_WORD`."""
    return redirect(request.home() + address + (f"?done={done}" if done else ""))


def redirect(address: str, headers: dict | None = None) -> Response:
    """Return 303 to a relative address."""
    return Response(
        status=303,
        body=b"",
        headers={
            "Location": address,
            "Cache-Control": "no-store",
            **shell.HEADERS,
            **(headers or {}),
        },
    )


# Pages without a session


def language_of(own: str | None = None) -> str:
    """Return the language of a page: of `?language=`, that it had before, of the link, of the
    browser, or the option.
    """
    config = bottle.request.environ["eventapi.config"]
    return choice.choose(
        config,
        shell.asked("language").get("language"),
        cookies.language(),
        own,
        *client.languages(),
    )


def message_page(
    name: str,
    *,
    status: int = 200,
    language: str | None = None,
    referrer: str = "same-origin",
    headers: dict | None = None,
    **values: object,
) -> Response:
    """Return one of the pages about links, sessions and errors."""
    language = language or language_of()
    response = shell.private(
        render_html(COMMON, name, language, **values), language, status, referrer
    )
    response.headers.update(headers or {})
    return response


def problem_page(problem: Problem, request_id: str) -> Response:
    """Return the page about a problem: what happened and what to do. Below a fault of the server,
    the id of the request.

    Its language is that of the page request, if there is one. Its address may be that of a link, whose
    secret no further request may name as its referrer.
    """
    language = bottle.request.environ.get("eventapi.language") or language_of()
    return message_page(
        "problem",
        status=problem.status,
        language=language,
        request_id=request_id if problem.status >= 500 else None,
        headers=problem.headers,
        referrer="no-referrer",
        sentence=sentence(problem, words(COMMON, language)),
        part="not_found" if problem.status == 404 else "problem",
    )
