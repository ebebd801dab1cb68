"""Copies of cluster objects in Git."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.apply.decision import is_ours
from reconciler.apply.intake_state import (
    DeletionDetector,
    DeletionLimits,
    IntakeState,
    RejectionEvents,
    format_identity,
)
from reconciler.apply.inventory import InventoryEntry, Live
from reconciler.documents.document import Document, Identity
from reconciler.documents.findings import Finding, Location, Severity, gate, shown, warning
from reconciler.documents.yaml import dump
from reconciler.families import families
from reconciler.families.fields import DEFAULT_SPACE
from reconciler.families.importing import UID, IntakeKind, copied
from reconciler.model.change import FileChange
from reconciler.model.claim import Allocation
from reconciler.model.objects import PREFIX, Manifest, Ref, Resource
from reconciler.model.settings import Settings
from reconciler.planning.documents import path_of, source_reader
from reconciler.planning.evaluate import Evaluation

SPACE = f"{PREFIX}address-space"
"""The annotation of a pool that names its address space."""


class ObjectCopy(NamedTuple):
    """The bytes of a copy, and the uid of its object."""

    data: bytes
    uid: str


class RefusedIntake(NamedTuple):
    """Why an object is not copied."""

    reason: str


class Copies(Struct, frozen=True):
    """The copies in a tree.

    Attributes:
        by_kind: Copies by API group and kind, then by identity.
        used: Identities of pools that records use.
    """

    by_kind: Mapping[tuple[str, str], Mapping[Identity, ObjectCopy]] = field(default_factory=dict)
    used: Collection[Identity] = ()

    def of(self, intake: IntakeKind) -> Mapping[Identity, ObjectCopy]:
        """Return the copies of one kind."""
        return self.by_kind.get((intake.resource.group, intake.kind), {})


def intakes() -> tuple[IntakeKind, ...]:
    """Return the intake kinds: pools before claims."""
    return tuple(intake for family in families() for intake in family.objects.intake)


def copies_of(
    documents: Iterable[Document], folder: str, records: Iterable[Allocation] = ()
) -> Copies:
    """Return the copies among the documents of a tree, and those that records use."""
    known = {(intake.resource.group, intake.kind) for intake in intakes()}
    found: dict[tuple[str, str], dict[Identity, ObjectCopy]] = {}
    for document in documents:
        group, kind, _, _ = document.identity
        if (group, kind) not in known or not document.path.startswith(f"{folder}/"):
            continue
        named, uid = found.setdefault((group, kind), {}), document.annotations().get(UID, "")
        if document.path == path_of(folder, document.identity):
            named[document.identity] = ObjectCopy(document.data, uid)
        else:  # the copy is in another file: it is written to its own file
            named.setdefault(document.identity, ObjectCopy(b"", uid))
    holding = {it.pool for it in records if it.range is not None}
    pools = {(pool.kind, pool.namespace, pool.name) for pool in holding}
    used = {identity for every in found.values() for identity in every if identity[1:] in pools}
    return Copies(found, used)


def copy_of(
    manifest: Manifest, intake: IntakeKind, settings: Settings
) -> ObjectCopy | RefusedIntake:
    """Return the copy of a live object, or why it is not valid."""
    space = manifest["metadata"].get("annotations", {}).get(SPACE, DEFAULT_SPACE)
    if space != DEFAULT_SPACE and settings.address_spaces is None:
        what = f"annotation {SPACE}: {shown(space)}, and spec.addressSpaces of Settings lists none"
        return RefusedIntake(f"{what}: what is in use could be given out anew there")
    data = dump(copied(manifest, intake)).encode()
    path = path_of(settings.observed, intake.identity(manifest))
    loaded = source_reader(settings)(path, data)
    wrong = next((it for it in loaded.findings if it.severity is Severity.ERROR), None)
    return (
        ObjectCopy(data, manifest["metadata"]["uid"])
        if wrong is None
        else RefusedIntake(_said(wrong))
    )


def _said(found: Finding) -> str:
    return f"{found.message}; {found.hint}" if found.hint else found.message


class ListedCopy(NamedTuple):
    """The list of a kind.

    Attributes:
        items: Objects with a valid structure.
        problem: Why the list is not complete; empty if it is.
    """

    items: Sequence[Manifest] = ()
    problem: str = ""


class IntakeObservation(Struct, frozen=True):
    """One observation of the management cluster.

    Attributes:
        at: Its clock, in seconds since 1970.
        uid: Its identity.
        listed: The list of each kind.
        entries: Its inventory: objects that `ipam` created.
        deleted: The uids of objects that a watch reported as deleted.
        is_re_enrolled: The user permits another cluster.
    """

    at: int
    uid: str
    listed: Mapping[Resource, ListedCopy]
    entries: Mapping[str, InventoryEntry] = field(default_factory=dict)
    deleted: Collection[str] = ()
    is_re_enrolled: bool = False


class IntakeContext(Struct, frozen=True):
    """The state before an observation.

    Attributes:
        described: Identities in documents of users. Only the plan of the revision removes copies of
            these (`counting.py`).
        copies: The copies in the tree.
        named: The uid of the cluster in the trailer `Ipam-Observed` of the last commit with copies;
            empty for none.
        allowed: The number of removals that the user permits, or None.
        unread: Identities in invalid documents of users. They are not taken in; an existing copy
            counts.
    """

    settings: Settings
    described: Collection[Identity]
    copies: Copies
    named: str = ""
    state: IntakeState = field(default_factory=IntakeState)
    allowed: int | None = None
    unread: Collection[Identity] = ()


class Rejected(NamedTuple):
    """An object that is not copied as it is, and why."""

    identity: Identity
    reason: str

    def __str__(self) -> str:
        """Return a line of the result."""
        return f"{format_identity(self.identity)} is not taken in: {self.reason}"


class TakenIn(Struct, frozen=True):
    """The result of an observation.

    Attributes:
        changes: Copies to write or remove, by path.
        seen: The value of the trailer `Ipam-Observed`.
        rejected: Objects that keep their last copy, or have none.
        held: Why copies of deleted objects stay.
        notes: Information for the user.
        events: Events to create.
        state: The state for the next observation.
    """

    changes: tuple[FileChange, ...] = ()
    seen: str = ""
    rejected: tuple[Rejected, ...] = ()
    held: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    events: tuple[Manifest, ...] = ()
    state: IntakeState = field(default_factory=IntakeState)


def findings_of(taken: TakenIn, settings: Settings) -> tuple[Finding, ...]:
    """Return the findings at the paths of the copies. Held copies cause exit code 3."""
    place = Location(settings.observed)
    rejected = (
        warning(
            "intake-rejected",
            Location(path_of(settings.observed, item.identity)),
            str(item),
            "fix the object; until then its last copy counts, if there is one",
        )
        for item in taken.rejected
    )
    held = (gate("intake-held", place, why) for why in taken.held)
    notes = (warning("intake-doubt", place, note) for note in taken.notes)
    return (*rejected, *held, *notes)


def asked(settings: Settings, copies: Copies) -> tuple[IntakeKind, ...]:
    """Return the kinds to list: kinds of `spec.intake`, and kinds with copies."""
    names = {item.kind for item in settings.intake}
    return tuple(it for it in intakes() if it.kind in names or copies.of(it))


def take_in(seen: IntakeObservation, context: IntakeContext) -> TakenIn:
    """Return the copies that Git gets after an observation."""
    uid, _, _ = context.named.partition(" ")  # older commits name a resourceVersion too
    if uid and uid != seen.uid and not seen.is_re_enrolled:
        why = (
            f"the management cluster has uid {seen.uid}, and the copies in Git are of uid {uid};"
            " nothing is taken in or removed; to accept the other cluster: --re-enrol management"
        )
        return TakenIn(seen=context.named, held=(why,), state=context.state)
    # A state that comes from a backup of another cluster proves nothing.
    before = context.state if uid in ("", seen.uid) else IntakeState()
    return _Taking(seen, replace(context, state=before)).done()


class _Taking:
    """An observation in progress."""

    def __init__(self, seen: IntakeObservation, context: IntakeContext) -> None:
        self.seen = seen
        self.context = context
        self.settings = context.settings
        self.known = {*context.described, *context.unread}
        self.changes: dict[str, bytes | None] = {}
        self.rejected: list[Rejected] = []
        self.events = RejectionEvents(context.state.rejected, seen.at)
        limits = DeletionLimits(context.settings, context.allowed, context.copies.used)
        self.deletions = DeletionDetector(context.state, limits, seen.at)

    def done(self) -> TakenIn:
        every = asked(self.settings, self.context.copies)
        for intake in every:
            self.known |= self.context.copies.of(intake).keys()
        for intake in every:
            self._kind(intake, self.seen.listed.get(intake.resource))
        deletions = self.deletions
        return TakenIn(
            tuple(FileChange(path, data) for path, data in sorted(self.changes.items())),
            self.seen.uid,
            tuple(self.rejected),
            tuple(deletions.held),
            (*deletions.notes, *self.events.notes()),
            tuple(self.events.events),
            replace(deletions.state(), rejected=self.events.rejected),
        )

    def _kind(self, intake: IntakeKind, listed: ListedCopy | None) -> None:
        copies = self.context.copies.of(intake)
        mine = {it: copy for it, copy in copies.items() if it not in self.context.described}
        if listed is None:
            return
        there = dict(self._there(intake, listed, mine))
        for identity, manifest in there.items():
            self._object(intake, identity, manifest, mine.get(identity))
        self._gone(intake, listed, mine, there)

    def _there(
        self, intake: IntakeKind, listed: ListedCopy, copies: Mapping[Identity, ObjectCopy]
    ) -> Iterator[tuple[Identity, Manifest]]:
        """Return objects that `ipam` did not create and that are not in files of users."""
        for manifest in listed.items:
            identity = intake.identity(manifest)
            if identity in self.context.described:
                continue
            copy = copies.get(identity)
            is_same = copy is not None and copy.uid == manifest["metadata"]["uid"]
            if is_same or not is_own(self.seen.entries, intake, manifest):
                yield identity, manifest

    def _object(
        self, intake: IntakeKind, identity: Identity, manifest: Manifest, copy: ObjectCopy | None
    ) -> None:
        if is_own(self.seen.entries, intake, manifest):
            return
        if copy is None and not self._is_new(intake, manifest):
            return
        why = leaves_out(self.settings, intake, identity)
        found = RefusedIntake(why) if why else copy_of(manifest, intake, self.settings)
        if isinstance(found, RefusedIntake):
            # An object that was never copied and is not in spec.intake is not a rejection.
            if copy is not None or not why:
                self._reject(intake, identity, manifest, found.reason)
            return
        self.known.add(identity)
        if copy is None or copy.data != found.data:
            self.changes[path_of(self.settings.observed, identity)] = found.data

    def _is_new(self, intake: IntakeKind, manifest: Manifest) -> bool:
        """Return whether to copy an object that has no copy."""
        if intake.identity(manifest) in self.context.unread:
            return False
        pool = intake.pool(manifest)
        is_going = "deletionTimestamp" in manifest["metadata"]
        return not (is_going or intake.is_others(manifest)) and (pool is None or pool in self.known)

    def _reject(
        self, intake: IntakeKind, identity: Identity, manifest: Manifest, reason: str
    ) -> None:
        """Report an object that is not copied; its owner gets an Event."""
        self.rejected.append(Rejected(identity, reason))
        self.events.reject(intake, identity, manifest, reason)

    def _gone(
        self,
        intake: IntakeKind,
        listed: ListedCopy,
        copies: Mapping[Identity, ObjectCopy],
        there: Mapping[Identity, Manifest],
    ) -> None:
        """Remove copies whose object was deleted."""
        missing = {it: copy.uid for it, copy in copies.items() if it not in there}
        kind = f"{intake.kind}.{intake.resource.group}"
        if listed.problem and not missing:
            self.deletions.notes.append(f"not all {kind} can be read: {listed.problem}")
        deleted = [it for it, uid in missing.items() if uid in self.seen.deleted]
        for identity in self.deletions.gone(kind, listed.problem, copies, missing, deleted):
            self.changes[path_of(self.settings.observed, identity)] = None


def leaves_out(settings: Settings, intake: IntakeKind, identity: Identity) -> str:
    """Return why an object is not in `spec.intake`; empty if it is."""
    _, _, namespace, _ = identity
    entries = [item for item in settings.intake if item.kind == intake.kind]
    if not entries:
        return f"{intake.kind} is not in spec.intake of Settings"
    names = {name for item in entries for name in item.namespaces}
    if "*" in names or not namespace or namespace in names:
        return ""
    return f"spec.intake of Settings names no {intake.kind} of namespace {namespace}"


def is_own(entries: Mapping[str, InventoryEntry], intake: IntakeKind, manifest: Manifest) -> bool:
    """Return whether `ipam` created an object: it has the label, or is in the inventory."""
    metadata = manifest["metadata"]
    ref = Ref(intake.resource, metadata.get("namespace", ""), metadata["name"])
    return is_ours(Live(ref, manifest), entries.get(str(ref)))


def identities(evaluation: Evaluation) -> frozenset[Identity]:
    """Return the identities of all documents of a tree, including broken and observed ones."""
    tree = evaluation.tree
    broken = (identity for source in tree.sources for identity in source.broken)
    every = (document.identity for source in tree.sources for document in source.documents)
    return frozenset([*every, *broken, *(it.identity for it in tree.last_good.documents)])


def outside(
    known: Collection[Identity],
    settings: Settings,
    entries: Mapping[str, InventoryEntry],
    lists: Mapping[Resource, Iterable[Manifest]],
) -> Iterator[str]:
    """Yield a note per kind with the number of objects that are not in Git.

    Args:
        known: The identities in Git.
        settings: The Settings. Objects of the intake are not counted.
        entries: The inventory. Objects of `ipam` are not counted.
        lists: Objects by kind; other kinds are skipped.
    """
    for intake in intakes():
        if not intake.lacks[0]:
            continue
        count = sum(
            1
            for manifest in lists.get(intake.resource, ())
            if (it := intake.identity(manifest)) not in known
            and not is_own(entries, intake, manifest)
            and not intake.is_others(manifest)
            and leaves_out(settings, intake, it)
        )
        one, several = intake.lacks
        if count == 1:
            yield f"1 {intake.kind} is not in Git and {one}; see intake in Settings"
        elif count:
            yield f"{count} {intake.kind}s are not in Git and {several}; see intake in Settings"
