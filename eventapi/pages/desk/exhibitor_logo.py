"""The logo of an exhibitor, which the office may upload for it."""

from eventapi.domain.shows import profiles
from eventapi.pages.desk import actions, api, edit, events, labels
from eventapi.pages.desk.page import render_page
from eventapi.web.html import page_requests
from eventapi.web.routes import Routes

routes = Routes(
    "desk-exhibitor-logo",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)


def largest(_config):
    """Return the largest logo in bytes."""
    return profiles.LARGEST_FILE


@routes.get("/exhibitors/<id>/logo")
def get_desk_exhibitor_logo(db, request, id):
    """Return the logo of an exhibitor with its form, or show it again after a refusal."""
    row = api.read("get_participant", id=id, include=("contact",)).data
    profile = api.record("get_participant_profile", id)
    name = labels.named(row)
    return render_page(
        db,
        request,
        "exhibitor_logo",
        menu="exhibitors",
        current=events.by_key(db, row["event_key"]),
        title=labels.words(request)["logo_of"].format(name=name),
        row=row,
        logo=profile["logo"],
        tag=profile["tag"],
        may_show=api.may_call(request, "get_document_content"),
        may_write=api.may_call(request, "set_participant_logo"),
    )


@routes.post("/exhibitors/<id>/logo", batch=True, shows=get_desk_exhibitor_logo, file=largest)
def set_desk_exhibitor_logo(request, id, upload):
    """Set the logo of an exhibitor. Raise 422 if the file is no picture."""
    with actions.picture(upload) as sent:
        return changed(request, id, "set_participant_logo", "logo", upload=sent)


@routes.post("/exhibitors/<id>/logo/remove", batch=True, shows=get_desk_exhibitor_logo)
def remove_desk_exhibitor_logo(request, id):
    """Remove the logo of an exhibitor."""
    return changed(request, id, "delete_participant_logo", "logo_removed")


def changed(request, id, name, done, upload=None):
    """Run a route of the API, if the logo is still as the page has shown it, and return to the page
    of the exhibitor.
    """
    address = actions.with_message(f"exhibitors/{id}", done, of=f"participants/{id}")
    return actions.once(
        request,
        name,
        {"id": id},
        None,
        lambda _: page_requests.see_other(request, address),
        tag=edit.tag_of(request),
        upload=upload,
    )
