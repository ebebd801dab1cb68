"""Objects that live only in the management cluster: looked at, told of, and remembered.

The decision is `reconciler/clusters/intake.py`; here the cluster is asked, and what could not be
asked is no answer.
"""

from collections.abc import Collection, Iterator
from contextlib import ExitStack, suppress
from itertools import islice

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.clusters.copies import copies_of, intakes
from reconciler.clusters.crds import crd_name, is_established
from reconciler.clusters.desired import MANAGER
from reconciler.clusters.intake import Listed, Seen, Standing, TakenIn, asked, take_in
from reconciler.clusters.intake_memory import KEY, memory_text, read_memory
from reconciler.clusters.inventory import data_of
from reconciler.clusters.memory import NAME
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.resources import CONFIG_MAP, CRD
from reconciler.clusters.shapes import shaped
from reconciler.commands.applying.management import ManagementCluster, open_management
from reconciler.commands.applying.work import contained
from reconciler.commands.message import read_message
from reconciler.counting import of_people
from reconciler.documents.document import Document, Identity
from reconciler.evaluate import Evaluation
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.look import Look
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.observed import is_observed
from reconciler.ports import (
    Cluster,
    ClusterError,
    Clusters,
    NoSuchKindError,
    NoSuchObjectError,
    Repository,
    StaleError,
    UnreachableError,
)

_MOST_ASKED = 256
"""Commits with copies. Those that only take away what people describe by now say nothing."""


class IntakeLook(Struct, frozen=True):
    """One look at the management cluster, and what follows from it.

    Attributes:
        at: When, in seconds since 1970, by its clock; 0 when it was not asked.
        taken: The decision.
        before: What was remembered, as text.
    """

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
    """Look at what lives only in the management cluster.

    Owners of objects that are refused are told by Events. What is to be remembered is written by
    `remember_intake`, once the commit of what changes is published, or there is none.

    Args:
        evaluation: Of the head, whole.
        clusters: How the management cluster is reached.
        options: What a person asks for.
        named: The trailer `Ipam-Observed` of the last commit that has one; empty for none.
        deleted: The uids of objects that a watch reported as deleted.

    Raises:
        ClusterError: It cannot be asked, or is another one than before: nothing is known then.
    """
    folder = evaluation.tree.settings.observed
    copies = copies_of(_documents(evaluation), folder, evaluation.state.records)
    kinds = [intake.resource for intake in asked(evaluation.tree.settings, copies)]
    if not kinds or evaluation.state.halted:
        return IntakeLook()
    with ExitStack() as opened, contained():
        cluster = clusters.management()
        if cluster is None:
            return IntakeLook()
        opened.callback(cluster.close)
        management = open_management(cluster, options)
        before = data_of(management.enrolment.config_maps).get(NAME, {}).get(KEY, "")
        listed = {resource: _listed(cluster, resource) for resource in kinds}
        seen = Seen(
            cluster.now(),
            management.enrolment.uid,
            listed,
            management.enrolment.inventory.objects,
            deleted,
            is_re_enrolled=MANAGEMENT in options.re_enrol,
        )
        standing = Standing(
            evaluation.tree.settings,
            of_people(evaluation.tree),
            copies,
            named,
            read_memory(before),
            options.allow_release,
            _unread(evaluation),
        )
        taken = take_in(seen, standing)
        if not options.dry_run:
            taken = _told(management, taken)
    return IntakeLook(seen.at, taken, before)


def remember_intake(look: IntakeLook, clusters: Clusters, options: ApplyOptions) -> None:
    """Write what is to be remembered of a look into the inventory, where that differs.

    Before the first apply there is none: then the ten minutes begin with the next look.

    Raises:
        ClusterError: It cannot be written.
    """
    text = memory_text(look.taken.memory)
    if not look.at or text == look.before or options.dry_run:
        return
    with ExitStack() as opened, contained():
        cluster = clusters.management()
        if cluster is None:
            return
        opened.callback(cluster.close)
        management = open_management(cluster, options)
        ref = Ref(CONFIG_MAP, management.enrolment.namespace, NAME)
        with suppress(NoSuchObjectError):
            cluster.merge(ref, {"data": {KEY: text or None}}, MANAGER)


