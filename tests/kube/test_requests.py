"""Requests for each verb, and their counts."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from reconciler.kube import transport
from reconciler.kube.clusters import KubeCluster
from reconciler.kube.interface import RequestCounts
from reconciler.kube.kubeconfig import check_kubeconfig
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL
from reconciler.model.errors import ClusterError, RejectedError, UnreachableError
from reconciler.model.objects import CONFIG_MAP, NODE, Ref
from tests.kube.kubeconfigs import CANARY, cluster_of, kubeconfig
from tests.kube.server import NOW, OBJECT, Asked, Reply, Time, serving, status

POOL = Ref(ADDRESS_POOL, "metallb-system", "default-pool")
ROOT = "/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools"
MANIFEST: Mapping[str, Any] = {
    "apiVersion": "metallb.io/v1beta1",
    "kind": "IPAddressPool",
    "metadata": {"namespace": "metallb-system", "name": "default-pool"},
}


def test_an_object_is_applied_under_a_manager_and_its_status_to_its_subresource() -> None:
    with serving(Reply(200, MANIFEST)) as server:
        cluster = cluster_of(server)
        assert cluster.apply(MappingProxyType(MANIFEST), "gitops-ipam") == MANIFEST
        cluster.apply(MANIFEST, "gitops-ipam-status", force=True, status=True)
        asked, forced = server.asked
        query = "fieldManager=gitops-ipam&force=false&fieldValidation=Strict"
        assert (asked.method, asked.path) == ("PATCH", f"{ROOT}/default-pool?{query}")
        assert asked.headers["content-type"] == "application/apply-patch+yaml"
        assert asked.headers["authorization"] == f"Bearer {CANARY}"
        assert json.loads(asked.body) == MANIFEST
        assert cluster.requests() == RequestCounts(patch=2)
    query = "fieldManager=gitops-ipam-status&force=true&fieldValidation=Strict"
    assert forced.path == f"{ROOT}/default-pool/status?{query}"


def test_an_object_is_deleted_by_uid_and_version() -> None:
    with serving(Reply(200, OBJECT)) as server:
        cluster = cluster_of(server)
        cluster.delete(POOL, "uid-1", "7")
        cluster.delete(POOL, "uid-1")
        assert cluster.requests() == RequestCounts(delete=2)
    first, second = server.asked
    assert (first.method, first.path) == ("DELETE", f"{ROOT}/default-pool")
    options = json.loads(first.body)
    assert options["preconditions"] == {"uid": "uid-1", "resourceVersion": "7"}
    assert options["propagationPolicy"] == "Background"
    assert json.loads(second.body)["preconditions"] == {"uid": "uid-1"}


def test_a_merge_patch_is_sent_under_a_manager() -> None:
    with serving(Reply(200, OBJECT)) as server:
        cluster_of(server).merge(POOL, {"metadata": {"finalizers": None}}, "gitops-ipam")
    (asked,) = server.asked
    assert asked.path == f"{ROOT}/default-pool?fieldManager=gitops-ipam"
    assert asked.headers["content-type"] == "application/merge-patch+json"
    assert json.loads(asked.body) == {"metadata": {"finalizers": None}}


def test_a_review_is_created_where_it_belongs() -> None:
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    with serving(Reply(201, review | {"status": {}})) as server:
        cluster = cluster_of(server)
        assert cluster.create(review)["status"] == {}
        assert cluster.requests() == RequestCounts(list=1)  # it asks, and writes nothing
    (asked,) = server.asked
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews?fieldManager=gitops-ipam"
    assert (asked.method, asked.path) == ("POST", path)


def test_a_name_cannot_leave_its_place_in_a_path() -> None:
    with serving(Reply(200, OBJECT)) as server:
        cluster_of(server).get(Ref(CONFIG_MAP, "../../x", "a/../b?c#d"))
    assert server.asked[0].path == "/api/v1/namespaces/..%2F..%2Fx/configmaps/a%2F..%2Fb%3Fc%23d"


@pytest.mark.parametrize(
    "ref",
    [
        Ref(CONFIG_MAP, "butler-system", ""),
        Ref(CONFIG_MAP, "", "a"),
        Ref(CONFIG_MAP, "..", "a"),
        Ref(NODE, "", ".."),
        Ref(NODE, "", "."),
    ],
)
def test_what_is_not_one_object_is_never_deleted(ref: Ref) -> None:
    with serving(Reply(200, OBJECT)) as server:
        with pytest.raises(RejectedError, match="is not the name of an object"):
            cluster_of(server).delete(ref, "uid-1")
        assert server.asked == []


def test_the_clock_is_the_servers() -> None:
    with serving(Reply(200, OBJECT), Reply(200, OBJECT, {"Date": "yesterday"})) as server:
        cluster = cluster_of(server)
        assert cluster.now() == 0
        cluster.get(POOL)
        assert cluster.now() == NOW
        cluster.get(POOL)
        assert cluster.now() == NOW


# Lists


def _page(following: str, *names: str) -> Reply:
    items = [{"metadata": {"name": name}} for name in names]
    return Reply(200, {"metadata": {"continue": following}, "items": items})


def _names(found: Any) -> list[str]:
    return [item["metadata"]["name"] for item in found]


def test_a_list_is_read_by_pages_and_every_page_counts() -> None:
    with serving(_page("t/1=", "a", "b"), _page("t2", "c"), _page("", "d")) as server:
        cluster = cluster_of(server)
        found = cluster.list(CONFIG_MAP, "x", labels="a=b,c", fields="metadata.name=z").items
        assert _names(found) == ["a", "b", "c", "d"]
        assert cluster.requests() == RequestCounts(list=3)
    path = "/api/v1/namespaces/x/configmaps?labelSelector=a%3Db%2Cc"
    path += "&fieldSelector=metadata.name%3Dz&limit=500"
    assert [asked.path for asked in server.asked] == [
        path,
        f"{path}&continue=t%2F1%3D",
        f"{path}&continue=t2",
    ]


def test_a_list_of_large_objects_is_read_one_by_one_and_small_ones_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Eight objects of which no two fit into an answer, and forty that do."""
    monkeypatch.setattr(transport, "MAX_BODY", 100_000)
    sizes = [60_000] * 8 + [10] * 40

    def answer(asked: Asked) -> Reply:
        query = parse_qs(urlsplit(asked.path).query)
        begin, limit = int(query.get("continue", ["0"])[0]), int(query["limit"][0])
        end = min(begin + limit, len(sizes))
        items = [{"metadata": {"name": "x" * size}} for size in sizes[begin:end]]
        following = str(end) if end < len(sizes) else ""
        return Reply(200, {"items": items, "metadata": {"continue": following}})

    with serving(answer) as server:
        found = cluster_of(server).list(NODE).items
    assert [len(name) for name in _names(found)] == sizes
    assert len(server.asked) < 30


