"""A server's name may have many addresses: all of them together are tried within the deadline."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest

from reconciler.adapters.kube.cluster import KubeCluster
from reconciler.adapters.kube.kubeconfig import check, parse
from reconciler.clusters.resources import NODE
from reconciler.model.resource import Ref
from reconciler.ports import UnreachableError
from tests.adapters.kube.kubeconfigs import data, kubeconfig
from tests.adapters.kube.server import Reply, Server, serving

ONE = Ref(NODE, "", "one")
Address = tuple[str, int]


@pytest.fixture
def silent() -> Iterator[list[Address]]:
    """Thirty addresses that never answer: the queue of their port is full."""
    with ExitStack() as opened:
        listening = opened.enter_context(socket.socket())
        listening.bind(("0.0.0.0", 0))  # all addresses of the loopback are among these
        listening.listen(0)
        port: int = listening.getsockname()[1]
        for _ in range(3):
            waiting = opened.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.1", port))
        yield [(f"127.0.1.{number}", port) for number in range(1, 31)]


def named(patch: pytest.MonkeyPatch, server: Server, *addresses: Address) -> KubeCluster:
    """A cluster whose server's name has these addresses; a connection is waited for a moment."""
    kind = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "")
    found = [(*kind, address) for address in addresses]
    patch.setattr(socket, "getaddrinfo", lambda *_of, **_options: found)
    access = check("t/one", parse("t/one", data(kubeconfig("http://localhost:80"))))
    timeouts = replace(server.time.timeouts(10), connect_seconds=0.02)
    return KubeCluster(access, timeouts)


def home(server: Server) -> Address:
    host, _, port = server.url.removeprefix("http://").partition(":")
    return host, int(port)


def test_the_deadline_holds_over_all_addresses_of_a_name(
    monkeypatch: pytest.MonkeyPatch, silent: list[Address]
) -> None:
    with serving(Reply()) as server:
        server.time.tick = 1.0  # a second, whenever somebody looks at the clock
        cluster = named(monkeypatch, server, *silent, home(server))
        with pytest.raises(UnreachableError, match="the cluster's 10 seconds are over"):
            cluster.get(ONE)
        assert server.connections == 0


def test_an_address_that_is_silent_or_closed_does_not_hide_the_next(
    monkeypatch: pytest.MonkeyPatch, silent: list[Address]
) -> None:
    with serving(Reply()) as gone:
        pass
    with serving(Reply()) as server:
        cluster = named(monkeypatch, server, silent[0], home(gone), home(server))
        assert cluster.get(ONE) == {}
        assert server.connections == 1
        assert server.time.slept == []


def test_of_addresses_that_all_fail_the_last_one_is_told(
    monkeypatch: pytest.MonkeyPatch, silent: list[Address]
) -> None:
    with serving(Reply()) as gone:
        pass
    for addresses, told in (
        ([silent[0], home(gone)], "no connection: connection refused"),
        ([home(gone), silent[0]], r"no connection within 0\.02 seconds"),
    ):
        with pytest.raises(UnreachableError, match=told):
            named(monkeypatch, gone, *addresses).get(ONE)
