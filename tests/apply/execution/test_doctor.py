"""What `doctor` tells of real clusters, and that an apply needs no right but those of deploy/."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from reconciler.apply.fleet import apply_fleet
from reconciler.apply.plan import ClusterState
from reconciler.apply.targets import ApplyOptions
from reconciler.gitio.remotes import RepositoryProbe
from reconciler.gitio.repository import open_repository
from reconciler.kube.clusters import KubeClusters
from reconciler.reconcile.doctor import Diagnosis, DiagnosisCheck, DiagnosisVerdict, diagnose
from tests.apply.execution.site import (
    ADDRESS_POOLS,
    FIRST,
    MERGE,
    SECOND,
    THIRD,
    Site,
    evaluated,
    failures,
    world,
)
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer
from tests.envtest.wiping import renew_identity
from tests.world import ENVIRONMENT, repository

ROOT = Path(__file__).parents[3]
DEPLOY, CRDS = ROOT / "deploy", ROOT / "schemas" / "crds"
CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/networkpools.butler.butlerlabs.dev"
FILES = world("web", "shop")
OK, WARNING, FAILED = DiagnosisVerdict.OK, DiagnosisVerdict.WARNING, DiagnosisVerdict.FAILED


@dataclass
class Told:
    """A diagnosis by cluster and by check."""

    of: Diagnosis

    @property
    def names(self) -> list[str]:
        return [group.name for group in self.of.groups]

    def verdict(self, cluster: str) -> DiagnosisVerdict:
        return next(group.verdict for group in self.of.groups if group.name == cluster)

    def check(self, cluster: str, name: str) -> DiagnosisCheck:
        (group,) = [group for group in self.of.groups if group.name == cluster]
        return next(check for check in reversed(group.checks) if check.name == name)


Looked = Callable[..., Told]


@pytest.fixture
def look(tmp_path: Path) -> Looked:
    """Look at clusters, beside a repository of two tenants."""
    checkout = repository(tmp_path / "repo", FILES)

    def looked(clusters: KubeClusters, path: Path = checkout) -> Told:
        probe = RepositoryProbe(lambda: open_repository(path, ENVIRONMENT), ENVIRONMENT)
        return Told(diagnose(probe, clusters))

    return looked


def is_valid(server: ApiServer) -> bool:
    """MetalLB makes the object first and writes its status then."""
    states = server.get(f"{ADDRESS_POOLS.rpartition('/')[0]}/configurationstates")["items"]
    return any((it.get("status") or {}).get("result") == "Valid" for it in states)


def test_a_site_that_was_applied_to_is_in_order(site: Site, look: Looked) -> None:
    controller = site.tenants[FIRST].start_metallb()
    try:
        site.apply(FILES)
        until(lambda: is_valid(site.tenants[FIRST]), "MetalLB calls its configuration valid")
        told = look(site.clusters())
    finally:
        controller.stop()
    version = site.tenants[FIRST].fleet.assets.version
    assert told.names == ["git", "management", SECOND, FIRST]
    assert [told.verdict(name) for name in told.names] == [OK, OK, WARNING, OK]
    assert told.check("management", "server").message == f"Kubernetes {version}"
    assert "not ours, but enough: IPAllocation" in told.check("management", "crds").message
    assert "as before" in told.check(FIRST, "identity").message
    assert told.check(FIRST, "rights").message == "all that an apply needs"
    assert told.check(FIRST, "metallb").message.endswith("its configuration is valid")
    assert "has not reported" in told.check(SECOND, "metallb").message
    assert told.of.exit_code == 0


def test_looking_writes_nothing(site: Site, look: Looked, tmp_path: Path) -> None:
    servers = [site.management, *site.tenants.values()]
    for server in servers:
        server.writes()
    before = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    look(site.clusters())
    assert [server.writes() for server in servers] == [[], [], [], []]
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == before


def test_a_dead_cluster_spoils_no_other_line(site: Site, look: Looked) -> None:
    site.timeout = 15.0
    site.tenants[FIRST].stop()
    try:
        told = look(site.clusters())
    finally:
        site.tenants[FIRST].start()
    assert [told.verdict(name) for name in told.names] == [OK, OK, WARNING, FAILED]
    (group,) = [group for group in told.of.groups if group.name == FIRST]
    assert [check.name for check in group.checks] == ["server"]
    assert told.of.exit_code == 5


def test_another_identity_is_told_with_its_mend(site: Site, look: Looked) -> None:
    site.apply(FILES)
    renew_identity(site.tenants[FIRST])
    check = look(site.clusters()).check(FIRST, "identity")
    assert (check.verdict, check.mend) == (FAILED, f"if that is meant: --re-enrol {FIRST}")


def test_a_tenant_without_a_kubeconfig_waits_and_one_that_lost_it_fails(
    site: Site, look: Looked
) -> None:
    kept = site.tenants.pop(FIRST)
    check = look(site.clusters()).check(FIRST, "kubeconfig")
    assert (check.verdict, check.message) == (WARNING, "waiting: no kubeconfig yet")
    site.tenants[FIRST] = kept
    site.apply(FILES)
    del site.tenants[FIRST]
    check = look(site.clusters()).check(FIRST, "kubeconfig")
    assert (check.verdict, check.message) == (FAILED, "no kubeconfig any more")


def test_a_server_without_crds_or_metallb_is_told(
    bare: ApiServer, look: Looked, tmp_path: Path
) -> None:
    clusters = KubeClusters(bare.kubeconfig, clusters={FIRST: bare.kubeconfig})
    told = look(clusters)
    check = told.check("management", "crds")
    assert (check.verdict, check.mend) == (FAILED, "ipam apply --crds")
    assert "IPAllocation is not there" in check.message
    assert told.check(FIRST, "metallb").mend == "install MetalLB 0.15.3 or newer"
    site = Site(bare)
    site.apply(FILES, crds=True)
    assert look(clusters).check("management", "crds").message == "installed and established"
    names = {"spec": {"names": {"shortNames": ["np"], "categories": ["x"]}}}
    shorter = {"spec": {"versions": [_without_columns(bare)]}}
    for patch in (names, shorter):
        assert bare.request("PATCH", CRD, patch, MERGE)[0] == 200
    check = look(clusters).check("management", "crds")
    assert (check.verdict, check.message) == (
        WARNING,
        "NetworkPool differs from the version of this program",
    )


def _without_columns(server: ApiServer) -> dict[str, Any]:
    version: dict[str, Any] = server.get(CRD)["spec"]["versions"][0]
    return {**version, "additionalPrinterColumns": []}


class Clerk:
    """User alice with the rights of deploy/, and no others."""

    def __init__(self, site: Site) -> None:
        self.site = site
        for name in ("butler-system", "team-a"):
            site.management.namespace(name)
        self.servers = {
            "rbac.yaml": [site.management],
            "rbac-tenant.yaml": [*site.tenants.values()],
        }
        for file, servers in self.servers.items():
            for server in servers:
                self.kubectl(server, "apply", self.roles(file))
                until(partial(self.may_look, server), "alice has her rights")

    def clusters(self) -> KubeClusters:
        named = {name: server.kubeconfig_for("alice") for name, server in self.site.tenants.items()}
        return KubeClusters(self.site.management.kubeconfig_for("alice"), clusters=named)

    @staticmethod
    def roles(file: str) -> str:
        alice = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "alice"}
        found = [
            {**item, "subjects": [alice]} if "subjects" in item else item
            for item in yaml.safe_load_all((DEPLOY / file).read_text(encoding="utf-8"))
            if "ole" in item["kind"]
        ]
        return json.dumps({"apiVersion": "v1", "kind": "List", "items": found})

    @staticmethod
    def kubectl(server: ApiServer, verb: str, stdin: str, *words: str) -> None:
        done = server.kubectl(verb, "-f", "-", *words, stdin=stdin)
        assert done.returncode == 0, done.stderr

    @staticmethod
    def may_look(server: ApiServer) -> bool:
        """The server knows of all the bindings: the last of them is that of the namespace."""
        is_home = server.name == "management"
        namespace = "butler-system" if is_home else "metallb-system"
        paths = [f"/api/v1/namespaces/{namespace}/configmaps", "/api/v1/services", "/api/v1/nodes"]
        return all(server.request("GET", path, user="alice")[0] == 200 for path in paths)

    def leave(self) -> None:
        for file, servers in self.servers.items():
            for server in servers:
                self.kubectl(server, "delete", self.roles(file), "--ignore-not-found")


@pytest.fixture
def clerk(site: Site) -> Iterator[Clerk]:
    clerk = Clerk(site)
    yield clerk
    clerk.leave()


def applied_by(clerk: Clerk, files: Mapping[str, str | bytes], revision: str) -> None:
    found = apply_fleet(
        evaluated(files, revision),
        clerk.clusters(),
        ApplyOptions(),
        lambda ancestor, revision: ancestor <= revision,
    )
    done = [item for item in found if item.state is not ClusterState.WAITING]
    assert len(done) == 3
    assert {(item.state, item.error, tuple(item.notes)) for item in done} == {
        (ClusterState.APPLIED, "", ())
    }
    assert [failures(item) for item in done] == [{}, {}, {}]


def test_the_rights_of_deploy_are_all_that_an_apply_needs(clerk: Clerk, look: Looked) -> None:
    applied_by(clerk, FILES, "a")
    applied_by(clerk, world("web", *"bcdef"), "b")  # one goes, and a tier is crossed
    applied_by(clerk, world("shop"), "c")
    told = look(clerk.clusters())
    assert told.check("management", "rights") == DiagnosisCheck(
        "rights", OK, "all that an apply needs, but not for --crds, --policies"
    )
    assert told.check(FIRST, "rights").verdict is OK
    assert told.check("management", "crds").message.startswith("installed and established")


def test_a_right_that_is_missing_is_named(clerk: Clerk, look: Looked) -> None:
    server = clerk.site.management
    path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/gitops-ipam"
    rules = server.get(path)["rules"]
    fewer = [rule for rule in rules if "networkpools/status" not in rule["resources"]]
    assert server.request("PATCH", path, {"rules": fewer}, MERGE)[0] == 200
    server.request("DELETE", path.replace("roles/", "rolebindings/") + "-kubeconfigs")

    def is_told() -> bool:
        return look(clerk.clusters()).check("management", "rights").verdict is FAILED

    until(is_told, "the right is gone")
    told = look(clerk.clusters())
    check = told.check("management", "rights")
    assert check.message.startswith("may not patch networkpools.butler.butlerlabs.dev/status, ")
    assert check.mend == "deploy/rbac.yaml has all of them"
    assert told.check(THIRD if THIRD in told.names else FIRST, "rights").verdict is OK
    assert server.request("PATCH", path, {"rules": rules}, MERGE)[0] == 200

    def is_doubted() -> bool:
        return look(clerk.clusters()).check("management", "rights").verdict is WARNING

    until(is_doubted, "only the Secrets are missing")
    check = look(clerk.clusters()).check("management", "rights")
    assert check.message == (
        "not for kubeconfigs of tenants that no option names: may not get secrets"
    )
