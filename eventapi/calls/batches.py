"""Batches: POST /NAME/batch does one action for many records.

Each entry runs the handler of the single request, in a savepoint of a transaction that it shares
with others. So rules, journal and webhooks are those of the single request, and a refused entry
changes nothing. What is slow and needs no lock, such as drawing a PDF, is done before each
transaction. Other writers get the lock between two transactions. A dry run is rolled back at the end
of each, so an entry sees only those of its own. One that offsets credit has a single transaction: each
entry must see the credit that those before it used.

With an Idempotency-Key, each transaction keeps all results so far in the row of the key. The same
request again finds them and continues with the rest; so do two of them at once, each of which looks
at the row inside its transactions. A page of the desk that runs a batch keeps the results in a row of
its own (`keeper` of calls/desk.py).
"""

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import partial

from bottle import request

from eventapi.errors import Problem, damaged, invalid_parameter
from eventapi.plugins import idempotency
from eventapi.plugins.access import require_flag, require_scope
from eventapi.plugins.authentication import Who
from eventapi.plugins.read_only import compared
from eventapi.plugins.request import MINIMAL, problem_of
from eventapi.plugins.validation import body_of
from eventapi.storage.database import Database, as_json
from eventapi.storage.errors import damage, storage_error
from eventapi.web import dry_runs, masking
from eventapi.web.dry_runs import DryRun
from eventapi.web.rest import Response
from eventapi.web.routes import Route, Routes, called

MOST = 50  # entries of a transaction
LONGEST = 0.25  # seconds after which a transaction begins no further entry
RETRY_AFTER = 5  # seconds
ITEM_FAULTS = 100  # that are searched for in one item


def run(
    routes: Routes,
    who: Who,
    body: dict,
    *,
    whole: dict[str, Callable] | None = None,
    needs_key: tuple[str, ...] = (),
) -> Response:
    """Return the response to a batch. `body` is a BatchBody.

    `whole`: action that is all or nothing -> its function `(db, fields)`, which returns the new
    records. `needs_key` are the actions that require an Idempotency-Key. Raise 403 unless the key
    may do the action, 503 `unavailable` if too many other threads are busy with batches, and what
    ends a transaction of the storage.
    """
    environ, action = request.environ, body["action"]
    key = environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is not None:
        idempotency.check(key)
    elif action in needs_key:
        raise invalid_parameter(
            "Idempotency-Key",
            "required",
            "is required, because nothing else shows that an entry "
            "was executed before. Send a new random value with each new request",
        )
    if action in (whole or {}):
        batch = AllOrNothing(whole[action], body["fields"])
    else:
        route = routes.single(action)
        require_flag(who, route.options.flag)
        require_scope(who, route.options.scope, writes=True)
        batch = EachEntry(routes, route, who, body, environ)
    keeper = None
    if not body["dry_run"]:
        keeper = environ.get("eventapi.keeper") or (key and KeptByKey(environ, who, key))
    with place(environ):
        results, is_repeated = executed(environ, who, batch, keeper, body["dry_run"])
    return response(environ, with_secrets(results, batch.secrets), body["dry_run"], is_repeated)


@contextmanager
def place(environ: dict) -> Iterator[None]:
    """Occupy one of the places of the process (web/uploads.py), which are half of its threads.

    Raise 503.
    """
    free = environ["eventapi.places"]
    if not free.acquire(blocking=False):
        raise Problem(
            "unavailable",
            "The server executes as many batches and uploads as it can. Retry in "
            f"{RETRY_AFTER} seconds.",
            headers={"Retry-After": str(RETRY_AFTER)},
        )
    try:
        yield
    finally:
        free.release()


class KeptByKey:
    """Keeps the results of a batch with an Idempotency-Key, in the row of the key.

    `find` and `keep` run inside the write transaction of some entries.
    """

    def __init__(self, environ: dict, who: Who, key: str):
        self.environ, self.who, self.key = environ, who, key
        self.row = None

    def find(self, db: Database) -> tuple[list, bool] | None:
        """Return the results that are kept, and whether entries are left; None if nothing is kept."""
        self.row = idempotency.kept_response(self.environ, db, self.who.key_id, self.key)
        if self.row is None:
            return None
        data = json.loads(self.row["data"])
        return data["results"], data.get("left", False)  # missing: a person in it was erased

    def keep(self, db: Database, results: list, left: bool) -> None:
        """Keep all results so far."""
        request_id = self.who.request_id
        if self.row and self.row["request_id"] != request_id:
            request_id = None
        response = Response({"results": results, "left": left})
        idempotency.keep(self.environ, db, self.key, response, request_id)


