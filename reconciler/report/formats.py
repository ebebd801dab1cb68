"""JSON and YAML texts."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from reconciler.documents.text import escape_json

API_VERSION = "gitops-ipam.dev/v1alpha1"


def json_text(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return an indented JSON document with a final line feed."""
    return escape_json(json.dumps(value, indent=2, ensure_ascii=False)) + "\n"


def json_line(value: Mapping[str, Any]) -> str:
    """Return a JSON document on one line (JSON Lines), for loops."""
    return escape_json(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) + "\n"


def envelope(kind: str) -> dict[str, str]:
    """Return the common first fields of every document."""
    return {"apiVersion": API_VERSION, "kind": kind}


def yaml_text(value: Mapping[str, Any]) -> str:
    """Return the same document as canonical YAML."""
    from reconciler.documents.yaml import dump  # slow to import

    return dump({**value, **_floats(value)})


def _floats(value: Any) -> Any:
    if isinstance(value, float):
        return Decimal(str(value))
    if isinstance(value, Mapping):
        return {key: _floats(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_floats(item) for item in value]
    return value