def test_a_list_whose_next_page_is_gone_begins_anew() -> None:
    gone = status(410, "The provided continue parameter is too old", "Expired")
    replies = (_page("t", "old"), gone, _page("t", "a"), gone, _page("t", "b"), _page("", "c"))
    with serving(*replies) as server:
        assert _names(cluster_of(server).list(CONFIG_MAP).items) == ["b", "c"]


def test_a_list_begins_anew_three_times_at_most() -> None:
    def answer(asked: Asked) -> Reply:
        return status(410, "too old", "Expired") if "continue" in asked.path else _page("t", "a")

    with serving(answer) as server, pytest.raises(ClusterError, match="list ConfigMap: too old"):
        cluster_of(server).list(CONFIG_MAP)
    assert len(server.asked) == 8


@pytest.mark.parametrize(
    "answer", [{}, {"kind": "Status"}, {"items": 5}, {"items": [5]}, {"items": [{}, None]}]
)
def test_what_is_no_list_does_not_say_that_nothing_is_there(answer: dict[str, object]) -> None:
    told = pytest.raises(ClusterError, match="list Node: the response is not a list")
    with serving(Reply(200, answer)) as server, told:
        cluster_of(server).list(NODE)


def test_an_empty_list_of_all_namespaces_may_have_no_items_at_all() -> None:
    with serving(Reply(200, {"items": None, "metadata": None})) as server:
        assert cluster_of(server).list(CONFIG_MAP).items == []
    assert server.asked[0].path == "/api/v1/configmaps?limit=500"


def test_items_are_told_their_kind_when_the_server_does_not_say_it() -> None:
    page = {"items": [{"metadata": {"name": "a"}}, {"apiVersion": "v2", "kind": "Other", **OBJECT}]}
    with serving(Reply(200, page)) as server:
        assert cluster_of(server).list(NODE).items == [
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}},
            {"apiVersion": "v2", "kind": "Other", **OBJECT},
        ]


def test_one_connection_serves_refusals_and_large_answers_that_come_in_pieces() -> None:
    with serving(status(422, "no"), Reply(200, OBJECT, fault="chunked")) as server:
        cluster = cluster_of(server)
        with pytest.raises(ClusterError):
            cluster.get(POOL)
        for _number in range(3):
            assert cluster.get(POOL) == OBJECT
        assert server.connections == 1


# Proxies


def test_a_proxy_of_the_environment_is_told_who_asks_but_not_what() -> None:
    with serving(Reply(407)) as server:
        proxy = server.url.replace("http://", "http://me:p%40ss@")
        access = check_kubeconfig("one", kubeconfig("https://192.0.2.1:6443"))
        cluster = KubeCluster(access, Time().timeouts(), {"HTTPS_PROXY": proxy})
        with pytest.raises(UnreachableError, match="the proxy refuses the connection"):
            cluster.get(POOL)
    assert {(asked.method, asked.path) for asked in server.asked} == {("CONNECT", "192.0.2.1:6443")}
    assert server.asked[0].headers["proxy-authorization"] == "Basic bWU6cEBzcw=="
    assert "authorization" not in server.asked[0].headers
