"""What applicants see and do on their page: their application, its files and their badge."""
import json
from pathlib import PurePath

from eventapi.domain.access import links
from eventapi.domain.attachments import content_types, document_rows
from eventapi.domain.mail import queue as mails
from eventapi.domain.people import applications, badge_sheets, decisions
from eventapi.domain.records import anonymity
from eventapi.domain.shows import settings
from eventapi.errors import Problem, invalid_at, listed
from eventapi.storage.statements import statements

sql = statements("applicants")

MOST = 5                                # files of an application
MEGABYTE = 1_000_000
# Fields that an applicant has sent and may read. What the office adds, such as notes and the rating, is not shown.
SENT = ("company_name", "first_name", "last_name", "email", "phone", "address", "postal_code", "city", "country",
        "website", "tax_id", "requested_area", "message")


def view(db, link):
    """Return what the page of a link shows: {application, sent, categories, fields, files, file_type, is_person,
    badge_id, participant_id}.

    `sent` are pairs (field, value), `fields` pairs (label, value) of custom fields.
    """
    application = applications.get(db, link["application_id"])
    badges = decisions.badges(db, application) if application["status"] == "approved" and is_person(
        db, application) else []
    # Visitors are not asked for their country.
    sent = [name for name in SENT if application[name] and not (name == "country" and is_person(db, application))]
    return {"application": application, "sent": [(name, application[name]) for name in sent],
            "categories": db.values(sql.categories, id=application["id"]),
            "fields": [(row["label"], json.loads(row["value"])) for row in db.all(sql.fields, id=application["id"])],
            "files": db.all(sql.files, id=application["id"]), "file_type": file_type(db, link),
            "is_person": is_person(db, application), "badge_id": badges[0] if badges else None,
            "participant_id": participant_of(db, link, application)}


def participant_of(db, link, application):
    """Return the id of the participant whose own page an approved applicant may open, or None."""
    if application["status"] != "approved" or not settings.get(db, link["event_id"])["my_is_open"]:
        return None
    return db.value(sql.participant, id=application["id"], event_id=link["event_id"])


def exhibitor_link(db, link, base_url):
    """Return the link to the exhibitor's own page of an approved applicant. A new one is mailed as well.

    Raise 404 if there is no such page. Call this inside a write transaction.
    """
    application = applications.get(db, link["application_id"])
    participant_id = participant_of(db, link, application)
    if participant_id is None or not link["email"]:
        raise Problem("not_found", "The application has no page for exhibitors.")
    known = links.of_person(db, "participant", participant_id, link["email"])
    if known:
        return known
    made = links.create(db, "participant", event_id=link["event_id"], participant_id=participant_id,
                        name=link["name"], email=link["email"], language=link["language"],
                        rights=settings.get(db, link["event_id"])["my_rights"])
    if mails.is_configured(db.config) and base_url:
        links.mail(db, made, base_url)
    return made


def is_person(db, application):
    """Return whether an application is that of a visitor, or of another person who gets a badge."""
    return applications.role_of(db, application) in applications.PEOPLE


def badge(db, link, language):
    """Return the texts of the badge of a link's application (badge_sheets.read), or None if it has none."""
    application = applications.get(db, link["application_id"])
    found = decisions.badges(db, application) if is_person(db, application) else []
    return badge_sheets.read(db, found[0], language) if found else None


def file_type(db, link):
    """Return what files an applicant may add: {title, extensions, max_size_mb}, or None if there are to be none."""
    row = db.one(sql.file_type, event_id=link["event_id"])
    return row and {**row, "extensions": json.loads(row["extensions"])}


def add_file(db, link, upload, filename):
    """Store a file about an application. Call this inside a write transaction.

    Raise 404 if the event takes no files; 409 `invalid_transition` for an application that was decided; 422 for a file
    too many, one that is too large, and one whose extension is not allowed or does not fit its content.
    """
    application, kind = applications.get(db, link["application_id"]), file_type(db, link)
    if kind is None:
        raise Problem("not_found", "The event takes no files of applicants.")
    if application["status"] not in applications.OPEN:
        raise applications.TRANSITIONS.refused(f"The application {application['id']} is decided, so it takes no more "
                                               "files.", application["status"], applications.OPEN)
    anonymity.refuse(db, "application", application["id"])
    name = content_types.safe_name(filename)
    extension = PurePath(name).suffix[1:].lower()
    if len(db.all(sql.files, id=application["id"])) >= MOST:
        raise invalid_at("/file", "too_many", f"is one too many: an application has at most {MOST} files")
    if kind["extensions"] and extension not in kind["extensions"]:
        raise invalid_at("/file", "extension", f"must have the extension {listed(kind['extensions'], 'or')}")
    if extension and not content_types.fits(extension, upload.head):
        raise invalid_at("/file", "content_type", "must have a content that fits its extension")
    if kind["max_size_mb"] and upload.size > kind["max_size_mb"] * MEGABYTE:
        raise invalid_at("/file", "too_large", f"must have at most {kind['max_size_mb']} MB")
    row = document_rows.add(db, {"entity_type": "application", "entity_id": application["id"], "filename": name,
                                 "is_contract": 0})
    return document_rows.store_content(db, row, upload)
