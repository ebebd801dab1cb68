"""Objects with our label that no run remembers: they go after a grace.

A run that was killed after it made an object, and before it wrote the inventory, leaves such; so
does an inventory that somebody deleted. The grace lets a person see them, and lets a run on another
machine finish.
"""

from collections.abc import Iterable, Mapping

from reconciler.clusters.intent import Intent
from reconciler.clusters.inventory import Entry, orphan
from reconciler.clusters.steps import is_ours
from reconciler.commands.applying.ledger import Ledger
from reconciler.model.resource import Manifest, Ref

GRACE_SECONDS = 600


def track(ledger: Ledger, live: Mapping[Ref, Manifest], intents: Iterable[Intent]) -> None:
    """Note new orphans in the inventory, and let those go whose grace is over."""
    wanted = frozenset(item.ref for item in intents)
    now = ledger.cluster.now()
    for ref, manifest in live.items():
        name = str(ref)
        entry = ledger.entries.get(name)
        uid = manifest["metadata"]["uid"]
        if ref in wanted or (entry is not None and entry.uid == uid and not entry.orphan_since):
            continue
        if not is_ours(manifest, None):
            ledger.entries.pop(name, None)
        elif entry is None or entry.uid != uid:
            ledger.entries[name] = orphan(uid, now)
        elif entry.orphan_since is not None and now - entry.orphan_since >= GRACE_SECONDS:
            ledger.entries[name] = Entry(uid, "-")
