"""Numbers of invoices in the text of a transfer, as customers and banks write them.

Customers leave out zeros, hyphens and spaces, write small letters, and name several invoices. Banks
break a text into parts of 35 characters and cut it after 140. A number is searched as a row of
groups, which are letters or digits: a group of the text never matches a part of a group of the
number, so INV-2026-0001 is not found in INV-2026-00017.

A row of groups with the key of a number is a hit, but it may mean another one: INV-2026-1 2 has the
key of INV-2026-00012. What means a number beyond doubt is decided by `fits` and the attributes of
the candidate.
"""

import re
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from eventapi.storage.folding import GROUPS, fold
from eventapi.validation.identifiers import accounts

MOST_GROUPS = 8  # of a number: INV-2026-0 00 17 has six
MOST_SPACES = 1  # in a number of more groups, such as ALT-2a78c3c1be of another system
MOST_CANDIDATES = 400  # of a text
MOST_LONG = 25  # of a text, of more than MOST_GROUPS groups: in one word, and with a space
LONGEST_TEXT = 2_000  # characters of a folded text: NFKC makes up to 18 of one
LONGEST_NUMBER = 64  # characters
SHORTEST = 4  # characters without leading zeros of a number with letters
FEWEST_DIGITS = 6  # the same of a number without letters
# characters; shorter ones are booths and the like if a space is in them or digits follow
LONG_NUMBER = 7
BETWEEN = re.compile(r"[^\w]{0,3}|_")  # what may stand between two groups of one number
INSIDE = re.compile(r"[^\w,;+&]{0,3}|_")  # the same for one of many groups: no sign of a list
RF = re.compile(r"\brf[0-9]{2}(?: ?[0-9a-z]){1,21}")  # ISO 11649, of a folded text
# What joins a group to a longer number or to a date, as in OLD-1/2 and OLD-1-A, and what is joined.
AFTER = re.compile(r"([^\w\s,;:]|_|,(?=[0-9]))?([0-9]|[^\W\d_]+)")
JOINER = re.compile(r"([^\w\s,;:(\"']|_)$")
BEFORE = re.compile(r"[^\W_]([^\w\s,;:]|_)|[^\W\d_]$")
# Words to which customers and banks join a number. Behind others, and in few letters, it is the
# number of the payer: the R in Nr. 2026-17, in AR-2026-17 and in KD-R-2026-17 belongs to that.
INTRODUCTIONS = re.compile(
    "rechnung(en|s?nr|snummer)?|rg|re|nr|(re|rg|beleg)nr|beleg|invoice|zahlung|svwz"
)
SHORT_PREFIX = 2  # letters
LONGEST_WORD = 20  # letters; more than an introduction has, so that a long word is not searched
WORD_END = re.compile(r"[^\W\d_]*$")  # of at most 20 characters


@dataclass(frozen=True)
class Candidate:
    """A part of a text that may be a number.

    key, letters: its two forms, as in storage/folding.py. groups: the groups as they are written.
    breaks: places in `letters` with a separator other than one space, which a bank may have inserted.
    start, end: places of the first and after the last group in the list of groups.
    is_whole: whether it is no part of a longer number. is_cut: whether the bank may have cut it off.
    is_one_word: whether it is written without a space. is_in_row: whether further digits follow behind a space.
    """

    key: str
    letters: str
    groups: tuple
    breaks: frozenset
    start: int
    end: int
    is_whole: bool
    is_cut: bool
    is_one_word: bool
    is_in_row: bool


def prefixes(*formats):
    """Return the letters with which numbers of these formats begin: {"inv"} for
    INV-{year}-{seq:05}.
    """
    starts = [re.match(r"[^\W\d_]+", fold(form.partition("{")[0]) or "") for form in formats]
    return {start[0] for start in starts if start}


