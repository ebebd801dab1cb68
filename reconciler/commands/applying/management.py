"""The management cluster: recognised, planned and worked on."""

from collections.abc import Mapping
from threading import Lock

from reconciler.clusters.estate import Estate
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.outcome import Applied
from reconciler.clusters.plan import ClusterPlan
from reconciler.clusters.plan_management import plan_management
from reconciler.clusters.snapshot import Live, Snapshot, objects_of
from reconciler.commands.applying.border import Checked
from reconciler.commands.applying.enrolment import Enrolment, enrol
from reconciler.commands.applying.work import Run, worked
from reconciler.model.cluster import HOME, MANAGEMENT
from reconciler.model.resource import Ref, Resource
from reconciler.ports import Cluster


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

    return worked(management.cluster, enrolment, run, plan, management.objects).applied(MANAGEMENT)
