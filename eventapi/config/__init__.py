"""Configuration: where the values of the options come from.

Credentials of systemd override the file, and environment variables override both. What none of them
sets, the settings of the database may set (live.py).
"""

import os
import pwd
from pathlib import Path

from eventapi.config.live import Live
from eventapi.config.option import Option
from eventapi.config.options import OPTIONS, SECRETS, SETTINGS
from eventapi.config.values import DEFAULT, DESK, Config, ConfigError, contradictions, parsed
from eventapi.errors import suggestion
from eventapi.validation import config_files

__all__ = (
    "DEFAULT",
    "DESK",
    "OPTIONS",
    "SECRETS",
    "SETTINGS",
    "Config",
    "ConfigError",
    "Live",
    "Option",
    "load",
    "user",
)

DEFAULT_FILE = Path("/etc/eventapi/eventapi.conf")
PREFIX = "EVENTAPI_"
# Variables that are no options: the path of the file, a flag of `eventapi serve`, address and key
# for clients, and the address and key of the package repository.
OTHER_VARIABLES = {
    "EVENTAPI_CONFIG",
    "EVENTAPI_WITH_WORKER",
    "EVENTAPI_URL",
    "EVENTAPI_KEY",
    "EVENTAPI_APT_URL",
    "EVENTAPI_SIGN_KEY",
}


def load(file=None, environ=os.environ, **given):
    """Return the configuration, without the settings of the database.

    Read `file`, else the file in EVENTAPI_CONFIG, else the default file if it exists. Credentials
    of systemd override the file, environment variables override both, and `given` (options of the
    command line) overrides all. Raise ConfigError, which names every unknown option or variable and
    every invalid value.
    """
    texts, faults = {option.name: (option.default, DEFAULT) for option in OPTIONS}, []
    path = Path(file or environ.get("EVENTAPI_CONFIG") or DEFAULT_FILE)
    is_read = bool(file or environ.get("EVENTAPI_CONFIG") or path.exists())
    if is_read:
        options, faults = config_files.read(_content(path), str(path), set(texts))
        faults += [
            f"{options[name][1]}: unknown option {name}{near}"
            for name, near in _unknown(options, set(texts))
        ]
        texts.update(options)
    texts.update(_from_credentials(environ.get("CREDENTIALS_DIRECTORY")))
    variables = {name.upper(): text for name, text in environ.items() if name.startswith(PREFIX)}
    known = {PREFIX + option.name.upper() for option in OPTIONS}
    faults += [
        f"unknown environment variable {name}{near}"
        for name, near in _unknown(variables.keys() - OTHER_VARIABLES, known)
    ]
    texts.update(
        (name.removeprefix(PREFIX).lower(), (text, f"environment variable {name}"))
        for name, text in variables.items()
    )
    texts.update((name, (str(value), f"--{name}")) for name, value in given.items())
    texts = {option.name: texts[option.name] for option in OPTIONS}  # no other variables
    values, wrong = parsed(texts, texts)
    faults += map(str, [*wrong, *contradictions(values, texts)])
    if faults:
        raise ConfigError(*sorted(faults, key=_line_number))
    return Live(texts, values, Path(os.path.abspath(path)) if is_read else None).current


def _line_number(fault):
    """Return the line of the file that a fault begins with; 0 for one without a line."""
    place = fault.partition(": ")[0].rpartition(":")[2]
    return int(place) if place.isdecimal() else 0


def _unknown(names, known):
    """Yield (name, advice) for each name that is not known."""
    for name in sorted(set(names) - known):
        yield name, suggestion(name, known) or "; see eventapi.conf(5) for all options"


def _content(path):
    """Return the text of the configuration file."""
    try:
        return path.read_text(encoding="utf-8")
    except PermissionError:
        raise ConfigError(
            f"cannot read the configuration file {path}: permission denied for the user {user()}, who "
            "runs the program; use sudo, or let this user read the file and enter its "
            "directory"
        ) from None
    except OSError as error:
        raise ConfigError(
            f"cannot read the configuration file {path}: {error.strerror}; check the path, which "
            "--config or EVENTAPI_CONFIG names"
        ) from None
    except UnicodeDecodeError:
        raise ConfigError(
            f"cannot read the configuration file {path}: it is not UTF-8; save it as UTF-8"
        ) from None


def _from_credentials(folder):
    """Return name -> (text, path) of the options that are credentials of the unit (systemd.exec(5),
    LoadCredential=).

    Other credentials are ignored: the unit may have them for another program.
    """
    found = {}
    for option in OPTIONS if folder else ():
        path = Path(folder, option.name)
        try:
            found[option.name] = (path.read_text(encoding="utf-8"), str(path))
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8"
            raise ConfigError(
                f"cannot read the credential {path}: {reason}; see LoadCredential= of the unit"
            ) from None
    return found


def user():
    """Return the name of the user of the operating system that runs the program."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # a container may have a user id without a name
        return f"uid {os.geteuid()}"
