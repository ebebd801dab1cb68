"""What Butler's records say of pool and tenant, and the claim that one from a cluster stands for."""

import re
from collections.abc import Mapping
from typing import Any

from reconciler.documents.document import Documents
from reconciler.families._record_form import NAME as NAME_ALONE
from reconciler.families._record_form import PLACED, Body, RecordForm
from reconciler.families.butler.kinds import NAME, REQUEST, TENANT
from reconciler.families.butler.requests import request_key
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.record_kind import LABEL

OWNER = "tenantClusterRef"
ANNOUNCED = "loadbalancer"
"""The type of the claims whose addresses MetalLB gives out."""
SLOTS = {"nodes": TENANT.kind, ANNOUNCED: TENANT.kind, "request": REQUEST.kind}
GROWS = ("nodes", ANNOUNCED)
_GROWTH_NAME = re.compile(r".*-(?:lb|nodes)-([0-9]{1,6})", re.ASCII)


def claim_of_copy(body: Body) -> Key | None:
    """The tenant's claim that a record of a cluster states: tenant, type and name stand for one."""
    namespace, name = _text(body, "spec", OWNER, "namespace"), _text(body, "spec", OWNER, "name")
    slot = _text(body, "spec", "type")
    if not namespace or not name or slot not in GROWS:
        return None
    role = _text(body, "metadata", "labels", f"{LABEL}allocation-role")
    grown = _GROWTH_NAME.fullmatch(_text(body, "metadata", "name"))
    pinned = _in(body, "spec", "pinnedRange") is not None
    if grown and role != "initial" and not pinned:
        slot = f"{slot}-{int(grown.group(1))}"
    claim = Key(NAME, namespace, name, slot, TENANT.kind)
    return claim if claim.is_sound else None


def adopt(record: Allocation, documents: Documents) -> Key:
    """That of the request that bears the record's name, if there is one, else the tenant's own."""
    if documents.find(REQUEST, record.namespace, record.name) is None:
        return record.claim
    return request_key(record.namespace, record.name)


FORM = RecordForm(
    pool=NAME_ALONE,
    owner=OWNER,
    owner_fields=PLACED,
    type="loadbalancer",
    claim=claim_of_copy,
    types={slot: slot for slot in GROWS},
)


def _in(body: Body, *steps: str) -> Any:
    value: Any = body
    for step in steps:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _text(body: Body, *steps: str) -> str:
    value = _in(body, *steps)
    return value if isinstance(value, str) else ""
