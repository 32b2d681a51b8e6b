"""Example requests that `make run` prints: three curl commands that work with the demo data."""

import os
import shlex
import sys
from pathlib import Path

from eventapi import config, money, times
from eventapi.domain.access import links, people
from eventapi.storage.database import Database
from eventapi.storage.statements import statements

sql = statements("first_steps")
DAY = 24 * 60  # minutes
PRINTED = {"EVENTAPI_DATA_DIR", "EVENTAPI_BIND"}  # options that `main` prints in any case


def lines(invoice_number, amount):
    """Return (description, command) of each example. Without an invoice, none creates a payment."""
    head = 'curl -H "Authorization: Bearer $EVENTAPI_KEY"'
    post = f"""{head} -H "Content-Type: application/json" "$EVENTAPI_URL/api/v1/payments" -d"""
    payment = (
        "create a payment",
        f"""{post} '{{"invoice_number": "{invoice_number}", "amount": {amount}}}'""",
    )
    return [
        ("list events", f'{head} "$EVENTAPI_URL/api/v1/events"'),
        *([payment] if invoice_number else []),
        (
            "create an invalid payment and read the error",
            f"""{post} '{{"invoice_number": "INV-0", "amount": -5, "curency": "EUR"}}'""",
        ),
    ]


def options_of(environ):
    """Return an export for each option in the environment but secrets, so that `eventapi` elsewhere
    knows them too.
    """
    known = {
        config.PREFIX + option.name.upper()
        for option in config.OPTIONS
        if option.name not in config.SECRETS
    }
    return "".join(
        f"export {name}={shlex.quote(text)}\n"
        for name, text in sorted(environ.items())
        if name.upper() in known - PRINTED
    )


def address_of_door(db, base):
    """Return (id of its link, new address) of a door of the sample show, or None."""
    id = db.value(sql.door, now=times.now())
    if id is None:
        return None
    with db.write():
        return id, links.address(base, links.show(db, links.get(db, id)))


def address_of_exhibitor(db, base):
    """Return a new address of the page of an exhibitor of the sample show, or None."""
    id = db.value(sql.exhibitor)
    if id is None:
        return None
    with db.write():
        return links.address(base, links.show(db, links.get(db, id)))


def address_of_desk(db, base):
    """Return (person, address) with which an owner signs in once, within a day, or None."""
    owners = people.owners(db)
    if not owners:
        return None
    with db.write():
        secret = people.make_link(db, owners[0]["id"], minutes=DAY)
    return owners[0], links.address(base, secret)


def main(base, key_file, page="docs/tutorial.md"):
    """Print the examples.

    `base` is the address of the server, `key_file` contains an API key, `page` comes next.
    """
    db = Database(config.load())
    db.follow()
    currency = db.config.currency
    invoice_number = db.value(sql.open_invoice, currency=currency)
    amount = "25.50" if money.decimals(currency) else "2500"
    show, form = db.value(sql.public_show), db.value(sql.open_form)
    visit = db.value(sql.open_registration)
    door, exhibitor = address_of_door(db, base), address_of_exhibitor(db, base)
    desk = address_of_desk(db, base)
    db.close()
    if desk:
        person, address = desk
        office = (
            f"The desk of the office, for {person['name']}, once within a day (a further one: "
            f"eventapi admin link {person['id']}): {address}\n"
        )
    else:
        office = (
            f"The desk of the office, for the key in {key_file}: {base}/desk/sign-in\n"
            "To let the first person in: eventapi admin invite 'Your Name' you@example.org\n"
        )
    print(
        f"\neventapi is starting at {base}. The API reference is at {base}/docs.\n"
        + (f"What visitors see of the show: {base}/e/{show}\n" if show else "")
        + (
            f"The form with which exhibitors apply for the next one: {base}/e/{form}/apply\n"
            if form
            else ""
        )
        + (f"The form with which visitors register: {base}/e/{visit}/visit\n" if visit else "")
        + (f"The page of an exhibitor: {exhibitor}\n" if exhibitor else "")
        + (
            f"An entrance, for one device within 10 minutes (a further one: eventapi link show {door[0]}): {door[1]}\n"
            if door
            else ""
        )
        + office
        + "In another terminal, in this directory, set these variables and try the commands below:\n\n"
        f"export EVENTAPI_URL={base}\nexport EVENTAPI_KEY=$(cat {key_file})\n"
        f"export EVENTAPI_CONFIG=$PWD/conf/demo.conf EVENTAPI_DATA_DIR=$PWD/{Path(key_file).parent}\n"
        f"export EVENTAPI_BIND={base.removeprefix('http://')}\n{options_of(os.environ)}"
        "export PATH=$PWD/.venv/bin:$PATH\n"
    )
    for what, line in lines(invoice_number, amount):
        print(f"# {what}\n{line}\n")
    print(f"Continue with {page}. Stop the server with Ctrl-C.\n", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
