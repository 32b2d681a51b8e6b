"""State tables, one per kind of record: the states that each action is allowed from, and the state it leads to."""
from dataclasses import dataclass, field

from eventapi.errors import Problem


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
        """Return the state that the action leads to, or None if the record is in that state already or none is set.

        Raise 409 `invalid_transition`, with the states that the action is allowed from.
        """
        allowed, target = self.table[action]
        if state == target:
            return None
        if state not in allowed:
            detail = f"{self.noun.capitalize()}s do not support the action {action}."
            if allowed:
                detail = f"Cannot {action} the {self.noun}: it is {state}, and must be {' or '.join(allowed)}."
            raise Problem("invalid_transition", detail, state=state, allowed_from=list(allowed),
                          allowed_actions=self.actions(state))
        return target

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
        """Return the action that leads from `state` to `target`. Raise 409 `invalid_transition` if there is none."""
        for action, (allowed, end) in self.table.items():
            if end == target and state in allowed:
                return action
        allowed = sorted({start for starts, end in self.table.values() if end == target for start in starts})
        remedy = f"Only {self.noun}s that are {' or '.join(allowed)} can." if allowed else "No action leads there."
        raise Problem("invalid_transition", f"The {self.noun} is {state} and cannot become {target}. {remedy}",
                      state=state, allowed_from=allowed, allowed_actions=self.actions(state))
