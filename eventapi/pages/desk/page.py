"""The page of the desk around each of its templates: the menu, the banner, and what templates have."""

import re
from functools import partial
from urllib.parse import urlencode

from eventapi import times
from eventapi.domain.upkeep import housekeeping
from eventapi.errors import Problem
from eventapi.pages.desk import api, events, labels
from eventapi.pages.desk.kinds import KINDS
from eventapi.pages.desk.writing import Writer
from eventapi.pages.office import menu as menus
from eventapi.storage.errors import damage
from eventapi.web.html import forms, page_requests, shell

MOST_MADE = 20  # documents that a page names after a step
LONGEST_QUERY = 300  # characters of an address to come back to, as actions.BACK takes it
# parts of the menu whose first page shows any show: it is kept when somebody picks another one
OF_ANY_SHOW = ("applications", "exhibitors", "hall", "money", "visitors", "setup")
SILENT = 120  # seconds after which the worker is called silent


def render_page(
    db, request, name, *, package=labels.PACKAGE, menu=None, page=None, current=None, **values
):
    """Return a page of the desk. `package` has its template.

    `menu` is the part of the menu that it belongs to, `page` its entry within that part, `current`
    the event in hand if it has been read already. `values` are those of the template; `form` and
    `given` among them are a form and the texts of its fields, `asked` is the query that the links
    of the page keep.

    Templates have, besides what page_requests.render_page provides:
    - `current`, `events`, `menu`, `day_entries`, `preparing`, `banner`, `made`, `page_title`,
      `tab_title`, `job` (of the help): what the layout shows;
    - `to(path)`: an address for the event in hand; `here`: that of this page; `urlencode`;
    - `is_enabled(path)`: whether the features of a page of the desk are enabled;
    - `may(scope, writes=False)`: whether the person may read or write; `ticked`: of all boxes;
    - `write`: the Writer of values; `currency`, `now`;
    - `sentence(word, default)`, `named(row)`, `reason(item)`, `summary(kind, row)`;
    - `tone(state)`: the tone of the mark of a state;
    - `of_kind(word, record)`: the word for an invoice or for a credit note;
    - `finding(each)`: the sentence about a fault or warning of an invoice;
    - `label_of(name)`, `rows_of`, `any_of`, `sentences`: of forms.
    """
    event = current or events.current(db)
    texts = page_requests.words(package, request.language)
    asked = shell.asked("event") | values.pop("asked", {})
    form = values.get("form")
    given = values.get("given") or {}
    write = Writer(request.language, event["timezone"] if event else db.config.timezone)
    title = values.get("title") or title_of(texts, name, values)
    day_entries, preparing = menus.entries(db, request, event, menu, page)
    return page_requests.render_page(
        request,
        package,
        name,
        current=event,
        events=events.offered(db, event),
        menu=menu,
        day_entries=day_entries,
        preparing=preparing,
        show_target=menu if menu in OF_ANY_SHOW and menus.is_enabled(request, menu) else "",
        is_enabled=partial(menus.is_enabled, request),
        organiser=db.config.organiser_name,
        has_account=not request.session["api_key_id"],
        page_title=title,
        tab_title=tab_title(texts, title, event and write.show(event)),
        job=menus.job_of(within_desk()),
        banner=banner(db),
        done=done(request, texts),
        made=made(request),
        asked=asked,
        to=events.address_of(request, event),
        here=here(),
        urlencode=urlencode,
        may=partial(api.may, request),
        ticked="checked" if shell.asked("tick") else "",
        write=write,
        currency=db.config.currency,
        now=times.now(),
        sentence=lambda word, default="": texts.get(word, default),
        named=labels.named,
        of_kind=labels.of_kind,
        reason=partial(labels.reason, texts),
        finding=partial(labels.finding, texts, write),
        wished_size=partial(labels.size, texts, write),
        tone=labels.tone,
        summary=partial(labels.summary, texts, request.language, db.config.currency),
        label_of=partial(label_of, texts, form),
        rows_of=forms.rows,
        any_of=any_of,
        sentences=labels.sentences(request, form, given),
        **values,
    )


