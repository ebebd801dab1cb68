"""Observation of objects that exist only in the management cluster."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import islice

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.apply import intake
from reconciler.apply.executor import contained
from reconciler.apply.intake import ListedCopy, TakenIn
from reconciler.apply.inventory import NAME, data_of
from reconciler.apply.management import ManagementCluster, opened_management
from reconciler.apply.rights import crd_name, is_established
from reconciler.apply.targets import ApplyOptions
from reconciler.documents.document import Identity
from reconciler.families import families
from reconciler.gitio.history import read_message
from reconciler.gitio.repository import Repository
from reconciler.kube.interface import Cluster, Clusters
from reconciler.model import errors
from reconciler.model.objects import CONFIG_MAP, CRD, MANAGEMENT, MANAGER, Manifest, Ref, Resource
from reconciler.model.pool import Pool
from reconciler.model.settings import Settings
from reconciler.planning.documents import is_observed, of_people
from reconciler.planning.evaluate import Evaluation

KEY = "intake"
"""The key of the state in the first ConfigMap of the inventory."""
_MAX_ASKED = 256
"""Commits with copies that are searched for the trailer."""


def not_in_git(
    management: ManagementCluster,
    pools: Iterable[Pool],
    known: Collection[Identity],
    settings: Settings,
) -> Iterator[str]:
    """Return notes about objects that are only in the management cluster, not in Git."""
    names = {pool.key.family for pool in pools}
    lists: dict[Resource, list[Manifest]] = {}
    for family in families():
        for kind in family.objects.intake if family.name in names else ():
            with suppress(errors.ClusterError):
                found = management.objects(kind.resource) if kind.lacks[0] else {}
                lists[kind.resource] = [live.manifest for live in found.values()]
    return intake.outside(known, settings, management.identity.inventory.objects, lists)


class IntakeLook(Struct, frozen=True):
    """An observation and its result. The time is 0 if the cluster was not asked."""

    at: int = 0
    taken: TakenIn = field(default_factory=TakenIn)
    before: str = ""


def look_for_intake(
    evaluation: Evaluation,
    clusters: Clusters,
    options: ApplyOptions,
    named: str = "",
    deleted: Collection[str] = (),
) -> IntakeLook:
    """Observe objects that exist only in the management cluster, and create Events of rejections."""
    tree = evaluation.tree
    documents = (document for source in tree.sources for document in source.documents)
    copies = intake.copies_of(documents, tree.settings.observed, evaluation.state.records)
    kinds = [it.resource for it in intake.asked(tree.settings, copies)]
    if not kinds or evaluation.state.halted:
        return IntakeLook()
    with opened_management(clusters, options, evaluation) as management, contained():
        if management is None:
            return IntakeLook()
        cluster = management.cluster
        before = data_of(management.identity.config_maps).get(NAME, {}).get(KEY, "")
        listed = {resource: _listed(cluster, resource) for resource in kinds}
        uid, entries = management.identity.uid, management.identity.inventory.objects
        is_accepted = MANAGEMENT in options.enroll
        seen = intake.IntakeObservation(cluster.now(), uid, listed, entries, deleted, is_accepted)
        settings, allowed = tree.settings, options.allow_release
        own = [source for source in tree.sources if not is_observed(settings, source.path)]
        broken = frozenset(identity for source in own for identity in source.broken)
        state, described = intake.parse_state(before), of_people(tree)
        context = intake.IntakeContext(settings, described, copies, named, state, allowed, broken)
        taken = intake.take_in(seen, context)
        if not options.dry_run:
            taken = _create_events(management, taken)
    return IntakeLook(seen.at, taken, before)


def remember_intake(look: IntakeLook, clusters: Clusters, options: ApplyOptions) -> None:
    """Write the state into the inventory if it changed; before the first apply there is none."""
    text = intake.format_state(look.taken.state)
    if not look.at or text == look.before or options.dry_run:
        return
    with opened_management(clusters, options) as management, contained():
        if management is None:
            return
        ref = Ref(CONFIG_MAP, management.identity.namespace, NAME)
        with suppress(errors.NoSuchObjectError):
            management.cluster.merge(ref, {"data": {KEY: text or None}}, MANAGER)


def last_named(repository: Repository, revision: str, observed: str) -> str:
    """Return `Ipam-Observed` of the newest reconcile commit with copies; empty if there is none."""
    kinds = [it.resource for it in intake.intakes()]
    folders = [f"{observed}/{kind.kind}.{kind.group}" for kind in kinds]
    source = repository.source(revision)
    steps = (step for step in source.past(folders) if step.is_reconcile or step.is_cut)
    for step in islice(steps, _MAX_ASKED):
        message = read_message(repository.made(step.id).message)
        if message is not None and message.seen:
            return message.seen
    return ""


def _listed(cluster: Cluster, resource: Resource) -> ListedCopy:
    try:
        found = cluster.list(resource)
        definition = cluster.get(Ref(CRD, "", crd_name(resource)))
    except errors.NoSuchKindError:
        return ListedCopy(problem="the kind is not served")
    except errors.UnreachableError:
        raise
    except errors.ClusterError as failed:
        return ListedCopy(problem=str(failed))
    is_served = definition is not None and is_established(definition)
    return ListedCopy(found.items, "" if is_served else "the CRD is not established")


def _create_events(management: ManagementCluster, taken: TakenIn) -> TakenIn:
    notes: list[str] = []
    rejected = dict(taken.state.rejected)
    by_name = {(it.identity[1:]): it.identity for it in taken.rejected}
    for event in taken.events:
        about = event["involvedObject"]
        try:
            management.cluster.create(event)
        except errors.StaleError:
            continue  # it exists
        except errors.ClusterError as failed:
            notes.append(f"no Event on {about['kind']} {about['name']}: {failed}")
            rejected.pop(by_name[about["kind"], about.get("namespace", ""), about["name"]], None)
    state = replace(taken.state, rejected=rejected)
    return replace(taken, state=state, notes=(*taken.notes, *notes))
