"""What a daemon says on stderr: lines of text, or of JSON, each with what it is about."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

from reconciler.cli.shared.failures import without_passwords
from reconciler.commands.watching.log import current_round
from reconciler.report.escape import escape

_ABOUT = ("round", "cluster", "claim", "watch", "code", "file")


class _Lines(logging.Formatter):
    """One line a record, of which nothing is a control character or a password."""

    def format(self, record: logging.LogRecord) -> str:
        about = _about(record)
        words = "".join(f" {name}={escape(str(value))}" for name, value in about.items())
        said = escape(without_passwords(record.getMessage()))
        line = f"{_time(record)} {record.levelname}{words} {said}"
        return f"{line}\n{self._steps(record)}" if _shows(record) else line

    def _steps(self, record: logging.LogRecord) -> str:
        return without_passwords(self.formatException(record.exc_info)) if record.exc_info else ""


class _Json(_Lines):
    """The same as JSON."""

    def format(self, record: logging.LogRecord) -> str:
        told = {"time": _time(record), "level": record.levelname.lower()}
        told |= _about(record)
        told["message"] = escape(without_passwords(record.getMessage()))
        if _shows(record):
            told["traceback"] = self._steps(record)
        return json.dumps(told)


def start(form: str) -> None:
    """Say what the daemon does, in a form; with `--debug` the steps of all code, too."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json() if form == "json" else _Lines())
    logging.basicConfig(level=logging.getLogger().level, handlers=[handler], force=True)
    own = logging.getLogger("reconciler")
    if own.getEffectiveLevel() > logging.INFO:
        own.setLevel(logging.INFO)


def _about(record: logging.LogRecord) -> dict[str, Any]:
    """What a line is about. What is said while a round is worked at is about that round."""
    about = {name: getattr(record, name) for name in _ABOUT if hasattr(record, name)}
    number = current_round()
    return about if number is None else {"round": number, **about}


def _shows(record: logging.LogRecord) -> bool:
    """Tracebacks are for those who ask for them."""
    return bool(record.exc_info) and logging.getLogger().isEnabledFor(logging.DEBUG)


def _time(record: logging.LogRecord) -> str:
    at = datetime.fromtimestamp(record.created, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{int(record.msecs):03}Z"
