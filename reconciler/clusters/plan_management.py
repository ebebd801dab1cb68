"""The plan of the management cluster."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.clusters import crds
from reconciler.clusters.decision import is_ours
from reconciler.clusters.desired import DesiredObject, desired_object, owned_by, with_status
from reconciler.clusters.elastic.model import Word
from reconciler.clusters.elastic.telling import worded
from reconciler.clusters.inventory import Inventory
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.plan import ClusterPlan, Draft, Lock, Stop, orphan_notes
from reconciler.clusters.resources import (
    CRD,
    EVENT,
    IP_ALLOCATION,
    NAMESPACE,
    described,
    needed,
    owned,
    parse_ref,
    pools_by_ref,
)
from reconciler.clusters.snapshot import Answer, Live, Objects, Query, Snapshot, Tolerates
from reconciler.clusters.steps import AwaitEstablished, Look, MakeNamespace, Own, Patch, Tell
from reconciler.clusters.target import UNCLEAR
from reconciler.documents.document import Identity
from reconciler.families import families
from reconciler.families._objects import Fit, Lists
from reconciler.families._objects import Objects as FamilyObjects
from reconciler.model.cluster import HOME
from reconciler.model.pool import Pool
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.model.settings import Settings


class ManagementDesiredState(Struct, frozen=True):
    """What the management cluster shall hold.

    Attributes:
        pools: The pools of the tree, for their thresholds and for who uses their addresses.
        settings: Of the repository, for the brake.
        is_whole: Nothing in the tree is wrong, so what is not wanted is really not wanted.
        words: What is told of those whose clusters were looked at. Of others is told what was.
        known: What the documents of the tree describe.
        growing: Tells the objects of those who may grow.
    """

    desired: Sequence[DesiredObject]
    pools: Sequence[Pool]
    settings: Settings
    is_whole: bool
    words: Mapping[Ref, tuple[Word, ...]] = field(default_factory=dict)
    known: Collection[Identity] = ()
    growing: Callable[[], Collection[Ref]] = frozenset


# A repository that is applied for the first time would flood the cluster; git log has it all.
_MOST = 50


class EventRecorder:
    """The events in the plan of one cluster: what families have to tell of a change.

    Attributes:
        notes: Events that cannot be made, and why.
    """

    def __init__(self, pools: Sequence[Pool], there: Objects, snapshot: Snapshot) -> None:
        self._pools: Mapping[Ref, Pool] = pools_by_ref(pools)
        self._there = there
        self._snapshot = snapshot
        self._told: Counter[Resource] = Counter()
        self.notes: list[str] = []

    def need(self, desired: Sequence[DesiredObject]) -> None:
        """Have read what was told lately of the objects that there is something to tell of.

        Raises:
            Unanswered: It has to be read.
        """
        told = {_events(item.ref): None for item in desired if self._first(item) is not None}
        self._snapshot.need(*told)

    def tell(self, desired: DesiredObject) -> Tell | None:
        """The event that a change of an object gives cause for, if it does."""
        if desired.ref.resource == IP_ALLOCATION:
            return self._of_allocation(desired)
        tell = self._first(desired)
        if tell is None or self._is_enough(desired.ref):
            return None
        answer = self._snapshot.of(_events(desired.ref))
        if answer.problem or answer.is_unknown:
            self.notes.append(f"an event was not made: {answer.problem}")
            return None
        recent = tuple(live.manifest for live in answer.objects.values())
        return self._counted(Tell(desired, tell.before, tell.pool, tell.there, recent))

    def _of_allocation(self, desired: DesiredObject) -> Tell | None:
        if desired.body is None or self._is_enough(desired.ref):
            return None
        return self._counted(Tell(desired, self._there.get(desired.ref), there=self._there))

    def _counted(self, tell: Tell) -> Tell | None:
        if not self._is_told(tell):
            return None
        self._told[tell.desired.ref.resource] += 1
        return tell

    def _is_enough(self, ref: Ref) -> bool:
        """Of a kind that holds addresses so much was told that the rest is left to `git log`."""
        return self._told[ref.resource] >= _MOST and ref not in self._pools

    def _first(self, desired: DesiredObject) -> Tell | None:
        """What there is to tell of an object that is no record, if nobody told it before."""
        before, pool = self._there.get(desired.ref), self._pools.get(desired.ref)
        is_nowhere = desired.body is None and before is None
        if is_nowhere or desired.ref.resource == IP_ALLOCATION:
            return None
        tell = Tell(desired, before, pool, self._there)
        return tell if self._is_told(tell) else None

    def _is_told(self, tell: Tell) -> bool:
        """There is an event to make, whatever the uid of the object."""
        now = tell.before or Live(tell.desired.ref, tell.desired.body or {})
        return tell.event(now, self._snapshot.now) is not None


def _events(ref: Ref) -> Query:
    """What was told of objects of a kind in a namespace; without one, in the default one."""
    selector = f"involvedObject.kind={ref.resource.kind}"
    place = ref.namespace or "default"
    return Query(EVENT, place, fields=selector, tolerates=Tolerates.REFUSAL)


class Fits:
    """How the families fit some desired objects; nothing where none of them says anything."""

    def __init__(self, desired: Sequence[DesiredObject], live: Objects) -> None:
        self._desired, self._live = desired, live
        self._found: dict[Ref, Fit] = {}
        self._unowned: list[Own] = []
        there = {ref: item.manifest for ref, item in live.items()}
        for own in (family.objects for family in families()):
            if own.fit is not None:
                kinds = frozenset(own.resources)
                wanted = {it.ref: _whole(it) for it in desired if it.ref.resource in kinds}
                self._found |= own.fit(wanted, there)

    def whole(self, draft: Draft) -> list[DesiredObject]:
        """The objects to bring, but for those that are left as they are; of others, says why."""
        for ref, fit in self._found.items():
            if fit.error:
                draft.fail(str(ref), fit.error)
        return [found for item in self._desired if (found := self._fitted(item)) is not None]

    def patch(self, draft: Draft) -> None:
        """Write the parts of objects that are there."""
        for item in self._desired:
            if (step := self._patch(item)) is not None:
                draft.add(step)

    def own(self, draft: Draft) -> None:
        """Write owners that are made by then."""
        for own in self._unowned:
            draft.add(own)

    def _fitted(self, item: DesiredObject) -> DesiredObject | None:
        found = self._found.get(item.ref)
        if item.part is not None:
            return None
        if found is None:
            return item
        if found.manifest is None:
            return None
        manifest = found.manifest
        uids = {ref: self._live[ref].uid for ref, _ in found.owners if ref in self._live}
        if found.owners and len(uids) == len(found.owners):
            manifest = owned_by(manifest, found.owners, uids)
        fitted = desired_object(manifest, is_status_only=item.body is None)
        if len(uids) < len(found.owners):
            self._unowned.append(Own(fitted, found.owners, self._live))
        return replace(fitted, rests_on=item.rests_on)

    def _patch(self, item: DesiredObject) -> Patch | None:
        found, live = self._found.get(item.ref), self._live.get(item.ref)
        if item.part is None or found is None or found.manifest is None or live is None:
            return None
        told: dict[str, str] = {"uid": live.uid}
        if found.takes:  # what is taken is just as it was read
            told["resourceVersion"] = live.version
        metadata = {**(found.manifest.get("metadata") or {}), **told}
        manifest = {**found.manifest, "metadata": metadata}
        # What cannot be is left out of the fields by who fits them; what is in them has to be there.
        failed = {ref for ref, fit in self._found.items() if fit.error}
        needed = tuple(ref for ref in item.rests_on if ref not in failed)
        return Patch(item.ref, manifest, needed, takes=found.takes)


def _whole(item: DesiredObject) -> Manifest:
    """All that an object shall be, or that is ours of it."""
    said: Mapping[str, object] = item.body or item.part or _named(item.ref)
    return said if item.status is None else {**said, "status": item.status}


def _named(ref: Ref) -> Manifest:
    place = {"namespace": ref.namespace} if ref.namespace else {}
    return {
        "apiVersion": ref.resource.api_version,
        "kind": ref.resource.kind,
        "metadata": {"name": ref.name, **place},
    }


class Bringing:
    """Puts the steps that bring objects to what they shall be into a plan.

    First what families make, then what is written into objects of others: somebody waits for that.
    Nobody waits for events, nor for the copies of records, nor for owners. An event of what is new
    comes as soon as it keeps nobody waiting: the next run finds nothing new there, and tells nothing.
    """

    def __init__(
        self, draft: Draft, recorder: EventRecorder, live: Objects, unknown: Collection[Resource]
    ) -> None:
        """Build it.

        Args:
            draft: The plan.
            recorder: Tells which events there are.
            live: All objects as they were read.
            unknown: Kinds that the cluster does not know.
        """
        self._draft = draft
        self._recorder = recorder
        self._live = live
        self._unknown = unknown
        self._new: list[Tell] = []

    def all(self, desired: Sequence[DesiredObject]) -> None:
        """Bring some objects.

        Raises:
            Unanswered: More has to be read.
        """
        fits = Fits(desired, self._live)
        brought = fits.whole(self._draft)
        self._recorder.need(brought)
        for item in (it for it in brought if it.ref.resource != IP_ALLOCATION):
            self._one(item)
        fits.patch(self._draft)
        self._tell()
        for item in (it for it in brought if it.ref.resource == IP_ALLOCATION):
            self._one(item)
        self._tell()
        fits.own(self._draft)
        self._draft.notes += self._recorder.notes

    def _tell(self) -> None:
        for tell in self._new:
            self._draft.add(tell)
        self._new.clear()

    def _one(self, item: DesiredObject) -> None:
        if item.ref.resource in self._unknown:
            if item.body is not None:
                self._draft.fail(str(item.ref), f"no kind {item.ref.resource.kind} there")
            return
        before = self._live.get(item.ref)
        entry = self._draft.entries.get(str(item.ref))
        is_written = before is not None and (item.body is None or is_ours(before, entry))
        tell = self._recorder.tell(item)
        if tell is not None and is_written:
            self._draft.add(tell)
        elif tell is not None:
            self._new.append(tell)
        self._draft.bring(item, before, next(iter(item.rests_on), None))


_NAMESPACES = Query(NAMESPACE)
_UNKNOWN = Answer(is_unknown=True)


def plan_management(
    desired_state: ManagementDesiredState,
    snapshot: Snapshot,
    inventory: Inventory,
    options: ApplyOptions,
    home: Ref | None,
) -> ClusterPlan:
    """What is done in the management cluster.

    Args:
        desired_state: What it shall hold.
        snapshot: What was read of it.
        inventory: What was put there.
        options: What a person asks for.
        home: The ConfigMap of the inventory, when it is there.

    Raises:
        Unanswered: More has to be read.
    """
    draft = Draft(inventory.objects, options)
    lock = Lock(draft, snapshot, home)
    lock.begin()
    stop = _Management(desired_state, snapshot, draft).run()
    if stop is None:
        lock.end()
    return ClusterPlan(tuple(draft.steps), tuple(draft.notes), stop)


class _Management:
    """The plan of the management cluster while it is made."""

    def __init__(
        self, desired_state: ManagementDesiredState, snapshot: Snapshot, draft: Draft
    ) -> None:
        self.desired_state = desired_state
        self.snapshot = snapshot
        self.draft = draft
        self.desired = list(desired_state.desired)
        self.live: dict[Ref, Live] = {}
        self.unread: set[Resource] = set()
        self.unknown: list[Resource] = []
        self.brought: list[str] = []
        self.unserved: list[str] = []
        self.kinds = self._resources()

    def run(self) -> Stop | None:
        """Make it; returns why the cluster cannot be brought to what it shall be."""
        if self.draft.options.crds:
            self._install()
        self._namespaces()
        missing = self._read()
        if missing and crds.is_among(self.draft.entries) and not self.draft.options.crds:
            names = ", ".join(missing)
            self.draft.notes.append(f"the CRD of {names} was gone; it is installed again")
            self._install()
            missing = self._read()
        if missing and not self.draft.options.dry_run:
            return Stop(f"no kind {', '.join(missing)} there", "--crds installs the CRDs")
        self._observe()
        wanted = frozenset(item.ref for item in self.desired)
        orphans = orphan_notes(self.draft.entries, self.live, wanted, self.snapshot.now)
        for name, entry in list(orphans):
            self.draft.note(name, entry)
        self._bring()
        return self._prune()

    def _install(self) -> None:
        """Install or upgrade the CRDs, and wait until the server serves them.

        A CRD of the same name that is not ours is left alone, and told.
        """
        named = {item.ref: Query(CRD, name=item.ref.name) for _, item in crds.desired()}
        self.snapshot.need(*named.values())
        waiting: list[Ref] = []
        for manifest, item in crds.desired():
            live = self.snapshot.of(named[item.ref]).objects.get(item.ref)
            entry = self.draft.entries.get(str(item.ref))
            if live is not None and not is_ours(live, entry) and not self.draft.options.adopt:
                self._leave(item.ref, list(crds.lacking(manifest, live.manifest)))
                continue
            self.draft.bring(item, live)
            waiting.append(item.ref)
            if live is None or not crds.is_established(live.manifest):
                self.unserved.append(item.ref.name)
        self.brought = [ref.name for ref in waiting]
        for ref in waiting:
            self.draft.add(AwaitEstablished(ref))

    def _leave(self, ref: Ref, lacks: Sequence[str]) -> None:
        """Leave a CRD that is not ours alone; say what it lacks."""
        if lacks:
            error = f"it is not ours and lacks {', '.join(lacks)}; --adopt upgrades it"
            self.draft.fail(str(ref), error)
        else:
            self.draft.notes.append(f"CRD {ref.name} is not ours; it has what is needed")

    def _namespaces(self) -> None:
        """Make the namespaces that are missing. They are never taken away."""
        present = self.snapshot.of(_NAMESPACES).objects
        wanted = {HOME: None} | {
            item.ref.namespace: None
            for item in self.desired
            if item.body is not None and item.ref.namespace
        }
        for name in wanted:
            ref = Ref(NAMESPACE, "", name)
            if ref not in present:
                self.draft.add(MakeNamespace(ref))

    def _read(self) -> list[str]:
        """Read all objects of the kinds that matter; returns kinds of ours that are not known.

        Kinds that are served only once their CRD is there are looked at then.
        """
        missing: list[str] = []
        self.live = {}
        self.unread = set()
        self.unknown = []
        asked = [kind for kind in self.kinds if crds.crd_name(kind) not in self.unserved]
        answers = dict(zip(asked, self.snapshot.need(*map(Query, asked)), strict=True))
        for resource, must_be in self.kinds.items():
            answer = answers.get(resource, _UNKNOWN)
            self.live |= answer.objects
            if not answer.is_unknown:
                continue
            self.unread.add(resource)
            if crds.crd_name(resource) in self.brought:
                self.draft.add(Look(resource))
            elif must_be:
                missing.append(resource.kind)
            else:
                self.unknown.append(resource)
        return missing

    def _resources(self) -> Mapping[Resource, bool]:
        """The kinds to read, and whether nothing can be done without them."""
        found = dict.fromkeys(needed(), True)
        for item in self.desired:
            found.setdefault(item.ref.resource, False)
        one_of_each = {tuple(name.split("/", 2)[:2]): name for name in self.draft.entries}
        for name in one_of_each.values():
            resource = parse_ref(name).resource
            if resource in described():
                found.setdefault(resource, False)
        return found

    def _observe(self) -> None:
        """Add to the status of pools who uses their reserved addresses in this cluster."""
        told: dict[Ref, Manifest] = {}
        for own in (family.objects for family in families()):
            if own.observe is None:
                continue
            lists = self._observed(own)
            if lists is None:
                return
            told |= own.observe(self.desired_state.pools, lists)
        self.desired = [with_status(item, told.get(item.ref)) for item in self.desired]

    def _observed(self, own: FamilyObjects) -> Lists | None:
        """All objects of the kinds that a family looks at; None when some may not be read."""
        found: dict[Resource, list[Manifest]] = {}
        for resource in own.observes:  # without Cluster API there are no Machines, for example
            answer = self.snapshot.of(Query(resource, tolerates=Tolerates.DENIAL))
            if answer.problem:
                note = f"who uses reserved addresses is not told: {answer.problem}"
                self.draft.notes.append(note)
                return None
            found[resource] = [live.manifest for live in answer.objects.values()]
        return found

    def _bring(self) -> None:
        recorder = EventRecorder(self.desired_state.pools, self.live, self.snapshot)
        bringing = Bringing(self.draft, recorder, self.live, frozenset(self.unknown))
        desired = worded(
            self.desired, self.live, self.desired_state.words, self.desired_state.growing
        )
        bringing.all(desired)

    def _prune(self) -> Stop | None:
        """Take away what nothing asks for any more: objects of the kinds that are read."""
        gone = self._seen(self._gone())
        if not gone:
            return None
        if not self.desired_state.is_whole:
            self.draft.notes.append(f"{len(gone)} objects stay while {UNCLEAR}")
            return None
        if stop := self._brake(gone):
            return stop
        # What was made last goes first: what holds an address before the address.
        order = {resource: at for at, resource in enumerate(owned())}
        for ref in sorted(gone, key=lambda ref: -order.get(ref.resource, -1)):
            self.draft.prune(ref, self.live.get(ref))
        return None

    def _gone(self) -> list[Ref]:
        """What the inventory names and nothing asks for any more."""
        wanted = frozenset(str(item.ref) for item in self.desired)
        entries = self.draft.entries
        unwanted = [item for item in sorted(entries.items()) if item[0] not in wanted]
        for name, entry in unwanted:
            if entry.is_status_only:  # whatever the Settings: it is others', and stays
                self.draft.note(name, None)
        gone = [
            parse_ref(name)
            for name, entry in unwanted
            if entry.orphan_since is None and not entry.is_status_only
        ]
        # Settings that go back to pools alone take no cluster and no team away.
        is_all = self.desired_state.settings.applies_documents
        return [
            ref
            for ref in gone
            if ref.resource in self.kinds and (is_all or ref.resource in owned())
        ]

    def _seen(self, gone: Sequence[Ref]) -> list[Ref]:
        """Leave out what may be there though its kind is not served: forgotten, it stays for ever."""
        staying = Counter(ref.resource for ref in gone if ref.resource in self.unread)
        for resource, count in staying.items():
            what = "1 object stays" if count == 1 else f"{count} objects stay"
            self.draft.notes.append(f"{what}: the kind {resource.kind} is not served")
        return [ref for ref in gone if ref.resource not in self.unread]

    def _brake(self, gone: Iterable[Ref]) -> Stop | None:
        """Too many live objects would go: something is wrong, or a person has to say so."""
        living = [ref for ref in gone if self._is_live(ref)]
        known = sum(
            parse_ref(name).resource in self.kinds
            for name, entry in self.draft.entries.items()
            if not entry.is_status_only
        )
        allowed = self.draft.options.allow_release
        if allowed is not None:
            is_too_much = len(living) > allowed
        else:
            share = 100 * len(living) > self.desired_state.settings.max_release_percent * known
            is_too_much = known >= self.desired_state.settings.min_records and share
        if not is_too_much:
            return None
        hint = f"if that is meant: --allow-release {len(living)}"
        return Stop(f"{len(living)} of {known} objects would be deleted", hint)

    def _is_live(self, ref: Ref) -> bool:
        """Somebody would miss it; nobody misses an allocation that holds nothing for its tenant."""
        live = self.live.get(ref)
        return live is not None and (ref.resource != IP_ALLOCATION or live.phase == "Allocated")
