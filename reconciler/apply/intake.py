"""Copies in Git of objects that exist only in the management cluster."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.apply.inventory import InventoryEntry
from reconciler.apply.snapshot import Live
from reconciler.apply.steps import is_ours
from reconciler.documents.document import Document, Identity
from reconciler.documents.findings import (
    Finding,
    Location,
    Severity,
    gate,
    join_limited,
    shown,
    warning,
)
from reconciler.documents.yaml import dump
from reconciler.families import families
from reconciler.families.events import event_name, event_on, reference
from reconciler.families.importing import UID, IntakeKind, copied
from reconciler.kube.resources import reading
from reconciler.model.change import FileChange
from reconciler.model.claim import Allocation
from reconciler.model.errors import ClusterError
from reconciler.model.objects import PREFIX, Manifest, Ref, Resource
from reconciler.model.pool import DEFAULT_SPACE
from reconciler.model.settings import Settings
from reconciler.planning.documents import path_of, source_reader
from reconciler.planning.evaluate import Evaluation

SPACE = f"{PREFIX}address-space"
"""The annotation of a pool that names its address space."""
MAX_MISSING = 1_000
REJECTED = "IPAMRejected"
MAX_EVENTS_PER_NAMESPACE = 20
MAX_EVENTS = 200
MIN_DELETIONS = 600
"""Seconds between the two lists, and the period in which deletions count together."""


class IntakeState(Struct, frozen=True):
    """State between observations, in seconds since 1970 by the management cluster's clock."""

    missing: Mapping[Identity, int] = field(default_factory=dict)
    rejected: Mapping[Identity, str] = field(default_factory=dict)
    # By `Kind.group/namespace`.
    removed: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)


def format_identity(identity: Identity) -> str:
    """Return `Kind.group/namespace/name`, with `_` for no namespace."""
    group, kind, namespace, name = identity
    return f"{kind}.{group}/{namespace or '_'}/{name}"


def hash_of(reason: str) -> str:
    """Return the hash of a reason."""
    return sha256(reason.encode()).hexdigest()[:16]


_Stored = tuple[
    list[tuple[Identity, int]],
    list[tuple[Identity, str]],
    list[tuple[str, tuple[tuple[int, int], ...]]],
]


def format_state(state: IntakeState) -> str:
    """Return the state as text. Of many missing objects, some are left out until later."""
    parts = [sorted(it.items()) for it in (state.missing, state.rejected, state.removed)]
    parts[0] = parts[0][:MAX_MISSING]
    return msgspec.json.encode(parts).decode() if any(parts) else ""


def parse_state(text: str) -> IntakeState:
    """Parse the state. Another text is as good as none."""
    try:
        missing, rejected, removed = msgspec.json.decode(text, type=_Stored)
    except msgspec.DecodeError:
        return IntakeState()
    return IntakeState(dict(missing), dict(rejected), dict(removed))


class ObjectCopy(NamedTuple):
    """The bytes of a copy, and the uid of its object."""

    data: bytes
    uid: str


class Copies(Struct, frozen=True):
    """The copies in a tree, and the identities of pools that records use."""

    every: Mapping[Identity, ObjectCopy] = field(default_factory=dict)
    used: Collection[Identity] = ()

    def of(self, intake: IntakeKind) -> Mapping[Identity, ObjectCopy]:
        """Return the copies of one kind."""
        kind = intake.resource.group, intake.kind
        return {it: copy for it, copy in self.every.items() if it[:2] == kind}


def intakes() -> tuple[IntakeKind, ...]:
    """Return the intake kinds: pools before claims."""
    return tuple(intake for family in families() for intake in family.objects.intake)


def copies_of(
    documents: Iterable[Document], folder: str, records: Iterable[Allocation] = ()
) -> Copies:
    """Return the copies among the documents of a tree, and those that records use."""
    known = {(intake.resource.group, intake.kind) for intake in intakes()}
    found: dict[Identity, ObjectCopy] = {}
    for document in documents:
        identity = document.identity
        if identity[:2] not in known or not document.path.startswith(f"{folder}/"):
            continue
        uid = document.annotations().get(UID, "")
        if document.path == path_of(folder, identity):
            found[identity] = ObjectCopy(document.data, uid)
        else:  # the copy is in another file: it is written to its own file
            found.setdefault(identity, ObjectCopy(b"", uid))
    holding = {it.pool for it in records if it.range is not None}
    pools = {(pool.kind, pool.namespace, pool.name) for pool in holding}
    return Copies(found, {identity for identity in found if identity[1:] in pools})


