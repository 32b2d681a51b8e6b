"""State tables as pictures in SVG: states, the actions that each of them allows, and the states
they lead to.

The states on the left and on the right are the same ones. Lines go from left to right only, so none
has to go back, and every name stays readable on a phone.
"""

from html import escape

BOX, ACTION, GAP = 140, 132, 44  # widths of a state, of an action, and of the space between them
HEIGHT, STEP = 30, 42  # height of a box, and the distance of two boxes from top to top
WIDTH = 2 * BOX + ACTION + 2 * GAP


def diagram(id, noun, table):
    """Return the picture of a state table: action -> `from` (states) and `to` (a state, None if it
    stays).

    The picture has the actions that change the state; the sentence behind it names the others that
    are possible. The texts of `title` and `desc` say the same as the picture.
    """
    moves = {
        action: (move["from"], move["to"])
        for action, move in table.items()
        if move["from"] and move["to"]
    }
    rest = {
        action: move["from"] for action, move in table.items() if move["from"] and not move["to"]
    }
    starts = _starts(moves)
    actions = _actions(moves, starts)
    ends = list(dict.fromkeys(moves[action][1] for action in actions))
    rows = max(len(starts), len(actions))
    lefts, middles, rights = (_places(names, rows) for names in (starts, actions, ends))
    parts = [
        *(
            _line(BOX, lefts[start], BOX + GAP, middles[action])
            for action, (froms, _) in moves.items()
            for start in froms
        ),
        *(
            _line(BOX + GAP + ACTION, middles[action], WIDTH - BOX, rights[end], arrow=True)
            for action, (_, end) in moves.items()
        ),
        *(_box(0, top, BOX, name, "state") for name, top in lefts.items()),
        *(_box(BOX + GAP, top, ACTION, name, "action") for name, top in middles.items()),
        *(_box(WIDTH - BOX, top, BOX, name, "state") for name, top in rights.items()),
    ]
    height = rows * STEP - STEP + HEIGHT + 4
    return (
        f'<svg class="states" role="img" aria-labelledby="{id}-title {id}-desc" '
        f'viewBox="-2 -2 {WIDTH + 4} {height}">'
        f'<title id="{id}-title">States of the {escape(noun)}</title>'
        f'<desc id="{id}-desc">{escape(sentences(moves))}</desc>{"".join(parts)}</svg>{_unchanged(rest)}'
    )


def sentences(moves):
    """Return the moves as sentences: action -> (states, state)."""
    return " ".join(
        f"{action} leads from {', '.join(froms)} to {end}."
        for action, (froms, end) in moves.items()
    )


def _unchanged(rest):
    """Return a sentence about actions that leave the state as it is: action -> states."""
    named = "; ".join(
        f"<code>{escape(action)}</code> in {escape(', '.join(froms))}"
        for action, froms in rest.items()
    )
    return f'<p class="quiet">These actions leave the state unchanged: {named}.</p>' if rest else ""


def _starts(moves):
    """Return the states on the left, in the order in which a record reaches them."""
    reached, waiting = [], [state for froms, _ in moves.values() for state in froms]
    targets = {end for _, end in moves.values()}
    waiting.sort(key=lambda state: state in targets)  # a state that no action leads to comes first
    while waiting:
        state = waiting.pop(0)
        if state not in reached:
            reached.append(state)
            waiting[:0] = [end for froms, end in moves.values() if state in froms]
    return [state for state in reached if any(state in froms for froms, _ in moves.values())]


def _actions(moves, starts):
    """Return the actions in the order of the states that allow them, so that few lines cross."""
    return sorted(
        moves, key=lambda action: sum(map(starts.index, moves[action][0])) / len(moves[action][0])
    )


def _places(names, rows):
    """Return name -> top of its box. A short column is spread over the height of the longest one."""
    free = (rows - len(names)) * STEP
    step = STEP + free / len(names)
    return {name: round(free / len(names) / 2 + number * step) for number, name in enumerate(names)}


def _box(left, top, width, text, kind):
    shape = f'<rect x="{left}" y="{top}" width="{width}" height="{HEIGHT}" rx="{4 if kind == "action" else 14}"/>'
    return f'<g class="{kind}">{shape}<text x="{left + width // 2}" y="{top + 20}">{escape(text)}</text></g>'


def _line(left, top, right, bottom, *, arrow=False):
    start, end, half = top + HEIGHT // 2, bottom + HEIGHT // 2, (left + right) // 2
    head = f"M{right - 7} {end - 4}L{right} {end}L{right - 7} {end + 4}" if arrow else ""
    return f'<path d="M{left} {start}C{half} {start} {half} {end} {right} {end}{head}"/>'
