"""The mail that an action of the desk would send, shown before it is done.

The action is run and rolled back, and its mail comes from the function with which the worker sends.
"""

from eventapi.calls import desk
from eventapi.domain.mail import queue as mails
from eventapi.domain.previews import mails as previews
from eventapi.errors import Problem
from eventapi.pages.desk import api
from eventapi.plugins import access
from eventapi.storage.errors import StorageError

# What the actions are about whose mails are shown. Those with an invoice are shown as a PDF.
RESOURCES = ("applications", "booth-reservations", "participants")
# action about which an exhibitor gets a mail -> scopes of the records that the mail tells of: it is shown
# only to somebody who has them all. Mails to people with a link greet them by name.
TELLS_OF = {
    "cancel_participant": ("booths", "service_orders", "invoices", "links"),
    "create_participant_contract": ("links",),
    "confirm_booth_reservation": ("links",),
    "move_booth_reservation": ("links",),
    "swap_booth_reservation": ("links",),
    "cancel_booth_reservation": ("links",),
}


class Seen(Exception):
    """Ends the transaction of an action whose mail was seen, so that it is rolled back."""


def offers(request, config, name, resource, fields):
    """Return whether the action `name` of a resource, with fields of these names, can send a mail that
    the person may see.
    """
    if resource not in RESOURCES or "mail" not in fields or not mails.is_configured(config):
        return False
    return all(access.may_read(request.who, scope) for scope in TELLS_OF.get(name, ()))


def of_action(name, ids, body):
    """Return {subject, text, html, language} of the first mail that an action would send.

    None if it sends no mail, or is refused. Nothing of this call stays.
    """
    found = []

    def seen(act):
        db = desk.running()["eventapi.connections"].writer()
        last = mails.last(db)
        try:
            act()
            found.append(previews.of_queued(db, last))
        except Problem as problem:
            if problem.status >= 500:
                raise
        raise Seen  # also after a refusal: some are committed

    try:
        desk.call(api.routes()[name], ids, body={**body, "mail": True}, within=seen)
    except Problem as problem:
        if problem.status >= 500:
            raise
    except (Seen, StorageError):
        pass
    return found[0] if found else None
