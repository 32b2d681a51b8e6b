"""The first page of an exhibitor: what to do next."""
from eventapi.domain.portal import todos
from eventapi.pages.my import frame

routes = frame.routes("my-overview")


@routes.get("/")
def get_my_overview(db, visit):
    """Return the to-dos: late, open, waiting for the office and done."""
    with db.snapshot():
        mine = frame.opened(db, visit)
        found = todos.of(db, mine.participant, mine.event, mine.pages, mine.rights)
        return frame.shown(db, visit, mine, "overview", todos=found, soon=todos.soon(db, mine.participant),
                           done=sum(todo["state"] == "done" for todo in found))
