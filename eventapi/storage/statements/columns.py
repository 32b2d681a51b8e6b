"""Columns that several statements of a file name, written once.

A comment above the statements names them. `without` takes columns from another list:

    -- columns: fields = title city country
    --   opening_hours
    -- columns: texts = fields without country opening_hours

In braces, the name of a list stands for each of its columns in turn, with a comma between them:

    {fields}                            title, city, country, opening_hours
    {e.fields}                          e.title, e.city, e.country, e.opening_hours
    {:fields}                           :title, :city, :country, :opening_hours
    {fields = :fields}                  title = :title, city = :city, …
    {texts_folded = fold(:texts)}       title_folded = fold(:title), city_folded = fold(:city)
    {'fields', fields}                  'title', title, 'city', city, …      for json_object

Columns of several tables are written as in SELECT, with commas, and only `{shown}` stands for them:

    -- columns: shown = k.id, e.event_key, e.title AS event_title

One expression in parentheses is taken as it is:

    -- columns: sort_name = (SELECT c.last_name_folded FROM contacts c WHERE c.id = p.contact_id)
"""

import re

LIST = re.compile(r"^-- columns: (\w+) = (.+(?:\n--   .+)*)", re.M)
BRACES = re.compile(r"\{([^{}]+)\}")


def read(source: str) -> dict[str, tuple[str, ...]]:
    """Return the lists of columns in the text of a file by their names."""
    lists = {}
    for name, text in LIST.findall(source):
        words, _, left_out = text.replace("\n--", "").partition(" without ")
        if words.startswith("("):
            written = [" ".join(words.split())]
        else:
            written = re.split(r",\s+", words) if "," in words else words.split()
        found = lists.get(words, written)
        lists[name] = tuple(column for column in found if column not in left_out.split())
    return lists


def expanded(text: str, lists: dict[str, tuple[str, ...]]) -> str:
    """Return the text of a statement with the columns in place of braces.

    {sort} and {order} stay, for lists.py.

    Raise ValueError for braces that name no list.
    """

    def write(braces):
        if braces[0] in ("{sort}", "{order}"):
            return braces[0]
        for name, columns in lists.items():
            place = re.compile(rf"(?<!\w){name}(?![^\W_])")
            if place.search(braces[1]):
                return ", ".join(place.sub(column, braces[1]) for column in columns)
        raise ValueError(
            f"{braces[0]} names no list of columns. Declare it with -- columns: above the first statement"
        )

    return BRACES.sub(write, text)
