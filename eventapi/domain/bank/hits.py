"""Numbers of invoices and credit notes in the texts of bank transactions."""

from collections import defaultdict
from dataclasses import dataclass, replace

from eventapi.domain.bank import references
from eventapi.domain.bank.entries import may_be_cut
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("bank_statements")

LONGEST_ID = 30  # characters of an end-to-end id that is surely complete; it has at most 35
# of two hits of an invoice, the first counts
ORDER = ("creditor_reference", "number", "end_to_end_id")


@dataclass(frozen=True, slots=True)
class Texts:
    """What may be numbers of invoices in the texts of a transaction.

    candidates: (reason, Candidate), see references. creditor_references: letters and digits of RF
    references.
    """

    candidates: list
    creditor_references: list


@dataclass(frozen=True, slots=True)
class Hit:
    """An invoice or credit note whose number is in a text of a transaction.

    reason: `number`, `end_to_end_id` or `creditor_reference`, which says in which text.
    start, end: its place in the groups of this text, -1 for an RF reference.
    fits: it has the form of the number and is whole.
    is_one_word, is_verbatim: see references.
    is_named: it means the number, but may be cut off. is_clear: it means the number and is complete.
    is_unique: no other invoice may be meant by the same place.
    """

    invoice_id: int
    reason: str
    start: int
    end: int
    fits: bool
    is_one_word: bool
    is_verbatim: bool
    is_named: bool
    is_clear: bool
    is_unique: bool = True


def texts_of(row, prefixes):
    """Return the Texts of a transaction. `prefixes`: see references.candidates."""
    text = row["text"]
    cut_at = row["cut_at"]
    if not text and row["description"]:  # some banks write the text of the payer there only
        text = row["description"]
        cut_at = len(text) if may_be_cut(text) else None
    candidates = [("number", one) for one in references.candidates(text, prefixes, cut_at)]

    id = row["end_to_end_id"] or ""
    cut_at = len(id) if len(id) > LONGEST_ID else None
    candidates += [("end_to_end_id", one) for one in references.candidates(id, prefixes, cut_at)]

    structured = references.creditor_references(row["creditor_reference"])
    return Texts(candidates, structured or references.creditor_references(text))


def find(db, texts):
    """Return {transaction id: [Hit]}, one Hit for each invoice or credit note whose number is there.

    `texts`: transaction id -> Texts.
    """
    keys = set()
    letters = set()
    for one in texts.values():
        keys.update(candidate.key for _, candidate in one.candidates)
        letters.update(candidate.letters for _, candidate in one.candidates)
        letters.update(one.creditor_references)

    by_key = defaultdict(list)
    by_letters = defaultdict(list)
    for row in db.all(sql.numbers, keys=as_json(sorted(keys)), letters=as_json(sorted(letters))):
        numbers = by_key if row["form"] == "key" else by_letters
        numbers[row["found"]].append(row)

    return {
        id: _without_parts([*_structured(one, by_letters), *_written(one, by_key, by_letters)])
        for id, one in texts.items()
    }


def _structured(texts, by_letters):
    """Yield a Hit for each invoice that an RF reference names."""
    for reference in texts.creditor_references:
        rows = by_letters.get(reference, ())
        for row in rows:
            yield Hit(
                invoice_id=row["id"],
                reason="creditor_reference",
                start=-1,
                end=-1,
                fits=True,
                is_one_word=True,
                is_verbatim=True,
                is_named=True,
                is_clear=len(rows) == 1,
            )


def _written(texts, by_key, by_letters):
    """Yield a Hit for each candidate and each invoice whose number has one of its two forms."""
    for reason, candidate in texts.candidates:
        rows = [*by_key.get(candidate.key, ()), *by_letters.get(candidate.letters, ())]
        for row in {row["id"]: row for row in rows}.values():
            yield _hit(row, reason, candidate)


def _hit(row, reason, candidate):
    number = row["invoice_number"]
    fits = references.fits(number, candidate) and candidate.is_whole
    is_named = fits and references.is_distinct(number, candidate)
    return Hit(
        invoice_id=row["id"],
        reason=reason,
        start=candidate.start,
        end=candidate.end,
        fits=fits,
        is_one_word=candidate.is_one_word,
        is_verbatim=references.is_verbatim(number, candidate),
        is_named=is_named,
        is_clear=is_named and not candidate.is_cut,
    )


def _without_parts(hits):
    """Return one Hit for each invoice, the clearest, without those that are a part of a longer one."""
    whole = [hit for hit in hits if not any(_swallows(other, hit) for other in hits)]
    marked = [hit if _is_unique(hit, whole) else replace(hit, is_unique=False) for hit in whole]

    clearest = {}
    for hit in sorted(marked, key=_clearness):
        clearest.setdefault(hit.invoice_id, hit)
    return list(clearest.values())


def _swallows(longer, hit):
    """Return whether a hit is only a part of a longer clear one: R-1 in R-1/2, but not in R-1 2."""
    return (
        longer.reason == hit.reason
        and longer.is_clear
        and longer.start <= hit.start
        and hit.end <= longer.end
        and longer.end - longer.start > hit.end - hit.start
        and (longer.is_one_word or not hit.fits)
    )


def _is_unique(hit, hits):
    """Return whether no other invoice has a hit at the same place.

    In INV-2026-1 2, the number may be that of INV-2026-00001 or, with a space inside, of
    INV-2026-00012. If all zeros are written, only the first is meant.
    """
    return not any(
        other.invoice_id != hit.invoice_id
        and other.reason == hit.reason
        and other.start < hit.end
        and hit.start < other.end
        and (other.fits or not hit.is_verbatim)
        for other in hits
    )


def _clearness(hit):
    """Return the key by which the hits of an invoice are sorted, the clearest first."""
    return not hit.is_clear, not hit.is_unique, ORDER.index(hit.reason)
