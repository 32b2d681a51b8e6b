"""Texts that make a backtracking regular expression slow: what it matches, with a long run in each
repetition.
"""

from functools import cache
from re import _compiler, _constants, _parser

ALPHABET = " \t\n07aZä"
ENDS = ("", "\0", "\n!")  # of which one usually keeps the whole from matching
LONG = 20  # a repetition that may be longer gets a run
REPETITIONS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)


def texts(pattern, flags, sizes):
    """Yield hostile texts for a pattern, which is str or bytes: a tuple of the same text in each of
    the sizes.
    """
    tree = _parser.parse(pattern, flags)
    letters = tuple(dict.fromkeys((*ALPHABET, *_literals(tree))))
    seen = set()
    for build in _builders(tree, letters):
        found = tuple(build(size) for size in sizes)
        if found[0] not in seen:
            seen.add(found[0])
            yield (
                tuple(text.encode("latin-1", "replace") for text in found)
                if isinstance(pattern, bytes)
                else found
            )


def _builders(tree, letters):
    """Yield functions of a size that return a text."""
    alternatives = range(3 if any(code is _constants.BRANCH for code in _codes(tree)) else 1)
    marks = [letter for letter in letters if not letter.isalnum()]
    choices = [
        (letter, takes_optional, branch)
        for letter in (*ALPHABET, *marks)
        for takes_optional in (False, True)
        for branch in alternatives
    ]
    for letter in letters:
        yield lambda size, letter=letter: letter * size
    begin = _beginning(tree)
    for letter in ALPHABET if begin else "":
        for part in (begin + letter, f"{begin}{letter} "):
            yield lambda size, part=part: part * (size // len(part))
    for choice in choices:
        example = _example(tree, *choice, {})
        for end in ENDS:
            yield lambda size, example=example, end=end: example(size) + end
        yield lambda size, example=example: example(1) * (size // max(1, len(example(1))))


def _beginning(tree):
    """Return the characters with which each text that matches begins. Repeated without their end, each
    of them may search to the end of the text.
    """
    found = ""
    for code, value in tree:
        if code is not _constants.LITERAL:
            break
        found += chr(value)
    return found


def _literals(tree):
    """Yield the characters that a pattern names."""
    for code, value in tree:
        if code in (_constants.LITERAL, _constants.NOT_LITERAL):
            yield chr(value)
        elif code is _constants.IN:
            yield from (chr(part) for kind, part in value if kind is _constants.LITERAL)
            yield from (chr(part[0]) for kind, part in value if kind is _constants.RANGE)
        else:
            for part in _inner(value):
                yield from _literals(part)


def _inner(value):
    """Yield the patterns inside the value of a node."""
    if isinstance(value, _parser.SubPattern):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _inner(part)


def _codes(value):
    """Yield the codes of all nodes of a pattern."""
    for part in _inner(value):
        for code, rest in part:
            yield code
            yield from _codes(rest)


def _example(tree, letter, takes_optional, branch, groups):
    """Return a function of a size: a text that the pattern matches but for its assertions.

    `letter` is wherever that is possible. Of alternatives, it takes number `branch`. Each
    repetition without a low limit has `size` characters. `groups` keeps the functions of the groups
    for the references to them.
    """
    choice = letter, takes_optional, branch, groups
    parts = [part for node in tree for part in _parts(tree.state, *node, *choice)]
    return lambda size: "".join(part if isinstance(part, str) else part(size) for part in parts)


def _parts(state, code, value, *choice):
    letter, takes_optional, branch, groups = choice
    if code is _constants.LITERAL:
        yield chr(value)
    elif code in (_constants.IN, _constants.ANY, _constants.NOT_LITERAL):
        yield _member(state, code, tuple(value) if code is _constants.IN else value, letter)
    elif code in REPETITIONS:
        low, high, inner = value
        one, times = _example(inner, *choice), high if takes_optional else low
        if high > LONG:
            yield lambda size: one(1) * min(size // max(1, len(one(1))), high)
        else:
            yield lambda size: one(size) * times
    elif code is _constants.BRANCH:
        yield _example(value[1][branch % len(value[1])], *choice)
    elif code is _constants.SUBPATTERN:
        groups[value[0]] = _example(value[3], *choice)
        yield groups[value[0]]
    elif code is _constants.GROUPREF:
        yield groups.get(value, "")
    elif code is _constants.ATOMIC_GROUP:
        yield _example(value, *choice)
    elif code not in (_constants.AT, _constants.ASSERT, _constants.ASSERT_NOT):
        raise NotImplementedError(
            f"{code} in a regular expression: teach tests/support/hostile_texts.py about it"
        )


@cache
def _member(state, code, value, letter):
    """Return `letter` if a set of characters contains it, otherwise another one that it contains."""
    node = list(value) if code is _constants.IN else value
    one = _compiler.compile(_parser.SubPattern(state, [(code, node)]), state.flags)
    return next(
        (
            other
            for other in (letter, *ALPHABET, *map(chr, range(33, 1000)))
            if one.fullmatch(other)
        ),
        letter,
    )
