"""Print the result of `make load` as Markdown: python3 -m tests.load.table RESULTS.json [SMALL.json BIG.json].

SMALL.json and BIG.json have times of an earlier version, {name: {"first": [median, …], "again": [median, …]}}. With
them the table shows before and after of what was slow before.
"""
import json
import re
import sys
from pathlib import Path

from tests.load import marks

WORST = 40                  # rows of the table of what was slow


def judgements(results):
    """Yield (name, mark, value, whether it is met) of all results of `make load`."""
    for name, times in results["reads"].items():
        yield from ((name, *judged) for judged in marks.judged(name, times["small"], times["big"]))
    for name, times in results["writes"].items():
        yield from ((name, *judged) for judged in marks.judged_write(name, times["big"]))
    if results.get("mixed"):
        share = 100 * results["mixed"]["big"] / results["mixed"]["small"]
        yield "mixed load", marks.MIXED, share, share >= marks.MIXED.limit


def earlier(small, big):
    """Return an earlier version as results: the reads that both files have."""
    of_small, reads = {normal(name): times for name, times in small.items()}, {}
    for name, times in big.items():
        pair = {"small": of_small.get(normal(name), {}), "big": times}
        if all("first" in one for one in pair.values()):
            reads[name] = {size: {word: one[word][0] for word in ("first", "again")} for size, one in pair.items()}
    return {"reads": reads, "writes": {}}


def summary(found, before=()):
    """Return Markdown lines: how many meet each mark, now and before, how many are exceptions, and the worst value."""
    lines = ["| mark | limit | met before | met | exceptions | worst |", "| --- | --- | --- | --- | --- | --- |"]
    for mark in marks.ALL:
        of_mark = [one for one in found if one[1] == mark]
        if of_mark:
            excused = sum(1 for one in of_mark if not one[3] and marks.exception(one[0], mark, one[2]))
            values = [one[2] for one in of_mark]
            worst = min(values) if mark == marks.MIXED else max(values)
            sign = "at least" if mark == marks.MIXED else "at most"
            lines.append(f"| {mark.name} | {sign} {mark.limit} {mark.unit} | {met(before, mark)} | "
                         f"{met(found, mark)} | {excused} | {worst:.1f} {mark.unit} |")
    return lines


def met(found, mark):
    """Return how many of a mark are met, such as `98 of 100`."""
    of_mark = [is_met for _, other, _, is_met in found if other == mark]
    return f"{sum(of_mark)} of {len(of_mark)}" if of_mark else "-"


def missed(found):
    """Return Markdown lines: each mark that is missed, with the reason if it may be."""
    lines = ["| request | mark | value | reason |", "| --- | --- | --- | --- |"]
    for name, mark, value, is_met in sorted(found, key=lambda one: (one[1].name, -one[2])):
        if not is_met:
            reason = marks.exception(name, mark, value) or "**none**"
            lines.append(f"| `{name}` | {mark.name} | {value:.1f} {mark.unit} | {reason} |")
    return lines


def before_and_after(results, before):
    """Return Markdown lines: what took longest before, then and now, in milliseconds after a commit."""
    now = {normal(f"{name.split()[0]} {one['path']}"): one for name, one in results["reads"].items()}
    rows = []
    for name, times in before["reads"].items():
        one = now.get(normal(re.sub(r"^(page|after|csv) \w+", r"\1", name)))
        if one:
            figures = [size["first"] for size in (times["small"], times["big"], one["small"], one["big"])]
            rows.append((figures[1], f"| `{name}` | {' | '.join(f'{figure:.1f}' for figure in figures)} |"))
    return [f"| {len(rows)} reads, the {WORST} that were slowest | small before | big before | small now | big now |",
            "| --- | --- | --- | --- | --- |", *(line for _, line in sorted(rows, reverse=True)[:WORST])]


def normal(name):
    """Return the name of a read without values that only one database has."""
    name = re.sub(r"\b(page|contact_id|participant_id|badge_number|email|after)=(?!1\b|2\b)[^& ]+", r"\1=…", name)
    name = re.sub(r"(?<![a-z_])date=20..-..-..", "date=DAY", re.sub(r"2026-1[0-2]-..", "RECENT", name))
    return re.sub(r"show-(4|20)\b", "OPEN", re.sub(r"(/[a-z-]+)/[0-9]{3,}", r"\1/ID", name))


def markdown(results, small=None, big=None):
    """Return the whole text."""
    found, before = list(judgements(results)), earlier(small, big) if small else None
    parts = [summary(found, list(judgements(before)) if before else ()), missed(found)]
    if before:
        parts.append(before_and_after(results, before))
    return "\n\n".join("\n".join(part) for part in parts)


def main(results, *before):
    print(markdown(*(json.loads(Path(file).read_text(encoding="utf-8")) for file in (results, *before))))


if __name__ == "__main__":
    main(*sys.argv[1:])
