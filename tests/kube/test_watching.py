"""A watch of a server that means harm, breaks off, or does not know us any more."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from reconciler.kube import transport
from reconciler.kube.clusters import KubeCluster, KubeClusters, change_of
from reconciler.kube.interface import Became
from reconciler.kube.transport import TooLargeError
from reconciler.model.errors import ClusterError, StaleError, UnauthorizedError, UnreachableError
from reconciler.model.objects import SERVICE
from tests.kube.kubeconfigs import CANARY, kubeconfig
from tests.kube.server import Reply, Server, serving, status

WHAT = "watch Service"


def line(became: str, **manifest: Any) -> bytes:
    return json.dumps({"type": became, "object": manifest}).encode() + b"\n"


def service(name: str, version: str = "7") -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "a", "resourceVersion": version}}


def watched(server: Server, **more: Any) -> Iterator[Any]:
    clusters = KubeClusters(timeouts=server.time.timeouts())
    cluster = clusters.connect("a", json.dumps(kubeconfig(server.url)).encode(), is_named=True)
    assert isinstance(cluster, KubeCluster)
    return cluster.watch(SERVICE, since="5", **more)


def test_a_watch_asks_for_bookmarks_and_an_end() -> None:
    body = line("ADDED", **service("one")) + line("BOOKMARK", metadata={"resourceVersion": "9"})
    with serving(Reply(body=body, fault="chunked")) as server:
        told = list(watched(server))
        asked = server.asked[0]
    assert [change.became for change in told] == [Became.ADDED, Became.BOOKMARK]
    assert told[0].manifest["kind"] == "Service"
    assert asked.path == (
        "/api/v1/services?watch=1&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=480"
    )


def test_the_metadata_alone_is_asked_for_by_its_form() -> None:
    with serving(Reply(body=b"", fault="chunked")) as server:
        assert list(watched(server, heads=True)) == []
        assert "as=PartialObjectMetadata;" in server.asked[0].headers["accept"]


def test_a_watch_that_breaks_off_is_an_unreachable_cluster() -> None:
    with serving(Reply(body=line("ADDED", **service("one")), fault="chunked-eof")) as server:
        changes = watched(server)
        assert next(changes).manifest["metadata"]["name"] == "one"
        with pytest.raises(UnreachableError):
            next(changes)


@pytest.mark.parametrize(
    ("code", "error"), [(410, StaleError), (401, UnauthorizedError), (503, UnreachableError)]
)
def test_a_refusal_is_one_whether_as_an_answer_or_as_a_line(
    code: int, error: type[ClusterError]
) -> None:
    refusal = status(code, "no")
    with serving(refusal) as server, pytest.raises(error):
        list(watched(server))
    with pytest.raises(error):
        change_of(line("ERROR", **refusal.body), WHAT, SERVICE)


@pytest.mark.parametrize(
    "text",
    [
        b"no",
        b"[]",
        b'{"type": "ADDED"}',
        b'{"type": "ADDED", "object": []}',
        b'{"type": 1, "object": {}}',
        b'{"type": "GONE", "object": {}}',
        b'{"type": "ADDED", "object": ' + b"[" * 200 + b"]" * 200 + b"}",
        b'{"type": "ERROR", "object": {"code": 200}}',
    ],
)
def test_a_line_that_is_no_change_ends_the_watch(text: bytes) -> None:
    with pytest.raises(ClusterError):
        change_of(text, WHAT, SERVICE)


def test_a_token_that_an_answer_repeats_is_taken_out() -> None:
    with serving(Reply(body=line("ADDED", metadata={"name": CANARY}))) as server:
        (told,) = list(watched(server))
        assert server.asked[0].headers["authorization"] == f"Bearer {CANARY}"
        assert CANARY not in str(told)


def test_a_line_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "MAX_LINE", 100)
    with serving(Reply(body=b"x" * 1_000)) as server, pytest.raises(TooLargeError):
        list(watched(server))


def test_lines_that_arrive_in_pieces_are_whole() -> None:
    body = line("ADDED", metadata={"name": "a"}) + b"\n\n" + line("ADDED", metadata={"name": "b"})
    with serving(Reply(body=body + b"\n{")) as server:
        found = [change.manifest["metadata"]["name"] for change in watched(server)]
    assert found == ["a", "b"]
