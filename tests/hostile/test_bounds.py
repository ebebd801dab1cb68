"""A cluster that answers without end, at great length, or most intricately: it loses its turn alone."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from reconciler.apply.plan import ClusterState
from reconciler.kube.clusters import KubeCluster
from reconciler.model.objects import NODE
from tests.apply.execution.site import FIRST, SECOND, world
from tests.hostile.api import Fleet, Liar, fleet
from tests.kube.kubeconfigs import data
from tests.kube.server import Asked, Reply, Time

BOTH = world("web", "shop")
POOLS = "/ipaddresspools?"
SERVICES = "/api/v1/services?"
MIB = 1024 * 1024


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Fleet]:
    """A management cluster and two tenants; tests make the first one lie."""
    with fleet(tmp_path, FIRST, SECOND) as found:
        yield found


def lists(kind: str, *bodies: bytes) -> Liar:
    """A liar that answers lists of a kind with some bodies, the last one again and again."""
    told = count()

    def lie(asked: Asked) -> Reply | None:
        if asked.method != "GET" or kind not in asked.path:
            return None
        return Reply(body=bodies[min(next(told), len(bodies) - 1)])

    return lie


def page(*items: object, following: str = "") -> bytes:
    metadata = {"resourceVersion": "1", **({"continue": following} if following else {})}
    return json.dumps({"items": items, "metadata": metadata}).encode()


def service(number: int) -> dict[str, object]:
    metadata = {"name": f"s{number}", "namespace": "x", "uid": "u", "resourceVersion": "1"}
    return {"metadata": metadata, "spec": {"type": "LoadBalancer"}}


def loses_its_turn(site: Fleet, liar: Liar, told: str, *revisions: str) -> None:
    """The liar fails for a reason, by no bug of ours, and the other tenant is served."""
    site.apis[FIRST].liar = liar
    for revision in revisions or ("a",):
        applied = site.apply(BOTH, revision)
    assert (applied[FIRST].state, applied[FIRST].is_bug) == (ClusterState.FAILED, False), applied[
        FIRST
    ]
    assert told in applied[FIRST].error
    assert len(applied[FIRST].error) < 500
    assert applied[SECOND].state is ClusterState.APPLIED


def connected(site: Fleet) -> KubeCluster:
    """A connection to the cluster that lies, as a tenant's."""
    return site.clusters().connect(FIRST, data(site.config(FIRST)))


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"items":[' + b" " * 9 * MIB + b"]}", "the answer is larger than 8 MiB"),
        (b'{"items":' + b"[" * 100_000, "the answer is not a JSON object"),
        (b'{"items":[],"metadata":"x"}', "the answer is not a list"),
        (b'{"items":[{"metadata":{"name":"\\ud800"}}]}', "the answer is not a JSON object"),
        (json.dumps({"items": []}).encode("utf-16"), "the answer is not a JSON object"),
    ],
    ids=["long", "deep", "metadata", "half a letter", "utf-16"],
)
def test_an_answer_that_is_made_to_exhaust_the_reader_is_not_read(
    site: Fleet, body: bytes, told: str
) -> None:
    loses_its_turn(site, lists(POOLS, body), told)


def test_a_large_cluster_is_read_in_smaller_pages(site: Fleet) -> None:
    """Five hundred nodes with all their images do not fit into one answer: no harm is meant."""
    every = [{**service(number), "status": {"images": ["i" * 100] * 300}} for number in range(500)]

    def told(asked: Asked) -> Reply | None:
        query = dict(parse_qsl(urlsplit(asked.path).query))
        first, size = int(query.get("continue", 0)), int(query["limit"])
        rest = str(first + size) if first + size < len(every) else ""
        return Reply(body=page(*every[first : first + size], following=rest))

    site.apis[FIRST].liar = told
    found = connected(site).list(NODE).items
    assert [item["metadata"]["name"] for item in found] == [f"s{number}" for number in range(500)]
    assert all("images" not in item["status"] for item in found)


def test_a_server_that_drips_is_given_up_at_its_deadline(site: Fleet) -> None:
    """Its clock goes on by a second whenever somebody looks; nobody waits in truth."""
    clock = Time(tick=1.0)
    site.apis[FIRST].server.time = clock
    site.apis[FIRST].liar = lambda _asked: Reply(body=b"{" + b" " * MIB, fault="drip")
    site.clocks[FIRST] = clock
    applied = site.apply(BOTH)
    assert applied[FIRST].state is ClusterState.UNREACHABLE
    assert "the cluster's 60 seconds are over" in applied[FIRST].error
    assert applied[SECOND].state is ClusterState.APPLIED
