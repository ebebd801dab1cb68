"""Errors for refusals of an API server."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from reconciler.kube.clusters import KubeCluster
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL
from reconciler.model.errors import (
    ClusterError,
    NoSuchKindError,
    NoSuchObjectError,
    OwnedError,
    RejectedError,
    StaleError,
    UnauthorizedError,
)
from reconciler.model.objects import Ref
from tests.kube.kubeconfigs import CANARY, cluster_of
from tests.kube.server import Asked, Reply, serving, status

POOL = Ref(ADDRESS_POOL, "metallb-system", "default-pool")
MANIFEST: Mapping[str, Any] = {
    "apiVersion": "metallb.io/v1beta1",
    "kind": "IPAddressPool",
    "metadata": {"namespace": "metallb-system", "name": "default-pool"},
    "spec": {"addresses": ["10.40.0.80/29"]},
}
EVENT_OF_OURS: Mapping[str, Any] = {
    "apiVersion": "v1",
    "kind": "Event",
    "metadata": {"namespace": "butler-system", "name": "a.1"},
}
NAME = "metallb.io/IPAddressPool/metallb-system/default-pool"

_FORBIDDEN = 'ipaddresspools.metallb.io is forbidden: User "x" cannot'
_VALIDATION = "ipaddresspoolvalidationwebhook.metallb.io"


def _apply(cluster: KubeCluster) -> object:
    return cluster.apply(MANIFEST, "gitops-ipam")


def _list(cluster: KubeCluster) -> object:
    return cluster.list(ADDRESS_POOL, "metallb-system")


def _get(cluster: KubeCluster) -> object:
    return cluster.get(POOL)


def _create(cluster: KubeCluster) -> object:
    return cluster.create(EVENT_OF_OURS)


Call = Callable[[KubeCluster], object]

_CASES: list[tuple[str, Call, Reply, type[ClusterError], str]] = [
    ("401", _get, status(401, "Unauthorized"), UnauthorizedError, "read {}: the server does not"),
    (
        "403 of RBAC",
        _list,
        status(403, f'{_FORBIDDEN} list resource "ipaddresspools" in API group', "Forbidden"),
        UnauthorizedError,
        f"list metallb.io/IPAddressPool in metallb-system: {_FORBIDDEN} list",
    ),
    ("403 of something else", _get, Reply(403, b"<html>"), UnauthorizedError, "answered 403"),
    (
        "403 of a policy",
        _apply,
        status(403, "ValidatingAdmissionPolicy 'x' with binding 'y' denied request: no"),
        RejectedError,
        "apply {}: ValidatingAdmissionPolicy 'x' with binding 'y' denied request: no",
    ),
    (
        "422 of a schema",
        _apply,
        status(
            422,
            "it is invalid",
            "Invalid",
            causes=[{"field": "spec.cidr", "message": "may grow, never shrink"}],
        ),
        RejectedError,
        "apply {}: it is invalid (spec.cidr: may grow, never shrink)",
    ),
    (
        "422 of the uid of an object that was made anew",
        _apply,
        status(
            422,
            "it is invalid",
            "Invalid",
            causes=[{"field": "metadata.uid", "message": "field is immutable"}],
        ),
        StaleError,
        "apply {}: another object has this name now",
    ),
    (
        "422 that says its fields in the text already",
        _apply,
        status(422, "spec.cidr: no", causes=[{"field": "spec.cidr", "message": "no"}]),
        RejectedError,
        "apply {}: spec.cidr: no",
    ),
    (
        "a webhook's no, whatever its code",
        _apply,
        status(500, f'admission webhook "{_VALIDATION}" denied the request: overlaps'),
        RejectedError,
        "overlaps",
    ),
    ("404 of a group", _list, Reply(404, b"404 page not found\n"), NoSuchKindError, "the kind"),
    (
        "404 of a kind",
        _get,
        status(404, "the server could not find the requested resource", "NotFound"),
        NoSuchKindError,
        "read {}: the kind is not installed in the cluster",
    ),
    (
        "404 of a namespace",
        _create,
        status(404, 'namespaces "butler-system" not found', name="butler-system", kind="namespaces"),
        NoSuchObjectError,
        "create Event/butler-system/a.1: namespace butler-system does not exist",
    ),
    (
        "404 of an object whose status is applied",
        _apply,
        status(404, "not found", name="default-pool", kind="ipaddresspools"),
        NoSuchObjectError,
        "apply {}: the object does not exist",
    ),
    ("404 of another server", _get, Reply(404, b"<html>"), ClusterError, "answered 404"),
    (
        "409 of a resourceVersion",
        _apply,
        status(409, "the object has been modified", "Conflict"),
        StaleError,
        "apply {}: the object has been modified",
    ),
    (
        "409 of a name that is taken",
        _create,
        status(409, 'events "a.1" already exists', "AlreadyExists"),
        StaleError,
        "this name already",
    ),
    ("413", _apply, status(413, "limit is 3145728"), RejectedError, "too large for the server"),
    (
        "500 of etcd's limit",
        _apply,
        status(500, "etcdserver: request is too large"),
        RejectedError,
        "apply {}: the object is too large for the server",
    ),
    ("no JSON", _get, Reply(200, b"<html>"), ClusterError, "read {}: the response is not a JSON"),
    ("a list for an object", _get, Reply(200, b"[]"), ClusterError, "is not a JSON object"),
    ("deep JSON", _get, Reply(200, b"[" * 200_000), ClusterError, "is not a JSON object"),
    ("half a letter", _get, Reply(200, b'{"a":"\\ud800"}'), ClusterError, "is not a JSON object"),
    ("UTF-16", _get, Reply(200, "{}".encode("utf-16")), ClusterError, "is not a JSON object"),
    ("deep refusal", _get, Reply(422, b"[" * 200_000), RejectedError, "answered 422"),
    ("odd details", _get, status(409, "x", causes=7), StaleError, "answered 409"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "reply", "error", "message"), [case[1:] for case in _CASES], ids=[c[0] for c in _CASES]
)
def test_a_refusal_is_told_for_what_it_is_and_not_asked_again(
    call: Call, reply: Reply, error: type[ClusterError], message: str
) -> None:
    with serving(reply) as server:
        with pytest.raises(error) as caught:
            call(cluster_of(server))
        assert type(caught.value) is error
        assert message.replace("{}", NAME) in str(caught.value)
        assert len(server.asked) == 1
        assert server.time.slept == []


def test_owners_of_fields_are_named() -> None:
    causes = [
        {
            "reason": "FieldManagerConflict",
            "message": 'conflict with "kubectl-edit" using metallb.io/v1beta1',
            "field": ".spec.addresses",
        },
        {
            "reason": "FieldManagerConflict",
            "message": r'conflict with "a \"b\"" with subresource "status" using v1 at 2026',
            "field": '.metadata.labels["x/y"]',
        },
    ]
    reply = status(409, "Apply failed with 2 conflicts", "Conflict", causes=causes)
    told = pytest.raises(OwnedError, match=r'owned by a "b", kubectl-edit')
    with serving(reply) as server, told as caught:
        cluster_of(server).apply(MANIFEST, "gitops-ipam")
    assert caught.value.owners == (
        ("kubectl-edit", "spec.addresses"),
        ('a "b"', 'metadata.labels["x/y"]'),
    )


def test_an_object_that_is_not_there_is_none_and_deleting_it_is_no_error() -> None:
    with serving(status(404, "not found", name="default-pool", kind="ipaddresspools")) as server:
        assert cluster_of(server).get(POOL) is None
        cluster_of(server).delete(POOL, "uid-1")


def test_a_server_that_is_too_old_is_told_what_is_needed() -> None:
    old = {"major": "1", "minor": "21+", "gitVersion": "v1.21.3"}
    with serving(Reply(200, {**old, "minor": "22"}), Reply(200, old)) as server:
        assert cluster_of(server).version() == "v1.21.3"
        with pytest.raises(ClusterError, match=r"v1\.21\.3: 1\.22 or later is needed"):
            cluster_of(server).version()


def test_a_long_text_of_a_server_is_cut() -> None:
    with serving(status(422, "x" * 5000)) as server, pytest.raises(RejectedError) as caught:
        cluster_of(server).get(POOL)
    assert len(str(caught.value)) < 600


def test_a_server_that_repeats_our_token_does_not_get_it_into_a_message() -> None:
    def echo(asked: Asked) -> Reply:
        return status(403, f"unknown user {asked.headers['authorization']}?")

    with serving(echo) as server, pytest.raises(ClusterError) as caught:
        cluster_of(server).get(POOL)
    assert server.asked[0].headers["authorization"] == f"Bearer {CANARY}"
    assert CANARY not in str(caught.value)
    assert "unknown user Bearer ***?" in str(caught.value)
