"""The name of a person or a company, from the row of a contact, an applicant or a participant."""


def full_name(row):
    """Return first and last name of a person, "" without both.

    `row` has first_name and last_name, which may be None or missing.
    """
    parts = (row.get("first_name"), row.get("last_name"))
    return " ".join(part for part in parts if part)


def display_name(row, *others):
    """Return the company, else the person, else the first of `others` that is not empty, else "".

    `row` also has company_name.
    """
    for name in (row.get("company_name"), full_name(row), *others):
        if name:
            return name
    return ""
