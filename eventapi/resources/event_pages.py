"""The public pages of an event: what they show, and whether everybody may read them."""

from eventapi.domain.events import events
from eventapi.domain.mail.contents import Wanted
from eventapi.domain.previews import mails
from eventapi.domain.shows import form_editing, settings
from eventapi.plugins.access import may_read, require_scope
from eventapi.web import client
from eventapi.web.rest import found, mail_base_url, require_match
from eventapi.web.routes import Routes

routes = Routes("event-pages", "event_pages", scope="events", flag="pages")


@routes.get("/events/<id>/pages")
def get_event_pages(db, id):
    """Get what the public pages of an event show.

    Every event has these settings, with defaults at first.
    """
    return get(db, id)


@routes.update("/events/<id>/pages", schema="event_pages")
def update_event_pages(db, config, id, body):
    """Change what the public pages of an event show.

    They can be read at /e/{event_key} while `is_public` and `is_visible` of the event are true.
    """
    is_trial = client.is_local() and not config.base_url
    return settings.update(db, require_match(get(db, id)), body, mail_base_url(), is_trial=is_trial)


@routes.put("/events/<id>/pages/form", schema="event_pages.form", response="event_pages")
def set_event_form(db, config, who, id, body):
    """Change the form of exhibitors with the questions of the organiser: all or nothing.

    A question is a custom field of applications. It needs the scope `custom_fields`, and a new one
    gets its key from its label.
    """
    pages = require_match(get(db, id))
    if any("question" in each for each in body["form"]):
        require_scope(who, "custom_fields", writes=True)
    is_trial = client.is_local() and not config.base_url
    return form_editing.save(db, pages, body, mail_base_url(), is_trial=is_trial)


@routes.post(
    "/events/<id>/pages/mail-preview",
    schema="event_pages.mail_preview",
    response="event_pages.mail_previewed",
    reads=True,
)
def preview_mail(db, who, id, body):
    """Preview a mail about an event: subject and body as they would be sent now.

    Although this is a POST, a key with `events:read` may send it: nothing is written, and no mail
    is sent. `id` is that of an application for `application_confirmation`, the decisions and
    `badge`, else that of a participant of the event. It needs `applications:read` or
    `participants:read`, and the scopes of what the mail tells of: `booths:read` for
    `booth_confirmed` and `booth_offer`, `documents:read` for `contract`, `links:read` for both
    `booth_confirmed` and `contract`, and for `todos` those of GET /links/{id}/reminder with all
    rights. Without one of these, and without `id`, the mail is about an invented record.
    The link has no secret: it is shown as /link/….
    """
    with db.snapshot():
        event = found(events.get(db, id), "event", id)
        may_see = all(may_read(who, scope) for scope in mails.scopes(body["name"]))
        wanted = Wanted(
            name=body["name"],
            event=event,
            language=body["language"],
            text=body["text"],
            record_id=body["id"] if may_see else None,
            base_url=mail_base_url(),
        )
        return mails.of_text(db, wanted, body["subject"])


def get(db, id):
    return found(settings.get(db, id), "event", id)
