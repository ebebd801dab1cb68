"""Plan of the management cluster."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.apply import rights, steps
from reconciler.apply.elastic import StatusMessage, worded
from reconciler.apply.inventory import Inventory
from reconciler.apply.plan import ClusterPlan, Draft, Lock, orphan_notes
from reconciler.apply.snapshot import ClusterAnswer, Live, LiveObjects, Query, Snapshot, Tolerates
from reconciler.apply.targets import UNCLEAR, ApplyOptions
from reconciler.documents.findings import plural
from reconciler.families import families
from reconciler.families.interface import ObjectFit
from reconciler.kube import resources
from reconciler.model.errors import ClusterError
from reconciler.model.objects import CRD, EVENT, HOME, NAMESPACE, Manifest, Ref, Resource
from reconciler.model.pool import Pool
from reconciler.model.settings import Settings


class ManagementDesiredState(Struct, frozen=True):
    """The desired state. Objects without `words` that can still grow keep earlier messages."""

    desired: Sequence[resources.DesiredObject]
    pools: Sequence[Pool]
    settings: Settings
    is_whole: bool
    words: Mapping[Ref, tuple[StatusMessage, ...]] = field(default_factory=dict)
    growing: Collection[Ref] = frozenset()


WRITERS = 8
# The first apply of a repository would flood the cluster with events.
_MAX_EVENTS = 50


class _Fits:
    def __init__(
        self, desired: Sequence[resources.DesiredObject], live: LiveObjects, draft: Draft
    ) -> None:
        self._live = live
        self._found: dict[Ref, ObjectFit] = {}
        self.unowned: list[steps.Own] = []
        there = {ref: item.manifest for ref, item in live.items()}
        for own in (family.objects for family in families()):
            if own.fit is not None:
                wanted = {it.ref: _whole(it) for it in desired if it.ref.resource in own.resources}
                self._found |= own.fit(wanted, there)
        for ref, fit in self._found.items():
            if fit.error:
                draft.fail(str(ref), fit.error)
        whole = [it for it in desired if it.part is None]
        parts = [it for it in desired if it.part is not None]
        self.objects = [it for item in whole if (it := self._fitted(item)) is not None]
        self.patches = [patch for it in parts if (patch := self._patch(it)) is not None]

    def _fitted(self, item: resources.DesiredObject) -> resources.DesiredObject | None:
        found = self._found.get(item.ref)
        if found is None:
            return item
        if found.manifest is None:
            return None
        manifest = found.manifest
        uids = {ref: self._live[ref].uid for ref, _ in found.owners if ref in self._live}
        is_complete = len(uids) == len(found.owners)
        if found.owners and is_complete:
            manifest = resources.owned_by(manifest, found.owners, uids)
        fitted = resources.desired_object(manifest, is_status_only=item.body is None)
        if not is_complete:
            self.unowned.append(steps.Own(fitted, found.owners, self._live))
        return replace(fitted, rests_on=item.rests_on)

    def _patch(self, item: resources.DesiredObject) -> steps.Patch | None:
        found, live = self._found.get(item.ref), self._live.get(item.ref)
        if found is None or found.manifest is None or live is None:
            return None
        identity = {"uid": live.uid}
        if found.takes:  # the object is adopted with the fields that were read
            identity["resourceVersion"] = live.version
        metadata = {**(found.manifest.get("metadata") or {}), **identity}
        # The family drops optional fields that cannot be set. The remaining ones are required.
        failed = {ref for ref, fit in self._found.items() if fit.error}
        required = tuple(ref for ref in item.rests_on if ref not in failed)
        manifest = {**found.manifest, "metadata": metadata}
        return steps.Patch(item.ref, manifest, required, takes=found.takes)


def _whole(item: resources.DesiredObject) -> Manifest:
    resource, namespace, name = item.ref
    place = {"namespace": namespace} if namespace else {}
    kind = {"apiVersion": resource.api_version, "kind": resource.kind}
    whole = item.body or item.part or {**kind, "metadata": {"name": name, **place}}
    return whole if item.status is None else {**whole, "status": item.status}


def plan_management(
    desired_state: ManagementDesiredState,
    snapshot: Snapshot,
    inventory: Inventory,
    options: ApplyOptions,
    home: Ref | None,
) -> ClusterPlan:
    """Plan the management cluster."""
    draft = Draft(inventory.objects, options)
    lock = Lock(draft, snapshot, home)
    lock.begin()
    stop = _Management(desired_state, snapshot, draft).run()
    if stop is None:
        lock.end()
    return ClusterPlan(tuple(draft.steps), tuple(draft.notes), stop, writers=WRITERS)


class _Management:
    def __init__(
        self, desired_state: ManagementDesiredState, snapshot: Snapshot, draft: Draft
    ) -> None:
        self.desired_state = desired_state
        self.snapshot = snapshot
        self.draft = draft
        self.desired = list(desired_state.desired)
        self.live: dict[Ref, Live] = {}
        self.unread: set[Resource] = set()
        self.unknown: set[Resource] = set()
        self.installed: list[str] = []
        self.unserved: list[str] = []
        self.lacks: Mapping[str, Sequence[str]] = {}
        self.kinds = self._resources()
        self.used = rights.used(self.kinds)
        self.kinds = {**self.kinds, **{it: True for it in resources.needed() if it in self.used}}

    def run(self) -> ClusterError | None:
        if self.draft.options.crds:
            self._install()
        self._namespaces()
        missing = self._read()
        is_installed = any(resources.parse_ref(name).resource == CRD for name in self.draft.entries)
        if missing and is_installed and not self.draft.options.crds:
            names = ", ".join(missing)
            self.draft.notes.append(f"the CRD of {names} was missing, so ipam installs it again")
            self._install()
            missing = self._read()
        if missing and not self.draft.options.dry_run:
            message = f"kind {', '.join(missing)} is not installed"
            return ClusterError(message, "use --crds to install the CRDs")
        self._observe()
        wanted = frozenset(item.ref for item in self.desired)
        orphans = orphan_notes(self.draft.entries, self.live, wanted, self.snapshot.now)
        for name, entry in list(orphans):
            self.draft.note(name, entry)
        self._apply()
        return self._prune()

    def _install(self) -> None:
        crds = rights.desired_of(self.used)
        named = {item.ref: Query(CRD, name=item.ref.name) for _, item in crds}
        self.snapshot.need(*named.values())
        for manifest, item in crds:
            name = item.ref.name
            live = self.snapshot.of(named[item.ref]).objects.get(item.ref)
            entry = self.draft.entries.get(str(item.ref))
            if live is None or steps.is_ours(live, entry) or self.draft.options.adopt:
                self.draft.apply(item, live)
                self.installed.append(name)
                if live is None or not rights.is_established(live.manifest):
                    self.unserved.append(name)
            elif lacks := ", ".join(rights.lacking(manifest, live.manifest)):
                error = f"another owner manages this CRD, which lacks {lacks}; --adopt upgrades it"
                self.draft.fail(str(item.ref), error)
            else:
                lacks = ", ".join(rights.lacking_fields(manifest, live.manifest))
                says = f"it lacks {lacks}, which ipam omits" if lacks else "all fields are present"
                self.draft.notes.append(f"another owner manages CRD {name}: {says}")
        for name in self.installed:
            self.draft.add(steps.AwaitEstablished(Ref(CRD, "", name)))

    def _namespaces(self) -> None:
        present = self.snapshot.of(Query(NAMESPACE)).objects
        wanted = {HOME: None} | {
            item.ref.namespace: None
            for item in self.desired
            if item.body is not None and item.ref.namespace
        }
        for name in wanted:
            ref = Ref(NAMESPACE, "", name)
            if ref not in present:
                self.draft.add(steps.MakeNamespace(ref))

    def _read(self) -> list[str]:
        """Read the objects of all kinds. Return own kinds that the server does not know."""
        missing: list[str] = []
        self.live, self.unread, self.unknown = {}, set(), set()
        asked = [kind for kind in self.kinds if rights.crd_name(kind) not in self.unserved]
        crds = rights.desired_of([kind for kind in asked if kind in self.used])
        foreign = [it for it in crds if str(it[1].ref) not in self.draft.entries]
        queries = [Query(CRD, name=it.ref.name, tolerates=Tolerates.DENIAL) for _, it in foreign]
        found = self.snapshot.need(*map(Query, asked), *queries)
        answers = dict(zip(asked, found, strict=False))
        self.lacks = {
            item.ref.name: rights.lacking_fields(manifest, live.manifest)
            for (manifest, item), answer in zip(foreign, found[len(asked) :], strict=True)
            if (live := answer.objects.get(item.ref)) is not None
        }
        for resource, is_required in self.kinds.items():
            answer = answers.get(resource, ClusterAnswer(is_unknown=True))
            self.live |= answer.objects
            if not answer.is_unknown:
                continue
            self.unread.add(resource)
            if rights.crd_name(resource) in self.installed:
                self.draft.add(steps.Look(resource))
            elif is_required:
                missing.append(resource.kind)
            else:
                self.unknown.add(resource)
        return missing

    def _resources(self) -> Mapping[Resource, bool]:
        found = {item.ref.resource: False for item in self.desired}
        one_of_each = {tuple(name.split("/", 2)[:2]): name for name in self.draft.entries}
        for name in one_of_each.values():
            resource = resources.parse_ref(name).resource
            if resource in resources.described_resources():
                found.setdefault(resource, False)
        return found

    def _observe(self) -> None:
        statuses: dict[Ref, Manifest] = {}
        for own in (family.objects for family in families()):
            lists: dict[Resource, list[Manifest]] = {}
            for resource in own.observes if own.observe is not None else ():
                answer = self.snapshot.of(Query(resource, tolerates=Tolerates.DENIAL))
                if answer.problem:
                    note = f"cannot read the users of reserved addresses: {answer.problem}"
                    self.draft.notes.append(note)
                    return
                lists[resource] = [live.manifest for live in answer.objects.values()]
            if own.observe is not None:
                statuses |= own.observe(self.desired_state.pools, lists)
        self.desired = [
            resources.with_status(item, statuses.get(item.ref)) for item in self.desired
        ]

    def _apply(self) -> None:
        state = self.desired_state
        worded_ones = worded(self.desired, self.live, state.words, state.growing)
        desired = [
            resources.without_fields(item, self.lacks.get(rights.crd_name(item.ref.resource), ()))
            for item in worded_ones
        ]
        fits = _Fits(desired, self.live, self.draft)
        events, notes = self._events(fits.objects)
        records = [it for it in fits.objects if it.ref.resource == resources.IP_ALLOCATION]
        others = [it for it in fits.objects if it.ref.resource != resources.IP_ALLOCATION]
        for objects, patches in ((others, fits.patches), (records, [])):
            later = [it for item in objects if (it := self._one(item, events.get(item.ref)))]
            for step in (*patches, *later):
                self.draft.add(step)
        for own in fits.unowned:
            self.draft.add(own)
        self.draft.notes += notes

    def _events(
        self, desired: Sequence[resources.DesiredObject]
    ) -> tuple[dict[Ref, steps.CreateEvent], list[str]]:
        """Return the events for changes by object, and notes about those that cannot be made."""
        pools = resources.pools_by_ref(self.desired_state.pools)
        events = [
            steps.CreateEvent(item, self.live.get(item.ref), pools.get(item.ref), self.live)
            for item in desired
            if item.ref.resource not in self.unknown
        ]
        asked = {
            ref: Query(
                *(EVENT, ref.namespace or "default"),
                fields=f"involvedObject.kind={ref.resource.kind}",
                tolerates=Tolerates.REFUSAL,
            )
            for event in events
            if (ref := event.desired.ref).resource != resources.IP_ALLOCATION and self._has(event)
        }
        self.snapshot.need(*dict.fromkeys(asked.values()))
        found: dict[Ref, steps.CreateEvent] = {}
        notes: list[str] = []
        recorded: Counter[Resource] = Counter()
        for event in events:
            ref = event.desired.ref
            recent: tuple[Manifest, ...] = ()
            is_asked = ref in asked or ref.resource == resources.IP_ALLOCATION
            # Pools, unlike objects that hold addresses, have no maximum number of events.
            if not is_asked or (recorded[ref.resource] >= _MAX_EVENTS and ref not in pools):
                continue
            if ref in asked:
                answer = self.snapshot.of(asked[ref])
                if answer.problem or answer.is_unknown:
                    notes.append(f"an Event was not created: {answer.problem}")
                    continue
                recent = tuple(live.manifest for live in answer.objects.values())
            made = replace(event, recent=recent)
            if self._has(made):
                found[ref] = made
                recorded[ref.resource] += 1
        return found, notes

    def _has(self, event: steps.CreateEvent) -> bool:
        desired, before = event.desired, event.before
        if desired.body is None and (
            desired.ref.resource == resources.IP_ALLOCATION or before is None
        ):
            return False
        now = before or Live(desired.ref, desired.body or {})
        return event.event(now, self.snapshot.now) is not None

    def _one(
        self, item: resources.DesiredObject, event: steps.CreateEvent | None
    ) -> steps.CreateEvent | None:
        if item.ref.resource in self.unknown:
            if item.body is not None:
                self.draft.fail(str(item.ref), f"kind {item.ref.resource.kind} is not installed")
            return None
        before = self.live.get(item.ref)
        entry = self.draft.entries.get(str(item.ref))
        is_kept = before is not None and (item.body is None or steps.is_ours(before, entry))
        if event is not None and is_kept:
            self.draft.add(event)
            event = None
        self.draft.apply(item, before, next(iter(item.rests_on), None))
        return event

    def _prune(self) -> ClusterError | None:
        gone = self._gone()
        if not gone:
            return None
        if not self.desired_state.is_whole:
            self.draft.notes.append(f"{plural(len(gone), 'object')} kept while {UNCLEAR}")
            return None
        if stop := self._brake(gone):
            return stop
        # Delete in reverse order of creation: the holder of an address before the address.
        order = {resource: at for at, resource in enumerate(resources.owned())}
        for ref in sorted(gone, key=lambda ref: -order.get(ref.resource, -1)):
            self.draft.prune(ref, self.live.get(ref))
        return None

    def _gone(self) -> list[Ref]:
        wanted = frozenset(str(item.ref) for item in self.desired)
        gone: list[Ref] = []
        for name, entry in sorted(self.draft.entries.items()):
            if name in wanted:
                continue
            if entry.is_status_only:  # the object belongs to another owner, so it stays
                self.draft.note(name, None)
            elif entry.orphan_since is None:
                gone.append(resources.parse_ref(name))
        # Settings that return to pools only do not delete Clusters and teams.
        is_all = self.desired_state.settings.applies_documents
        kinds = {kind for kind in self.kinds if is_all or kind in resources.owned()}
        gone = [ref for ref in gone if ref.resource in kinds]
        # An object whose kind is not served might exist, so it stays in the inventory.
        unread = Counter(it.resource for it in gone if it.resource in self.unread)
        for kind, count in unread.items():
            what = "1 object stays" if count == 1 else f"{count} objects stay"
            self.draft.notes.append(f"{what}: the kind {kind.kind} is not served")
        return [ref for ref in gone if ref.resource not in self.unread]

    def _brake(self, gone: Iterable[Ref]) -> ClusterError | None:
        # A record that is not allocated holds no addresses.
        living = sum(
            ref.resource != resources.IP_ALLOCATION or live.status.get("phase") == "Allocated"
            for ref in gone
            if (live := self.live.get(ref)) is not None
        )
        known = sum(
            resources.parse_ref(name).resource in self.kinds
            for name, entry in self.draft.entries.items()
            if not entry.is_status_only
        )
        allowed, settings = self.draft.options.allow_delete, self.desired_state.settings
        is_share = 100 * living > settings.max_release_percent * known
        is_beyond = known >= settings.min_records and is_share
        if not (is_beyond if allowed is None else living > allowed):
            return None
        hint = (
            f"restore their documents, or use --allow-delete {living} if the deletions are intended"
        )
        return ClusterError(f"{living} of {plural(known, 'object')} would be deleted", hint)
