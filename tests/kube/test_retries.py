"""Retries of requests: which ones, how often, and when they stop."""

import socket
from collections.abc import Callable

import pytest

from reconciler.kube import transport
from reconciler.kube.clusters import KubeCluster
from reconciler.kube.interface import RequestCounts
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL
from reconciler.model.errors import ClusterError, UnreachableError
from reconciler.model.objects import Ref
from tests.kube.kubeconfigs import cluster_of
from tests.kube.server import OBJECT, Reply, serving, status
from tests.kube.test_refusals import EVENT_OF_OURS, MANIFEST

POOL = Ref(ADDRESS_POOL, "metallb-system", "default-pool")
FINE = Reply(200, OBJECT)
REVIEW = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
WEBHOOK = 'Internal error occurred: failed calling webhook "{}": Post "https://x": refused'
LATE = "Timeout: Too large resource version: 12, current: 11"

Call = Callable[[KubeCluster], object]
_BROKEN = [
    status(500, "Internal error occurred: boom"),
    Reply(502, b"<html>Bad Gateway"),
    status(503, "the server is currently unable to handle the request"),
    status(504, LATE, "Timeout"),
    Reply(fault="reset"),
    Reply(fault="silent"),
    Reply(200, OBJECT, fault="eof"),
    Reply(200, OBJECT, fault="chunked-eof"),
]


def _apply(cluster: KubeCluster) -> object:
    return cluster.apply(MANIFEST, "gitops-ipam")


def _get(cluster: KubeCluster) -> object:
    return cluster.get(POOL)


def _review(cluster: KubeCluster) -> object:
    return cluster.create(REVIEW)


def _event(cluster: KubeCluster) -> object:
    return cluster.create(EVENT_OF_OURS)


@pytest.mark.parametrize("reply", _BROKEN, ids=lambda reply: reply.fault or str(reply.status))
@pytest.mark.parametrize("call", [_apply, _get, _review])
def test_what_may_be_asked_twice_is_asked_until_it_is_answered(call: Call, reply: Reply) -> None:
    with serving(reply, reply, reply, reply, FINE) as server:
        assert call(cluster_of(server)) == OBJECT
        assert server.time.slept == [0.5, 1.0, 2.0, 4.0]


@pytest.mark.parametrize("reply", _BROKEN, ids=lambda reply: reply.fault or str(reply.status))
def test_after_five_times_it_is_given_up(reply: Reply) -> None:
    with serving(reply) as server:
        cluster = cluster_of(server)
        with pytest.raises(UnreachableError, match=r"^read metallb\.io/IPAddressPool/"):
            cluster.get(POOL)
        assert cluster.requests() == RequestCounts(list=5)
    assert len(server.asked) == 5


@pytest.mark.parametrize("reply", _BROKEN, ids=lambda reply: reply.fault or str(reply.status))
def test_what_may_have_been_created_is_not_created_again(reply: Reply) -> None:
    with serving(reply, FINE) as server, pytest.raises(UnreachableError):
        _event(cluster_of(server))
    assert len(server.asked) == 1


def test_what_was_surely_not_created_is() -> None:
    busy = status(429, "slow down")
    webhook = status(500, WEBHOOK.format("v.example.com"))
    with serving(busy, webhook, FINE) as server:
        assert _event(cluster_of(server)) == OBJECT


def test_a_port_where_nobody_listens_is_tried_until_somebody_does() -> None:
    with serving(FINE) as server:
        pass
    cluster = cluster_of(server)
    with pytest.raises(UnreachableError, match="no connection: connection refused"):
        _event(cluster)
    assert server.time.slept == [0.5, 1.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (
            socket.gaierror(-2, "Name or service not known"),
            "the host name of the server cannot be resolved",
        ),
        (TimeoutError(), "no connection within 5 seconds"),
        (OSError(113, "No route to host"), "no connection: no route to host"),
    ],
)
def test_what_keeps_us_from_a_server_is_told(
    monkeypatch: pytest.MonkeyPatch, failure: OSError, told: str
) -> None:
    def fail(*_of: object, **_options: object) -> None:
        raise failure

    with serving(FINE) as server:
        cluster = cluster_of(server)
        monkeypatch.setattr(socket, "getaddrinfo", fail)
        with pytest.raises(UnreachableError, match=told):
            _event(cluster)
        assert server.time.slept == [0.5, 1.0, 2.0, 4.0]


