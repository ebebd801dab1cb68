"""What becomes of objects that live only in the management cluster: which copies Git shall hold.

A copy goes only where it is sure that its object is gone: an error, a part of a list, an older
state, another cluster or another CRD never say so (`watch.md` §1).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.clusters.copies import Copies, Copy, Refused, copy_of, intakes
from reconciler.clusters.decision import is_ours
from reconciler.clusters.going import Going, Known, Listing
from reconciler.clusters.intake_memory import IntakeMemory, named
from reconciler.clusters.intake_telling import Telling
from reconciler.clusters.inventory import Entry
from reconciler.clusters.snapshot import Live
from reconciler.documents.document import Identity
from reconciler.families._intake import Intake
from reconciler.findings import Finding, Location, gate, warning
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.model.settings import Settings
from reconciler.observed import path_of
from reconciler.records.changes import Change


class Listed(NamedTuple):
    """What the management cluster said of a kind.

    Attributes:
        items: Objects, behind the border; perhaps not all.
        version: The resourceVersion of the list.
        problem: Why it is not all that is there; empty when it is.
        crd: The uid of the kind's CRD; empty when it is not established, or nobody knows.
    """

    items: Sequence[Manifest] = ()
    version: str = ""
    problem: str = ""
    crd: str = ""


class Seen(Struct, frozen=True):
    """One look at the management cluster.

    Attributes:
        at: Its clock, in seconds since 1970.
        uid: Its identity.
        listed: What it said of each kind that was asked for.
        entries: Its inventory: objects that we put there.
        deleted: The uids of objects that a watch reported as deleted.
        is_re_enrolled: A person says that it may be another cluster, or an older state.
    """

    at: int
    uid: str
    listed: Mapping[Resource, Listed]
    entries: Mapping[str, Entry] = field(default_factory=dict)
    deleted: Collection[str] = ()
    is_re_enrolled: bool = False


class Standing(Struct, frozen=True):
    """What is known before.

    Attributes:
        described: What people's documents describe. A copy of it goes with the plan of the
            revision (`counting.py`), and by nothing else.
        copies: The copies in the tree.
        named: What the trailer `Ipam-Observed` of the last such commit says; empty for none.
        allowed: How many copies a person expects to go, or None.
        unread: What people describe, but wrongly: nothing is taken in for it. A copy that stands is
            what counts meanwhile.
    """

    settings: Settings
    described: Collection[Identity]
    copies: Copies
    named: str = ""
    memory: IntakeMemory = field(default_factory=IntakeMemory)
    allowed: int | None = None
    unread: Collection[Identity] = ()


class Rejected(NamedTuple):
    """An object that is not copied as it is, and why."""

    identity: Identity
    reason: str

    def __str__(self) -> str:
        """A line of the result."""
        return f"{named(self.identity)} is not taken in: {self.reason}"


class TakenIn(Struct, frozen=True):
    """What follows from a look.

    Attributes:
        changes: Copies that are made, changed or removed, by path.
        seen: What the trailer `Ipam-Observed` of their commit names.
        rejected: Objects that keep their last copy, or have none.
        held: Why copies stay that would go: a person has to say that it is meant.
        notes: What else a person should know.
        events: Events to make.
        memory: What is to be remembered.
    """

    changes: tuple[Change, ...] = ()
    seen: str = ""
    rejected: tuple[Rejected, ...] = ()
    held: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    events: tuple[Manifest, ...] = ()
    memory: IntakeMemory = field(default_factory=IntakeMemory)


def findings_of(taken: TakenIn, settings: Settings) -> tuple[Finding, ...]:
    """What a look has to tell, at the place of the copies. What is held makes the exit code 3."""
    place = Location(settings.observed)
    rejected = (
        warning(
            "intake-rejected",
            Location(path_of(settings.observed, item.identity)),
            str(item),
            "mend the object; until then its last copy counts, if there is one",
        )
        for item in taken.rejected
    )
    held = (gate("intake-held", place, why) for why in taken.held)
    notes = (warning("intake-doubt", place, note) for note in taken.notes)
    return (*rejected, *held, *notes)


def asked(settings: Settings, copies: Copies) -> tuple[Intake, ...]:
    """The kinds to list: those that are taken in, and those of which copies stand."""
    names = {item.kind for item in settings.intake}
    return tuple(it for it in intakes() if it.kind in names or copies.of(it))


def take_in(seen: Seen, standing: Standing) -> TakenIn:
    """What Git shall hold of the objects that live only in the management cluster."""
    uid, _, _ = standing.named.partition(" ")
    if uid and uid != seen.uid and not seen.is_re_enrolled:
        why = (
            f"the management cluster is another one (uid {seen.uid}) than the one whose objects"
            f" stand in Git (uid {uid}); nothing is taken in, and nothing goes: if that is meant,"
            " --re-enrol management"
        )
        return TakenIn(seen=standing.named, held=(why,), memory=standing.memory)
    return _Taking(seen, standing).done()


class _Taking:
    """The decision while it is made."""

    def __init__(self, seen: Seen, standing: Standing) -> None:
        self.seen = seen
        self.standing = standing
        self.settings = standing.settings
        self.known = {*standing.described, *standing.unread}
        self.changes: dict[str, bytes | None] = {}
        self.rejected: list[Rejected] = []
        self.telling = Telling(standing.memory.told, seen.at)
        before = (standing.settings, standing.named, standing.memory, standing.allowed)
        known = Known(*before, seen.is_re_enrolled, standing.copies.used)
        self.going = Going(known, seen.at, seen.uid)

    def done(self) -> TakenIn:
        every = asked(self.settings, self.standing.copies)
        for intake in every:
            self.known |= self.standing.copies.of(intake).keys()
        for intake in every:
            self._kind(intake, self.seen.listed.get(intake.resource))
        going = self.going
        return TakenIn(
            tuple(Change(path, data) for path, data in sorted(self.changes.items())),
            going.trailer(),
            tuple(self.rejected),
            tuple(going.held),
            (*going.notes, *self.telling.notes()),
            tuple(self.telling.events),
            replace(going.memory(), told=self.telling.told),
        )

    def _kind(self, intake: Intake, listed: Listed | None) -> None:
        copies = self.standing.copies.of(intake)
        mine = {it: copy for it, copy in copies.items() if it not in self.standing.described}
        if listed is None:
            return
        there = dict(self._there(intake, listed, mine))
        for identity, manifest in there.items():
            self._object(intake, identity, manifest, mine.get(identity))
        self._gone(intake, listed, mine, there)

    def _there(
        self, intake: Intake, listed: Listed, copies: Mapping[Identity, Copy]
    ) -> Iterator[tuple[Identity, Manifest]]:
        """Objects that are somebody's own: not ours, and not in people's files.

        What we made in the place of one that has a copy is not that one.
        """
        for manifest in listed.items:
            identity = intake.identity(manifest)
            if identity in self.standing.described:
                continue
            copy = copies.get(identity)
            is_same = copy is not None and copy.uid == manifest["metadata"]["uid"]
            if is_same or not is_own(self.seen.entries, intake, manifest):
                yield identity, manifest

    def _object(
        self, intake: Intake, identity: Identity, manifest: Manifest, copy: Copy | None
    ) -> None:
        """Copy an object, if it is for us, and is valid."""
        if is_own(self.seen.entries, intake, manifest):
            return
        if copy is None and not self._is_new(intake, manifest):
            return
        why = leaves_out(self.settings, intake, identity)
        found = Refused(why) if why else copy_of(manifest, intake, self.settings)
        if isinstance(found, Refused):
            # What never was taken in, and is not asked for, is told of elsewhere.
            if copy is not None or not why:
                self._reject(intake, identity, manifest, found.reason)
            return
        self.known.add(identity)
        if copy is None or copy.data != found.data:
            self.changes[path_of(self.settings.observed, identity)] = found.data

    def _is_new(self, intake: Intake, manifest: Manifest) -> bool:
        """An object without a copy is for us."""
        if intake.identity(manifest) in self.standing.unread:
            return False
        pool = intake.pool(manifest)
        is_going = "deletionTimestamp" in manifest["metadata"]
        return not (is_going or intake.is_others(manifest)) and (pool is None or pool in self.known)

    def _reject(self, intake: Intake, identity: Identity, manifest: Manifest, reason: str) -> None:
        """Tell of an object that is not copied as it is; its owner once for each reason."""
        self.rejected.append(Rejected(identity, reason))
        self.telling.refused(intake, identity, manifest, reason)

    def _gone(
        self,
        intake: Intake,
        listed: Listed,
        copies: Mapping[Identity, Copy],
        there: Mapping[Identity, Manifest],
    ) -> None:
        """Take away copies whose object is gone for sure."""
        missing = {it: copy.uid for it, copy in copies.items() if it not in there}
        kind = f"{intake.kind}.{intake.resource.group}"
        if listed.problem and not missing:
            self.going.notes.append(f"not all {kind} can be read: {listed.problem}")
        listing = Listing(kind, listed.version, listed.problem, listed.crd)
        deleted = [it for it, uid in missing.items() if uid in self.seen.deleted]
        for identity in self.going.of(listing, copies, missing, deleted):
            self.changes[path_of(self.settings.observed, identity)] = None


def leaves_out(settings: Settings, intake: Intake, identity: Identity) -> str:
    """Why Settings do not ask for an object; empty when they do."""
    _, _, namespace, _ = identity
    entries = [item for item in settings.intake if item.kind == intake.kind]
    if not entries:
        return f"{intake.kind} is not in spec.intake of Settings"
    names = {name for item in entries for name in item.namespaces}
    if "*" in names or not namespace or namespace in names:
        return ""
    return f"spec.intake of Settings names no {intake.kind} of namespace {namespace}"


def is_own(entries: Mapping[str, Entry], intake: Intake, manifest: Manifest) -> bool:
    """We made the object: it bears our label, or stands in our inventory."""
    metadata = manifest["metadata"]
    ref = Ref(intake.resource, metadata.get("namespace", ""), metadata["name"])
    return is_ours(Live(ref, manifest), entries.get(str(ref)))
