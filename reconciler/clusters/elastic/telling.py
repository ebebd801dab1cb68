"""What is told of those who may grow: in the condition of the object that stands for them.

No commit says it, so it stays as it was told last where nobody could look.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from reconciler.clusters.desired import DesiredObject, with_status
from reconciler.clusters.elastic.model import Word
from reconciler.clusters.snapshot import Objects
from reconciler.model.growth import CONDITION, REASONS
from reconciler.model.resource import Ref

_MOST = 1_024
"""Characters of a message: those of others are as long, and a cluster may hold many names."""


def worded(
    desired: Sequence[DesiredObject],
    live: Objects,
    words: Mapping[Ref, tuple[Word, ...]],
    growing: Callable[[], Collection[Ref]],
) -> list[DesiredObject]:
    """Objects with what is told of them in their condition.

    Args:
        desired: What the objects shall be.
        live: What they are.
        words: What was seen, by object; nothing of an object that was not looked at.
        growing: Tells the objects that may grow still; asked where something was told before.
    """
    found: list[DesiredObject] = []
    for item in desired:
        before = live[item.ref].status if item.ref in live else {}
        told = _told(words[item.ref]) if item.ref in words else _kept(before)
        if told is not None and item.ref not in words and item.ref not in growing():
            told = None
        status = item.status or {}
        conditions = [_with(it, told) for it in status.get("conditions") or ()]
        found.append(with_status(item, {"conditions": conditions}) if told else item)
    return found


def _told(words: tuple[Word, ...]) -> Word | None:
    if not words:
        return None
    text = "; ".join(word.message for word in words)
    # A tenant chose some of the words: nothing of them may move a cursor.
    plain = "".join(it if it.isprintable() else "?" for it in text)
    return Word(words[0].reason, plain[:_MOST])


def _kept(status: Mapping[str, Any]) -> Word | None:
    """What a run told before."""
    for it in status.get("conditions") or ():
        if it.get("type") == CONDITION and it.get("reason") in REASONS:
            return Word(it["reason"], str(it.get("message", "")))
    return None


def _with(condition: Mapping[str, str], told: Word | None) -> Mapping[str, str]:
    """The condition with what is told; one that says that nothing is ready says so still."""
    if told is None or condition["type"] != CONDITION or condition["status"] != "True":
        return condition
    return {**condition, "reason": told.reason, "message": told.message}
