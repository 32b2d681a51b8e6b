"""Customers with open items, and whether a bank transaction is of one of them.

A bank rule puts such a transaction never aside, so a customer is rather found too often.
"""

from collections import Counter, defaultdict

from eventapi.domain.bank.fitting import words
from eventapi.domain.bank.judging import SHORTEST_NAME
from eventapi.domain.bank.known import customer_names
from eventapi.names import full_name

# Words of a name that say nothing about whose it is, as `words` returns them.
COMMON = words(
    "GmbH mbH AG SE KG KGaA OHG UG GbR eG e.V. e.K. Co Inh Inhaber haftungsbeschränkt Ltd LLC Inc SARL SA SRL BV NV",
    "Kommanditgesellschaft Aktiengesellschaft Gesellschaft beschränkter Haftung mit und and u",
)
FEWEST = 2  # words by which a customer is found, in any order


class Customers:
    """Customers with open items. `rows`: ids and names of contacts."""

    def __init__(self, rows):
        self.ids = {row["id"] for row in rows}
        names = {name for row in rows for name in customer_names(row)}
        self.names = {name for name in names if len(name) >= SHORTEST_NAME}
        self.text = "\n".join(self.names)
        self.known = {}
        self.wanted = _wanted(rows)
        self.places = defaultdict(set)  # word -> indexes of the names in `wanted` that have it
        for place, one in enumerate(self.wanted):
            for word in one:
                self.places[word].add(place)
        self.by_rarest = defaultdict(list)
        uses = Counter(word for one in self.wanted for word in one)
        for one in self.wanted:
            self.by_rarest[min(one, key=lambda word: (uses[word], word))].append(one)

    def have(self, row, known):
        """Return whether a transaction has the name of one of them, or an account from which one of
        them has paid before.
        """
        if self.ids & set(known.payers.get(row["iban"], ())):
            return True
        if any(self._has(name) for name in known.names[row["id"]]):
            return True
        if any(self._is_part(words(name)) for name in (row["party"], row["ultimate_party"])):
            return True
        # Some banks write the name of the payer into the text only.
        return self._is_named_in(
            words(row["party"], row["ultimate_party"], row["text"], row["description"])
        )

    def _has(self, name):
        """Return whether a name has that of a customer in it, or is a part of one, as in judging."""
        if name not in self.known:
            self.known[name] = len(name) >= SHORTEST_NAME and (
                name in self.text or any(part in self.names for part in _parts(name))
            )
        return self.known[name]

    def _is_named_in(self, found):
        """Return whether all words of the name of a customer are among these words."""
        return any(one <= found for word in found for one in self.by_rarest.get(word, ()))

    def _is_part(self, found):
        """Return whether a customer has all words of this name."""
        own = found - COMMON
        if len(own) < FEWEST or not own <= self.places.keys():
            return False
        return bool(set.intersection(*(self.places[word] for word in own)))


def _wanted(rows):
    """Return the set of words by which each name of these contacts is found, if it has enough.

    A name with one word of its own is found together with the others, such as Rosen KG.
    """
    found = set()
    for row in rows:
        for name in (row["company_name"], full_name(row)):
            every = words(name)
            own = every - COMMON
            one = own if len(own) >= FEWEST else every
            if own and len(one) >= FEWEST:
                found.add(frozenset(one))
    return sorted(found, key=sorted)


def _parts(name):
    """Yield the parts of a name that are long enough to be one."""
    for start in range(len(name) - SHORTEST_NAME + 1):
        for end in range(start + SHORTEST_NAME, len(name) + 1):
            yield name[start:end]