def candidates(text, known=(), cut_at=None):
    """Return the Candidates of a text: those of more than MOST_GROUPS groups, then the others, each
    in their order.

    known: prefixes that a bank may have joined to a word. cut_at: the number of characters after which the bank may
    have cut off the text, None if it has not. All count as cut off if there are too many of them.
    """
    if not text:
        return []
    folded = fold(text)
    cut = None if cut_at is None else len(fold(text[:cut_at]))
    if len(folded) > LONGEST_TEXT:
        folded, cut = folded[:LONGEST_TEXT], LONGEST_TEXT
    groups = [part for group in GROUPS.finditer(folded) for part in _parts(group, known)]
    numbers = [place for place, (_, _, word) in enumerate(groups) if word[0].isdecimal()]
    whole = _long_candidates(folded, groups, cut)
    found = []
    # Only starts from which a candidate reaches a number: a long text without digits costs nothing.
    starts = {
        start for place in numbers for start in range(max(0, place - MOST_GROUPS + 1), place + 1)
    }
    for start in sorted(starts):
        for end in range(start + 1, min(start + MOST_GROUPS, len(groups)) + 1):
            if end - start > 1 and not BETWEEN.fullmatch(
                folded[groups[end - 2][1] : groups[end - 1][0]]
            ):
                break
            found += _candidate(folded, groups, start, end, cut)
        if len(found) > MOST_CANDIDATES:
            found = [replace(candidate, is_cut=True) for candidate in found[:MOST_CANDIDATES]]
            break
    return whole + found


def _long_candidates(folded, groups, cut):
    """Return the Candidates of more than MOST_GROUPS groups, which are numbers of other systems.

    They begin and end at a separator, or at a prefix that a bank has joined, so that a word is
    compared as a whole: its parts mean nothing, and would be too many. Those without a space are
    first. All count as cut off if there are too many of them.
    """
    gaps = ["", *(folded[left[1] : right[0]] for left, right in pairwise(groups)), ""]
    is_joined = [bool(INSIDE.fullmatch(gap)) for gap in gaps]
    is_edge = [bool(gap) for gap in gaps]
    for place, (left, right) in enumerate(pairwise(groups), 1):
        is_edge[place] |= left[2].isalpha() and right[2].isalpha()
    is_edge[0] = is_edge[-1] = True
    digits = [0, *accumulate(word[0].isdecimal() for _, _, word in groups)]
    words, spaced = [], []
    for start in range(len(groups)):
        # Without digits in reach, nothing is searched, so that a text of letters costs nothing.
        if not is_edge[start] or digits[min(start + LONGEST_NUMBER, len(groups))] == digits[start]:
            continue
        length = spaces = 0
        for end in range(start + 1, len(groups) + 1):
            if end - start > 1:
                spaces += gaps[end - 1].count(" ")
                if not is_joined[end - 1] or spaces > MOST_SPACES:
                    break
            length += len(groups[end - 1][2])
            if length > LONGEST_NUMBER:
                break
            found = spaced if spaces else words
            is_full = len(found) == MOST_LONG
            if (
                end - start > MOST_GROUPS
                and is_edge[end]
                and digits[end] > digits[start]
                and not is_full
            ):
                found += _candidate(folded, groups, start, end, cut)
        if len(words) == MOST_LONG:
            break
    found = words + spaced
    if MOST_LONG in (len(words), len(spaced)):
        found = [replace(candidate, is_cut=True) for candidate in found]
    return found


def _parts(group, known):
    """Yield (start, end, text) of a group of letters or digits.

    A known prefix at the end of a word is apart.
    """
    word, start, end = group[0], group.start(), group.end()
    prefix = next((prefix for prefix in known if word.endswith(prefix) and word != prefix), "")
    if prefix:
        yield start, end - len(prefix), word[: -len(prefix)]
    yield end - len(prefix or word), end, prefix or word


def _candidate(folded, groups, start, end, cut):
    """Return [Candidate] of these groups, or [] if they cannot be a number: without digits, or too
    long.
    """
    words = tuple(word for _, _, word in groups[start:end])
    letters = "".join(words)
    if len(letters) > LONGEST_NUMBER or not any(word[0].isdecimal() for word in words):
        return []
    first, last = groups[start][0], groups[end - 1][1]
    places = zip(
        groups[start:end], groups[start + 1 : end], accumulate(map(len, words)), strict=False
    )
    breaks = frozenset(
        place for left, right, place in places if folded[left[1] : right[0]] not in ("", " ")
    )
    is_one_word = " " not in folded[first:last]
    is_part = _is_end(folded, first, words, is_one_word) or _goes_on(folded, last, words)
    return [
        Candidate(
            key="".join(word.lstrip("0") or word[:1] for word in words),
            letters=letters,
            groups=words,
            breaks=breaks,
            start=start,
            end=end,
            is_whole=not is_part,
            is_cut=cut is not None and not any(map(str.isalnum, folded[last:cut])),
            is_one_word=is_one_word,
            is_in_row=bool(re.match(" [0-9]", folded[last : last + 2])),
        )
    ]


