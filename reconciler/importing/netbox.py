"""An export of NetBox to rows: JSON as its API gives it, or a table as its lists are exported."""

import json
from collections.abc import Mapping
from typing import Any

from reconciler.findings import Location, shown
from reconciler.importing.rows import MOST_ROWS, Row, Rows, table_rows, wrong

_SHAPES = (("prefix", "network"), ("start_address", "range"), ("address", "host"))
_ALSO = {"Prefix": "network", "Start address": "range", "IP Address": "host", "Address": "host"}
# What the parts of an object are called here; of several the first that has a value counts.
_PARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("address", ("address",)),
    ("cidr", ("prefix",)),
    ("start", ("start_address",)),
    ("end", ("end_address",)),
    ("name", ("assigned_object", "dns_name")),
    ("team", ("tenant",)),
    ("type", ("role",)),
    ("status", ("status",)),
    ("description", ("description",)),
    ("space", ("vrf",)),
)
_NAMES = ("virtual_machine", "device", "fhrp_group", "name", "value", "display", "slug")
# As lists are exported; those of imports have them in small letters.
_TABLE = {"tenant": "team", "vlan": "ignore", "site": "ignore", "scope": "ignore"}


def netbox_rows(path: str, text: str) -> Rows:
    """The rows of an export: a list of objects, a page of the API, or a table."""
    if text.lstrip()[:1] not in ("[", "{"):
        return _table(path, text)
    read = _parsed(path, text)
    if isinstance(read, Rows):
        return read
    items = read.get("results", [read]) if isinstance(read, dict) else read
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        hint = "a list of prefixes, ip-ranges or ip-addresses, as /api/ipam/… gives it"
        return wrong(path, "the file holds no list of objects", hint)
    if len(items) > MOST_ROWS:
        message = f"the file has more than {MOST_ROWS:,} objects"
        return wrong(path, message, "export it in several files, and import one after the other")
    more = isinstance(read, dict) and read.get("next")
    rows = tuple(_row(path, at, item) for at, item in enumerate(items))
    if more:
        hint = "export all of them: add ?limit=0 to the address, or name all pages"
        return Rows(rows, wrong(path, "the file is one page of several", hint).conflicts)
    return Rows(rows)


def _parsed(path: str, text: str) -> Any:
    """What a JSON text says; `Rows` that say why where it cannot be read."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except _TwiceError as failed:
        message = f"an object says {shown(str(failed))} twice"
        return wrong(path, message, "export it once more: of two values one would be lost")
    except json.JSONDecodeError as failed:
        message = f"the file is no JSON: {failed.msg}"
        return wrong(path, message, "export it once more", failed.lineno)
    except RecursionError:
        return wrong(path, "the file is no JSON: it is nested too deep", "export it once more")
    except ValueError:  # Python converts no number of more than some thousand digits
        message = "the file holds a number of thousands of digits"
        return wrong(path, message, "export it once more: NetBox writes none")


class _TwiceError(Exception):
    """An object has a key twice: the key."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, whose keys all differ."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _TwiceError(key)
        found[key] = value
    return found


def _table(path: str, text: str) -> Rows:
    header = next((line for line in text.splitlines() if line.strip()), "")
    names = [cell.strip().strip('"') for cell in header.split(",")]
    mapped = {name: _TABLE[name.casefold()] for name in names if name.casefold() in _TABLE}
    found = table_rows(path, text, mapped)
    plain = {name.casefold().replace("_", " "): shape for name, shape in _ALSO.items()}
    lowered = {shape.casefold(): meaning for shape, meaning in plain.items()}
    shape = next(
        (lowered[key] for name in names if (key := name.casefold().replace("_", " ")) in lowered),
        "",
    )
    return found._replace(rows=tuple(row._replace(shape=shape) for row in found.rows))


def _row(path: str, at: int, item: Mapping[str, Any]) -> Row:
    values = {}
    for meaning, parts in _PARTS:
        text = next((text for part in parts if (text := _text(item.get(part)))), "")
        if text:
            values[meaning] = text
    shape = next((shape for field, shape in _SHAPES if field in item), "")
    number = item.get("id")
    pointer = f"/{at}" if not isinstance(number, int) else f"/{at} (id {number})"
    return Row(Location(path, 0, 0, pointer), values, shape)


def _text(value: object) -> str:
    """A value, or what the object that stands there is called."""
    for _ in range(len(_NAMES)):
        if not isinstance(value, Mapping):
            break
        value = next((value[name] for name in _NAMES if value.get(name)), "")
    return value.strip() if isinstance(value, str) else ""
