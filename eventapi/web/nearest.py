"""The known path that a wrong path probably means, for the error text of a 404."""

import re
from collections.abc import Iterable, Iterator

from eventapi.errors.synonyms import synonyms

ROOT = "/api/v1"
PREFIX = re.compile(r"/api(/v\d+)?(?=/|$)")
NUMBER = re.compile(r"(?<=/)[1-9]\d{0,18}(?=/|$)", re.ASCII)


class KnownPaths:
    """The paths of all routes, with which a wrong path is compared.

    They are kept without /api/v1, and their ids are written as `<id>`.
    """

    def __init__(self, paths: Iterable[str]):
        # path -> whether it is below /api/v1
        self.is_in_api = {}
        for path in paths:
            known = re.sub(r"<\w*id>", "<id>", path.removeprefix(ROOT))
            self.is_in_api[known] = path.startswith(ROOT)

        # (place, the other parts) -> the parts that known paths have at this place
        self.parts_at = {}
        for path in self.is_in_api:
            for place, others, part in _without_one(path):
                self.parts_at.setdefault((place, others), []).append(part)

    def hint(self, path: str) -> str:
        """Return the end of the error text about a wrong path.

        It names the nearest known path: one that has another word for a part, that differs least in
        one part, or has an id more. If there is none, it may say that the resource has no batch.
        Otherwise it is "".
        """
        pattern = NUMBER.sub("<id>", PREFIX.sub("", path.lower(), 1))
        nearest = self._nearest(pattern)
        if nearest is None:
            return self._no_batch(pattern)

        ids = iter(NUMBER.findall(path))
        address = re.sub("<([^<>]+)>", lambda name: next(ids, f"{{{name[1]}}}"), nearest)
        if self.is_in_api[nearest]:
            address = f"{ROOT}{address}"
        if address == path:  # the path is right, but its id is beyond 64 bits
            return ""
        return f"; did you mean {address}?"

    def _nearest(self, pattern):
        if pattern in self.is_in_api:
            return pattern
        return self._with_other_part(pattern) or self._with_id(pattern)

    def _with_other_part(self, pattern):
        """Return the known path with one part in place of a synonym or a similar one, or None."""
        from difflib import get_close_matches  # a process imports it only after a wrong path

        parts = pattern.split("/")
        for place, others, part in _without_one(pattern):
            candidates = self.parts_at.get((place, others), ())
            similar = synonyms(part[:40], candidates) or get_close_matches(part[:40], candidates, 1)
            is_number = not part.strip("-+.0123456789")  # but no id, as in /events/0
            if similar:
                return "/".join([*parts[:place], similar[0], *parts[place + 1 :]])
            if is_number and "<id>" in candidates:
                return "/".join([*parts[:place], "<id>", *parts[place + 1 :]])
        return None

    def _with_id(self, pattern):
        """Return the known path that has an id more, or None.

        It is /participants/<id>/invoice for /participants/invoice.
        """
        parts = pattern.split("/")
        for place in range(2, len(parts)):
            path = "/".join([*parts[:place], "<id>", *parts[place:]])
            if path in self.is_in_api:
                return path
        return None

    def _no_batch(self, pattern):
        """Return the text for the batch of a resource that has none; "" for other paths."""
        resource = pattern.removesuffix("/batch")
        if resource == pattern or not self.is_in_api.get(resource):
            return ""
        return f": {ROOT}{resource} has no batch, so send a request for each record."


def _without_one(path: str) -> Iterator[tuple[int, str, str]]:
    """Yield (place, the other parts, part) for each part of a path."""
    parts = path.split("/")
    for place in range(1, len(parts)):
        yield place, "/".join([*parts[:place], *parts[place + 1 :]]), parts[place]