def copy_of(manifest: Manifest, intake: IntakeKind, settings: Settings) -> ObjectCopy | str:
    """Return the copy of a live object, or why it is not valid."""
    space = (manifest["metadata"].get("annotations") or {}).get(SPACE, DEFAULT_SPACE)
    if space != DEFAULT_SPACE and settings.address_spaces is None:
        what = f"annotation {SPACE}: {shown(space)}, and spec.addressSpaces of Settings lists none"
        return f"{what}, so addresses in use could be allocated twice"
    data = dump(copied(manifest, intake)).encode()
    loaded = source_reader(settings)(path_of(settings.observed, intake.identity(manifest)), data)
    for found in loaded.findings:
        if found.severity is Severity.ERROR:
            return f"{found.message}; {found.hint}" if found.hint else found.message
    return ObjectCopy(data, manifest["metadata"]["uid"])


class ListedCopy(NamedTuple):
    """The valid objects of a kind, and why the list is not complete; empty if it is."""

    items: Sequence[Manifest] = ()
    problem: str = ""


class IntakeObservation(Struct, frozen=True):
    """One observation of the management cluster. A watch reported the uids `deleted`."""

    at: int
    uid: str
    listed: Mapping[Resource, ListedCopy]
    entries: Mapping[str, InventoryEntry] = field(default_factory=dict)
    deleted: Collection[str] = ()
    is_enrolled: bool = False


class IntakeContext(Struct, frozen=True):
    """The state before. `unread` is not taken in. Only the plan removes `described` copies."""

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
        return f"{format_identity(self.identity)} is not copied to Git: {self.reason}"


class TakenIn(Struct, frozen=True):
    """The result of an observation. Copies of deleted objects stay for the reasons in `held`."""

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
            "fix the object in the cluster; until then, ipam uses its last copy, if there is one",
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
    uid = context.named
    if uid and uid != seen.uid and not seen.is_enrolled:
        why = f"the management cluster has uid {seen.uid}, but the copies in Git are of uid {uid}, so none is added or removed; to accept the other cluster, pass --enroll management"
        return TakenIn(seen=context.named, held=(why,), state=context.state)
    # A state that comes from a backup of another cluster proves nothing.
    before = context.state if uid in ("", seen.uid) else IntakeState()
    return _Taking(seen, replace(context, state=before)).done()


