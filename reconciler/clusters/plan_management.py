"""The plan of the management cluster: CRDs, namespaces, pools and records with status, events."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from reconciler.clusters import crds
from reconciler.clusters.bringing import Bringing
from reconciler.clusters.decision import is_ours
from reconciler.clusters.desired import with_status
from reconciler.clusters.elastic.telling import worded
from reconciler.clusters.estate import Estate
from reconciler.clusters.inventory import Inventory
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.orphans import orphan_notes
from reconciler.clusters.plan import ClusterPlan, Draft, Stop
from reconciler.clusters.plan_events import EventRecorder
from reconciler.clusters.plan_policies import Lock
from reconciler.clusters.resources import (
    CRD,
    IP_ALLOCATION,
    NAMESPACE,
    described,
    needed,
    owned,
    parse_ref,
)
from reconciler.clusters.snapshot import Answer, Live, Query, Snapshot, Tolerates
from reconciler.clusters.steps import AwaitEstablished, Look, MakeNamespace
from reconciler.clusters.target import UNCLEAR
from reconciler.families import families
from reconciler.families._objects import Lists, Objects
from reconciler.model.cluster import HOME
from reconciler.model.resource import Manifest, Ref, Resource

_NAMESPACES = Query(NAMESPACE)
_UNKNOWN = Answer(is_unknown=True)


def plan_management(
    estate: Estate,
    snapshot: Snapshot,
    inventory: Inventory,
    options: ApplyOptions,
    home: Ref | None,
) -> ClusterPlan:
    """What is done in the management cluster.

    Args:
        estate: What it shall hold.
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
    stop = _Management(estate, snapshot, draft).run()
    if stop is None:
        lock.end()
    return ClusterPlan(tuple(draft.steps), tuple(draft.notes), stop)


class _Management:
    """The plan of the management cluster while it is made."""

    def __init__(self, estate: Estate, snapshot: Snapshot, draft: Draft) -> None:
        self.estate = estate
        self.snapshot = snapshot
        self.draft = draft
        self.desired = list(estate.desired)
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
            told |= own.observe(self.estate.pools, lists)
        self.desired = [with_status(item, told.get(item.ref)) for item in self.desired]

    def _observed(self, own: Objects) -> Lists | None:
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
        recorder = EventRecorder(self.estate.pools, self.live, self.snapshot)
        bringing = Bringing(self.draft, recorder, self.live, frozenset(self.unknown))
        desired = worded(self.desired, self.live, self.estate.words, self.estate.growing)
        bringing.all(desired)

    def _prune(self) -> Stop | None:
        """Take away what nothing asks for any more: objects of the kinds that are read."""
        gone = self._seen(self._gone())
        if not gone:
            return None
        if not self.estate.is_whole:
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
        is_all = self.estate.settings.applies_documents
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
            share = 100 * len(living) > self.estate.settings.max_release_percent * known
            is_too_much = known >= self.estate.settings.min_records and share
        if not is_too_much:
            return None
        hint = f"if that is meant: --allow-release {len(living)}"
        return Stop(f"{len(living)} of {known} objects would be deleted", hint)

    def _is_live(self, ref: Ref) -> bool:
        """Somebody would miss it; nobody misses an allocation that holds nothing for its tenant."""
        live = self.live.get(ref)
        return live is not None and (ref.resource != IP_ALLOCATION or live.phase == "Allocated")
