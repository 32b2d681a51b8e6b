"""reference.py OUTDIR VERSION SECONDS: write eventapi(1), eventapi.conf(5) and the completion of
shells to OUTDIR.

The texts come from argparse and config.OPTIONS. SECONDS is the date of the pages as a Unix time.
"""

import argparse
import re
import sys
import time
from pathlib import Path

from eventapi import cli, config
from eventapi.cli import completion

FILES = [
    ("/etc/eventapi/eventapi.conf", "the configuration, see eventapi.conf(5)"),
    ("/var/lib/eventapi/eventapi.db", "the database"),
    ("/var/lib/eventapi/files/", "the stored files, named by their SHA-256 hashes"),
    ("/var/lib/eventapi/backups/", "nightly backups, and backups before a migration"),
    ("/run/eventapi/web.sock", "the socket that nginx connects to"),
]
ENVIRONMENT = [
    ("EVENTAPI_CONFIG", "path of the configuration file, instead of /etc/eventapi/eventapi.conf"),
    ("EVENTAPI_NAME", "value of the option NAME; overrides the configuration file"),
]
EXIT = [
    ("0", "success"),
    ("1", "failure; a line on standard error names each fault and its remedy"),
    ("2", "wrong usage; the line on standard error has the nearest name, or an example"),
]


def main(folder, version, seconds):
    """Write the files."""
    folder = Path(folder)
    version = re.sub(r"(~git\d+)\..*", r"\1", version)  # the whole version would overlap the date
    day = time.strftime("%Y-%m-%d", time.gmtime(int(seconds)))
    (folder / "eventapi.1").write_text(commands_page(version, day), encoding="utf-8")
    (folder / "eventapi.conf.5").write_text(options_page(version, day), encoding="utf-8")
    for shell in completion.SCRIPTS:
        script = completion.script(cli.make_parser(), shell)
        (folder / f"eventapi.{shell}-completion").write_text(script, encoding="utf-8")


# The commands and options of the command line, read from argparse


def commands(parser=None, words=()):
    """Yield (words, help, parser) for each command without subcommands."""
    for name, (text, child) in (parser or cli.make_parser()).children().items():
        below = list(commands(child, (*words, name)))
        yield from below or [((*words, name), text, child)]


def options(parser):
    """Return the arguments of a command that its help shows."""
    return [
        action
        for action in parser._actions
        if action.help is not argparse.SUPPRESS
        and not isinstance(action, (argparse._HelpAction, argparse._SubParsersAction))
    ]


EXAMPLE_OPTIONS = """\
[eventapi]
base_url = https://shows.example.org
organiser_name = Example Fairs Ltd
organiser_street = 1 Market Square
organiser_postal_code = 04109
organiser_city = Leipzig
organiser_vat_id = DE136695976
organiser_iban = DE02120300000000202051
organiser_email = office@example.org
smtp_host = mail.example.org
smtp_user = eventapi
smtp_sender = office@example.org
"""


# Manual pages


def quoted(text):
    """Quote text for troff, to which backslashes, hyphens and leading dots are special."""
    text = str(text).replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + text if text.startswith(".") else text


def tagged(pairs):
    """Return (term, text) pairs as a list of tagged paragraphs."""
    return "".join(f".TP\n.B {quoted(term)}\n{quoted(text)}\n" for term, text in pairs)


def page(name, section, version, day, title, body):
    """Return a manual page."""
    return (
        f'.TH {quoted(name.upper())} {section} {day} "eventapi {version}"\n'
        f".SH NAME\n{quoted(name)} \\- {quoted(title)}\n{body}"
    )


def listing(lines):
    """Return lines as they are, indented."""
    return ".RS 4\n.nf\n" + "".join(f"{quoted(line)}\n" for line in lines) + ".fi\n.RE\n"


def arguments(parser):
    """Yield (term, description) for each argument of a command."""
    for action in options(parser):
        value = action.metavar or (action.dest.upper() if action.nargs != 0 else "")
        if action.choices and not action.metavar:
            value = "|".join(map(str, action.choices))
        term = " ".join((", ".join(action.option_strings), value)).strip()
        if action.help:
            yield term, action.help


