"""What helps a refused address: a further CIDR of its pool."""

from collections.abc import Iterator

from reconciler.addresses import IPRange
from reconciler.addresses.iprange import BITS
from reconciler.addresses.notation import format_cidr
from reconciler.documents.document import Documents
from reconciler.documents.edit import Edit
from reconciler.families._mending import Mend, Mending
from reconciler.families.novaedge.kinds import POOL
from reconciler.model.pool import Pool

_CIDRS = ("spec", "cidrs")
_NEXT = 8


def _widened(documents: Documents, pool: Pool, lacking: int) -> Iterator[Mend]:
    """The blocks behind those that there are, of the same size."""
    document = documents.find(POOL, "", pool.key.name)
    if document is None or document.doubt:
        return
    for step in range(1, _NEXT + 1):
        for item in pool.extent:
            if item.prefix is None or item.size < lacking:
                continue
            first = item.first + step * item.size
            if first + item.size <= 1 << BITS[item.version]:
                block = format_cidr(IPRange(item.version, first, first + item.size - 1)) or ""
                says = f"add {block} to the cidrs of {pool.key.name}"
                yield Mend(says, document, (Edit(_CIDRS, block, is_item=True),))


MENDING = Mending(widened=_widened)
