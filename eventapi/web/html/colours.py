"""The colour of an event, as light and dark pages can use it."""

from eventapi.pictures import style

# The grounds of pages/style.css in light and in dark, and the colour that a shade is mixed with to
# stand out from them.
GROUNDS = (
    (("#ffffff", "#f5f6f3", "#e9f1ec"), "#000000"),
    (("#191f1c", "#111513", "#1f2b25"), "#ffffff"),
)


def stylesheet(color: str) -> str:
    """Return a stylesheet with the colour, or with the nearest shade of it that is readable on all
    grounds.
    """
    light, dark = (
        f"--accent:{shade};--on:{style.ink_on(shade)}"
        for shade in (readable(color, *grounds) for grounds in GROUNDS)
    )
    return f":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"


def readable(color: str, grounds: tuple[str, ...], away: str) -> str:
    """Return the colour, mixed with `away` in steps of a twentieth until text of it can be read on
    all grounds.
    """
    shades = (_mixed(color, away, step / 20) for step in range(21))
    return next(
        shade
        for shade in shades
        if all(style.contrast(shade, ground) >= style.READABLE for ground in grounds)
    )


def _mixed(color, other, share):
    pairs = ((int(color[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(one + (two - one) * share):02x}" for one, two in pairs)
