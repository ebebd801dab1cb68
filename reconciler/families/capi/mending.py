"""What helps a refused address: more addresses of the pool's own subnet."""

from collections.abc import Iterator

from reconciler.addresses import IPRange, IPSet
from reconciler.addresses.iprange import BITS
from reconciler.addresses.notation import format_range
from reconciler.documents.document import Documents, GroupKind
from reconciler.documents.edit import Edit
from reconciler.families._mending import Mend, Mending
from reconciler.families.capi.kinds import KINDS
from reconciler.model.pool import Pool

_ADDRESSES = ("spec", "addresses")
_MORE = 8


def _widened(documents: Documents, pool: Pool, lacking: int) -> Iterator[Mend]:
    """What follows in the subnet on the ranges that there are, beside the last one first."""
    kind = next(item.id for item in KINDS if item.name == pool.key.kind)
    document = documents.find(GroupKind(*kind), pool.key.namespace, pool.key.name)
    if document is None or document.doubt:
        return
    version = next(iter(pool.extent)).version
    size = 1 << (BITS[version] - document.spec["prefix"])
    first = min(item.first for item in pool.extent) & -size
    subnet = IPSet((IPRange(version, first, first + size - 1),))
    ends = IPSet.of([IPRange(version, at, at) for at in (first, first + size - 1)])
    for free in reversed(tuple(subnet - pool.extent - pool.reserved - ends)):
        if free.size >= lacking:
            last = min(free.last, free.first + max(lacking, _MORE) - 1)
            block = format_range(IPRange(version, free.first, last))
            says = f"add {block} to the addresses of {pool.key.name}"
            yield Mend(says, document, (Edit(_ADDRESSES, block, is_item=True),))


MENDING = Mending(widened=_widened)