def tab_title(texts, title, show):
    """Return the title of the tab: `Keramik Wolf · Bastelmarkt Neustadt 2027`.

    `title` is what the page is about, `show` the name of the show in hand or None.
    """
    return f"{title} · {show or texts['desk']}"


def title_of(texts, name, values):
    """Return what a page is about if it names no title: its form, its step, or its list."""
    if name == "edit":
        kind = texts[f"{'edit' if values['id'] else 'new'}_{values['kind_name']}"]
        record = labels.title_of(values["record"]) if values["record"] else None
        return f"{kind}: {record}" if record else kind
    if name == "act":
        return texts[values["label"]]
    if name == "batch":
        return texts[f"batch_{values['resource']}_{values['action_word']}"]
    return texts[f"tab_{name}"]


def within_desk():
    """Return the address of this page below /desk/."""
    return shell.address().rstrip("/").partition("/desk")[2].lstrip("/")


def here():
    """Return the address of this page within the desk, to come back to after an action."""
    path = within_desk()
    if path.startswith(("do/", "batch/", "edit/")):
        return ""
    kept = shell.asked("q", "status", "show", "sort", "size", "page", "event", "plan", "all")
    # The list that the record was opened from: after the action, its next row is a click away.
    with_list = urlencode({**kept, **shell.asked("list", "filter", "at")})
    query = with_list if len(with_list) <= LONGEST_QUERY else urlencode(kept)
    return f"{path}?{query}" if query else path


def made(request):
    """Return the invoices and credit notes that the step before has made, named by `?made=`."""
    ids = [part for part in shell.asked("made").get("made", "").split(",") if forms.id_of(part)]
    if not ids or not api.may_call(request, "list_invoices"):
        return []
    return api.rows("list_invoices", include=("contact",), ids=",".join(ids[:MOST_MADE]))[0]


def done(request, texts):
    """Return the sentence about what was done, with the name of the record that `?of=` names.

    `of` is its address in the API, such as `booths/12`. Without a record that the person may read,
    the sentence has no name. Return None if nothing was done, or if a further step was refused.
    """
    if request.problem:
        return None
    asked = shell.asked("done", "of")
    resource, _, id = asked.get("of", "").partition("/")
    sentence = page_requests.done_sentence(texts)
    if asked.get("done") == "saved":
        sentence = texts.get(f"done_saved_{resource}", sentence)
    if not sentence or "{name}" not in sentence:
        return sentence
    name = name_of(request, resource, id)
    if name:
        return sentence.format(name=name)
    if asked["done"] == "saved":
        return texts["done_saved"]
    return re.sub(r"{name}: | „{name}“| “{name}”| {name}", "", sentence).strip()


def name_of(request, resource, id):
    """Return the name of a record of the API, or None if there is no such record to read."""
    path = f"{api.ROOT}{resource.replace('_', '-')}/<id>"
    reader = api.names().get(("GET", path))
    if reader is None and resource in KINDS:
        reader = f"get_{KINDS[resource].handler}"
    if reader is None or not forms.id_of(id) or not api.may_call(request, reader):
        return None
    include = ("contact",) if resource == "participants" and api.may(request, "contacts") else ()
    try:
        name = labels.record_name(api.read(reader, id=id, include=include).data)
        return name if name != f"#{id}" else None
    except Problem as problem:
        if problem.status >= 500:
            raise
        return None


def banner(db):
    """Return what keeps the desk from working: `damaged`, `silent` if no worker runs, or None."""
    if damage(db.config.database):
        return "damaged"
    age = housekeeping.worker_age(db)
    return "silent" if age is None or age > SILENT else None


# Forms


def label_of(texts, form, name):
    """Return the label of a field by its name, which has the numbers of rows.

    It is the one that the form of the page has, if it is a field of the form itself.
    """
    for each in form.fields if form else ():
        if each.name == name and each.label:
            return each.label
    text, _ = labels.label(texts, "", re.sub(r"/\d+(?=/|$)", "", name))
    return text


def any_of(given, field):
    """Return whether a row of a list has any text, so that a box without a tick means no."""
    row = field.name.rpartition("/")[0]
    return any(
        name.startswith(f"{row}/") and "".join(texts).strip() for name, texts in given.items()
    )