class _Taking:
    def __init__(self, seen: IntakeObservation, context: IntakeContext) -> None:
        self.seen = seen
        self.context = context
        self.settings = context.settings
        self.known = {*context.described, *context.unread}
        self.changes: dict[str, bytes | None] = {}
        self.rejected: list[Rejected] = []
        self.reported: dict[Identity, str] = {}
        self.reported_in = Counter(namespace for _, _, namespace, _ in context.state.rejected)
        self.unreported = 0
        self.events: list[Manifest] = []
        self.deletions = DeletionDetector(context, seen.at)

    def done(self) -> TakenIn:
        every = asked(self.settings, self.context.copies)
        for intake in every:
            self.known |= self.context.copies.of(intake).keys()
        for intake in every:
            if (listed := self.seen.listed.get(intake.resource)) is not None:
                self._kind(intake, listed)
        notes, state = self.deletions.notes, self.deletions.state()
        if self.unreported:
            limits = f"at most {MAX_EVENTS_PER_NAMESPACE} per namespace and {MAX_EVENTS} in total"
            notes.append(f"{self.unreported} more objects were rejected without an Event: {limits}")
        return TakenIn(
            tuple(FileChange(path, data) for path, data in sorted(self.changes.items())),
            self.seen.uid,
            tuple(self.rejected),
            tuple(self.deletions.held),
            tuple(notes),
            tuple(self.events),
            replace(state, rejected=self.reported),
        )

    def _kind(self, intake: IntakeKind, listed: ListedCopy) -> None:
        copies = self.context.copies.of(intake)
        mine = {it: copy for it, copy in copies.items() if it not in self.context.described}
        there: set[Identity] = set()
        for manifest in listed.items:
            identity = intake.identity(manifest)
            if identity in self.context.described:
                continue
            copy = mine.get(identity)
            try:
                with reading(intake.kind, identity[3]):
                    is_own = _is_own(self.seen.entries, intake, manifest)
                    if not is_own or (copy and copy.uid == manifest["metadata"]["uid"]):
                        there.add(identity)
                    if not is_own and (copy is not None or self._is_new(intake, manifest)):
                        self._object(intake, identity, manifest, copy)
            except ClusterError as wrong:  # the object exists, so its copy stays
                there.add(identity)
                self._reject(intake, identity, manifest, str(wrong))
        missing = {it: copy.uid for it, copy in mine.items() if it not in there}
        kind = f"{intake.kind}.{intake.resource.group}"
        if listed.problem and not missing:
            self.deletions.notes.append(f"not all {kind} can be read: {listed.problem}")
        deleted = [it for it, uid in missing.items() if uid in self.seen.deleted]
        for identity in self.deletions.gone(kind, listed.problem, mine, missing, deleted):
            self.changes[path_of(self.settings.observed, identity)] = None

    def _object(
        self, intake: IntakeKind, identity: Identity, manifest: Manifest, copy: ObjectCopy | None
    ) -> None:
        why = _leaves_out(self.settings, intake, identity)
        found = why or copy_of(manifest, intake, self.settings)
        if isinstance(found, str):
            # An object that was never copied and is not in spec.intake is not a rejection.
            if copy is not None or not why:
                self._reject(intake, identity, manifest, found)
            return
        self.known.add(identity)
        if copy is None or copy.data != found.data:
            self.changes[path_of(self.settings.observed, identity)] = found.data

    def _is_new(self, intake: IntakeKind, manifest: Manifest) -> bool:
        if intake.identity(manifest) in self.context.unread:
            return False
        pool = intake.pool(manifest)
        is_going = "deletionTimestamp" in manifest["metadata"]
        return not (is_going or intake.is_others(manifest)) and (pool is None or pool in self.known)

    def _reject(
        self, intake: IntakeKind, identity: Identity, manifest: Manifest, reason: str
    ) -> None:
        self.rejected.append(Rejected(identity, reason))
        before, now, namespace = self.context.state.rejected, hash_of(reason), identity[2]
        if identity not in before:
            is_full = self.reported_in[namespace] >= MAX_EVENTS_PER_NAMESPACE
            if is_full or self.reported_in.total() >= MAX_EVENTS:
                self.unreported += 1
                return
            self.reported_in[namespace] += 1
        self.reported[identity] = now
        if before.get(identity) != now:
            about = reference(intake.resource, manifest)
            name = event_name(about, REJECTED, reason)
            event = event_on(about, name, ("Warning", REJECTED, reason), self.seen.at, {})
            self.events.append(event)


