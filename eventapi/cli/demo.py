"""The command that fills an empty database with a sample trade show."""
import sys
from contextlib import closing

from eventapi.cli.terminal import command, refuse_damaged
from eventapi.storage import process_locks


def register(commands):
    demo = command(commands, "demo", make_demo, "fill an empty database with a sample trade show",
                   "eventapi demo", "eventapi demo --size fair")
    demo.add_argument("--size", choices=("small", "fair", "messe"), default="small",
                      help="size of the show: small has 60 exhibitors and 240 visitors and takes seconds; fair has 600 "
                           "and 20,000 and takes about a minute; messe has 4,500 and 150,000 and takes about five "
                           "minutes and 3 GB of disk space (default: small)")


def make_demo(args, config):
    from eventapi.app import ready
    from eventapi.demo import show as demo
    refuse_damaged(config)
    ready(config)
    with closing(process_locks.together(config)):
        return demo.make(config, args.size, say=lambda text: print(text, file=sys.stderr, flush=True))
