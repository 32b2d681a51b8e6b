"""The picture of an event: a document about the event, without a number, stored unchanged."""
from eventapi.domain.attachments import cascade, content_types, document_rows, images
from eventapi.errors import Problem, invalid_at
from eventapi.storage.statements import statements

sql = statements("events")


def hold(db, event, upload):
    """Store an uploaded file as the picture of the event.

    Raise 415 if it is no picture, 422 if its header is broken.
    """
    kind = content_types.judge(upload.head)
    if kind not in content_types.PICTURES:
        raise Problem("unsupported_media_type", f"A picture is PNG, JPEG, GIF or WebP; this is {kind}.")
    width, height = size(upload, kind)
    old = event["image"] and document_rows.row(db, event["image"]["document_id"])
    document = old or document_rows.add(db, {"entity_type": "event", "entity_id": event["id"], "is_contract": 0})
    held = document_rows.hold(db, document, upload, width=width, height=height)
    if held != old:
        db.run(sql.set_image, id=event["id"], image_document_id=held["id"], now=db.now)


def size(upload, kind):
    with open(upload.path, "rb") as file:
        try:
            return images.size(file, kind)
        except images.Broken as broken:
            raise invalid_at("", "broken_picture", f"is no whole picture: {broken}") from None


def remove(db, event):
    if event["image"]:
        db.run(sql.set_image, id=event["id"], image_document_id=None, now=db.now)
        document_rows.remove(db, document_rows.row(db, event["image"]["document_id"]))
        cascade.delete_with(db, "document", event["image"]["document_id"])
