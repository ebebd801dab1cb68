"""APIs of pools and claims, one subpackage per family."""

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import NamedTuple

from reconciler.documents import yaml
from reconciler.documents.document import Document, Documents, GroupKind, Kind
from reconciler.documents.findings import Finding
from reconciler.families import fields
from reconciler.families.interface import Family, RecordBody
from reconciler.model.key import Key
from reconciler.model.settings import Settings


class Slot(NamedTuple):
    """The owner kind of a slot."""

    family: str
    kind: str


@cache
def families() -> tuple[Family, ...]:
    """Return all families, by module name."""
    names = sorted(module.name for module in iter_modules(__path__) if module.ispkg)
    return tuple(import_module(f"{__name__}.{name}").FAMILY for name in names)


def families_in(documents: Documents, keys: Iterable[Key]) -> list[Family]:
    """Return the families that have a document, valid or not, or one of some keys."""
    named = {key.family for key in keys}
    return [
        family
        for family in families()
        if family.name in named or any(documents.has(kind.id) for kind in family.kinds)
    ]


@cache
def family_of(name: str) -> Family | None:
    """Return the family with a name, or None."""
    return next((family for family in families() if family.name == name), None)


@cache
def needs_hub(name: str) -> bool:
    """Return whether a family has objects in the management cluster; an unknown one might."""
    family = family_of(name)
    return family is None or bool(family.objects.resources)


@cache
def family_of_kind(kind: GroupKind) -> Family | None:
    """Return the family that reads a kind, or None for a kind of `ipam` itself."""
    return next((it for it in families() if any(kind == one.id for one in it.kinds)), None)


def possible_owners(text: bytes) -> frozenset[tuple[str, str, str]]:
    """Return owners to which a broken file refers: family, namespace, and name, or one of both."""
    bodies = [parsed.value for parsed in yaml.read(text).documents]
    return frozenset(
        (family.name, *owner)
        for body in bodies
        for family in families()
        if isinstance(body, dict) and (owner := family.possible_owner(body)) is not None
    )


@cache
def pool_kinds() -> Mapping[str, Family]:
    """Return the family of each kind of pool, by kind name."""
    return {kind: family for family in families() for kind in family.pool_kinds}


@lru_cache(maxsize=4_096)
def claimant_of(slot: str) -> Slot | None:
    """Return the owner kind of a slot; None for an unknown slot."""
    found = ((family.name, family.slots(slot)) for family in families())
    return next((Slot(name, kind) for name, kind in found if kind is not None), None)


def known_as(family: str, kind: str) -> GroupKind:
    """Return the group and kind for a kind in a key; without a group for unknown kinds."""
    found = _by_key().get((family, kind))
    return found.id if found is not None else GroupKind("", kind)


def home_of(family: str, kind: str) -> str | None:
    """Return the default namespace of a kind in a key; None for a cluster-scoped kind."""
    found = _by_key().get((family, kind))
    return found.default_namespace if found is not None else None


def is_pool(kind: GroupKind) -> bool:
    """Return whether documents of the kind describe pools."""
    family = family_of_kind(kind)
    return family is not None and kind.kind in family.pool_kinds


@cache
def keeps_addresses(kind: GroupKind) -> bool:
    """Return whether records name documents of the kind, as a pool or as an owner."""
    family = family_of_kind(kind)
    return family is not None and kind.kind in (*family.pool_kinds, *family.owners)


def role_of(kind: Kind) -> str:
    """Return the role of the kind: `pool`, `provider`, `team`, or empty for a tenant's document."""
    return "pool" if is_pool(kind.id) else kind.role


@cache
def _annotations(kind: Kind) -> tuple[str, ...]:
    family, names = family_of_kind(kind.id), list[str]()
    if family is not None:
        names += family.annotations.get(kind.name, ())
        names += fields.POOL_ANNOTATIONS if is_pool(kind.id) and is_annotated(family) else ()
        names += fields.CONTRACT_FORMS if kind.role == "team" and is_annotated(family) else ()
        names += [fields.FORMERLY] if keeps_addresses(kind.id) else []
    return tuple(names)


def is_annotated(family: Family) -> bool:
    """Return whether pools and teams of a family state in annotations what its API has no field for."""
    return family.record.labels is None


def judge(document: Document, settings: Settings) -> list[Finding]:
    """Return contradictions in a document of any family; empty if it is valid."""
    family = family_of_kind(document.kind.id)
    found = [*fields.judge_names(document, _annotations(document.kind))]
    if family is not None:
        found += family.judge(document, settings)
    if document.kind.role == "team" and (family is None or is_annotated(family)):
        found += fields.judge_contract(document)
    if keeps_addresses(document.kind.id):
        found += fields.judge_former(document)
    return found


def claim_of_copy(body: RecordBody) -> Key | None:
    """Return the claim of a record that names none, from its text only; None if there is none."""
    found = (family.record.claim(body) for family in families())
    return next((claim for claim in found if claim is not None), None)


def key_of(document: Document) -> Key:
    """Return the key of a pool, or of an owner of claims, without a slot."""
    family = family_of_kind(document.kind.id)
    name = family.name if family is not None else ""
    return Key(name, document.namespace, document.name, "", document.kind.name)


@cache
def _by_key() -> Mapping[tuple[str, str], Kind]:
    return {(family.name, kind.name): kind for family in families() for kind in family.kinds}
