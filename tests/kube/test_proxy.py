"""The proxy that other tests break clusters with does what its script says."""

import dataclasses

import pytest

from reconciler.kube.clusters import KubeCluster
from reconciler.kube.kubeconfig import check_kubeconfig, parse
from reconciler.model.errors import ClusterError, RejectedError, UnreachableError
from reconciler.model.objects import NODE, Ref
from tests.kube.kubeconfigs import CANARY, data, kubeconfig
from tests.kube.proxy import Fault, Proxy, proxied
from tests.kube.server import Reply, Server, Time, serving, status

ONE = Ref(NODE, "", "one")


def _cluster(proxy: Proxy, time: Time, read_seconds: float = 15.0) -> KubeCluster:
    timeouts = dataclasses.replace(time.timeouts(), read_seconds=read_seconds)
    return KubeCluster(check_kubeconfig("one", parse("one", proxy.kubeconfig)), timeouts)


def _behind(server: Server) -> bytes:
    return data(kubeconfig(server.url))


def test_what_no_fault_is_for_goes_through() -> None:
    with serving(Reply(200, {"a": 1}), status(422, "no")) as server:
        with proxied(_behind(server)) as proxy:
            cluster = _cluster(proxy, server.time)
            assert cluster.get(ONE) == {"a": 1}
            with pytest.raises(RejectedError, match="read Node/one: no"):
                cluster.get(ONE)
        assert proxy.asked == ["GET /api/v1/nodes/one"] * 2
        assert server.asked[0].headers["authorization"] == f"Bearer {CANARY}"


def test_the_nth_of_the_requests_that_match_gets_the_answer_of_the_script() -> None:
    faults = (
        Fault("PATCH", status=418),
        Fault("GET /api/v1/nodes", 2, status=429, headers={"Retry-After": "7"}),
    )
    with serving(Reply(200, {})) as server, proxied(_behind(server), *faults) as proxy:
        cluster = _cluster(proxy, server.time)
        for _number in range(3):
            assert cluster.get(ONE) == {}
        with pytest.raises(ClusterError, match="418"):
            cluster.merge(ONE, {}, "x")
        assert server.time.slept == [7.0]
        assert proxy.count("GET") == 4
        assert len(server.asked) == 3


@pytest.mark.parametrize(("kind", "carried_out"), [("reset", 1), ("lost", 2), ("eof", 2)])
def test_a_connection_breaks_before_or_after_the_request_is_carried_out(
    kind: str, carried_out: int
) -> None:
    fault = Fault("GET", 1, kind)
    with serving(Reply(200, {"a": 1})) as server, proxied(_behind(server), fault) as proxy:
        assert _cluster(proxy, server.time).get(ONE) == {"a": 1}
        assert proxy.count("GET") == 2
        assert len(server.asked) == carried_out


def test_a_stalled_answer_never_comes() -> None:
    stalled = Fault("GET", kind="stall")
    with serving(Reply()) as server, proxied(_behind(server), stalled) as proxy:
        with pytest.raises(UnreachableError, match=r"no answer within 0\.1 seconds"):
            _cluster(proxy, server.time, read_seconds=0.1).get(ONE)
        assert proxy.count("GET") == 5
        assert server.asked == []


def test_something_may_happen_behind_the_back_of_the_client() -> None:
    happened: list[int] = []
    fault = Fault("GET", 2, "pass", then=lambda: happened.append(len(happened)))
    with serving(Reply()) as server, proxied(_behind(server), fault) as proxy:
        cluster = _cluster(proxy, server.time)
        for _number in range(3):
            cluster.get(ONE)
    assert happened == [0]
