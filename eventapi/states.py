"""State tables: which action leads from which states to which. One table per resource, as data."""
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
        """The state that the action leads to; None when the record is already there. 409 names what would be allowed."""
        allowed, target = self.table[action]
        if state == target:
            return None
        if state not in allowed:
            raise Problem("invalid_transition", f"{action} is not allowed while the {self.noun} is {state}; "
                          f"it is allowed from: {', '.join(allowed)}.", state=state, allowed_from=list(allowed),
                          allowed_actions=self.actions(state))
        return target

    def past(self, action):
        """Return what the audit log calls the action once it is done."""
        return self.words.get(action) or self.table[action][1]

    def actions(self, state):
        """What may be done now."""
        return [action for action, (allowed, _) in self.table.items() if state in allowed]

    def of(self, record):
        """Return the actions that the `status` of the record allows."""
        return self.actions(record["status"])

    def action_to(self, state, target):
        """The action by which `status` in a body asks for `target`; the same 409 where none leads there."""
        for action, (allowed, end) in self.table.items():
            if end == target and state in allowed:
                return action
        allowed = sorted({start for starts, end in self.table.values() if end == target for start in starts})
        raise Problem("invalid_transition", f"The {self.noun} is {state} and cannot become {target}; "
                      f"it could from: {', '.join(allowed) or 'no state'}.", state=state, allowed_from=allowed,
                      allowed_actions=self.actions(state))
