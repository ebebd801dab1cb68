"""The management cluster: recognised, planned and worked on."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from threading import Lock

from msgspec.structs import replace

from reconciler.clusters.estate import Estate
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.outcome import Applied
from reconciler.clusters.outside import outside
from reconciler.clusters.plan import ClusterPlan
from reconciler.clusters.plan_management import plan_management
from reconciler.clusters.snapshot import Live, Snapshot, objects_of
from reconciler.commands.applying.border import Checked
from reconciler.commands.applying.enrolment import Enrolment, enrol
from reconciler.commands.applying.work import Run, worked
from reconciler.families import families
from reconciler.model.cluster import HOME, MANAGEMENT
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.ports import Cluster, ClusterError


class ManagementCluster:
    """The management cluster, recognised, before anything is done in it."""

    def __init__(self, cluster: Cluster, enrolment: Enrolment) -> None:
        self.cluster = cluster
        self.enrolment = enrolment
        self._lists: dict[Resource, Mapping[Ref, Live]] = {}
        self._lock = Lock()

    def objects(self, resource: Resource) -> Mapping[Ref, Live]:
        """All objects of a kind; asked for once.

        Raises:
            NoSuchKindError: The cluster does not know the kind.
        """
        with self._lock:
            if resource not in self._lists:
                found = self.cluster.list(resource).items
                self._lists[resource] = objects_of(found, resource)
            return self._lists[resource]


def open_management(cluster: Cluster, options: ApplyOptions) -> ManagementCluster:
    """Recognise the management cluster.

    Raises:
        ClusterError: It cannot be asked, or is another one than before.
    """
    accept = MANAGEMENT in options.re_enrol
    checked = Checked(cluster)
    return ManagementCluster(checked, enrol(checked, MANAGEMENT, HOME, "", accept=accept))


def apply_management(management: ManagementCluster, estate: Estate, run: Run) -> Applied:
    """Bring the management cluster to what it shall be."""
    enrolment = management.enrolment

    def plan(snapshot: Snapshot) -> ClusterPlan:
        return plan_management(estate, snapshot, enrolment.inventory, run.options, enrolment.home)

    work = worked(management.cluster, enrolment, run, plan, management.objects)
    told = () if work.failure else tuple(not_in_git(management, estate))
    done = work.applied(MANAGEMENT)
    return replace(done, notes=(*done.notes, *told)) if told else done


def not_in_git(management: ManagementCluster, estate: Estate) -> Iterator[str]:
    """What stands in the management cluster alone and is not taken in, of families that have pools.

    Kinds that cannot be listed are left out.
    """
    names = {pool.key.family for pool in estate.pools}
    lists: dict[Resource, list[Manifest]] = {}
    for family in families():
        for intake in family.objects.intake if family.name in names else ():
            with suppress(ClusterError):
                found = management.objects(intake.resource) if intake.lacks[0] else {}
                lists[intake.resource] = [live.manifest for live in found.values()]
    entries = management.enrolment.inventory.objects
    return outside(estate.known, estate.settings, entries, lists)