# Webhooks


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (WEBHOOK.format("a.metallb.io"), "MetalLB's webhook is unavailable"),
        (WEBHOOK.format("v.example.com"), "webhook v.example.com is unavailable"),
        (
            'conversion webhook for cluster.x-k8s.io/v1beta1, Kind=Machine failed: Post "x": EOF',
            "the conversion webhook of cluster.x-k8s.io/v1beta1 is unavailable",
        ),
    ],
)
def test_a_webhook_that_is_down_is_named_in_the_end(said: str, told: str) -> None:
    with serving(status(500, said, "InternalError")) as server:
        with pytest.raises(ClusterError) as caught:
            _apply(cluster_of(server))
        assert not isinstance(caught.value, UnreachableError)
        assert str(caught.value).endswith(told)
        assert len(server.asked) == 5


# Time between attempts


@pytest.mark.parametrize(
    ("wish", "pause"), [("1", 1.0), ("3600", 60.0), ("-5", 0.5), ("\u0661", 0.5), ("9" * 5000, 0.5)]
)
def test_a_server_may_say_when_to_come_back(wish: str, pause: float) -> None:
    headers = {"Retry-After": wish.encode().decode("latin-1")}
    with serving(status(503, "later")._replace(headers=headers), FINE) as server:
        _get(cluster_of(server))
        assert server.time.slept == [pause]


@pytest.mark.parametrize(
    ("headers", "chance", "pause"), [({}, 0.0, 0.25), ({"Retry-After": "7"}, 0.5, 7.125)]
)
def test_those_who_were_told_the_same_time_do_not_come_back_at_once(
    headers: dict[str, str], chance: float, pause: float
) -> None:
    with serving(status(429, "slow down")._replace(headers=headers), FINE) as server:
        server.time.chance = chance
        _get(cluster_of(server))
        assert server.time.slept == [pause]


# The deadline


def test_no_pause_goes_beyond_the_deadline() -> None:
    reply = status(429, "slow down")._replace(headers={"Retry-After": "50"})
    with serving(reply) as server, pytest.raises(UnreachableError, match="slow down"):
        _get(cluster_of(server, deadline_seconds=120))
    assert server.time.slept == [50.0, 50.0]


def test_what_was_waited_counts_for_all_later_requests() -> None:
    late = "wait: the cluster took more than 10 seconds"
    with serving(FINE) as server:
        cluster = cluster_of(server, deadline_seconds=10)
        cluster.pause(6)
        with pytest.raises(UnreachableError, match=late):
            cluster.pause(5)
        cluster.pause(3)
        server.time.now += 1000  # other requests run in between
        _get(cluster)
        with pytest.raises(UnreachableError, match=late):
            cluster.pause(1)
        assert server.time.slept == [6, 3]


def test_nothing_is_sent_after_the_deadline() -> None:
    with serving(FINE) as server:
        cluster = cluster_of(server, deadline_seconds=0)
        with pytest.raises(UnreachableError, match="took more than 0 seconds"):
            _get(cluster)
        assert server.asked == []
        assert cluster.requests() == RequestCounts()


def test_a_server_that_drips_is_left_at_the_deadline() -> None:
    with serving(Reply(200, {"long": "x" * 100_000}, fault="drip")) as server:
        server.time.tick = 1.0
        with pytest.raises(UnreachableError, match="the cluster took more than 60 seconds"):
            _get(cluster_of(server, deadline_seconds=60))
        assert len(server.asked) == 1


# Answers that are too large, and others that lead away


def test_an_answer_that_is_too_large_is_not_read_to_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(transport, "MAX_BODY", 1024 * 1024)
    with serving(Reply(200, b"x" * (2 * 1024 * 1024))) as server:
        with pytest.raises(ClusterError, match="the response is larger than 1 MiB"):
            _get(cluster_of(server))
        assert len(server.asked) == 1


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_gets_no_token(code: int) -> None:
    with serving(FINE) as other, serving(Reply(code, b"", {"Location": other.url})) as server:
        with pytest.raises(ClusterError, match="redirects are not followed"):
            _get(cluster_of(server))
        assert len(server.asked) == 1
        assert other.asked == []


def test_a_body_that_is_packed_is_not_unpacked() -> None:
    packed = Reply(200, b"\x1f\x8b" + b"\0" * 100, {"Content-Encoding": "gzip"})
    with serving(packed) as server, pytest.raises(ClusterError, match="not a JSON object"):
        _get(cluster_of(server))
    assert server.asked[0].headers["accept-encoding"] == "identity"


# Credentials
