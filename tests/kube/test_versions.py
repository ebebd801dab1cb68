"""API versions in requests, which callers do not see."""

import json
from typing import Any

import pytest

from reconciler.families.capi.kinds import CLAIMS, CLUSTERS
from reconciler.model.errors import NoSuchKindError
from reconciler.model.objects import Ref
from tests.kube.kubeconfigs import cluster_of
from tests.kube.server import Asked, Reply, serving

ROOT = "/apis/ipam.cluster.x-k8s.io"
OLD, NEW = "ipam.cluster.x-k8s.io/v1beta1", "ipam.cluster.x-k8s.io/v1beta2"
ONE = Ref(CLAIMS, "default", "one")
CLUSTER = {"kind": "Cluster", "name": "shop", "uid": "u", "controller": True}
STRANGER = {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Machine", "name": "m", "uid": "v"}


def served(*versions: str) -> Any:
    """A server that knows Cluster API's kinds in some versions, and stores nothing."""

    def answer(asked: Asked) -> Reply:
        version = asked.path.split("/")[3]
        if version not in versions:
            return Reply(404, b"404 page not found\n")
        claim = {"apiVersion": f"{ROOT.split('/')[-1]}/{version}", "kind": "IPAddressClaim"}
        return Reply(200, {"items": [{"metadata": {"name": "one"}}], **claim})

    return serving(answer)


def paths(server: Any) -> list[str]:
    return [f"{asked.method} {asked.path.partition('?')[0]}" for asked in server.asked]


@pytest.mark.parametrize(
    ("versions", "asked"),
    [
        (("v1beta2",), ["v1beta2"]),
        (("v1beta1", "v1beta2"), ["v1beta2"]),
        (("v1beta1",), ["v1beta2", "v1beta1"]),
    ],
)
def test_a_list_tells_the_newest_version_and_it_is_asked_for_once(
    versions: tuple[str, ...], asked: list[str]
) -> None:
    with served(*versions) as server:
        cluster = cluster_of(server)
        (found,) = cluster.list(CLAIMS).items
        assert found["apiVersion"] == OLD  # as it is known here, whatever the server calls it
        cluster.list(CLAIMS, "default")
        cluster.delete(ONE, "u")
    last = asked[-1]
    assert paths(server) == [
        *(f"GET {ROOT}/{version}/ipaddressclaims" for version in asked),
        f"GET {ROOT}/{last}/namespaces/default/ipaddressclaims",
        f"DELETE {ROOT}/{last}/namespaces/default/ipaddressclaims/one",
    ]


def test_what_was_not_listed_is_looked_for_before_it_is_written() -> None:
    with served("v1beta2") as server:
        cluster_of(server).merge(ONE, {}, "gitops-ipam")
    assert [asked.path.partition("=")[0] for asked in server.asked] == [
        f"{ROOT}/v1beta2/ipaddressclaims?limit",
        f"{ROOT}/v1beta2/namespaces/default/ipaddressclaims/one?fieldManager",
    ]


def test_a_kind_that_is_not_served_is_looked_for_again() -> None:
    with served() as server:
        cluster = cluster_of(server)
        for _time in range(2):
            with pytest.raises(NoSuchKindError):
                cluster.list(CLAIMS)
        with pytest.raises(NoSuchKindError):
            cluster.get(ONE)
    both = [f"GET {ROOT}/{version}/ipaddressclaims" for version in ("v1beta2", "v1beta1")]
    one = f"GET {ROOT}/v1beta1/namespaces/default/ipaddressclaims/one"
    assert paths(server) == [*both, *both, *both, one]


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_an_object_and_its_owners_are_written_in_the_version_of_the_server(version: str) -> None:
    owners = [{**CLUSTER, "apiVersion": CLUSTERS.api_version}, STRANGER]
    metadata = {"name": "one", "namespace": "default", "ownerReferences": owners}
    claim = {"apiVersion": OLD, "kind": "IPAddressClaim", "metadata": metadata}
    with served(version) as server:
        cluster = cluster_of(server)
        for resource in (CLAIMS, CLUSTERS):
            cluster.list(resource)
        cluster.apply(claim, "gitops-ipam")
        cluster.create(claim)
    for asked in server.asked[-2:]:
        sent = json.loads(asked.body)
        assert asked.path.startswith(f"{ROOT}/{version}/")
        assert sent["apiVersion"] == f"ipam.cluster.x-k8s.io/{version}"
        owner, stranger = sent["metadata"]["ownerReferences"]
        assert owner == {**CLUSTER, "apiVersion": f"cluster.x-k8s.io/{version}"}
        assert stranger == STRANGER
    assert metadata["ownerReferences"] == owners  # existing objects stay unchanged
