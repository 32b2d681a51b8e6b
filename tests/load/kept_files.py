"""The files of a public show: CPU milliseconds of the first GET of each, and of a later one as a
ratio to /healthz.

Everybody may ask for them, so one that is drawn for each request stops the service for others.
"""

MOST = 3  # a kept file may take so many times the CPU of /healthz
ROUNDS = 5
LARGEST_SHOW = """
    SELECT e.id, e.event_key, n.plan_key,
           (SELECT p.id FROM participants p JOIN contacts c ON c.id = p.contact_id
             WHERE p.event_id = e.id AND p.status = 'confirmed' AND p.role = 'exhibitor' AND c.company_name IS NOT NULL
               AND c.anonymized_at IS NULL)
      FROM events e JOIN plans n ON n.event_id = e.id
     WHERE e.is_visible = 1
     ORDER BY (SELECT count(*) FROM booths b WHERE b.plan_id = n.id) DESC, e.id DESC LIMIT 1"""


def addresses(client):
    """Make the largest show public, and return the addresses of its files.

    Nothing of it is kept yet.
    """
    event, event_key, plan_key, exhibitor = client.beside.execute(LARGEST_SHOW).fetchone()
    for is_public in (False, True):  # each change is another state
        client.send(
            "PATCH",
            f"/events/{event}/pages",
            {
                "is_public": is_public,
                "show_plan": True,
                "show_directory": True,
                "show_programme": True,
            },
        )
    show = f"/e/{event_key}"
    return [
        f"{show}/plan/{plan_key}.pdf",
        f"{show}/plan/{plan_key}.svg",
        f"{show}/calendar.ics",
        f"{show}/exhibitors/{exhibitor}-x.vcf",
    ]


def measured(client):
    """Return {address: (ms of the first GET, ms of a later one, the later one as a ratio to
    /healthz)}.
    """
    health, found = repeated(client, "/healthz"), {}
    for address in addresses(client):
        client("GET", address, root="")
        first, later = client.took, repeated(client, address)
        found[address] = first, later, later / health
    return found


def repeated(client, address):
    """Return the smallest CPU time of some requests in milliseconds."""
    times = []
    for _ in range(ROUNDS):
        client("GET", address, root="")
        times.append(client.took)
    return min(times)


def missed(found):
    """Return the addresses of the files that are not kept, or are dear all the same."""
    return [address for address, (_, _, ratio) in found.items() if ratio > MOST]


def table(found):
    """Return a Markdown table of what `measured` has returned."""
    head = f"| file | first, ms | later, ms | later / healthz, at most {MOST} |"
    rows = [
        f"| `{address}` | {first:.1f} | {later:.2f} | {ratio:.1f} |"
        for address, (first, later, ratio) in found.items()
    ]
    return "\n".join([head, "| --- | --- | --- | --- |", *rows])
