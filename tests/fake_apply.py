"""Server-side apply of an API server: ownership of fields, and the result of writes.

Lists are atomic, except sets, and lists of the CRDs whose items have a key.
Source: https://kubernetes.io/docs/reference/using-api/server-side-apply/
"""

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

Fields = dict[tuple[str, ...], Any]
"""What is at each place of an object: steps as `fieldsV1` writes them, and the value."""

_KEYED = {"conditions": "type", "infrastructureAllocations": "ip", "variables": "name"}
_SETS = ("finalizers",)
_OWNED_METADATA = ("labels", "annotations", "finalizers", "ownerReferences")


def owned(manifest: Mapping[str, Any], *, status: bool) -> Fields:
    """Return the fields of an object, or of its status, that a manager can own."""
    if status:
        return dict(_fields({"status": manifest.get("status") or {}}, ()))
    kept = {key: manifest[key] for key in manifest if key not in ("apiVersion", "kind", "status")}
    metadata = kept.pop("metadata", {})
    kept["metadata"] = {key: metadata[key] for key in _OWNED_METADATA if metadata.get(key)}
    return dict(_fields(kept, ()))


def _fields(value: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[tuple[Any, Any]]:
    for key, item in value.items():
        here = (*path, f"f:{key}")
        if isinstance(item, Mapping) and item:
            yield from _fields(item, here)
        elif key in _SETS:
            yield from (((*here, f"v:{json.dumps(each)}"), each) for each in item)
        elif key in _KEYED and item:
            name = _KEYED[key]
            for each in item:
                inner = (*here, f"k:{json.dumps({name: each[name]}, separators=(',', ':'))}")
                yield from _fields(each, inner)
        elif item is not None and item != {}:
            yield here, item


def written(live: dict[str, Any], fields: Fields) -> None:
    for path, value in fields.items():
        _write(live, path, deepcopy(value))


def _write(node: Any, path: tuple[str, ...], value: Any) -> None:
    step, rest = path[0], path[1:]
    kind, name = step[:2], step[2:]
    if kind == "f:":
        if not rest:
            node[name] = value
            return
        inside: Any = [] if rest[0][:2] in ("k:", "v:") else {}
        _write(node.setdefault(name, inside), rest, value)
    elif kind == "v:":
        if value not in node:
            node.append(value)
    else:
        key = json.loads(name)
        found = next((item for item in node if key.items() <= item.items()), None)
        if found is None:
            node.append(found := dict(key))
        _write(found, rest, value)


def removed(live: dict[str, Any], path: tuple[str, ...]) -> None:
    remove(live, path)


def remove(node: Any, path: tuple[str, ...]) -> None:
    step, rest = path[0], path[1:]
    kind, name = step[:2], step[2:]
    if kind == "v:":
        value = json.loads(name)
        node[:] = [item for item in node if item != value]
        return
    if kind == "k:":
        key = json.loads(name)
        for item in [item for item in node if key.items() <= item.items()]:
            remove(item, rest)
            if item.keys() <= key.keys():
                node.remove(item)
            else:  # the keys of an item stay until its last field is removed
                item.update(key)
        return
    if not rest:
        node.pop(name, None)
    elif name in node:
        remove(node[name], rest)
        if not node[name]:
            del node[name]


def tree(paths: Iterator[tuple[str, ...]]) -> dict[str, Any]:
    root: dict[str, Any] = {}
    for path in paths:
        node = root
        for step in path:
            node = node.setdefault(step, {})
    return root


def places(fields: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for step, inner in fields.items():
        if inner:
            yield from places(inner, (*path, step))
        else:
            yield (*path, step)


def name_of(path: tuple[str, ...]) -> str:
    """Return a path as conflicts show it, such as `status.conditions[type="Ready"].status`."""
    told = ""
    for step in path:
        kind, name = step[:2], step[2:]
        if kind == "f:":
            told += f".{name}"
        else:
            pairs = json.loads(name).items() if kind == "k:" else [("", json.loads(name))]
            told += "[" + ",".join(f"{key}={json.dumps(value)}" for key, value in pairs) + "]"
    return told.removeprefix(".")
