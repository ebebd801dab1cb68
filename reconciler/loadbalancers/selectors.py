"""Label selectors of Kubernetes."""

from collections.abc import Mapping
from typing import Any


def matches(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Return whether labels match a LabelSelector. An empty one matches all."""
    stated = (selector.get("matchLabels") or {}).items()
    if any(labels.get(key) != value for key, value in stated):
        return False
    return all(_is_met(it, labels) for it in selector.get("matchExpressions") or ())


def _is_met(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, values = expression["key"], expression.get("values") or ()
    match expression["operator"]:
        case "In":
            return labels.get(key) in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case _:
            return key not in labels
