"""What prevents an export: options that are not set, and records that no account can be given. All are named at once.
"""
from eventapi.errors import Problem, listed

SHOWN = 10                  # records that the sentence of the problem names
MOST = 1000                 # records in `records`


class Missing:
    """What is missing. `options` are texts such as `datev_revenue: S7`, `records` dicts with kind, number, detail."""

    def __init__(self):
        self.options, self.records = {}, {}

    def __bool__(self):
        return bool(self.options or self.records)

    def option(self, name, value=""):
        """Note that an option is not set, or that it lacks `value`."""
        self.options[f"{name}: {value}" if value else name] = True

    def record(self, kind, number, detail):
        """Note what is wrong with a record. `kind`: customer, invoice or option. Each record is noted once."""
        self.records.setdefault((kind, number), detail)


def refuse_incomplete(missing):
    """Raise 409 `datev_incomplete` if anything is missing."""
    if not missing:
        return
    sentences = ["The file cannot be written."]
    if missing.options:
        sentences.append(f"Set the options {listed(missing.options)} in the configuration of the server; ask your tax "
                         "adviser for the values.")
    found = [{"kind": kind, "number": number, "detail": detail}
             for (kind, number), detail in missing.records.items()]
    sentences += [f"{part['kind'].capitalize()} {part['number']}: {part['detail']}" for part in found[:SHOWN]]
    if len(found) > SHOWN:
        sentences.append(f"`records` lists {len(found) - SHOWN} more.")
    raise Problem("datev_incomplete", " ".join(sentences), missing=list(missing.options), records=found[:MOST])
