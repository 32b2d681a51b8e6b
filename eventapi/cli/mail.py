"""Commands that list mails, queue failed or uncertain ones again, and send a test mail."""

from eventapi.cli.terminal import Refused, changing, command, group, lists, opened, record, show
from eventapi.domain.mail import queue as mails
from eventapi.errors import not_found
from eventapi.paths import has_content

COLUMNS = [
    "id",
    "state",
    "kind",
    "recipient",
    "subject",
    "attempts",
    "next_at",
    "error",
    "updated_at",
]


def register(commands):
    """Declare the commands."""
    mail = group(commands, "mail", "test the mail server, list and retry mails")
    listed = command(
        mail,
        "list",
        list_mails,
        "list failed mails and uncertain mails, which may or may not have been sent",
        "eventapi mail list",
        "eventapi mail list --state queued --json",
    )
    listed.add_argument(
        "--state", choices=mails.STATES, help="list the mails in this state instead"
    )
    lists(
        listed,
        id="id of the mail",
        state=", ".join(mails.STATES),
        kind="what it is about, such as invoice",
        recipient="address",
        subject="subject",
        attempts="number of attempts to send it",
        next_at="time of the next attempt, or null",
        error="reason of the last failure, or null",
        updated_at="time of the last change",
    )
    again = command(
        mail, "retry", retry, "queue failed or uncertain mails again", "eventapi mail retry 5 7"
    )
    record(again, "id", "mail list", "id of the mail, see 'eventapi mail list'", nargs="+")
    tested = command(
        mail,
        "test",
        test,
        "send a test mail, and show the reply of the mail server",
        "eventapi mail test office@example.org",
    )
    tested.add_argument("address", metavar="ADDRESS", help="address to send it to")


def list_mails(args, config):
    with opened(config) as db, db.snapshot():
        states = [args.state] if args.state else ("failed", "uncertain")
        rows = [row for state in states for row in mails.by_state(db, state)]
    show(args, rows, COLUMNS)


def retry(args, config):
    with changing(config) as db:
        for id in args.id:
            mail = mails.send_again(db, id)
            if mail is None:
                raise not_found("mail", id)
            if mail["state"] not in mails.CAN_BE_SENT_AGAIN:
                states = " or ".join(mails.CAN_BE_SENT_AGAIN)
                raise Refused(
                    f"mail {id} is {mail['state']}; only mails that are {states} can be queued again"
                )


def test(args, config):
    """Send a test mail without the queue, and print the reply of the mail server."""
    from eventapi.worker.mail import trial

    if has_content(config.database):
        with opened(config) as db:
            config = db.config
    try:
        reply = trial.send(config, args.address)
    except trial.Failed as failure:
        raise Refused(str(failure)) from None
    print(
        f"{args.address}: accepted by {config.smtp_host}:{config.smtp_port} ({config.smtp_security}): {reply}"
    )
    print("If the mail does not arrive, look among the spam, and into the log of the mail server.")