def executed(
    environ: dict,
    who: Who,
    batch: "EachEntry | AllOrNothing",
    keeper: KeptByKey | None,
    dry_run: bool,
) -> tuple[list, bool]:
    """Execute the entries, a transaction at a time.

    Return their results, and whether all of them were kept before. `keeper` is a KeptByKey, or what
    has its functions.
    """
    results, left, is_repeated = [], True, True
    while left:
        try:
            batch.prepare(len(results))
            results, left, is_new = transaction(environ, who, batch, keeper, dry_run, results)
        except Exception as error:
            if keeper or not results:  # the same request continues, or nothing has happened
                raise
            refusal = refused(problem_of(error))
            return [
                *results,
                *({"index": index, **refusal} for index in range(len(results), batch.size)),
            ], False
        is_repeated = is_repeated and not is_new
    return results, is_repeated


def transaction(
    environ: dict,
    who: Who,
    batch: "EachEntry | AllOrNothing",
    keeper: KeptByKey | None,
    dry_run: bool,
    results: list,
) -> tuple[list, bool, bool]:
    """Execute the next entries.

    Return all results so far, whether entries are left, and whether any was executed.

    None is executed if another request with this keeper has executed more than `results`.
    """
    if damage(environ["eventapi.config"].database):
        raise damaged()
    db = environ["eventapi.connections"].writer()
    after, left, is_new = results, True, False
    try:
        with db.write():
            db.actor = who
            kept = keeper and keeper.find(db)
            if kept:
                after, left = kept
            if left and len(after) == len(results):
                new, is_new = batch.execute(db, len(after), dry_run), True
                after = [*after, *new]
                left = len(after) < batch.size
                if keeper:
                    keeper.keep(db, after, left)
            if dry_run:
                raise DryRun
    except DryRun:
        pass
    return after, left, is_new


class AllOrNothing:
    """An action that is all or nothing. Its size is known once it was executed."""

    size = 0

    def __init__(self, function: Callable, fields: dict):
        self.function, self.fields = function, fields
        self.secrets = {}

    def prepare(self, start: int) -> None:
        """Do nothing: there is only one transaction."""

    def execute(self, db: Database, start: int, dry_run: bool) -> list[dict]:
        """Return the results of all new records."""
        records = self.function(db, self.fields)
        return [
            {"index": index, "status": 201, "data": {**record, "id": None} if dry_run else record}
            for index, record in enumerate(records)
        ]


