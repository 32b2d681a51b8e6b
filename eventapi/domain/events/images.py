"""The picture of an event: a document about the event, without a document number, stored unchanged."""
from eventapi import images
from eventapi.domain.attachments import cascade, content_types, document_rows
from eventapi.errors import Problem, invalid_at
from eventapi.storage.statements import statements

sql = statements("events")


def store(db, event, upload):
    """Store an uploaded file as the picture of the event.

    Call this inside a write transaction. Raise 415 if it is not a picture, 422 if its header is broken.
    """
    kind = content_types.detect(upload.head)
    if kind not in content_types.PICTURES:
        raise Problem("unsupported_media_type", f"The picture must be PNG, JPEG, GIF or WebP, but the file is {kind}.")
    width, height = size(upload, kind)
    old = event["image"] and document_rows.row(db, event["image"]["document_id"])
    document = old or document_rows.add(db, {"entity_type": "event", "entity_id": event["id"], "is_contract": 0})
    new = document_rows.store_content(db, document, upload, width=width, height=height)
    if new != old:
        db.run(sql.set_image, id=event["id"], image_document_id=new["id"], now=db.now)


def size(upload, kind):
    """Return (width, height) of an uploaded picture in pixels. Raise 422 if its header is broken."""
    with open(upload.path, "rb") as file:
        try:
            return images.size(file, kind)
        except images.Broken as broken:
            raise invalid_at("", "broken_picture", f"is not a valid picture: {broken}") from None


def remove(db, event):
    """Delete the picture of an event with what is attached to it. Call this inside a write transaction."""
    if event["image"]:
        db.run(sql.set_image, id=event["id"], image_document_id=None, now=db.now)
        document_rows.remove(db, document_rows.row(db, event["image"]["document_id"]))
        cascade.delete_with(db, "document", event["image"]["document_id"])
