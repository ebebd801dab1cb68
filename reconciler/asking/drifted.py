"""What others had changed in a cluster, and what failed there, as an apply told it."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from reconciler.asking.fields import list_of, mapping_of, text_of, words_of


class Drifted(NamedTuple):
    """An object that was not as it had been left.

    Attributes:
        object: `<group>/<kind>/<namespace>/<name>`.
        manager: The field manager that changed it; empty where it cannot be told.
        time: When, in UTC; empty where it cannot be told.
        fields: Our fields that differed.
        error: Why it could not be mended; empty where it was.
    """

    object: str
    manager: str
    time: str
    fields: tuple[str, ...]
    error: str


def drifted_of(objects: Sequence[Any], where: str) -> Iterator[Drifted]:
    """Those of the objects of a cluster that had been changed, or that failed.

    Args:
        objects: As `apply -o json` lists them.
        where: The cluster's place in the document.

    Raises:
        ValueError: A field is not what it should be.
    """
    for at, item in enumerate(objects):
        place = f"{where}.objects[{at}]"
        found = mapping_of(item, place)
        drift, error = found.get("drift"), words_of(found.get("error"), f"{place}.error")
        if drift is None and not error:
            continue
        told = mapping_of(drift or {}, f"{place}.drift")
        fields = list_of(told.get("fields") or [], f"{place}.drift.fields")
        yield Drifted(
            text_of(found.get("object"), f"{place}.object"),
            words_of(told.get("manager"), f"{place}.drift.manager"),
            words_of(told.get("time"), f"{place}.drift.time"),
            tuple(words_of(field, f"{place}.drift.fields") for field in fields),
            error,
        )
