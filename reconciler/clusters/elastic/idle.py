"""Since when addresses are idle, as the inventory of the cluster that has them remembers it."""

from collections.abc import Iterable, Mapping

from reconciler.clusters.inventory import data_of
from reconciler.clusters.memory import NAME
from reconciler.model.resource import Manifest

KEY = "idle"
"""The key in the first ConfigMap of the inventory."""

_MOST_LINES = 2_000
_MOST_DIGITS = 15


def remembered(config_maps: Iterable[Manifest]) -> str | None:
    """What an inventory remembers, as text; None where there is no inventory."""
    first = data_of(config_maps).get(NAME)
    return None if first is None else first.get(KEY, "")


def write_idle(idle: Mapping[str, int]) -> str:
    """Seconds since 1970 by address, as a text of lines."""
    return "".join(f"{key} {since}\n" for key, since in sorted(idle.items()))


def read_idle(text: str) -> dict[str, int]:
    """What `write_idle` wrote. A tenant may have written anything: what cannot be read is left out."""
    found: dict[str, int] = {}
    for line in text.splitlines()[:_MOST_LINES]:
        key, _, since = line.partition(" ")
        if since.isascii() and since.isdecimal() and len(since) <= _MOST_DIGITS:
            found[key] = int(since)
    return found
