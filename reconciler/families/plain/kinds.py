"""Kinds, keys, slots, and the record form."""

import re

from reconciler.documents.document import GroupKind, Kind
from reconciler.families.interface import WHOLE, RecordBody, RecordForm
from reconciler.model.claim import Allocation
from reconciler.model.key import LABEL, MAX_LABEL, MAX_NAME, Key
from reconciler.model.objects import API_VERSION, PREFIX

NAME = "plain"
"""Name of the family in keys."""

GROUP = PREFIX.rstrip("/")
POOL = GroupKind(GROUP, "AddressPool")
CLAIM = GroupKind(GROUP, "AddressClaim")
TARGET = GroupKind(GROUP, "ClusterTarget")
TEAM = GroupKind(GROUP, "Team")

KINDS = (
    Kind(API_VERSION, POOL.kind, f"{NAME}/{POOL.kind}.json", None, longest=MAX_LABEL),
    Kind(API_VERSION, CLAIM.kind, f"{NAME}/{CLAIM.kind}.json", "default", longest=MAX_NAME),
    Kind(API_VERSION, TARGET.kind, f"{NAME}/{TARGET.kind}.json", None),
    Kind(API_VERSION, TEAM.kind, f"{NAME}/{TEAM.kind}.json", None, role="team"),
)

FAMILIES = {"IPv4": 4, "IPv6": 6}
"""IP versions by their names in documents."""

LOADBALANCER, ADDRESS = "loadbalancer", "address"
"""The types of records: of entries of a ClusterTarget, and of AddressClaims."""

_ENTRY = re.compile(rf"({LABEL})\.(ipv[46])(?:\.([1-9][0-9]*))?", re.ASCII)


def family_name(version: int) -> str:
    """Return the name of an IP version in documents."""
    return f"IPv{version}"


def claim_slot(version: int) -> str:
    """Return the slot of an AddressClaim for an IP version."""
    return f"ipv{version}"


def entry_slot(entry: str, version: int, number: int = 1) -> str:
    """Return the slot of an entry for an IP version; further ranges have numbers from 2."""
    return f"{entry}.ipv{version}" + (f".{number}" if number > 1 else "")


def entry_of(slot: str) -> tuple[str, int, int] | None:
    """Return the entry, IP version, and number of a slot; None for a slot of an AddressClaim."""
    found = _ENTRY.fullmatch(slot)
    return (found[1], int(found[2][-1]), int(found[3] or 1)) if found is not None else None


def owner_kind(slot: str) -> str | None:
    """Return the kind that claims with a slot."""
    if slot in ("ipv4", "ipv6"):
        return CLAIM.kind
    return TARGET.kind if entry_of(slot) is not None else None


def pool_key(name: str) -> Key:
    """Return the key of an AddressPool."""
    return Key(NAME, "", name, "", POOL.kind)


def target_key(cluster: str, slot: str = "") -> Key:
    """Return the key of a claim of a ClusterTarget."""
    return Key(NAME, "", cluster, slot, TARGET.kind)


def _type(slot: str) -> str:
    return ADDRESS if entry_of(slot) is None else LOADBALANCER


def _labels(record: Allocation) -> dict[str, str]:
    version = record.range.version if record.range is not None else 4
    found = {"ip-family": family_name(version), "pool": record.pool.name, "team": record.owner.team}
    if record.type == LOADBALANCER:
        found |= {"cluster": record.claim.name, "load-balancer": record.object}
    return {f"{PREFIX}{name}": found[name] for name in sorted(found) if found[name]}


def _claim_of_copy(body: RecordBody) -> Key | None:
    spec = body.get("spec")
    reference = spec.get("claimRef") if isinstance(spec, dict) else None
    if not isinstance(reference, dict) or reference.get("apiGroup") != GROUP:
        return None
    fields = [reference.get(it, "") for it in ("namespace", "name", "slot", "kind")]
    if not all(isinstance(it, str) for it in fields):
        return None
    found = Key(NAME, *fields)
    return found if found.is_sound and owner_kind(found.slot) == found.kind else None


FORM = RecordForm(
    pool=WHOLE,
    owner="claimRef",
    owner_fields=(*WHOLE, "slot"),
    type=ADDRESS,
    claim=_claim_of_copy,
    slot_type=_type,
    labels=_labels,
)
