"""What applicants see and do on their page: their application, its files and their badge."""

import json
from pathlib import PurePath

from eventapi.domain.access import links, reach
from eventapi.domain.attachments import content_types, document_rows
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail import words as mail_words
from eventapi.domain.people import applications, badge_sheets, decisions
from eventapi.domain.records import anonymity
from eventapi.domain.shows import settings
from eventapi.errors import Problem, invalid_at, listed
from eventapi.storage.statements import statements

sql = statements("applicants")

MOST = 5  # files of an application
MEGABYTE = 1_000_000
# Fields that an applicant has sent and may read. What the office adds, such as notes and the
# rating, is not shown.
SENT = (
    "company_name",
    "first_name",
    "last_name",
    "email",
    "phone",
    "address",
    "postal_code",
    "city",
    "country",
    "website",
    "tax_id",
    "requested_area",
    "message",
)


def view(db, link, session):
    """Return what the page of a link shows: {application, sent, categories, fields, files,
    file_type, is_person, badge_id, own_page}.

    `sent` are pairs (field, value), `fields` pairs (label, value) of custom fields, `own_page` is
    the result of `own_page`. A person who is admitted has a badge or, without a `badge_id`, gets it
    from the office.
    """
    application = applications.get(db, link["application_id"])
    # Visitors are not asked for their country.
    sent = [
        name
        for name in SENT
        if application[name] and not (name == "country" and is_person(db, application))
    ]
    pairs = [(name, application[name]) for name in sent]
    if application["is_business"] is not None:
        pairs.append(("is_business", application["is_business"]))
    if application["booth_type_id"]:
        size = db.value(sql.booth_type, id=application["booth_type_id"])
        pairs.append(("booth_type", size))
    return {
        "application": application,
        "sent": pairs,
        "categories": db.values(sql.categories, id=application["id"]),
        "fields": [
            (row["label"], json.loads(row["value"]))
            for row in db.all(sql.fields, id=application["id"], language=link["language"])
        ],
        "files": db.all(sql.files, id=application["id"]),
        "file_type": file_type(db, link),
        "is_person": is_person(db, application),
        "badge_id": badge_of(db, link, session, application),
        "own_page": own_page(db, link, application, session),
    }


def participant_of(db, link, application):
    """Return the id of the exhibitor that an application has become, if the exhibitors' pages are
    open, or None.
    """
    if not settings.get(db, link["event_id"])["my_is_open"]:
        return None
    return reach.exhibitor(db, application["id"], link["event_id"])


def own_page(db, link, application, session):
    """Return how the holder of a session reaches the exhibitor's own page, or None if there is no
    such page.

    `open`: by a button. `closed`: the office has ended the access. `ask`: the holder has a link
    already, and gets a new mail with it on request. `known`: others have a link. `wait`: the office
    sends the first one.
    """
    participant_id = participant_of(db, link, application)
    if participant_id is None:
        return None
    if reach.is_closed(
        db, link["email"], participant_id=participant_id, application_id=application["id"]
    ):
        return "closed"
    own = links.of_person(db, "participant", participant_id, link["email"])
    if own and own["status"] == "expired":
        return "known"
    if reach.opens_own_page(db, application, participant_id, session):
        return "open"
    if own:
        return "ask"
    return "known" if reach.has_link(db, participant_id) else "wait"


def exhibitor_link(db, link, session, base_url):
    """Return the link to the exhibitor's own page of an approved applicant.

    A new one is mailed as well.

    Raise 404 if there is no such page, or if it is not for the holder of the session (reach.py,
    R1); 409 `link_revoked` if the office has ended the access. Call this inside a write
    transaction.
    """
    application = applications.get(db, link["application_id"])
    participant_id = participant_of(db, link, application)
    if participant_id is None:
        raise Problem("not_found", "The application has no page for exhibitors.")
    reach.refuse_closed(
        db,
        link["email"],
        link["event_id"],
        participant_id=participant_id,
        application_id=application["id"],
    )
    if own_page(db, link, application, session) != "open":
        raise Problem(
            "not_found",
            "The page of the exhibitor does not open from this application. The office sends a "
            "link to it.",
        )
    email = application["email"]
    known = links.of_person(db, "participant", participant_id, email)
    if known:
        return known
    made = links.create(
        db,
        "participant",
        event_id=link["event_id"],
        participant_id=participant_id,
        name=link["name"],
        email=email,
        language=link["language"],
        rights=settings.get(db, link["event_id"])["my_rights"],
    )
    reach.tell_of_link(db, made)
    if mails.is_configured(db.config) and base_url:
        links.mail(db, made, base_url)
    return made


def contact(db, link):
    """Return whom the holder of a link asks: an e-mail address, else the organiser's name."""
    return reach.office(db, link["event_id"]) or mail_words.sender(db.config)


def is_person(db, application):
    """Return whether an application is that of a visitor, or of another person who gets a badge."""
    return applications.role_of(db, application) in applications.PEOPLE


def badge_of(db, link, session, application):
    """Return the id of the participant whose badge the session of a link gives (reach.py, R1b), or
    None.

    The address of the link counts only if its secret went there: the office can show the link to
    anybody.
    """
    if not is_person(db, application):
        return None
    found = decisions.badges(
        db, application, session["mailed_to"], rights=link["rights"], event_id=link["event_id"]
    )
    return found[0] if found else None


def badge(db, link, session, language):
    """Return the texts of the badge of a link's application (badge_sheets.read), or None if it
    gives none.
    """
    id = badge_of(db, link, session, applications.get(db, link["application_id"]))
    return badge_sheets.read(db, id, language) if id else None


def file_type(db, link):
    """Return what files an applicant may add: {title, extensions, max_size_mb}, or None if there
    are to be none.
    """
    row = db.one(sql.file_type, event_id=link["event_id"])
    return row and {**row, "extensions": json.loads(row["extensions"])}


def add_file(db, link, upload, filename):
    """Store a file about an application. Call this inside a write transaction.

    Raise 404 if the event takes no files; 409 `invalid_transition` for an application that was
    decided; 422 for a file too many, one that is too large, and one whose extension is not allowed
    or does not fit its content.
    """
    application, kind = applications.get(db, link["application_id"]), file_type(db, link)
    if kind is None:
        raise Problem("not_found", "The event takes no files of applicants.")
    if application["status"] not in applications.OPEN:
        raise applications.TRANSITIONS.refused(
            f"The application {application['id']} is decided, so it takes no more files.",
            application["status"],
            applications.OPEN,
        )
    anonymity.refuse(db, "application", application["id"])
    name = content_types.safe_name(filename)
    extension = PurePath(name).suffix[1:].lower()
    if len(db.all(sql.files, id=application["id"])) >= MOST:
        raise invalid_at(
            "/file", "too_many", f"is one too many: an application has at most {MOST} files"
        )
    if kind["extensions"] and extension not in kind["extensions"]:
        raise invalid_at(
            "/file", "extension", f"must have the extension {listed(kind['extensions'], 'or')}"
        )
    if extension and not content_types.fits(extension, upload.head):
        raise invalid_at("/file", "content_type", "must have a content that fits its extension")
    if kind["max_size_mb"] and upload.size > kind["max_size_mb"] * MEGABYTE:
        raise invalid_at("/file", "too_large", f"must have at most {kind['max_size_mb']} MB")
    row = document_rows.add(
        db,
        {
            "entity_type": "application",
            "entity_id": application["id"],
            "filename": name,
            "is_contract": 0,
        },
    )
    return document_rows.store_content(db, row, upload)
