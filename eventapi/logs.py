"""Logs in logfmt: one line of name=value pairs for each event, on standard error."""
import json
import logging
import re
import time

PLAIN = re.compile(r"[!#-<>-\[\]-~]+")              # printable ASCII without space, quote, equals sign and backslash
_second = (-1, "")                                  # the last second that was written, and its text


def line(level: str, seconds: float | None = None, **pairs: object) -> str:
    """Return a line with the time (`seconds` since 1970, now by default), the level and the pairs. None is `-`."""
    head = f"time={_time(time.time() if seconds is None else seconds)} level={level}"
    return " ".join([head, *[f"{name}={_quoted(value)}" for name, value in pairs.items()]])


def _time(seconds):
    """Return a timestamp in UTC with milliseconds. Its text up to the second is kept: a busy server needs it often."""
    global _second
    whole, known = int(seconds), _second
    if whole != known[0]:
        known = _second = whole, time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole))
    return f"{known[1]}.{int(seconds % 1 * 1000):03}Z"


def _quoted(value):
    """Return a value as text. Quote it as in JSON unless it is plain, so that no value can imitate a pair or a line."""
    if type(value) is int or type(value) is float:
        return str(value)
    text = "-" if value is None else str(value)
    return text if PLAIN.fullmatch(text) else json.dumps(text)


class Formatter(logging.Formatter):
    """Format a record as a line. The traceback of an exception follows it."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of the record."""
        text = line(record.levelname.lower(), record.created, logger=record.name, msg=record.getMessage())
        return f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text


def start(level: str) -> None:
    """Log to standard error from this level on, such as `info`."""
    handler = logging.StreamHandler()
    handler.setFormatter(Formatter())
    logging.basicConfig(level=level.upper(), handlers=[handler])
