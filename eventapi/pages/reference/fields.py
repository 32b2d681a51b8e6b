"""Fields of objects and parameters of operations as HTML. Each has a permalink."""

from eventapi.pages.reference.schemas import description, kind, resolved
from eventapi.pages.reference.texts import permalink, prose

DEPTH = 3  # levels of parts that are shown


def listed(schema, openapi, place, *, is_sent=True):
    """Return the fields of an object as a list, or "" if it has none.

    `place` is the first part of their ids.

    `is_sent`: a client may send the object, so it has to know which fields are required or
    read-only.
    """
    return _list("".join(_entries(schema, openapi, place, "", 0, is_sent)))


def parameters(openapi, entries, place):
    """Return parameters as a list, or "" if there are none."""
    return _list(
        "".join(
            entry(
                f"{place}-{item['name']}",
                item["name"],
                resolved(item["schema"], openapi),
                openapi,
                {word: item.get(word) for word in ("required", "deprecated")},
                item.get("description"),
            )
            for item in entries
        )
    )


def _list(entries):
    return f'<dl class="fields">{entries}</dl>' if entries else ""


def _entries(schema, openapi, place, prefix, depth, is_sent):
    """Yield an entry for each field of an object and of its parts."""
    for name, sub in schema.get("properties", {}).items():
        sub = resolved(sub, openapi)
        marks = (
            {"required": name in schema.get("required", ()), "read-only": sub.get("readOnly")}
            if is_sent
            else {}
        )
        marks |= {"write-only": sub.get("writeOnly"), "deprecated": sub.get("deprecated")}
        yield entry(f"{place}-{prefix}{name}", prefix + name, sub, openapi, marks)
        items = resolved(sub.get("items", {}), openapi)
        if depth < DEPTH:
            yield from _entries(sub, openapi, place, f"{prefix}{name}.", depth + 1, is_sent)
            yield from _entries(items, openapi, place, f"{prefix}{name}[].", depth + 1, is_sent)


def entry(id, name, schema, openapi, marks, text=None):
    """Return one field.

    `marks` are words beside its name -> whether they apply; `text` replaces its description.
    """
    about = description(schema if text is None else {**schema, "description": text})
    words = "".join(
        f' <span class="mark">{word}</span>' for word, applies in marks.items() if applies
    )
    return (
        f'<div id="{id}"><dt>{permalink(id, name)} <span class="kind">{kind(schema, openapi)}</span>{words}</dt>'
        f"<dd>{prose(about)}</dd></div>"
    )


def names(schema, place):
    """Return the names of fields that are described elsewhere, the required ones first, each with a
    link.
    """
    required = [name for name in schema["properties"] if name in schema.get("required", ())]
    optional = [name for name in schema["properties"] if name not in required]
    parts = {"Required": required, "Optional": optional}
    return "".join(
        f"<p>{word}: {', '.join(permalink(f'{place}-{name}', name) for name in names)}.</p>"
        for word, names in parts.items()
        if names
    )
