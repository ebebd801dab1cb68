"""A condition in the status of an object, as Kubernetes has them."""

from collections.abc import Mapping


def condition(kind: str, status: str, reason: str, message: str, since: str) -> Mapping[str, str]:
    """A condition.

    Args:
        kind: Its type.
        status: `True` or `False`.
        reason: In CamelCase.
        message: For people.
        since: `lastTransitionTime` where a cluster does not know the condition yet.
    """
    return {
        "lastTransitionTime": since,
        "message": message,
        "reason": reason,
        "status": status,
        "type": kind,
    }
