"""Holders of addresses from the text of records, without code of `ipam`."""

import re
import sys
from collections.abc import Mapping
from ipaddress import ip_address

_FIRST, _LAST = (
    re.compile(rf"^  {name}Address: \"?([0-9a-f.:]+)\"?$", re.MULTILINE)
    for name in ("start", "end")
)


def held(text: str) -> tuple[int, int] | None:
    """Return the first and last address of a record as numbers, or None."""
    found = [pattern.search(text) for pattern in (_FIRST, _LAST)]
    first, last = (int(ip_address(it.group(1))) if it else None for it in found)
    return None if first is None or last is None else (first, last)


def twice(records: Mapping[str, str]) -> list[str]:
    """Return the records that overlap another one, by path."""
    ranges = sorted((it, path) for path, text in records.items() if (it := held(text)))
    found, last, holder = [], -1, ""
    for (first, end), path in ranges:
        if first <= last:
            found.append(f"{holder} and {path}")
        last, holder = max((last, holder), (end, path))
    return found


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
