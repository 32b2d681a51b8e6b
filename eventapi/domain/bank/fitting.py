"""Which bank rule fits a transaction.

Names and texts are compared as people read them: without case, accents, and the spelling of umlauts.
"""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass

from eventapi.storage.folding import fold, without_spelling
from eventapi.validation.identifiers import accounts

WORD = re.compile(r"[^\W_]+")
IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[0-9A-Z]{10,}")
DIGITS_OF_IBAN = 8  # with fewer, it is a name such as AB12 Consulting


def words(*texts):
    """Return the words of these texts, each text may be None, in the form in which they are compared."""
    found = set()
    for text in texts:
        if text:
            found.update(WORD.findall(without_spelling(fold(text))))
    return found


def is_iban(text):
    """Return whether a text has the form of an IBAN, whose check digits may be wrong."""
    number = accounts.compact(text)
    return bool(IBAN.fullmatch(number)) and len(re.findall("[0-9]", number)) >= DIGITS_OF_IBAN


@dataclass(frozen=True, slots=True)
class Rule:
    """A bank rule. account, iban: None for each. name, text: words that begin one of a transaction."""

    id: int
    account: str | None
    is_credit: bool
    iban: str | None
    name: frozenset
    text: frozenset
    reason: str

    def fits(self, row, names, texts):
        """Return whether the rule fits the row of a transaction with these words."""
        return (
            self.account in (None, row["account"])
            and self.is_credit == (row["amount"] > 0)
            and self.iban in (None, row["iban"])
            and _begin(self.name, names)
            and _begin(self.text, texts)
        )


def _begin(beginnings, found):
    return all(any(word.startswith(one) for word in found) for one in beginnings)


class Rules:
    """Bank rules, found by what a transaction has: the account of its counterparty, or its words.

    A rule with an IBAN is found by it, any other by that of its words which the fewest rules have. So a
    transaction is compared with few rules, however many there are.
    """

    def __init__(self, rows):
        self.by_iban = defaultdict(list)
        self.by_word = defaultdict(list)
        rules = [_rule(row) for row in rows]
        uses = Counter(word for rule in rules for word in rule.name | rule.text)
        for rule in rules:
            if rule.iban:
                self.by_iban[rule.iban].append(rule)
            else:
                rarest = min(rule.name | rule.text, key=lambda word: (uses[word], -len(word)))
                self.by_word[rarest].append(rule)
        self.longest = max(map(len, self.by_word), default=0)

    def first(self, row):
        """Return the Rule with the lowest id that fits the row of a transaction, or None."""
        names = words(row["party"], row["ultimate_party"])
        texts = words(row["text"], row["description"])
        candidates = list(self.by_iban.get(row["iban"], ()))
        for word in names | texts:
            for end in range(1, min(len(word), self.longest) + 1):
                candidates += self.by_word.get(word[:end], ())
        fitting = [rule for rule in candidates if rule.fits(row, names, texts)]
        return min(fitting, key=lambda rule: rule.id, default=None)


def _rule(row):
    counterparty = row["counterparty"]
    iban = counterparty if counterparty and is_iban(counterparty) else None
    return Rule(
        id=row["id"],
        account=row["account"],
        is_credit=row["direction"] == "credit",
        iban=iban,
        name=frozenset(() if iban else words(counterparty)),
        text=frozenset(words(row["text"])),
        reason=row["reason"],
    )
