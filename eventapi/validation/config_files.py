"""Read a configuration file: lines `name = value` in one section.

Every line that is wrong is reported.
"""

import re

OPTION = re.compile(r"([A-Za-z]\w*)\s*[=:]\s*+(.*)", re.ASCII)
SECTION = "[eventapi]"


def read(text: str, path: str, known: set[str]) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Return (name -> (value, place), faults). A place is `path:line`.

    A value may continue in lines that are indented more than its own, such as
    `https://b.example.org`, unless they begin with a `known` option. No fault shows a line that is
    not understood: it may contain a password.
    """
    options, faults, name, section, depth = {}, [], None, None, 0
    for number, raw in _numbered(text):
        line, place = raw.strip(), f"{path}:{number}"
        found, indent = OPTION.fullmatch(line), len(raw) - len(raw.lstrip())
        if not line or line[0] in "#;":
            continue
        if line.startswith("["):
            if line != SECTION or section:
                faults.append(
                    f"{place}: {line} is not allowed; the file must have exactly one section, {SECTION}"
                )
            section, name = line, None
        elif name and indent > depth and not (found and found[1].lower() in known):
            options[name] = f"{options[name][0]}\n{line}", options[name][1]
        elif found and found[1].lower() in options:
            first = options[found[1].lower()][1].rpartition(":")[2]
            faults.append(
                f"{place}: {found[1]} is set for the second time; delete this line or line {first}"
            )
        elif found:
            name, depth = found[1].lower(), indent
            options[name] = found[2], place
        else:
            faults.append(
                f"{place}: the line is neither a comment nor an option; write it as NAME = VALUE"
            )
    if not section:
        faults.append(
            f"{path}: the section {SECTION} is missing; make it the first line of the file"
        )
    return options, faults


def _numbered(text):
    """Yield (number, line). Editors and sed count line feeds only, so that other ends of a line have no
    number of their own.
    """
    for number, whole in enumerate(text.split("\n"), 1):
        for line in whole.splitlines():
            yield number, line
