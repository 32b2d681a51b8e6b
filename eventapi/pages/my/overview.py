"""The first page of an exhibitor: what to do next."""
from eventapi.domain.access import links
from eventapi.domain.portal import todos
from eventapi.pages.my import frame
from eventapi.web.html import visits
from eventapi.web.rest import mail_base_url
from eventapi.web.routes import Routes

routes = Routes("my-overview", root="/my/<ref>", **frame.PAGE)


@routes.get("")
def get_my_overview(db, visit):
    """Return the to-dos: late, open, waiting for the office and done."""
    with db.snapshot():
        mine = frame.opened(db, visit)
        found = todos.of(db, mine.participant, mine.event, mine.pages, mine.rights)
        written = frame.writers(db.config, visit.language, mine.event["timezone"])
        return frame.shown(db, visit, mine, "overview", todos=[told(todo, written) for todo in found],
                           soon=todos.soon(db, mine.participant),
                           done_count=sum(todo["state"] == "done" for todo in found))


def told(todo, written):
    """Return a to-do with the words of its two sentences, and the values in them as texts."""
    is_listed = todo.get("is_listed") is not False
    state = todo["state"] if todo["state"] in ("waiting", "done") else "open"
    values = {**todo, "titles": ", ".join(todo.get("titles", ())), "day": written["day"](todo["due"]),
              "until": written["moment"](todo.get("until")), "at": written["moment"](todo.get("at")),
              **{name: written["amount"](todo.get(name), todo.get("currency")) for name in ("total", "open")}}
    return {**todo, "values": values,
            "title": f"todo_{todo['kind']}_{state}" if is_listed else "todo_profile_unlisted",
            "detail": None if state == "done" else "waits" if state == "waiting" else
            "was_due" if todo["state"] == "late" else "by_day" if todo["due"] else None}


@routes.post("/language", schema="my_forms.language")
def set_my_language(db, visit, body):
    """Choose the language of the page and of its mails."""
    links.update(db, visit.link, {"language": body["language"]})
    return visits.see_other(visit, "")


@routes.post("/mail-me")
def mail_my_link(db, visit):
    """Mail the link to its address, so that a session can be opened that may take binding steps."""
    mine = frame.opened(db, visit)
    if visit.link["email"]:
        links.ask_for_mail(db, visit.link["email"], mail_base_url())
    return frame.shown(db, visit, mine, "mailed")
