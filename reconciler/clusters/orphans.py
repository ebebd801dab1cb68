"""Objects with our label that no run remembers: they go after a grace.

A run that was killed after it made an object, and before it wrote the inventory, leaves such; so
does an inventory that somebody deleted. The grace lets a person see them, and lets a run on another
machine finish.
"""

from collections.abc import Collection, Iterator, Mapping

from reconciler.clusters.decision import is_ours
from reconciler.clusters.inventory import Entry, orphan
from reconciler.clusters.snapshot import Objects
from reconciler.model.resource import Ref

GRACE_SECONDS = 600


def orphan_notes(
    entries: Mapping[str, Entry], objects: Objects, wanted: Collection[Ref], now: int
) -> Iterator[tuple[str, Entry | None]]:
    """What the inventory shall say of orphans: new ones, those whose grace is over, those of others.

    Args:
        entries: What it says.
        objects: All objects that were read.
        wanted: What shall be there: none of them is an orphan.
        now: Seconds since 1970 by the server's clock.
    """
    for ref, live in objects.items():
        name = str(ref)
        entry = entries.get(name)
        uid = live.uid
        if ref in wanted or (entry is not None and entry.uid == uid and not entry.orphan_since):
            continue
        if not is_ours(live, None):
            yield name, None
        elif entry is None or entry.uid != uid:
            yield name, orphan(uid, now)
        elif entry.orphan_since is not None and now - entry.orphan_since >= GRACE_SECONDS:
            yield name, Entry(uid, "-")
