"""A quay to a pool, and what contradicts itself in a document."""

from reconciler.addresses import IPRange, IPSet
from reconciler.documents.document import Document
from reconciler.documents.findings import Finding
from reconciler.families.fields import (
    read_address,
    read_cidr,
    read_space,
    read_thresholds,
    refuse_network,
)
from reconciler.model.key import Key
from reconciler.model.pool import Placement, Pool
from reconciler.model.settings import Settings
from tests.toy.families.toy.kinds import BOAT, NAME, QUAY

ADDRESS = ("spec", "address")
_CIDR = ("spec", "cidr")


def pool_key(name: str) -> Key:
    return Key(NAME, "", name, "", QUAY.kind)


def read_pool(document: Document, settings: Settings) -> tuple[Pool | None, list[Finding]]:
    """The pool of a quay; None when anything about it is wrong."""
    found: list[Finding] = []
    network = read_cidr(document, _CIDR, document.spec["cidr"], found)
    thresholds, gate = read_thresholds(document, settings, found)
    space = read_space(document, settings, found)
    if network is not None and (refused := refuse_network(document, _CIDR, network)):
        found.append(refused)
    if network is None or found:
        return None, found
    first = IPSet((IPRange(network.version, network.first, network.first),))
    pool = Pool(
        key=pool_key(document.name),
        usable=IPSet((network,)) - first,
        windows=(network,),
        reserved=first,
        placement=Placement.LOWEST,
        thresholds=thresholds,
        gate=gate,
        space=space,
        extent=IPSet((network,)),
        source=document.at(*_CIDR),
        auto_assign=document.spec.get("autoAssign", True),
    )
    return pool, found


def read_pin(document: Document, found: list[Finding]) -> IPRange | None:
    """The address that a boat names; None when it names none, or with a finding."""
    if "address" not in document.spec:
        return None
    return read_address(document, ADDRESS, document.spec["address"], found)


def judge(document: Document, settings: Settings) -> list[Finding]:
    """Return the findings of a document with a valid schema."""
    found: list[Finding] = []
    if document.kind.id == QUAY:
        pool, found = read_pool(document, settings)
        return found if pool is None else []
    if document.kind.id == BOAT:
        read_pin(document, found)
    return found
