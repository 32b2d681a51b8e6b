"""Commands for mails: what waits, what failed, and sending again what may not have been sent."""
from eventapi.cli.terminal import Refused, command, group, lists, opened, show
from eventapi.services import mails

COLUMNS = ["id", "state", "kind", "recipient", "subject", "attempts", "next_at", "error", "updated_at"]


def register(commands):
    mail = group(commands, "mail", "mails: what waits, what failed")
    listed = command(mail, "list", list_mails, "lists mails that failed, or of which nobody knows whether they were sent")
    listed.add_argument("--state", choices=mails.STATES, help="those in this state")
    lists(listed)
    again = command(mail, "retry", retry, "sends mails again that failed or may not have been sent")
    again.add_argument("id", metavar="ID", type=int, nargs="+")


def list_mails(args, config):
    with opened(config) as db, db.snapshot():
        rows = [row for state in ([args.state] if args.state else ("failed", "uncertain")) for row in mails.in_state(db, state)]
    show(args, rows, COLUMNS)


def retry(args, config):
    with opened(config) as db, db.write():
        for id in args.id:
            mail = mails.send_again(db, id)
            if mail is None:
                raise Refused(f"there is no mail {id}")
            if mail["state"] not in mails.CAN_BE_SENT_AGAIN:
                raise Refused(f"mail {id} is {mail['state']}; what can be sent again is {' or '.join(mails.CAN_BE_SENT_AGAIN)}")
