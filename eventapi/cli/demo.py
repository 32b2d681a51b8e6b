"""The command that fills an empty database with a sample trade show."""
import sys

from eventapi.cli.terminal import command


def register(commands):
    demo = command(commands, "demo", make_demo, "fill an empty database with a sample trade show",
                   "eventapi demo", "eventapi demo --size messe")
    demo.add_argument("--size", choices=("small", "messe"), default="small",
                      help="size of the show; messe has 4,500 exhibitors and 150,000 visitors (default: small)")


def make_demo(args, config):
    from eventapi.app import ready
    from eventapi.demo import show as demo
    ready(config)
    return demo.make(config, args.size, say=lambda text: print(text, file=sys.stderr, flush=True))
