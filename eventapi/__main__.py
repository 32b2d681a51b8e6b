"""The program `eventapi`, also as python -m eventapi."""

import sys

from eventapi import __version__


def main():
    """Run the command and return its exit status.

    `--version` alone does not wait until all commands are loaded.
    """
    if sys.argv[1:] == ["--version"]:
        print(f"eventapi {__version__}")
        return 0
    from eventapi import cli

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
