"""What somebody has typed into a form whose session has ended, with the labels of its fields."""

# Fields of forms that nobody types: they say which record is meant and which state of it, or they
# are buttons and ticks of lists.
HIDDEN = frozenset(
    (
        "action",
        "agree",
        "assign_amount",
        "assign_invoice_amount",
        "back",
        "booth_id",
        "contact_id",
        "delete",
        "entity_id",
        "entity_type",
        "etag",
        "event_id",
        "event_participant_id",
        "from",
        "id",
        "ids",
        "keep_links",
        "kind",
        "letters",
        "others",
        "part",
        "participant_id",
        "plan_id",
        "preview",
        "remove",
        "reservation_id",
        "scope",
        "shown",
        "sure",
        "tag",
        "trial",
        "username",
        "waitlist",
        "written",
    )
)


def label_of(name: str, texts: dict[str, str]) -> str | None:
    """Return the label of a field by its name in the form, such as `events/0/stock`.

    None if nobody types into it. The words may leave out the first parts of the name.
    """
    if name in HIDDEN:
        return None
    parts = [part for part in name.split("/") if not part.isdecimal()]
    for start in range(len(parts)):
        label = texts.get(f"field_{'/'.join(parts[start:])}")
        if label:
            return label
    return None


def labelled(
    fields: dict[str, list[str]], texts: dict[str, str], schema: dict | None
) -> list[tuple[str, str]]:
    """Return (label, text) of what was typed, in the order of the form.

    `texts` are the words of the pages, which also say what the options of choices are called,
    `schema` that of the form, whose boxes are said to be ticked.
    """
    known = schema["properties"] if schema else {}
    found = []
    for name, typed in fields.items():
        label = label_of(name, texts)
        for text in typed if label else ():
            is_box = "boolean" in known.get(name, {}).get("type", ())
            word = f"{name.rpartition('/')[2]}={text}"
            if text.strip():
                found.append((label, texts["ended_ticked"] if is_box else texts.get(word, text)))
    return found
