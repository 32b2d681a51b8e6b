"""Commands for completion in bash, zsh and fish: the scripts, made from the parser, and the ids of records.

The scripts contain all words, so that no program runs for them. Only ids, keys and backup files come from
`eventapi complete`, which the scripts call. Its errors are discarded: a user who may not read the configuration gets
no ids and no message.
"""
import re
from argparse import SUPPRESS

from eventapi.cli.terminal import command, printable
from eventapi.domain.access import api_keys
from eventapi.domain.billing import gateways
from eventapi.domain.mail import queue as mails
from eventapi.storage.database import Database

BACKUP = re.compile(r"[\w.-]+\.tar", re.ASCII)


def register(commands):
    """Declare the commands. `complete` is for the scripts only, so no help shows it."""
    printed = command(commands, "completion", print_script, "print the script that completes commands in a shell",
                      "eventapi completion bash > ~/.local/share/bash-completion/completions/eventapi",
                      "eventapi completion zsh > ~/.zfunc/_eventapi                # with fpath+=~/.zfunc in ~/.zshrc",
                      "eventapi completion fish > ~/.config/fish/completions/eventapi.fish")
    printed.add_argument("shell", choices=SCRIPTS, help="bash, zsh or fish; the Debian package has installed all three")
    hidden = commands.add_parser("complete")
    hidden.add_argument("records", choices=RECORDS)
    hidden.add_argument("--config", default=SUPPRESS)
    hidden.set_defaults(run=print_records, parser=hidden)


# The ids of records

def _keys(db):
    return [(key["id"], key["name"]) for key in api_keys.keys(db) if key["status"] == "active"]


def _admins(db):
    return [(admin["id"], admin["name"]) for admin in api_keys.admins(db) if admin["is_active"]]


def _gateways(db):
    return [(gateway["gateway_key"], gateway["name"]) for gateway in gateways.list_(db)]


def _mails(db):
    return [(mail["id"], f"{mail['recipient']}: {mail['subject']}") for state in mails.CAN_BE_SENT_AGAIN
            for mail in mails.by_state(db, state)]


def _backups(db):
    found = [file for file in db.config.backups.glob("*.tar") if BACKUP.fullmatch(file.name)]
    return [(file, "") for file in sorted(found, key=lambda file: file.stat().st_mtime, reverse=True)]


RECORDS = {"key": _keys, "admin": _admins, "gateway": _gateways, "mail": _mails, "backup": _backups}


def print_records(args, config):
    """Print a line `ID<tab>NAME` for each record."""
    db = Database(config, readonly=True)
    for id, name in RECORDS[args.records](db):
        print(f"{id}\t{printable(str(name))[:60]}")
    db.close()


# The scripts

def print_script(args, config):
    """Print the script for a shell."""
    from eventapi.cli import make_parser
    print(script(make_parser(), args.shell), end="")


def script(parser, shell):
    """Return the script that completes the commands of a parser."""
    return SCRIPTS[shell](list(_walk(parser)))


def _walk(parser, words=()):
    """Yield (words, parser) for a parser and all its subcommands."""
    yield " ".join(words), parser
    for name, (_, child) in parser.children().items():
        yield from _walk(child, (*words, name))


def _arguments(parser):
    """Return (positional arguments, options) that the help shows."""
    shown = [action for action in parser._actions if action.help is not SUPPRESS and action.nargs != "A..."]
    return [one for one in shown if not one.option_strings], [one for one in shown if one.option_strings]


def _values(action):
    """Return what an argument takes, as assignments of the shell: words, records, or files."""
    words = " ".join(map(str, action.choices or getattr(action, "completed", ())))
    records = getattr(action, "records", "")
    return "; ".join([f"offered='{words}'"] * bool(words) + [f"records={records}"] * bool(records)
                     + ["files=yes"] * (action.metavar == "FILE"))


def _long(actions):
    return " ".join(option for action in actions for option in action.option_strings if option.startswith("--"))


def _lookup(commands):
    """Return a function for bash and zsh that finds what the word behind its arguments may be."""
    after, at = [], []
    for words, parser in commands:
        positional, options = _arguments(parser)
        for action in [action for action in options if action.nargs != 0]:
            pattern = '*" --config"' if action.dest == "config" else f'"{words} {action.option_strings[0]}"'
            after.append(f"        {pattern}) {_values(action) or ':'}; return ;;")
        names = " ".join(parser.children())
        parts = [f"options='{_long(options)}'", f"offered='{names}'" if names else "", *map(_values, positional)]
        at.append(f'        "{words}") {"; ".join(filter(None, parts))} ;;')
    known = "|".join(f'"{words}"' for words, _ in commands if words)
    return LOOKUP.replace("@known@", known).replace("@after@", "\n".join(after)).replace("@at@", "\n".join(at))


