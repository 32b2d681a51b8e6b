"""Panels: the data of one diagram of a chart, and the looks of its series and bars.

A look is a colour for each meaning, with a pattern, so that none is recognised by colour alone. The
colours can be distinguished by colour-blind people, and the patterns in black and white.
"""

from collections import Counter
from dataclasses import dataclass, replace

from eventapi.languages import formats
from eventapi.pictures.shapes import Hatch

MAX_BARS, MAX_SERIES = 24, 8

WORDS = {
    "en": {
        "none": "No data for this selection.",
        "other": "other",
        "others": "{count} others",
        "sum": "{amount} in total",
    },
    "de": {
        "none": "Keine Daten für diese Auswahl.",
        "other": "sonstige",
        "others": "{count} weitere",
        "sum": "zusammen {amount}",
    },
}


@dataclass(frozen=True)
class Look:
    """The look of a series. `ink` and `dash` are those of a line."""

    fill: str
    ink: str
    hatch: Hatch = None
    dash: float = 0


# Meaning -> looks of the first, second and further series of this meaning in a panel.
# good: approved, confirmed, ready, available; bad: rejected, overdue; open: to be decided or done;
# plain: facts such as sold or new; neutral: cancelled, withdrawn, blocked.
MEANINGS = {
    "good": (Look("#14804f", "#14804f"),),
    "bad": (Look("#d9534a", "#c33c33", Hatch("bad", "#8f1d16", 2, 0.3, crossed=True)),),
    "open": (
        Look("#f6c95f", "#b06f00", Hatch("open", "#a86a00", 1.8, 0.3)),
        Look("#fbe3a8", "#b06f00", Hatch("open2", "#a86a00", 3.4, 0.25)),
        Look("#fdf0cf", "#b06f00"),
    ),
    "plain": (Look("#8db8de", "#2f6fa8"),),
    "neutral": (Look("#e0e0e0", "#777777", Hatch("neutral", "#8a8a8a", 3, 0.25)),),
}
# Looks of series without a meaning, such as payment gateways, tax rates and days. None of them is
# green or red.
SERIES = (
    Look("#2f6fa8", "#2f6fa8"),
    Look("#f5c767", "#b06f00", Hatch("rising", "#8a5a00", 1.8, 0.3), 2.4),
    Look("#b9a3d6", "#6b4aa0", None, 1.2),
    Look("#bfe1f6", "#3d3d3d", Hatch("fine", "#2b7bab", 1.2, 0.2), 5),
    Look("#3b2c63", "#3b2c63", None, 0.6),
    Look("#e3c9b0", "#8a5a33", Hatch("net", "#8a5a33", 2, 0.25, crossed=True), 3.6),
    Look("#7a7a7a", "#555555", None, 1.8),
    Look("#dddddd", "#777777", Hatch("wide", "#777777", 3, 0.3), 0.9),
)


def of_meanings(meanings):
    """Return a look for each meaning.

    Repeated meanings have different looks of the same colour, as far as possible.
    """
    seen, found = Counter(), []
    for meaning in meanings:
        looks = MEANINGS[meaning]
        found.append(looks[min(seen[meaning], len(looks) - 1)])
        seen[meaning] += 1
    return found


@dataclass(frozen=True)
class Panel:
    """One diagram of a chart.

    kind: "columns", "bars" or "lines".
    series: tuple of (name, values) with one value for each label.
    language: of the numbers, and of the texts that are added to these.
    others: (number, sum) of the labels that were left out, or ().
    meanings: a key of looks.MEANINGS for each series, or () if the series have none.
    label_meanings: the same for each label, if the panel has one series of bars.
    """

    kind: str
    title: str
    labels: tuple
    series: tuple
    language: str
    others: tuple = ()
    meanings: tuple = ()
    label_meanings: tuple = ()

    def is_empty(self):
        """Return whether all values are zero."""
        return not any(self.values())

    def values(self):
        """Return the values of all series as one list."""
        return [value for _, values in self.series for value in values]

    def sums(self):
        """Return the sum over all series for each label."""
        return [sum(values) for values in zip(*(values for _, values in self.series), strict=True)]

    def looks(self):
        """Return the look of each series."""
        return of_meanings(self.meanings) if self.meanings else SERIES

    def look(self, series, label):
        """Return the look of a value by the numbers of its series and of its label."""
        if self.label_meanings:
            return MEANINGS[self.label_meanings[label]][0]
        return self.looks()[series]

    def titles(self):
        """Return the tooltips of the values of each series: label, name and value."""
        texts = iter(formats.numbers(self.values(), self.language))
        return [
            [f"{label}, {name}: {next(texts)}" for label in self.labels] for name, _ in self.series
        ]

    def text(self, key, **values):
        """Return a text of WORDS."""
        return WORDS[self.language][key].format(**values)

    def summary(self):
        """Return the sums as text, for readers who cannot see the picture."""
        sums = formats.numbers(self.sums(), self.language)
        texts = [f"{label} {text}" for label, text in zip(self.labels, sums, strict=False)]
        more = ["…"] if self.others or len(texts) > MAX_BARS else []
        return f"{self.title}: {', '.join((*texts[:MAX_BARS], *more))}."


def bounded(panel):
    """Return the panel with at most MAX_SERIES series and MAX_BARS bars. More would be unreadable.

    The series left out are added up as the series `other`. The bars left out are added up in
    `others`, a number below the bars. As a bar, it would be so long that all other bars are short.
    """
    labels, series = panel.labels, panel.series
    if len(series) > MAX_SERIES:
        rest = tuple(
            map(sum, zip(*(values for _, values in series[MAX_SERIES - 1 :]), strict=True))
        )
        series = (*series[: MAX_SERIES - 1], (panel.text("other"), rest))
    others = ()
    if panel.kind == "bars" and len(labels) > MAX_BARS:
        kept = MAX_BARS - 1
        others = len(labels) - kept, sum(sum(values[kept:]) for _, values in series)
        labels, series = labels[:kept], tuple((name, values[:kept]) for name, values in series)
    meanings = panel.meanings if len(panel.meanings) <= MAX_SERIES else ()
    return replace(
        panel,
        labels=labels,
        series=series,
        others=others,
        meanings=meanings,
        label_meanings=panel.label_meanings[: len(labels)],
    )
