"""Plan of the management cluster."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.apply import rights
from reconciler.apply.decision import is_ours
from reconciler.apply.elastic import StatusMessage, worded
from reconciler.apply.inventory import (
    ClusterAnswer,
    Inventory,
    InventoryObjects,
    Live,
    Query,
    Snapshot,
    Tolerates,
)
from reconciler.apply.plan import ClusterPlan, Draft, Lock, Stop, orphan_notes
from reconciler.apply.steps import AwaitEstablished, Look, MakeNamespace, Own, Patch, Tell
from reconciler.apply.target import UNCLEAR, ApplyOptions
from reconciler.documents.document import Identity
from reconciler.families import families
from reconciler.families.interface import Lists, ObjectFit
from reconciler.families.interface import Objects as FamilyObjects
from reconciler.kube.resources import (
    IP_ALLOCATION,
    DesiredObject,
    described_resources,
    desired_object,
    needed,
    owned,
    owned_by,
    parse_ref,
    pools_by_ref,
    with_status,
)
from reconciler.model.objects import CRD, EVENT, HOME, NAMESPACE, Manifest, Ref, Resource
from reconciler.model.pool import Pool
from reconciler.model.settings import Settings


class ManagementDesiredState(Struct, frozen=True):
    """The desired state of the management cluster.

    Attributes:
        pools: The pools of the tree, for their thresholds and for the users of their addresses.
        settings: The Settings of the repository, for the release limit.
        is_whole: The tree has no errors, so objects that it does not contain can be deleted.
        words: Status messages of tenants whose clusters were observed. Others keep their messages.
        known: The identities of the documents in the tree.
        growing: Returns the objects of elastic tenants.
    """

    desired: Sequence[DesiredObject]
    pools: Sequence[Pool]
    settings: Settings
    is_whole: bool
    words: Mapping[Ref, tuple[StatusMessage, ...]] = field(default_factory=dict)
    known: Collection[Identity] = ()
    growing: Callable[[], Collection[Ref]] = frozenset


# The first apply of a repository would flood the cluster with events.
_MAX_PLAN_MANAGEMENT = 50


class EventRecorder:
    """Collects the events for changes in one cluster.

    Attributes:
        notes: Events that cannot be created, and why.
    """

    def __init__(self, pools: Sequence[Pool], there: InventoryObjects, snapshot: Snapshot) -> None:
        self._pools: Mapping[Ref, Pool] = pools_by_ref(pools)
        self._there = there
        self._snapshot = snapshot
        self._told: Counter[Resource] = Counter()
        self.notes: list[str] = []

    def need(self, desired: Sequence[DesiredObject]) -> None:
        """Read the recent events of all objects that changed.

        Raises:
            Unanswered: The events have not been read yet.
        """
        told = {_events(item.ref): None for item in desired if self._first(item) is not None}
        self._snapshot.need(*told)

    def tell(self, desired: DesiredObject) -> Tell | None:
        """Return the event for a change of an object, or None."""
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
        """Return whether a kind that holds addresses already has the maximum number of events."""
        return self._told[ref.resource] >= _MAX_PLAN_MANAGEMENT and ref not in self._pools

    def _first(self, desired: DesiredObject) -> Tell | None:
        """Return the event of an object that is not a record, unless it exists already."""
        before, pool = self._there.get(desired.ref), self._pools.get(desired.ref)
        is_nowhere = desired.body is None and before is None
        if is_nowhere or desired.ref.resource == IP_ALLOCATION:
            return None
        tell = Tell(desired, before, pool, self._there)
        return tell if self._is_told(tell) else None

    def _is_told(self, tell: Tell) -> bool:
        """Return whether there is an event to create, ignoring the uid of the object."""
        now = tell.before or Live(tell.desired.ref, tell.desired.body or {})
        return tell.event(now, self._snapshot.now) is not None


def _events(ref: Ref) -> Query:
    """Return recent events of a kind in a namespace; cluster-scoped objects use the default one."""
    selector = f"involvedObject.kind={ref.resource.kind}"
    place = ref.namespace or "default"
    return Query(EVENT, place, fields=selector, tolerates=Tolerates.REFUSAL)


class Fits:
    """Return how the families adapt desired objects to live ones, or None if no family does."""

    def __init__(self, desired: Sequence[DesiredObject], live: InventoryObjects) -> None:
        self._desired, self._live = desired, live
        self._found: dict[Ref, ObjectFit] = {}
        self._unowned: list[Own] = []
        there = {ref: item.manifest for ref, item in live.items()}
        for own in (family.objects for family in families()):
            if own.fit is not None:
                kinds = frozenset(own.resources)
                wanted = {it.ref: _whole(it) for it in desired if it.ref.resource in kinds}
                self._found |= own.fit(wanted, there)

    def whole(self, draft: Draft) -> list[DesiredObject]:
        """Return the objects to apply. Notes why the others are left unchanged."""
        for ref, fit in self._found.items():
            if fit.error:
                draft.fail(str(ref), fit.error)
        return [found for item in self._desired if (found := self._fitted(item)) is not None]

    def patch(self, draft: Draft) -> None:
        """Patch fields of existing objects."""
        for item in self._desired:
            if (step := self._patch(item)) is not None:
                draft.add(step)

    def own(self, draft: Draft) -> None:
        """Set owners that did not exist when the object was created."""
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
        if found.takes:  # the object is adopted with the fields that were read
            told["resourceVersion"] = live.version
        metadata = {**(found.manifest.get("metadata") or {}), **told}
        manifest = {**found.manifest, "metadata": metadata}
        # The family drops optional fields that cannot be set. The remaining ones are required.
        failed = {ref for ref, fit in self._found.items() if fit.error}
        needed = tuple(ref for ref in item.rests_on if ref not in failed)
        return Patch(item.ref, manifest, needed, takes=found.takes)


def _whole(item: DesiredObject) -> Manifest:
    """Return the complete desired object, or the fields of it that `ipam` owns."""
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
    """Adds steps to a plan that apply objects.

    Objects of families come first, then fields of objects of others, because users wait for these.
    Events, copies of records, and owners come last. An event is created in the same run, because
    the next run finds no difference.
    """

    def __init__(
        self,
        draft: Draft,
        recorder: EventRecorder,
        live: InventoryObjects,
        unknown: Collection[Resource],
    ) -> None:
        """Create it.

        Args:
            draft: The plan.
            recorder: Source of the events.
            live: All objects that were read.
            unknown: Kinds that the cluster does not serve.
        """
        self._draft = draft
        self._recorder = recorder
        self._live = live
        self._unknown = unknown
        self._new: list[Tell] = []

    def all(self, desired: Sequence[DesiredObject]) -> None:
        """Add the steps for some objects.

        Raises:
            Unanswered: More objects have to be read.
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
_UNKNOWN = ClusterAnswer(is_unknown=True)


