"""Clusters that one account applies to, and other people with all rights in them."""

from dataclasses import dataclass
from functools import partial

from reconciler.kube.clusters import KubeClusters
from tests.apply.execution.site import MERGE, Site
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
BINDINGS = f"{ADMISSION}/validatingadmissionpolicybindings"
RULES = f"{ADMISSION}/validatingadmissionpolicies"
NAMES = ["gitops-ipam-owned", "gitops-ipam-pools"]
LABEL = {"gitops-ipam.dev/managed-by": "gitops-ipam"}
EVERYTHING = {
    "metadata": {"name": "everything"},
    "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}],
}
PEOPLE = {
    "metadata": {"name": "people"},
    "roleRef": {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": "ClusterRole",
        "name": "everything",
    },
    "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "people"}],
}


@dataclass
class Crew(Site):
    """A site that some account applies to."""

    user: str = "reconciler"

    @property
    def servers(self) -> list[ApiServer]:
        return [self.management, *self.tenants.values()]

    def clusters(self) -> KubeClusters:
        named = {name: server.kubeconfig_for(self.user) for name, server in self.tenants.items()}
        return KubeClusters(self.management.kubeconfig_for(self.user), clusters=named)


def give_rights(server: ApiServer) -> None:
    """Give all rights to alice and bob, by roles."""
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    server.put(EVERYTHING, path=f"{rbac}/clusterroles")
    server.put(PEOPLE, path=f"{rbac}/clusterrolebindings")
    until(partial(is_open, server), "people have rights")


def unlock(*servers: ApiServer) -> None:
    """Put the policies out of force."""
    for server in servers:
        for name in NAMES:
            server.request("DELETE", f"{BINDINGS}/{name}")
    for server in servers:
        until(partial(is_open, server), "nothing is locked any more")


def is_open(server: ApiServer) -> bool:
    """People have their rights, and no policy stands against them."""
    return probe(server) == 201


def is_locked(server: ApiServer) -> bool:
    """The policies are in force."""
    return probe(server) == 403


def probe(server: ApiServer) -> int:
    """What becomes of an object with our label that somebody else makes; it is not kept."""
    body = {"metadata": {"name": "probe", "labels": LABEL}}
    path = "/api/v1/namespaces/default/configmaps?dryRun=All"
    return server.request("POST", path, body, user="alice")[0]


def refused(server: ApiServer, path: str, patch: object, user: str = "alice") -> str:
    """A change that is refused: what is said of it."""
    status, answer = server.request("PATCH", path, patch, MERGE, user=user)
    assert status in (403, 422), (status, answer)
    message: str = answer["message"]
    return message


def may(server: ApiServer, path: str, patch: object, user: str) -> None:
    """A change that is made."""
    status, answer = server.request("PATCH", path, patch, MERGE, user=user)
    assert status == 200, answer