LOOKUP = """\
# Set what the word behind these words may be: one of `offered` or `options`, one of the `records`, or a file.
_eventapi_lookup() {
    local word previous=""
    program=$1 config="" command="" offered="" options="" records="" files=""
    shift
    for word in "$@"; do
        if [ "$previous" = --config ]; then
            config=$word
        elif [[ $word == --config=* ]]; then
            config=${word#--config=}
        else
            case "${command:+$command }$word" in
                @known@) command="${command:+$command }$word" ;;
            esac
        fi
        previous=$word
    done
    case "$command $previous" in
@after@
    esac
    case $command in
@at@
    esac
}

# Print the records as lines of id, tab and name. A user who may not read the database gets none.
_eventapi_records() {
    "${program/#\\~\\//$HOME/}" ${config:+--config "${config/#\\~\\//$HOME/}"} complete "$records" 2>/dev/null
}
"""
BASH = """\
# Completion of eventapi(1) in bash.
@lookup@
_eventapi() {
    local program config command offered options records files words current="" tab=$'\\t'
    local line=${COMP_LINE:0:COMP_POINT}
    read -ra words <<< "$line"
    if [[ $line != *[[:space:]] ]]; then
        current=${words[${#words[@]}-1]}
        unset "words[${#words[@]}-1]"
    fi
    if [[ $current == --*=* ]]; then
        words+=("${current%%=*}")
        current=${current#*=}
    fi
    _eventapi_lookup "${words[@]}"
    COMPREPLY=()
    if [[ $records && $current != -* ]]; then
        while read -r line; do
            [[ $line != "$current"* ]] || COMPREPLY+=("$line")
        done < <(_eventapi_records)
        # Names are shown beside the ids, and never inserted.
        if [[ ${#COMPREPLY[@]} -eq 1 ]]; then
            COMPREPLY=("${COMPREPLY[0]%%"$tab"*}")
        else
            COMPREPLY=("${COMPREPLY[@]/$tab/  }")
        fi
    fi
    [[ $current != -* && $offered$records$files ]] || offered=$options
    COMPREPLY+=($(compgen -W "$offered" -- "$current"))
    if [[ $files && ${#COMPREPLY[@]} -eq 0 ]]; then
        compopt -o filenames 2>/dev/null
        COMPREPLY+=($(compgen -f -- "$current"))
    fi
    # readline replaces only what follows the last colon, as in events:read.
    if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${current%"${current##*:}"}"}")
    fi
}
complete -F _eventapi eventapi
"""
ZSH = """\
#compdef eventapi
# Completion of eventapi(1) in zsh.
@lookup@
_eventapi() {
    local program config command offered options records files ids names current=${words[CURRENT]}
    local before=("${(@)words[1,CURRENT-1]}")
    if [[ $current == --*=* ]]; then
        before+=("${current%%=*}")
        compset -P '*='
    fi
    _eventapi_lookup "${before[@]}"
    if [[ -n $records ]]; then
        names=("${(@f)$(_eventapi_records)}")
        ids=("${(@)names%%$'\\t'*}")
        compadd -l -d names -a ids
    fi
    [[ $current != -* && -n $offered$records$files ]] || offered=$options
    compadd -- ${=offered}
    [[ -z $files ]] || _files
}
# The file is the body of the function when zsh loads it from fpath.
if [[ ${funcstack[1]} == _eventapi ]]; then _eventapi "$@"; else compdef _eventapi eventapi; fi
"""
FISH = """\
# Completion of eventapi(1) in fish.
function __eventapi_at
    set -l command
    for word in (commandline -opc)[2..]
        set -l longer (string trim -- "$command $word")
        contains -- $longer @known@
        and set command $longer
    end
    test "$command" = "$argv[1]"
end

# Print the records of the configuration that the command line names.
function __eventapi_records
    set -l config
    set -l previous
    for word in (commandline -opc)
        test "$previous" = --config
        and set config --config $word
        string match -q -- '--config=*' $word
        and set config $word
        set previous $word
    end
    eventapi $config complete $argv 2>/dev/null
end
complete -c eventapi -f
complete -c eventapi -l config -r -F -d 'configuration file'
"""


def _bash(commands):
    return BASH.replace("@lookup@", _lookup(commands))


def _zsh(commands):
    return ZSH.replace("@lookup@", _lookup(commands))


def _fish(commands):
    lines = [FISH.replace("@known@", " ".join(f"'{words}'" for words, _ in commands if words))]
    for words, parser in commands:
        here = f"complete -c eventapi -n '__eventapi_at \"{words}\"'"
        positional, options = _arguments(parser)
        lines += [f"{here} -a {name} -d {_quoted(text)}\n" for name, (text, _) in parser.children().items()]
        lines += [f"{here}{_fish_values(action)}\n" for action in positional if _values(action)]
        for action in [action for action in options if action.dest not in ("config", "help")]:
            needs = f" -x{_fish_values(action)}" if action.nargs != 0 else ""
            lines.append(f"{here} -l {action.option_strings[-1][2:]}{needs} -d {_quoted(action.help)}\n")
    return "".join(lines)


def _fish_values(action):
    words = " ".join(map(str, action.choices or getattr(action, "completed", ())))
    records = getattr(action, "records", None)
    offered = f"(__eventapi_records {records})" if records else words
    return (" -F" if action.metavar == "FILE" else "") + (f" -a {_quoted(offered, 9999)}" if offered else "")


def _quoted(text, most=60):
    """Return the text in quotes for fish, shortened to its first part."""
    text = text if len(text) <= most else text[:most].rpartition(" ")[0] + " …"
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SCRIPTS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