def look_of(look: IntakeLook) -> Look:
    """What is committed of a look; the copies of one that was not made are none."""
    return Look(look.at, look.taken.changes, look.taken.seen)


def last_named(repository: Repository, revision: str, observed: str) -> str:
    """What the newest commit with copies that reconcile made says that was seen; empty for nothing.

    Anybody can write a trailer: what a replay does not bear out is passed over. The end of a shallow
    clone cannot be replayed, and is taken as it is; else a restored backup would not be noticed.

    Args:
        repository: Where it is.
        revision: Where to begin.
        observed: The folder of what was observed. Who made or removed a copy in it says what was
            seen, so no other commit is asked.
    """
    kinds = [intake.resource for intake in intakes()]
    folders = [f"{observed}/{kind.kind}.{kind.group}" for kind in kinds]
    source = repository.source(revision)
    steps = (step for step in source.past(folders) if step.is_reconcile or step.is_cut)
    for step in islice(steps, _MOST_ASKED):
        said = read_message(repository.made(step.id).message)
        if said is not None and said.seen and (step.is_cut or source.believes(step.id)):
            return said.seen
    return ""


def _documents(evaluation: Evaluation) -> Iterator[Document]:
    return (document for source in evaluation.tree.sources for document in source.documents)


def _unread(evaluation: Evaluation) -> frozenset[Identity]:
    """What people's own files describe, but wrongly."""
    tree = evaluation.tree
    own = [source for source in tree.sources if not is_observed(tree.settings, source.path)]
    return frozenset(identity for source in own for identity in source.broken)


def _listed(cluster: Cluster, resource: Resource) -> Listed:
    """What the management cluster says of a kind; one object that cannot be read stops no other.

    Raises:
        UnreachableError: It does not answer any more.
    """
    try:
        found = cluster.list(resource)
        crd = _crd(cluster, resource)
    except NoSuchKindError:
        return Listed(problem="the kind is not served")
    except UnreachableError:
        raise
    except ClusterError as failed:
        return Listed(problem=str(failed))
    items: list[Manifest] = []
    problem = ""
    for item in found.items:
        try:
            items.append(shaped(item, resource))
        except ValueError as wrong:
            problem = f"something cannot be read: {wrong}"
    return Listed(items, found.resource_version, problem, crd)


def _crd(cluster: Cluster, resource: Resource) -> str:
    """The uid of a kind's CRD; empty when it is not established, or may not be read."""
    try:
        live = cluster.get(Ref(CRD, "", crd_name(resource)))
        definition = None if live is None else shaped(live, CRD)
    except UnreachableError:
        raise
    except (ClusterError, ValueError):
        return ""
    if definition is None or not is_established(definition):
        return ""
    uid: str = definition["metadata"]["uid"]
    return uid


def _told(management: ManagementCluster, taken: TakenIn) -> TakenIn:
    """Make the Events; why one could not be made is a note, and its owner is told the next time."""
    notes: list[str] = []
    told = dict(taken.memory.told)
    by_name = {(it.identity[1:]): it.identity for it in taken.rejected}
    for event in taken.events:
        about = event["involvedObject"]
        try:
            management.cluster.create(event)
        except StaleError:
            continue  # it was told before: nobody remembered
        except ClusterError as failed:
            notes.append(f"no Event on {about['kind']} {about['name']}: {failed}")
            told.pop(by_name[about["kind"], about.get("namespace", ""), about["name"]], None)
    memory = replace(taken.memory, told=told)
    return replace(taken, memory=memory, notes=(*taken.notes, *notes))
