"""The management cluster: CRDs, namespaces, pools and records with status, events."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from reconciler.clusters.intent import MANAGER, Intent, owned_labels, with_status
from reconciler.clusters.outcome import Applied, Outcome, Result
from reconciler.clusters.resources import (
    IP_ALLOCATION,
    described,
    needed,
    owned,
    parse_ref,
    pools_by_ref,
)
from reconciler.clusters.steps import is_ours
from reconciler.commands.applying import crds
from reconciler.commands.applying.border import Checked
from reconciler.commands.applying.concluding import concluded, contained, saved
from reconciler.commands.applying.enrolment import Enrolment, enrol
from reconciler.commands.applying.ledger import Ledger, listed
from reconciler.commands.applying.orphans import track
from reconciler.commands.applying.policies import locked
from reconciler.commands.applying.pool_events import Announcer
from reconciler.commands.applying.target import UNCLEAR
from reconciler.commands.applying.wish import Wish
from reconciler.families import families
from reconciler.model.builtin import NAMESPACE
from reconciler.model.cluster import HOME, MANAGEMENT
from reconciler.model.pool import Pool
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.model.settings import Settings
from reconciler.ports import Cluster, ClusterError, NoSuchKindError, UnauthorizedError


class Hub:
    """The management cluster, recognised, before anything is done in it."""

    def __init__(self, cluster: Cluster, enrolment: Enrolment) -> None:
        self.cluster = cluster
        self.enrolment = enrolment
        self._lists: dict[Resource, dict[Ref, Manifest]] = {}
        self._lock = Lock()

    def objects(self, resource: Resource) -> Mapping[Ref, Manifest]:
        """All objects of a kind; asked for once.

        Raises:
            NoSuchKindError: The cluster does not know the kind.
        """
        with self._lock:
            if resource not in self._lists:
                self._lists[resource] = listed(self.cluster.list(resource), resource)
            return self._lists[resource]


def open_hub(cluster: Cluster, wish: Wish) -> Hub:
    """Recognise the management cluster.

    Raises:
        ClusterError: It cannot be asked, or is another one than before.
    """
    accept = MANAGEMENT in wish.re_enrol
    checked = Checked(cluster)
    return Hub(checked, enrol(checked, MANAGEMENT, HOME, "", accept=accept))


@dataclass(frozen=True, slots=True)
class Estate:
    """What the management cluster shall hold.

    Attributes:
        pools: The pools of the tree, for their thresholds and for who uses their addresses.
        settings: Of the repository, for the brake.
        is_whole: Nothing in the tree is wrong, so what is not wanted is really not wanted.
    """

    intents: Sequence[Intent]
    pools: Sequence[Pool]
    settings: Settings
    is_whole: bool


def apply_management(hub: Hub, estate: Estate, ledger: Ledger) -> Applied:
    """Bring the management cluster to its intents; `ledger` is the account of what is done."""
    work = _Management(hub, ledger, estate)
    failure: ClusterError | None = None
    try:
        with contained():
            locked(ledger, hub.enrolment, work.notes, work.run)
    except ClusterError as failed:
        failure = failed
    if work.has_home:
        failure = saved(ledger, hub.enrolment) or failure
    return concluded(MANAGEMENT, hub.enrolment, ledger, failure, work.notes)


class _Management:
    """The management cluster while it is worked on."""

    def __init__(self, hub: Hub, ledger: Ledger, estate: Estate) -> None:
        self.hub = hub
        self.ledger = ledger
        self.estate = estate
        self.intents = list(estate.intents)
        self.notes: list[str] = []
        self.live: dict[Ref, Manifest] = {}
        self.unknown: list[Resource] = []
        self.has_home = False

    def run(self) -> None:
        """Do it."""
        if self.ledger.wish.crds:
            self.notes += crds.install(self.ledger)
        self._namespaces()
        missing = self._read()
        if missing and crds.knows_crds(self.ledger) and not self.ledger.wish.crds:
            self.notes.append(f"the CRD of {', '.join(missing)} was gone; it is installed again")
            self.notes += crds.install(self.ledger)
            missing = self._read()
        if missing and not self.ledger.wish.dry_run:
            names = ", ".join(missing)
            raise ClusterError(f"no kind {names} there", "--crds installs the CRDs")
        track(self.ledger, self.live, self.intents)
        self._observe()
        announcer = Announcer(self.ledger, pools_by_ref(self.estate.pools), self.live)
        for intent in self.intents:
            if intent.ref.resource not in self.unknown:
                self._bring(intent, announcer)
            elif intent.body is not None:
                self.ledger.fail(str(intent.ref), f"no kind {intent.ref.resource.kind} there")
        self.notes += announcer.notes
        self._prune()

    def _bring(self, intent: Intent, announcer: Announcer) -> None:
        before = self.live.get(intent.ref)
        entry = self.ledger.entries.get(str(intent.ref))
        is_known = before is not None and is_ours(before, entry)
        if is_known:  # before the status says so: a run that is cut off between tells it again
            announcer.tell(intent, before, before)
        now = self.ledger.bring(intent, before)
        if not is_known:
            announcer.tell(intent, before, now)

    def _observe(self) -> None:
        """Add to the status of pools who uses their reserved addresses in this cluster."""
        found: dict[Ref, Manifest] = {}
        try:
            for objects in (family.objects for family in families()):
                if objects.observe is not None:
                    lists = {kind: self._observed(kind) for kind in objects.observes}
                    found |= objects.observe(self.estate.pools, lists)
        except UnauthorizedError as failed:
            self.notes.append(f"who uses reserved addresses is not told: {failed}")
            return
        self.intents = [with_status(item, found.get(item.ref)) for item in self.intents]

    def _observed(self, resource: Resource) -> Iterable[Manifest]:
        try:
            return self.hub.objects(resource).values()
        except NoSuchKindError:
            if not resource.group:
                raise
            return ()  # without Cluster API there are no Machines, for example

    def _namespaces(self) -> None:
        """Make the namespaces that are missing. They are never taken away."""
        present = listed(self.ledger.cluster.list(NAMESPACE), NAMESPACE)
        wanted = {HOME: None} | {
            item.ref.namespace: None
            for item in self.intents
            if item.body is not None and item.ref.namespace
        }
        for name in wanted:
            ref = Ref(NAMESPACE, "", name)
            if ref in present:
                continue
            self.ledger.outcomes.append(Outcome(str(ref), Result.CREATED))
            if not self.ledger.wish.dry_run:
                metadata = {"name": name, "labels": owned_labels()}
                body = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
                self.ledger.cluster.apply(body, MANAGER)
        self.has_home = True

    def _read(self) -> list[str]:
        """Read all objects of the kinds that matter; returns kinds of ours that are not known."""
        missing: list[str] = []
        self.live = {}
        self.unknown = []
        for resource, must_be in self._resources().items():
            try:
                self.live |= self.hub.objects(resource)
            except NoSuchKindError:
                if must_be:
                    missing.append(resource.kind)
                else:
                    self.unknown.append(resource)
        return missing

    def _resources(self) -> Mapping[Resource, bool]:
        """The kinds to read, and whether nothing can be done without them."""
        found = dict.fromkeys(needed(), True)
        for intent in self.intents:
            found.setdefault(intent.ref.resource, False)
        for name in self.ledger.entries:
            resource = parse_ref(name).resource
            if resource in described():
                found.setdefault(resource, False)
        return found

    def _prune(self) -> None:
        """Take away what nothing asks for any more: objects of the kinds that are read."""
        wanted = frozenset(str(intent.ref) for intent in self.intents)
        kinds = self._resources()
        unwanted = [item for item in sorted(self.ledger.entries.items()) if item[0] not in wanted]
        for name, entry in unwanted:
            if entry.is_status_only:  # whatever the Settings: it is others', and stays
                self.ledger.entries.pop(name)
        gone = [
            parse_ref(name)
            for name, entry in unwanted
            if entry.orphan_since is None and not entry.is_status_only
        ]
        # Settings that go back to pools alone take no cluster and no team away.
        is_all = self.estate.settings.applies_documents
        gone = [
            ref for ref in gone if ref.resource in kinds and (is_all or ref.resource in owned())
        ]
        if not gone:
            return
        if not self.estate.is_whole:
            self.notes.append(f"{len(gone)} objects stay while {UNCLEAR}")
            return
        if stop := self._brake(gone):
            raise ClusterError(*stop)
        for ref in gone:
            self.ledger.prune(ref, self.live.get(ref))

    def _brake(self, gone: Iterable[Ref]) -> tuple[str, str] | None:
        """Too many live objects would go: something is wrong, or a person has to say so."""
        living = [ref for ref in gone if self._is_live(ref)]
        kinds = self._resources()
        known = sum(
            parse_ref(name).resource in kinds
            for name, entry in self.ledger.entries.items()
            if not entry.is_status_only
        )
        allowed = self.ledger.wish.allow_release
        if allowed is not None:
            is_too_much = len(living) > allowed
        else:
            share = 100 * len(living) > self.estate.settings.max_release_percent * known
            is_too_much = known >= self.estate.settings.min_records and share
        if not is_too_much:
            return None
        message = f"{len(living)} of {known} objects would be deleted"
        return message, f"if that is meant: --allow-release {len(living)}"

    def _is_live(self, ref: Ref) -> bool:
        """Somebody would miss it; nobody misses an allocation that holds nothing for its tenant."""
        live = self.live.get(ref)
        if live is None:
            return False
        status = live.get("status") or {}
        return ref.resource != IP_ALLOCATION or status.get("phase") == "Allocated"
