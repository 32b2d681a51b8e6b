"""A phone at the door whose network can be taken away, slowed down, and made to lose responses."""

from tests.client.middle import Middle
from tests.support.phone import Phone


class Always(list):
    """Faults of a proxy for all further requests."""

    def __init__(self, fault):
        super().__init__([fault])

    def pop(self, _=0):
        return self[0]


class Device(Phone):
    """A phone behind a proxy."""

    def __init__(self, folder, upstream, **values):
        self.middle = Middle(upstream)
        super().__init__(folder, f"{self.middle.url}/door/", **values)

    def set_network(self, fault=None):
        self.middle.faults = Always(fault) if fault else []

    def end(self):
        super().end()
        self.middle.__exit__()