def plan_management(
    desired_state: ManagementDesiredState,
    snapshot: Snapshot,
    inventory: Inventory,
    options: ApplyOptions,
    home: Ref | None,
) -> ClusterPlan:
    """Plan the management cluster.

    Args:
        desired_state: The desired state.
        snapshot: The live objects.
        inventory: The objects that earlier runs created.
        options: Options of the command.
        home: The ConfigMap of the inventory if it exists.

    Raises:
        Unanswered: More objects have to be read.
    """
    draft = Draft(inventory.objects, options)
    lock = Lock(draft, snapshot, home)
    lock.begin()
    stop = _Management(desired_state, snapshot, draft).run()
    if stop is None:
        lock.end()
    return ClusterPlan(tuple(draft.steps), tuple(draft.notes), stop)


class _Management:
    """Builds the plan of the management cluster."""

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
        """Build the plan. Return why the cluster cannot reach the desired state, or None."""
        if self.draft.options.crds:
            self._install()
        self._namespaces()
        missing = self._read()
        if missing and rights.is_among(self.draft.entries) and not self.draft.options.crds:
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

        A CRD of the same name with another owner is left unchanged, with a note.
        """
        named = {item.ref: Query(CRD, name=item.ref.name) for _, item in rights.desired()}
        self.snapshot.need(*named.values())
        waiting: list[Ref] = []
        for manifest, item in rights.desired():
            live = self.snapshot.of(named[item.ref]).objects.get(item.ref)
            entry = self.draft.entries.get(str(item.ref))
            if live is not None and not is_ours(live, entry) and not self.draft.options.adopt:
                self._leave(item.ref, list(rights.lacking(manifest, live.manifest)))
                continue
            self.draft.bring(item, live)
            waiting.append(item.ref)
            if live is None or not rights.is_established(live.manifest):
                self.unserved.append(item.ref.name)
        self.brought = [ref.name for ref in waiting]
        for ref in waiting:
            self.draft.add(AwaitEstablished(ref))

    def _leave(self, ref: Ref, lacks: Sequence[str]) -> None:
        """Leave a CRD of another owner unchanged. Note its missing fields."""
        if lacks:
            error = f"it is not ours and lacks {', '.join(lacks)}; --adopt upgrades it"
            self.draft.fail(str(ref), error)
        else:
            self.draft.notes.append(f"CRD {ref.name} is not ours; it has what is needed")

    def _namespaces(self) -> None:
        """Create missing namespaces. Namespaces are never deleted."""
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
        """Read all objects of the relevant kinds. Return own kinds that the server does not know.

        Kinds that are served only after their CRD is installed are read after that.
        """
        missing: list[str] = []
        self.live = {}
        self.unread = set()
        self.unknown = []
        asked = [kind for kind in self.kinds if rights.crd_name(kind) not in self.unserved]
        answers = dict(zip(asked, self.snapshot.need(*map(Query, asked)), strict=True))
        for resource, must_be in self.kinds.items():
            answer = answers.get(resource, _UNKNOWN)
            self.live |= answer.objects
            if not answer.is_unknown:
                continue
            self.unread.add(resource)
            if rights.crd_name(resource) in self.brought:
                self.draft.add(Look(resource))
            elif must_be:
                missing.append(resource.kind)
            else:
                self.unknown.append(resource)
        return missing

    def _resources(self) -> Mapping[Resource, bool]:
        """Return the kinds to read, and whether they are required."""
        found = dict.fromkeys(needed(), True)
        for item in self.desired:
            found.setdefault(item.ref.resource, False)
        one_of_each = {tuple(name.split("/", 2)[:2]): name for name in self.draft.entries}
        for name in one_of_each.values():
            resource = parse_ref(name).resource
            if resource in described_resources():
                found.setdefault(resource, False)
        return found

    def _observe(self) -> None:
        """Add the users of reserved addresses to the status of pools."""
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
        """Return all objects of the kinds that a family observes, or None without permission."""
        found: dict[Resource, list[Manifest]] = {}
        for resource in own.observes:  # for example Machines without Cluster API
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
        """Delete objects of the kinds that were read and that are no longer desired."""
        gone = self._seen(self._gone())
        if not gone:
            return None
        if not self.desired_state.is_whole:
            self.draft.notes.append(f"{len(gone)} objects stay while {UNCLEAR}")
            return None
        if stop := self._brake(gone):
            return stop
        # Delete in reverse order of creation: the holder of an address before the address.
        order = {resource: at for at, resource in enumerate(owned())}
        for ref in sorted(gone, key=lambda ref: -order.get(ref.resource, -1)):
            self.draft.prune(ref, self.live.get(ref))
        return None

    def _gone(self) -> list[Ref]:
        """Return the objects of the inventory that are no longer desired."""
        wanted = frozenset(str(item.ref) for item in self.desired)
        entries = self.draft.entries
        unwanted = [item for item in sorted(entries.items()) if item[0] not in wanted]
        for name, entry in unwanted:
            if entry.is_status_only:  # the object belongs to another owner, so it stays
                self.draft.note(name, None)
        gone = [
            parse_ref(name)
            for name, entry in unwanted
            if entry.orphan_since is None and not entry.is_status_only
        ]
        # Settings that return to pools only do not delete Clusters and teams.
        is_all = self.desired_state.settings.applies_documents
        return [
            ref
            for ref in gone
            if ref.resource in self.kinds and (is_all or ref.resource in owned())
        ]

    def _seen(self, gone: Sequence[Ref]) -> list[Ref]:
        """Keep the inventory's entry of an object whose kind is not served. The object might exist."""
        staying = Counter(ref.resource for ref in gone if ref.resource in self.unread)
        for resource, count in staying.items():
            what = "1 object stays" if count == 1 else f"{count} objects stay"
            self.draft.notes.append(f"{what}: the kind {resource.kind} is not served")
        return [ref for ref in gone if ref.resource not in self.unread]

    def _brake(self, gone: Iterable[Ref]) -> Stop | None:
        """Return why too many live objects would be deleted without approval."""
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
        """Return whether deleting an object would affect a tenant. Empty allocations do not."""
        live = self.live.get(ref)
        return live is not None and (ref.resource != IP_ALLOCATION or live.phase == "Allocated")
