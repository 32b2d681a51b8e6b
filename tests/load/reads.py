"""All reads that are measured: each list of the API reference with each sort, filter and include,
and single records.

A read is (name, path, options of the client). Names are the same for each database; paths contain
the values of one.
"""

from functools import partial

from tests.load import examples

PLAIN = {
    "page",
    "per_page",
    "after",
    "order",
    "ids",
    "sort",
    "include",
    "updated_since",
    "cf",
    "hierarchical",
}


def reads(client, document):
    """Yield the reads of a database. `document` is the OpenAPI document."""
    values = examples.words(client)
    for path, parameters in operations(document):
        if path in examples.LEFT_OUT:
            continue
        if "per_page" in parameters:
            yield from of_list(client, path.replace("{id}", "1"), parameters, values)
        elif path.startswith("/reports"):
            yield from of_report(path, parameters, values)
        elif "{" in path or not required(parameters):
            yield of_record(path, values)
    for path in examples.SINGLE:
        yield f"single {path}", path.format(**values), {}
    yield "single /healthz", "/healthz", {"root": ""}


def operations(document):
    """Yield (path, {name: parameter}) of each GET operation below /api/v1."""
    for path, methods in document["paths"].items():
        if "get" in methods and path.startswith("/api/v1/"):
            parameters = [resolved(document, one) for one in methods["get"].get("parameters", [])]
            yield (
                path.removeprefix("/api/v1"),
                {
                    one["name"]: {**one, "schema": resolved(document, one["schema"])}
                    for one in parameters
                },
            )


def resolved(document, part):
    """Return a part of the document without `$ref` at its top, and at the top of its items."""
    while "$ref" in part:
        found = document
        for name in part["$ref"].split("/")[1:]:
            found = found[name]
        part = found
    return {**part, "items": resolved(document, part["items"])} if "items" in part else part


def required(parameters):
    return [name for name, one in parameters.items() if one.get("required")]


# Lists


def of_list(client, path, parameters, values):
    """Yield the reads of a list."""
    base, make = examples.NEEDED.get(path, ""), partial(read, path, values)
    for query in ["", *filters(path, parameters)]:
        yield make("filter" if query else "list", base, query)
    for query in examples.PAIRS.get(path, "").split():
        yield make("pair", base, query)
    for sort in parameters["sort"]["schema"]["enum"] if "sort" in parameters else ():
        for order in ("ASC", "DESC"):
            yield make("sort", base, f"sort={sort}&order={order}")
            yield from cursors(client, path, base, values, sort, order)
    for word in parameters["include"]["schema"]["items"]["enum"] if "include" in parameters else ():
        yield make("include", base, f"include={word}&per_page=20")
    for since in ("2020-01-01", "{recent}"):
        yield make("updated_since", base, f"updated_since={since}T00:00:00Z")
    yield make("per_page=100", base, "per_page=100")
    yield from pages(client, path, base, values)
    name, address, _ = make("csv 500", base, "")
    yield name, address, {"accept": "text/csv", "rows": 500}


def read(path, values, kind, base, query):
    """Return a read of a list. A parameter of `query` replaces that of `base`."""
    parameters = dict(part.split("=", 1) for part in f"{base}&{query}".split("&") if part)
    text = "&".join(f"{name}={value}" for name, value in parameters.items())
    address = f"{path}?{text}" if text else path
    return f"{kind} {address}", address.format(**values), {}


def filters(path, parameters):
    """Return the queries of a list with one filter each."""
    queries = []
    for name, parameter in parameters.items():
        if name in PLAIN or parameter.get("in") != "query":
            continue
        schema = parameter["schema"]
        allowed = schema.get("enum") or schema.get("items", {}).get("enum")
        found = examples.COMMON.get(name, allowed)
        if found is None:
            raise LookupError(
                f"{path} has the filter {name}, which has no value in COMMON of tests/load/examples.py"
            )
        queries += [f"{name}={value}" for value in schema.get("enum") or found]
    return [
        *queries,
        *(query for query in examples.MORE.get(path, "").split() if query not in queries),
    ]


def cursors(client, path, base, values, sort, order):
    """Yield the reads after a cursor near the start, in the middle and near the end of a sorted
    list.
    """
    make = partial(read, path, values)
    total = client.get(make("", base, "per_page=1")[1])["meta"].get("total", 0)
    query = f"sort={sort}&order={order}"
    for name, place in (("start", 0), ("middle", total // 2), ("end", total - 30)):
        if total > 40:
            cursor = cursor_behind(client, make("", base, query)[1], place) if place else ""
            kind, address, _ = make(f"after {name}", base, f"{query}&after=")
            yield kind, address + cursor, {}


def cursor_behind(client, address, place):
    """Return the cursor behind the row at a place: that of a list of two rows, behind the first."""
    rows = client.get(f"{address}&per_page=2&page={place // 2 + 1}")["data"]
    ids = ",".join(str(row["id"]) for row in rows)
    return client.get(f"{address}&ids={ids}&after=&per_page=1")["meta"]["next"]


def pages(client, path, base, values):
    """Yield the reads of deep pages: the hundredth one, and the last."""
    total = client.get(read(path, values, "", base, "per_page=20")[1])["meta"].get("total", 0)
    if total > 40:
        for name, number in (
            ("page 100", 100 if total > 2000 else total // 40),
            ("page last", -(-total // 20)),
        ):
            kind, address, _ = read(path, values, name, base, "page=")
            yield kind, f"{address}{number}", {}


# The others


def of_report(path, parameters, values):
    """Yield the reads of a report: with each query of REPORTS that it knows."""
    path = path.replace("{customer_number}", "{customer}")
    for query in examples.REPORTS:
        names = [part.partition("=")[0] for part in query.lstrip("?").split("&") if part]
        if all(name in parameters for name in names) and set(required(parameters)) <= {
            *names,
            "customer_number",
        }:
            yield f"report {path}{query}", f"{path}{query}".format(**values), {}


def of_record(path, values):
    """Return the read of a single record, or of a path without an id."""
    address = path.replace("{id}", examples.IDS.get(path.partition("/{id}")[0], "7"))
    return f"single {path}", address.format(**values), {}