class EachEntry:
    """The entries of an action: its handler is called for each of them.

    Attributes:
        size: how many entries there are.
        most: how many of them a transaction executes at most.
        longest: the seconds after which it begins no further entry.
        success: status of an entry whose handler names none.
        secrets: index -> the field of its record that only this response shows, as {name: value}.
    """

    def __init__(self, routes: Routes, route: Route, who: Who, body: dict, environ: dict):
        self.handler, self.before, self.who = route.handler, route.options.before, who
        self.schema, self.singular = route.options.schema, route.options.singular
        self.read = routes.single("get").handler
        self.reader = environ["eventapi.connections"].reader
        self.success = 204 if route.method == "DELETE" else 200
        self.check = body_of(route.options.schema, "POST", environ["eventapi.config"].timezone)
        self.ids, self.items, self.fields = body["ids"], body["items"], body["fields"]
        self.size = len(self.ids or self.items)
        self.most, self.longest = MOST, LONGEST
        if body["dry_run"] and self.fields.get("offset"):
            self.most, self.longest = self.size, math.inf
        self.prepared = {}  # index -> what `ready` returns, or the Problem that it raises
        self.secrets = {}

    def prepare(self, start: int) -> None:
        """Do the work of the next entries that needs no write lock: check the items, draw the
        pages.
        """
        for index in range(start, min(start + self.most, self.size)):
            if index not in self.prepared:
                self.prepared[index] = attempted(partial(self.ready, index))

    def ready(self, index: int) -> object:
        """Return the checked item of an entry, or the result of `before`."""
        if self.items:
            return self.check(self.items[index])
        return self.before and self.before(self.reader(), self.ids[index])

    def execute(self, db: Database, start: int, dry_run: bool) -> list[dict]:
        """Return the results of the next entries: at most `most`, and as many as fit into `longest`
        seconds.
        """
        results, deadline = [], time.monotonic() + self.longest
        for index in range(start, min(start + self.most, self.size)):
            if results and time.monotonic() > deadline:
                break
            results.append({"index": index, **self.result(db, index, dry_run)})
        return results

    def result(self, db: Database, index: int, dry_run: bool) -> dict:
        """Return the result of one entry, as it is kept with an Idempotency-Key: with null in place
        of a secret.
        """
        known = self.known(db, index) if dry_run else None
        done = attempted(lambda: self.call(db, index), db)
        if isinstance(done, Problem):
            return refused(done)
        done = done if isinstance(done, Response) else Response(done, self.success)
        data, meta = done.later_data(), done.meta
        if dry_run:
            is_acted_on = done.status != 201 or self.items
            tried = dry_runs.response_to(done, self.singular, known if is_acted_on else None)
            data, meta = tried.data, tried.meta
        elif done.secret:
            self.secrets[index] = {done.secret: done.data[done.secret]}
        found = {"status": done.status, "data": data, "meta": meta}
        return {name: value for name, value in found.items() if value not in (None, {})}

    def call(self, db: Database, index: int) -> object:
        """Return what the handler returns for an entry."""
        ready = self.prepared[index]
        if isinstance(ready, Problem):
            raise ready
        given = {"who": self.who, "before": ready}
        if self.ids:
            given.update(id=self.ids[index], body=deepcopy(self.fields))
        else:
            given["body"] = ready
        result = called(self.handler, db=db, **given)
        return compared(self.schema, self.items[index], None, result) if self.items else result

    def known(self, db: Database, index: int) -> dict:
        """Return what is known of an entry before it is executed: the record, or the item.

        {} if there is none.
        """
        found = (
            self.items[index]
            if self.items
            else attempted(
                lambda: called(self.read, db=db, who=self.who, id=self.ids[index], query={})
            )
        )
        return found if isinstance(found, dict) else {}


def attempted(act: Callable[[], object], db: Database | None = None) -> object:
    """Return what `act` returns, or the Problem that it raises.

    With `db`, a refusal rolls back what it has written.

    An unexpected error is logged, and is the Problem internal_error. An error of the storage is
    raised: it ends the transaction.
    """
    try:
        if db is None:
            return act()
        with db.savepoint():
            try:
                return act()
            except Problem as problem:
                if not problem.keeps:
                    raise
                return problem
    except Exception as error:
        if storage_error(error) or (db is not None and not db.connection.in_transaction):
            raise
        return problem_of(error)


def with_secrets(results: list[dict], secrets: dict[int, dict]) -> list[dict]:
    """Return the results with the secrets of the entries that this request has executed: no later
    one shows them.
    """
    return [
        {**result, "data": {**result["data"], **secrets[result["index"]]}}
        if result["index"] in secrets and "data" in result
        else result
        for result in results
    ]


def refused(problem: Problem) -> dict:
    """Return the result of a refused entry, without its index."""
    found = {"status": problem.status, "code": problem.code, "detail": problem.detail}
    if problem.errors:
        found["errors"] = problem.errors[:ITEM_FAULTS]
    if problem.members:
        found["problem"] = problem.members
    return json.loads(masking.text(as_json(found)))


def response(environ: dict, results: list[dict], dry_run: bool, is_repeated: bool) -> Response:
    """Return the response to a batch with these results."""
    headers = {"Idempotency-Replayed": "true"} if is_repeated else {}
    if MINIMAL.search(environ.get("HTTP_PREFER", "")):
        headers["Preference-Applied"] = "return=minimal"
        results = [
            {name: value for name, value in result.items() if name != "data"} for result in results
        ]
    done = sum(result["status"] < 400 for result in results)
    data = {"results": results, "done": done, "refused": len(results) - done, "dry_run": dry_run}
    return Response(data, 200, headers)
