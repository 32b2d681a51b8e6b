"""What the demo show is made with: requests to the API in this process, all of them in one
transaction, and an agenda.

The rules of the API apply to every record. What happens on a day of the past is done at that time,
by the clock of the transaction, so that the audit log, the reports and the numbers of invoices look
like after a year of use.
"""

import heapq
import io
import json
import sys
from contextlib import contextmanager
from datetime import datetime, timedelta

from eventapi import money, times
from eventapi.app import App
from eventapi.storage.database import Database, as_json
from eventapi.storage.statements import statements

sql = statements("demo")

YEN_PER_EURO = 150  # what prices are multiplied by in currencies without decimals


class Failed(Exception):
    """A request of the demo was refused.

    The argument is one line: method, path and problem document.
    """


class OneTransaction(Database):
    """A connection for all requests of one open transaction.

    A refused request that has changed something is not undone, so it must end the transaction (see
    Api.unless).
    """

    def __init__(self, config):
        super().__init__(config)
        self.values(sql.large_cache)

    @contextmanager
    def whole(self):
        """Open the transaction. It is rolled back if the block raises."""
        with super().write():
            yield self

    @contextmanager
    def write(self, wait=0):
        """Run a write of a request in the open transaction.

        A savepoint for each request would make imports slow: SQLite walks through the undo log of
        the outer savepoint whenever an inner one ends.
        """
        yield self

    def reader(self):
        """Return the connection that handlers of GET requests use, as
        storage/connections.Connections does.
        """
        return self

    writer = reader


class Api:
    """A client that calls the WSGI app in this process.

    Attributes:
        key: the API key of the following requests.
        disabled: names of the features that are switched off.
    """

    def __init__(self, db, key, disabled):
        self.db, self.app, self.key, self.disabled = db, App(db.config, db), key, disabled

    def has(self, *features):
        """Return whether all these features are switched on."""
        return self.disabled.isdisjoint(features)

    def __call__(self, method, path, body=None, content_type="application/json"):
        """Return `data` of the response.

        `body` is JSON, or bytes. Raise Failed for an error response.
        """
        status, answer = self._send(method, path, body, content_type)
        if status >= 400:
            raise Failed(f"{method} {path}: {as_json(answer)}")
        return answer and answer["data"]

    def unless(self, code, method, path):
        """Return `data` of the response, or None if the request is refused with this code, without
        any effect.
        """
        try:
            with self.db.savepoint():
                status, answer = self._send(method, path, None, "application/json")
                if status >= 400:
                    raise Failed(f"{method} {path}: {as_json(answer)}")
                return answer["data"]
        except Failed:
            if answer["code"] != code:
                raise
            return None

    def _send(self, method, path, body, content_type):
        """Return the status and the JSON of the response."""
        raw = body if isinstance(body, bytes) else b"" if body is None else as_json(body).encode()
        status = []

        def start_response(line, headers, exc_info=None):
            status.append(int(line[:3]))

        path, _, query = path.partition("?")
        chunks = self.app(
            {
                "REQUEST_METHOD": method,
                "PATH_INFO": f"/api/v1{path}",
                "QUERY_STRING": query,
                "SERVER_NAME": "demo",
                "SERVER_PORT": "80",
                "REMOTE_ADDR": "127.0.0.1",
                "SERVER_PROTOCOL": "HTTP/1.1",
                "wsgi.url_scheme": "http",
                "wsgi.input": io.BytesIO(raw),
                "wsgi.errors": sys.stderr,
                "CONTENT_LENGTH": str(len(raw)),
                "CONTENT_TYPE": content_type,
                "HTTP_AUTHORIZATION": f"Bearer {self.key}",
            },
            start_response,
        )
        text = b"".join(chunks)
        return status[-1], json.loads(text) if text else None


class Agenda:
    """The steps of the demo in the order of their times. Steps after the present are never run.

    Attributes:
        now: the present, as UTC text.
        today: the date of the present in the time zone of the tenant.
        rnd: the random.Random of the whole demo.
        api: the Api; each step uses the key of another admin.
        keys: the API keys of the team.
    """

    def __init__(self, db, now, rnd):
        self.db, self.api, self.now, self.rnd = db, None, now, rnd
        self.zone, self.currency = db.config.timezone, db.config.currency
        self.today = times.today(self.zone, now)
        self._steps, self._count, self.keys = [], 0, []

    def day(self, days):
        """Return the date so many days after today."""
        return times.add_days(self.today, days)

    def moment(self, days, clock="10:00"):
        """Return the timestamp of a time such as 09:30 so many days after today.

        It is an hour later or earlier on the day on which the clocks change.
        """
        hours, minutes = clock.split(":")
        begin = datetime.fromisoformat(times.start(self.day(days), self.zone))
        return times.text(begin + timedelta(hours=int(hours), minutes=int(minutes)))

    def at(self, days, act, clock=None):
        """Run `act()` at a time so many days after today; without `clock`, at some minute of the
        office hours.
        """
        self.put(
            self.moment(
                days, clock or f"{self.rnd.randint(8, 16):02}:{self.rnd.randint(0, 59):02}"
            ),
            act,
        )

    def put(self, moment, act):
        """Run `act()` at a timestamp, or at once if that of the running step is later."""
        if moment <= self.now:
            heapq.heappush(self._steps, (max(moment, self.db.now), self._count, act))
            self._count += 1

    def run(self, say=lambda text: None):
        """Run all steps. `say` reports each month that begins."""
        month = ""
        while self._steps:
            moment, number, act = heapq.heappop(self._steps)
            if moment[:7] != month:
                month = moment[:7]
                say(f"creating what happened in {month}")
            self.db.now = self.db.stamp = moment
            self.api.key = self.keys[number % len(self.keys)]
            act()
        self.db.now = self.db.stamp = self.now

    def price(self, euros):
        """Return a price in the currency of the tenant: whole tens without decimals, else the same
        number.
        """
        return euros if money.decimals(self.currency) else round(euros * YEN_PER_EURO, -1) // 1

    def share(self, amount, percent, currency):
        """Return so many percent of an amount, rounded to the decimals of the currency."""
        return (
            round(amount * percent / 100, money.decimals(currency))
            if money.decimals(currency)
            else int(amount * percent // 100)
        )
