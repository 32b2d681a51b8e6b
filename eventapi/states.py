"""State tables, one per kind of record: the states that each action is allowed from, and the state
it leads to.
"""

from dataclasses import dataclass, field

from eventapi.errors import Problem, listed, quoted


@dataclass(frozen=True)
class Transitions:
    """The actions of one kind of record."""

    noun: str
    """What error texts call the record."""

    table: dict
    """action -> (states it is allowed from, the state it leads to or None)"""

    words: dict = field(default_factory=dict)
    """action -> its past tense in the audit log, where that is not the state that it leads to"""

    def move(self, action, state):
        """Return the state that the action leads to, or None if the record is in that state already
        or none is set.

        Raise 409 `invalid_transition`, with the states that the action is allowed from.
        """
        allowed, target = self.table[action]
        if state == target:
            return None
        if state not in allowed:
            raise self.refused(
                f"`{action}` is not possible: the status of the {self.noun} is {state}, and must be "
                f"{listed(allowed, 'or')}.",
                state,
                allowed,
            )
        return target

    def refused(self, cause, state, allowed):
        """Return the 409 Problem `invalid_transition`.

        The actions that the state allows follow the cause.
        """
        actions = self.actions(state)
        remedy = f" This status allows {quoted(actions)}." if actions else ""
        return Problem(
            "invalid_transition",
            cause + remedy,
            state=state,
            allowed_from=list(allowed),
            allowed_actions=actions,
        )

    def past(self, action):
        """Return what the audit log calls the action once it is done."""
        return self.words.get(action) or self.table[action][1]

    def actions(self, state):
        """Return the actions that the state allows."""
        return [action for action, (allowed, _) in self.table.items() if state in allowed]

    def of(self, record):
        """Return the actions that the `status` of the record allows."""
        return self.actions(record["status"])

    def action_to(self, state, target):
        """Return the action that leads from `state` to `target`.

        Raise 409 `invalid_transition` if there is none.
        """
        for action, (allowed, end) in self.table.items():
            if end == target and state in allowed:
                return action
        allowed = sorted(
            {start for starts, end in self.table.values() if end == target for start in starts}
        )
        cause = f"it must be {listed(allowed, 'or')}" if allowed else "no action sets this status"
        raise self.refused(
            f"The status of the {self.noun} is {state} and cannot become {target}: {cause}.",
            state,
            allowed,
        )
