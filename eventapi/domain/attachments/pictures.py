"""Pictures of records: the picture of an event, the logo of an exhibitor.

Each is a document of its record.

Every function that writes is called inside a write transaction and journals the change.
"""

from eventapi import images
from eventapi.domain.attachments import cascade, content_types, document_rows
from eventapi.errors import Problem, invalid_at, listed

NAMES = {images.PNG: "PNG", images.JPEG: "JPEG", images.GIF: "GIF", images.WEBP: "WebP"}


def store(db, upload, document_id, entity_type, entity_id, *, kinds=tuple(NAMES), largest=None):
    """Store an upload as a picture of a record, in place of the document `document_id`, if any.

    Return its id.

    `kinds` are the content types that are allowed, `largest` the longest side in pixels. Raise 415
    if the file is not of these kinds, 422 if its header is broken or it is too large.
    """
    kind = check_kind(upload, kinds)
    width, height = _size(upload, kind)
    if largest and max(width, height) > largest:
        raise invalid_at(
            "",
            "picture_too_large",
            f"has {width} x {height} pixels, but each side may have at most "
            f"{largest}. Make it smaller",
        )
    document = document_id and document_rows.row(db, document_id)
    document = document or document_rows.add(
        db, {"entity_type": entity_type, "entity_id": entity_id, "is_contract": 0}
    )
    return document_rows.store_content(db, document, upload, width=width, height=height)["id"]


def check_kind(upload, kinds=tuple(NAMES)):
    """Return the content type of an upload. Raise 415 if it is not one of `kinds`."""
    kind = content_types.detect(upload.head)
    if kind not in kinds:
        allowed = listed([NAMES[each] for each in kinds], "or")
        raise Problem(
            "unsupported_media_type", f"The picture must be {allowed}, but the file is {kind}."
        )
    return kind


def _size(upload, kind):
    with open(upload.path, "rb") as file:
        try:
            return images.size(file, kind)
        except images.Broken as broken:
            raise invalid_at(
                "", "broken_picture", f"cannot be used as a picture: {broken}"
            ) from None


def remove(db, document_id):
    """Delete a picture with what is attached to it."""
    document_rows.remove(db, document_rows.row(db, document_id))
    cascade.delete_with(db, "document", document_id)
