"""Copies in Git of objects that are created in the management cluster."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct, field

from reconciler.documents.document import Document, Identity
from reconciler.documents.dump import dump
from reconciler.families import families
from reconciler.families._intake import UID, Intake, copied
from reconciler.families._pool_fields import DEFAULT_SPACE
from reconciler.findings import Finding, Severity, shown
from reconciler.model.allocation import Allocation
from reconciler.model.marks import PREFIX
from reconciler.model.resource import Manifest
from reconciler.model.settings import Settings
from reconciler.observed import path_of
from reconciler.sources import source_reader

SPACE = f"{PREFIX}address-space"
"""The annotation of a pool that names its address space."""


class Copy(NamedTuple):
    """The bytes of a copy, and the uid of its object."""

    data: bytes
    uid: str


class Refused(NamedTuple):
    """Why an object is not copied."""

    reason: str


class Copies(Struct, frozen=True):
    """The copies in a tree.

    Attributes:
        by_kind: Copies by API group and kind, then by identity.
        used: Identities of pools that records use.
    """

    by_kind: Mapping[tuple[str, str], Mapping[Identity, Copy]] = field(default_factory=dict)
    used: Collection[Identity] = ()

    def of(self, intake: Intake) -> Mapping[Identity, Copy]:
        """Return the copies of one kind."""
        return self.by_kind.get((intake.resource.group, intake.kind), {})


def intakes() -> tuple[Intake, ...]:
    """Return the intake kinds: pools before claims."""
    return tuple(intake for family in families() for intake in family.objects.intake)


def copies_of(
    documents: Iterable[Document], folder: str, records: Iterable[Allocation] = ()
) -> Copies:
    """Return the copies among the documents of a tree, and those that records use."""
    known = {(intake.resource.group, intake.kind) for intake in intakes()}
    found: dict[tuple[str, str], dict[Identity, Copy]] = {}
    for document in documents:
        group, kind, _, _ = document.identity
        if (group, kind) not in known or not document.path.startswith(f"{folder}/"):
            continue
        named, uid = found.setdefault((group, kind), {}), document.annotations().get(UID, "")
        if document.path == path_of(folder, document.identity):
            named[document.identity] = Copy(document.data, uid)
        else:  # the copy is in another file: it is written to its own file
            named.setdefault(document.identity, Copy(b"", uid))
    holding = {it.pool for it in records if it.range is not None}
    pools = {(pool.kind, pool.namespace, pool.name) for pool in holding}
    used = {identity for every in found.values() for identity in every if identity[1:] in pools}
    return Copies(found, used)


def copy_of(manifest: Manifest, intake: Intake, settings: Settings) -> Copy | Refused:
    """Return the copy of a live object, or why it is not valid."""
    space = manifest["metadata"].get("annotations", {}).get(SPACE, DEFAULT_SPACE)
    if space != DEFAULT_SPACE and settings.address_spaces is None:
        what = f"annotation {SPACE}: {shown(space)}, and spec.addressSpaces of Settings lists none"
        return Refused(f"{what}: what is in use could be given out anew there")
    data = dump(copied(manifest, intake)).encode()
    path = path_of(settings.observed, intake.identity(manifest))
    loaded = source_reader(settings)(path, data)
    wrong = next((it for it in loaded.findings if it.severity is Severity.ERROR), None)
    return Copy(data, manifest["metadata"]["uid"]) if wrong is None else Refused(_said(wrong))


def _said(found: Finding) -> str:
    return f"{found.message}; {found.hint}" if found.hint else found.message