def _is_end(folded, first, words, is_one_word):
    """Return whether groups may be the end of something longer: digits behind 2026- or KD, letters
    inside a word.

    Letters may follow another word only as in RechnungINV-2026-17 and Re-INV-2026-17, and another
    number only in a list, as in R-2026-17/R-2026-18.
    """
    before = folded[max(0, first - LONGEST_WORD - 1) : first]
    if words[0].isdecimal():
        return bool(BEFORE.search(before[-2:]))
    is_joined = before[-1:].isalnum()
    before = before if is_joined or not JOINER.search(before) else before[:-1]
    if before[-1:].isdecimal():
        return is_joined or folded[first - 1] in "-._"
    is_introduced = INTRODUCTIONS.fullmatch(WORD_END.search(before[-LONGEST_WORD:])[0])
    is_sure = not is_joined or (is_one_word and len(words[0]) > SHORT_PREFIX)
    return before[-1:].isalpha() and not (is_introduced and is_sure)


def _goes_on(folded, last, words):
    """Return whether groups may be the beginning of something longer: digits follow, or a single
    letter.

    A letter with which these groups begin as well is the beginning of the next number.
    """
    after = AFTER.match(folded, last)
    if not after or after[2][0].isdecimal():
        return bool(after)
    is_bare = len(words) == 1 and not after[1]  # such as an amount before EUR
    return is_bare or (len(after[2]) == 1 and after[2] != words[0])


def ends(number):
    """Return the ends of a number that people write without its beginning, as keys and the longest
    first.

    Those of INV-2026-00065 are 202665 and 65. An end has at least two characters, and its last
    group is digits.
    """
    groups = _plain(GROUPS.findall(fold(number)))
    last = max((place for place, group in enumerate(groups) if group[0].isdecimal()), default=-1)
    found = ["".join(groups[start : last + 1]) for start in range(min(1, last), last + 1)]
    return [end for end in found if len(end) > 1]


def creditor_references(text):
    """Return the letters and digits behind each RF reference in a text whose check digits are
    right: inv202600017.

    A word behind the reference may look like its end, so each length whose check digits are right
    is returned.
    """
    joined = [match[0].replace(" ", "") for match in RF.finditer(fold(text or ""))]
    return [
        one[4:length]
        for one in joined
        for length in range(len(one), 4, -1)
        if _is_sound(one[:length])
    ]


def _is_sound(reference):
    try:
        return bool(accounts.creditor_reference(reference))
    except ValueError:
        return False


def fits(number, candidate):
    """Return whether a candidate has the form of this number, given that one of its two forms is
    the same.

    Its groups are those of the number, apart from leading zeros. Or it has all letters and digits
    of the number: then separators may be missing, and a space may stand anywhere, but no other
    separator where the number has none, and no further digits behind it: DE75 5121 0800 is not
    DE-755121. A number of digits only must have six of them: shorter ones are dates, amounts and
    postal codes.
    """
    groups = GROUPS.findall(fold(number))
    if all(group[0].isdecimal() for group in groups):
        return (
            _plain(groups) == _plain(candidate.groups)
            and len("".join(_plain(groups))) >= FEWEST_DIGITS
        )
    is_complete = candidate.letters == "".join(groups) and candidate.breaks <= set(
        accumulate(map(len, groups))
    )
    is_complete = is_complete and (candidate.is_one_word or not candidate.is_in_row)
    return is_complete or _plain(groups) == _plain(candidate.groups)


def is_distinct(number, candidate):
    """Return whether a number is nothing else, such as the booth A 17 or DE75 at the beginning of
    an IBAN.
    """
    groups = GROUPS.findall(fold(number))
    is_long = len("".join(groups)) >= LONG_NUMBER or (
        candidate.is_one_word and not candidate.is_in_row
    )
    return is_long and len("".join(_plain(groups))) >= SHORTEST


def is_verbatim(number, candidate):
    """Return whether a candidate has the groups of this number with all their zeros."""
    return candidate.groups == tuple(GROUPS.findall(fold(number)))


def _plain(groups):
    """Return the groups without leading zeros."""
    return [group.lstrip("0") or group[:1] for group in groups]
