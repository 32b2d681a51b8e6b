"""Logs: one line for each event on standard error, in logfmt (name=value pairs) or as a JSON
object.
"""

import json
import logging
import re
import sys
import threading
import time

_is_plain = re.compile(
    r"[!#-<>-\[\]-~]+"
).fullmatch  # printable ASCII but space, quote, equals sign and backslash
_as_json = json.JSONEncoder(separators=(",", ":"), default=str).encode
_is_json = False  # see `start`
_second = (-1, "")  # the last second that was written, and its text


def line(level: str, seconds: float | None = None, **pairs: object) -> str:
    """Return a line with the time (`seconds` since 1970, now by default), the level and the pairs.

    None is `-` in logfmt and null in JSON.
    """
    when = _time(time.time() if seconds is None else seconds)
    if _is_json:
        return _as_json({"time": when, "level": level, **pairs})
    texts = ["-" if value is None else str(value) for value in pairs.values()]
    # one test for all, since most lines are plain
    if not (all(texts) and _is_plain("".join(texts))):
        texts = map(_quoted, texts)
    return f"time={when} level={level} " + " ".join(
        map("%s=%s".__mod__, zip(pairs, texts, strict=True))
    )


def _time(seconds):
    """Return a timestamp in UTC with milliseconds.

    Its text up to the second is kept: a busy server needs it often.
    """
    global _second
    whole, known = int(seconds), _second
    if whole != known[0]:
        known = _second = whole, time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole))
    return f"{known[1]}.{int(seconds % 1 * 1000):03}Z"


def _quoted(text):
    """Return a text.

    Quote it as in JSON unless it is plain, so that no value can imitate a pair or a line.
    """
    return text if _is_plain(text) else json.dumps(text)


class Formatter(logging.Formatter):
    """Format a record as a line.

    The traceback of an exception, or the text in the attribute `traceback` of the record, follows
    the line in logfmt. In JSON it is the value of `traceback`.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of the record."""
        pairs = {"logger": record.name, "msg": record.getMessage()}
        trace = (
            self.formatException(record.exc_info)
            if record.exc_info
            else getattr(record, "traceback", None)
        )
        if trace and _is_json:
            pairs["traceback"] = trace
        text = line(record.levelname.lower(), record.created, **pairs)
        return f"{text}\n{trace}" if trace and not _is_json else text


def start(level: str, form: str) -> None:
    """Log to standard error from this level on, such as `info`, in the form `logfmt` or `json`.

    Warnings of Python, and exceptions that end a thread or the process, are logged as well.
    """
    set_form(form)
    handler = logging.StreamHandler()
    handler.setFormatter(Formatter())
    logging.basicConfig(level=level.upper(), handlers=[handler])
    logging.captureWarnings(True)
    sys.excepthook = _log_unhandled
    threading.excepthook = _log_thread


def set_form(form: str) -> None:
    """Write all lines of this process in the form `logfmt` or `json`."""
    global _is_json
    _is_json = form == "json"


def _log_unhandled(kind, error, trace):
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
    else:
        logging.getLogger("eventapi").critical("unhandled error", exc_info=(kind, error, trace))


def _log_thread(args):
    logging.getLogger("eventapi").critical(
        "unhandled error in the thread %s", args.thread and args.thread.name, exc_info=args[:3]
    )
