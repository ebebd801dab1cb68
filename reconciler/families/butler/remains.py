"""Addresses that documents keep off limits although something else in them is wrong.

A mistake in one field must not free what another field names: a tenant's range of before IPAM is
announced all the same, and a gateway still routes. Nothing is reported here: the mistake is.
"""

from collections.abc import Iterator, Mapping, Sequence

from reconciler.addresses import IPRange
from reconciler.addresses.notation import NotationError, parse_address
from reconciler.documents.document import Document, Documents
from reconciler.model.state import Blocked

MANUAL = ("spec", "networking", "loadBalancerPool")
GATEWAY = ("spec", "network", "gateway")


def manual_title(document: Document) -> str:
    """What a tenant's loadBalancerPool is called where it blocks others."""
    return f"{document.namespace}/{document.name} (loadBalancerPool)"


def blocked_by_remains(documents: Documents, wrong: Sequence[Document]) -> Iterator[Blocked]:
    """What broken documents still block.

    Args:
        documents: All documents; of those that are broken what was read of them.
        wrong: ProviderConfigs of a right shape that contradict themselves.
    """
    for document in documents.remains("TenantCluster"):
        pool = _at(document, MANUAL)
        if isinstance(pool, Mapping):
            item = _between(pool.get("start"), pool.get("end"))
            if item is not None:
                yield Blocked(item, manual_title(document), document.at(*MANUAL))
    for document in (*documents.remains("ProviderConfig"), *wrong):
        gateway = _at(document, GATEWAY)
        if (item := _between(gateway, gateway)) is not None:
            title = f"{document.namespace}/{document.name} (gateway)"
            yield Blocked(item, title, document.at(*GATEWAY))


def _at(document: Document, steps: Sequence[str]) -> object:
    value: object = document.body
    for step in steps:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _between(first: object, last: object) -> IPRange | None:
    try:
        version, start = parse_address(first if isinstance(first, str) else "")
        other, end = parse_address(last if isinstance(last, str) else "")
    except NotationError:
        return None
    return IPRange(version, start, end) if version == other and start <= end else None
