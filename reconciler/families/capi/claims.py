"""An IPAddressClaim to a claim: one address of the pool that it names (`capi.md` §C1)."""

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.documents.document import Document
from reconciler.families._pool_fields import PREFIX, read_address
from reconciler.families.capi.kinds import (
    ADDRESS,
    CLAIM,
    CLAIM_NAMES,
    GLOBAL_POOL,
    IPAM_GROUP,
    NAME,
    POOL,
)
from reconciler.families.capi.pools import pool_key
from reconciler.findings import Finding
from reconciler.model.key import Key

PINNED = f"{PREFIX}address"
"""The annotation by which a claim names its address."""


GIVEN = ("spec", "address")
"""Where an IPAddress names its address."""


class Named(Struct, frozen=True):
    """The Cluster, and the slot of it, that a claim is named for."""

    cluster: str
    slot: str


def claim_key(document: Document) -> Key:
    """The key of an IPAddressClaim's claim."""
    return Key(NAME, document.namespace, document.name, ADDRESS, CLAIM.kind)


def pool_of(document: Document) -> Key | None:
    """The pool that an IPAddressClaim or an IPAddress names; None for one of another provider."""
    reference = document.spec["poolRef"]
    kind, name = reference["kind"], reference["name"]
    if reference["apiGroup"] != IPAM_GROUP or kind not in (POOL.kind, GLOBAL_POOL.kind):
        return None
    return pool_key(kind, document.namespace if kind == POOL.kind else "", name)


def read_pin(document: Document, found: list[Finding]) -> IPRange | None:
    """The address that an IPAddressClaim names; None when it names none, or with a finding."""
    text = document.annotations().get(PINNED)
    if text is None:
        return None
    return read_address(document, ("metadata", "annotations", PINNED), text, found)


def read_given(document: Document, found: list[Finding]) -> IPRange | None:
    """The address of an IPAddress; None with a finding."""
    return read_address(document, GIVEN, document.spec["address"], found)


def named_for(name: str) -> Named | None:
    """What an object's name says: `vip-cp-<cluster>`, `vip-ingress-<cluster>`; else None."""
    for slot, prefix in CLAIM_NAMES.items():
        if name.startswith(prefix) and name != prefix:
            return Named(name.removeprefix(prefix), slot)
    return None