def commands_page(version, day):
    """Return eventapi(1)."""
    parser = cli.make_parser()
    body = [
        ".SH SYNOPSIS\n.B eventapi\n[\\-\\-config FILE] [COMMAND] ...\n",
        f".SH DESCRIPTION\n{quoted(parser.description)}\n",
        "Without a command, it shows what runs and what to do next.\n.PP\n",
        "If root calls the command, it runs as the user eventapi, or as the user eventapi\\-NAME with the\n"
        "configuration /etc/eventapi/NAME.conf, so that the service owns all files that the command creates.\n"
        "A running server applies changes from the next request on.\n",
        ".SH OPTIONS\n",
        tagged(arguments(parser)),
        ".SH COMMANDS\n",
    ]
    for _, text, child in commands(parser):
        usage = (
            child.format_usage().removeprefix("usage: ").replace("[-h] ", "").replace(" [-h]", "")
        )
        usage = " ".join(usage.split())
        body += [
            f".SS {quoted(usage)}\n{quoted(text[0].upper() + text[1:])}.\n",
            tagged(arguments(child)),
        ]
        if child.fields:
            fields = "; ".join(f"{name}: {meaning}" for name, meaning in child.fields.items())
            body.append(f".PP\nFields of {quoted('--json')}: {quoted(fields)}.\n")
        body += [".PP\nExamples:\n", listing(child.examples)]
    body += [".SH EXAMPLES\n", listing(parser.examples)]
    body += [
        ".SH FILES\n",
        tagged(FILES),
        ".SH ENVIRONMENT\n",
        tagged(ENVIRONMENT),
        ".SH EXIT STATUS\n",
        tagged(EXIT),
        ".SH SEE ALSO\n.BR eventapi.conf (5),\n.BR eventapi\\-backup (8),\n.BR eventapi\\-instance (8)\n.PP\n"
        "/usr/share/doc/eventapi/docs/operations.md\n",
    ]
    return page(
        "eventapi", 1, version, day, "administer the event-management REST API", "".join(body)
    )


OPTIONS_DESCRIPTION = (
    "The file has INI format with one section, [eventapi]. Lines that begin with # are comments. A value may continue "
    "in indented lines. Options that are not set have their default. Invalid values and unknown options prevent the "
    "start; the message names all of them, with file, line and what is allowed.\n",
    "Environment variables override the file: EVENTAPI_DATA_DIR overrides data_dir. An unknown variable whose name "
    "begins with EVENTAPI_ is refused, except EVENTAPI_URL and EVENTAPI_KEY, which clients of the API use. "
    "Set them for the services with systemctl edit eventapi.service, but no secrets, because every local user can read "
    "the environment of a unit. A systemd credential with the name of an option (LoadCredential=smtp_password:PATH) "
    "overrides the file, too. "
    "To apply a change, run systemctl reload eventapi.service and systemctl restart eventapi-worker.service.\n",
    "Options of the organiser can be in the database instead, where eventapi settings set NAME VALUE changes them "
    "without a restart. What this file, a variable or a credential sets counts before them.\n",
    "The service of the package listens on the socket of eventapi.socket and ignores the option bind.\n",
)


def options_page(version, day):
    """Return eventapi.conf(5)."""
    files = [
        *FILES[:1],
        ("/etc/eventapi/NAME.conf", "the configuration of a tenant, see eventapi-instance(8)"),
    ]
    body = [".SH DESCRIPTION\n", *map(quoted, OPTIONS_DESCRIPTION), ".SH OPTIONS\n"]
    for option in config.OPTIONS:
        default = quoted(option.default or "empty")
        body.append(
            f'.TP\n.BR {quoted(option.name)} " (default: {default})"\n{quoted(option.description)}\n'
        )
    body += [
        ".SH EXAMPLES\nA configuration with which invoices and mails can be sent:\n",
        listing(EXAMPLE_OPTIONS.splitlines()),
        "Check a change before it is applied, then apply it:\n",
        listing(
            [
                "eventapi serve --check",
                "systemctl reload eventapi.service",
                "systemctl restart eventapi-worker.service",
            ]
        ),
    ]
    body += [".SH FILES\n", tagged(files), ".SH SEE ALSO\n.BR eventapi (1)\n"]
    return page("eventapi.conf", 5, version, day, "configuration of eventapi", "".join(body))


if __name__ == "__main__":
    main(*sys.argv[1:])