class DeletionDetector:
    """The deletions of one observation, kind by kind. Pools in use stay; `allowed` removals may go."""

    def __init__(self, context: IntakeContext, at: int) -> None:
        self._context = context
        self._at = at
        self._missing: dict[Identity, int] = {}
        self._removed = {
            kind: recent
            for kind, every in context.state.removed.items()
            if (recent := tuple(it for it in every if at - MIN_DELETIONS < it[0] <= at))
        }
        self.held: list[str] = []
        self.notes: list[str] = []

    def state(self) -> IntakeState:
        """Return the state for the next observation."""
        return IntakeState(self._missing, {}, self._removed)

    def gone(
        self,
        kind: str,
        problem: str,
        copies: Collection[Identity],
        missing: Iterable[Identity],
        deleted: Collection[Identity],
    ) -> list[Identity]:
        """Return the copies to remove, in order; none if the list has a `problem`."""
        lacking, before = sorted(missing), self._context.state.missing
        if problem:
            self._missing |= {it: before[it] for it in lacking if it in before}
            if lacking:
                what = f"{len(lacking)} of {len(copies)} {kind} are missing"
                self.notes.append(f"{what}, and do not count as deleted: {problem}")
            return []
        since = {it: min(before.get(it, self._at), self._at) for it in lacking}
        gone = [it for it in lacking if it in deleted or self._at - since[it] >= MIN_DELETIONS]
        used = [it for it in gone if it in self._context.copies.used]
        if used:
            names = join_limited([format_identity(it) for it in used])
            why = "records hold its addresses, so the copy stays until they are released"
            what = f"{names} {'was' if len(used) == 1 else 'were'} deleted in the management cluster, but {why}"
            self.held.append(f"{what}, or until you create the pool again")
        gone = self._permitted(kind, [it for it in gone if it not in used], copies)
        self._missing |= {it: at for it, at in since.items() if it not in gone}
        for namespace, count in sorted(_by_namespace(gone).items()):
            name = f"{kind}/{namespace or '_'}"
            self._removed[name] = (*self._removed.get(name, ()), (self._at, count))
        return gone

    def _permitted(
        self, kind: str, gone: list[Identity], copies: Collection[Identity]
    ) -> list[Identity]:
        """Return the permitted removals. One namespace over the limit does not block the others."""
        recent = self._recent(kind)
        going = _by_namespace(gone) + recent
        every = _by_namespace(copies) + recent
        allowed = self._context.allowed
        if not gone or not self._is_beyond(going.total(), every.total(), allowed):
            return gone
        name = min(going, key=lambda it: (-going[it], it))
        rest, others = going.total() - going[name], every.total() - every[name]
        if not others or rest == others or self._is_beyond(rest, others, None):
            self._hold(kind, going.total(), every.total())
            return []
        is_permitted = allowed is not None and going[name] <= allowed
        if is_permitted or not any(it[2] == name for it in gone):
            return gone
        self._hold(f"{kind} of namespace {name}", going[name], every[name])
        return [it for it in gone if it[2] != name]

    def _hold(self, what: str, going: int, every: int) -> None:
        why = f"{going} of {every} {what} were deleted in the management cluster"
        self.held.append(f"{why}; to remove their copies, pass --allow-release {going}")

    def _recent(self, kind: str) -> Counter[str]:
        found: Counter[str] = Counter()
        for name, every in self._removed.items():
            whose, _, namespace = name.partition("/")
            if whose == kind:
                found["" if namespace == "_" else namespace] += sum(count for _, count in every)
        return found

    def _is_beyond(self, going: int, every: int, allowed: int | None) -> bool:
        settings = self._context.settings
        is_all = going == every > 1
        is_share = 100 * going > settings.max_release_percent * every
        is_much = every >= settings.min_records and is_share
        return (is_all or is_much) and (allowed is None or going > allowed)


def _by_namespace(identities: Iterable[Identity]) -> Counter[str]:
    return Counter(namespace for _, _, namespace, _ in identities)


def _leaves_out(settings: Settings, intake: IntakeKind, identity: Identity) -> str:
    _, _, namespace, _ = identity
    entries = [item for item in settings.intake if item.kind == intake.kind]
    if not entries:
        return f"{intake.kind} is not in spec.intake of Settings"
    names = {name for item in entries for name in item.namespaces}
    if "*" in names or not namespace or namespace in names:
        return ""
    return f"spec.intake of Settings names no {intake.kind} of namespace {namespace}"


def _is_own(entries: Mapping[str, InventoryEntry], intake: IntakeKind, manifest: Manifest) -> bool:
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
    """Yield a note per kind with the number of objects in no Git and no intake."""
    for intake in intakes():
        if not intake.lacks[0]:
            continue
        count = sum(
            1
            for manifest in lists.get(intake.resource, ())
            if (it := intake.identity(manifest)) not in known
            and not _is_own(entries, intake, manifest)
            and not intake.is_others(manifest)
            and _leaves_out(settings, intake, it)
        )
        one, several = intake.lacks
        if count == 1:
            yield f"1 {intake.kind} is not in Git and {one}; see intake in Settings"
        elif count:
            yield f"{count} {intake.kind}s are not in Git and {several}; see intake in Settings"
