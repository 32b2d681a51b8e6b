"""Commands that list mails and queue failed or uncertain ones again."""
from eventapi.cli.terminal import Refused, changing, command, group, lists, opened, record, show
from eventapi.domain.mail import queue as mails
from eventapi.errors import not_found

COLUMNS = ["id", "state", "kind", "recipient", "subject", "attempts", "next_at", "error", "updated_at"]


def register(commands):
    """Declare the commands."""
    mail = group(commands, "mail", "list and retry mails")
    listed = command(mail, "list", list_mails,
                     "list failed mails and uncertain mails, which may or may not have been sent",
                     "eventapi mail list", "eventapi mail list --state queued --json")
    listed.add_argument("--state", choices=mails.STATES, help="list the mails in this state instead")
    lists(listed, id="id of the mail", state=", ".join(mails.STATES), kind="what it is about, such as invoice",
          recipient="address", subject="subject", attempts="number of attempts to send it",
          next_at="time of the next attempt, or null", error="reason of the last failure, or null",
          updated_at="time of the last change")
    again = command(mail, "retry", retry, "queue failed or uncertain mails again", "eventapi mail retry 5 7")
    record(again, "id", "mail", "id of the mail, see 'eventapi mail list'", nargs="+")


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
                raise Refused(f"mail {id} is {mail['state']}; only mails that are {states} can be queued again")
