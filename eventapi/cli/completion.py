"""The command that prints the completion of bash, zsh and fish: commands, options, and the values
that are fixed.
"""

from argparse import SUPPRESS

from eventapi.cli.terminal import command


def register(commands):
    """Declare the command."""
    printed = command(
        commands,
        "completion",
        print_script,
        "print the script that completes commands in a shell",
        "eventapi completion bash > ~/.local/share/bash-completion/completions/eventapi",
        "eventapi completion zsh > ~/.zfunc/_eventapi                # with fpath+=~/.zfunc in ~/.zshrc",
        "eventapi completion fish > ~/.config/fish/completions/eventapi.fish",
    )
    printed.add_argument(
        "shell",
        choices=SCRIPTS,
        help="bash, zsh or fish; the Debian package has installed all three",
    )


def print_script(args, config):
    """Print the script for a shell."""
    from eventapi.cli import make_parser

    print(script(make_parser(), args.shell), end="")


def script(parser, shell):
    """Return the script that completes the commands of a parser.

    Where it knows no words, the shell offers files.
    """
    places = _places(parser)
    known = "|".join(
        f'"{place}"' for place in places if not place.rpartition(" ")[2].startswith("-") and place
    )
    cases = "".join(
        f'            "{place}") echo "{" ".join(words)}"; return ;;\n'
        for place, words in places.items()
    )
    return SCRIPTS[shell].replace(
        "@lookup@", LOOKUP.replace("@known@", known).replace("@cases@", cases)
    )


LOOKUP = """\
# _eventapi_words CURRENT WORD...: print what CURRENT may be after these words.
_eventapi_words() {
    local current=$1 word previous="" place=""
    shift
    for word in "$@"; do
        if [ "$previous" != --config ]; then
            case "$place $word" in @known@) place="$place $word" ;; esac
        fi
        previous=$word
    done
    [ "$previous" != --config ] || return
    case $current in
        --*=*) previous=${current%%=*} ;;
        -*) previous=- ;;
    esac
    for word in "$place $previous" "$place"; do
        case $word in
@cases@        esac
    done
}
"""
SCRIPTS = {
    "bash": """\
# Completion of eventapi(1) in bash.
@lookup@
_eventapi() {
    local words current
    read -ra words <<< "${COMP_LINE:0:COMP_POINT}."         # the dot makes an empty word of a space at the end
    current=${words[-1]%.}
    COMPREPLY=($(compgen -W "$(_eventapi_words "$current" "${words[@]:1:${#words[@]}-2}")" -- "${current#--*=}"))
    # readline replaces only what follows the last colon, as in events:read.
    if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then
        current=${current#--*=}
        COMPREPLY=("${COMPREPLY[@]#"${current%"${current##*:}"}"}")
    fi
}
complete -o default -F _eventapi eventapi
""",
    "zsh": """\
#compdef eventapi
# Completion of eventapi(1) in zsh.
@lookup@
_eventapi() {
    local offered=$(_eventapi_words "${words[CURRENT]}" "${(@)words[2,CURRENT-1]}")
    compset -P '--*='
    if [[ -n $offered ]]; then compadd -- ${=offered}; else _files; fi
}
# The file is the body of the function when zsh loads it from fpath.
if [[ ${funcstack[1]} == _eventapi ]]; then _eventapi "$@"; else compdef _eventapi eventapi; fi
""",
    "fish": """\
# Completion of eventapi(1) in fish.
function __eventapi_words
    sh -c '@lookup@_eventapi_words "$@"' eventapi (commandline -ct) (commandline -opc)[2..] | string split -n ' '
end
complete -c eventapi -n 'count (__eventapi_words)' -f -a '(__eventapi_words)'
""",
}


def _places(parser, place=""):
    """Return {place: words} for a parser and its subcommands.

    A place is the words of the command, alone, with `-` if an option follows, or with an option
    whose value follows.
    """
    shown = [
        action
        for action in parser._actions
        if action.help is not SUPPRESS and action.nargs != "A..."
    ]
    options = [action for action in shown if action.option_strings]
    words = [word for action in shown if not action.option_strings for word in _values(action)]
    found = {
        place: [*parser.children(), *words],
        f"{place} -": [
            name for action in options for name in action.option_strings if name.startswith("--")
        ],
    }
    found |= {
        f"{place} {name}": _values(action)
        for action in options
        if action.nargs != 0
        for name in action.option_strings
    }
    for name, (_, child) in parser.children().items():
        found |= _places(child, f"{place} {name}")
    return found


def _values(action):
    return list(map(str, action.choices or getattr(action, "completed", ())))
