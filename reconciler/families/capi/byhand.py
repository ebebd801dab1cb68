"""Addresses that a Cluster has by hand: its endpoint's host, and its ingress annotation."""

import re

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.documents.document import Document
from reconciler.documents.yaml import Steps
from reconciler.families._pool_fields import read_address
from reconciler.families.capi.kinds import CONTROL_PLANE, INGRESS, INGRESS_VIP
from reconciler.findings import Finding, Location
from reconciler.model.marks import ADOPT

HOST = ("spec", "controlPlaneEndpoint", "host")
_ANNOTATION = ("metadata", "annotations", INGRESS_VIP)
_NUMBERS = re.compile(r"[0-9.]+|.*:.*", re.ASCII | re.DOTALL)


class Chosen(Struct, frozen=True):
    """What somebody chose for a slot.

    Attributes:
        range: The address; None for a name of DNS.
        title: What it is called where it blocks others: namespace and name come first.
        source: Where it stands.
        field: The field in which it stands.
    """

    range: IPRange | None
    title: str
    source: Location
    field: str


def chosen(document: Document, slot: str, found: list[Finding]) -> Chosen | None:
    """What a Cluster has by hand for a slot; None when it has nothing, or with a finding."""
    text, steps = _said(document, slot)
    if not text:
        return None
    field = str(steps[-2]) if slot == CONTROL_PLANE else INGRESS_VIP
    title = f"{document.namespace}/{document.name} ({field})"
    if not _NUMBERS.fullmatch(text):
        return Chosen(None, title, document.at(*steps), field)
    item = read_address(document, steps, text, found)
    if item is None:
        return None
    return Chosen(item, title, document.at(*steps), field)


def judge_chosen(document: Document, found: list[Finding]) -> None:
    """Findings about what a Cluster has by hand."""
    for slot in (CONTROL_PLANE, INGRESS):
        chosen(document, slot, found)


def is_adopted(document: Document) -> bool:
    """What stands there by hand was given out before, and is to be recorded."""
    return document.annotations().get(ADOPT) == "true"


def _said(document: Document, slot: str) -> tuple[str, Steps]:
    if slot == INGRESS:
        return document.annotations().get(INGRESS_VIP, "").strip(), _ANNOTATION
    endpoint = document.spec.get("controlPlaneEndpoint") or {}
    return endpoint.get("host", ""), HOST
