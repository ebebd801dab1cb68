"""Connections: enough of them for all threads, credentials renewed once for all, closed at the end."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier

import pytest
import urllib3

from reconciler.kube.interface import CONTACTS
from reconciler.kube.session import Session
from reconciler.kube.transport import KubeRequest, Transport
from reconciler.model.errors import KubeconfigError, UnauthorizedError
from reconciler.model.objects import NODE, Ref
from tests.kube.kubeconfigs import cluster_of
from tests.kube.server import Asked, Reply, Server, serving, status

ONE = Ref(NODE, "", "one")
MANY = 8
REFUSED = status(401, "Unauthorized")
READ = KubeRequest("GET", "/version", "read the version")


def at_once(threads: int, call: Callable[[], object]) -> list[BaseException | None]:
    """Call a function in several threads, and return their errors."""
    with ThreadPoolExecutor(threads) as pool:
        begun = [pool.submit(call) for _ in range(threads)]
        return [future.exception() for future in begun]


def together(threads: int, reply: Reply) -> Callable[[Asked], Reply]:
    """Return an answer that waits for a number of requests."""
    barrier = Barrier(threads)

    def answer(_asked: Asked) -> Reply:
        barrier.wait(30)
        return reply

    return answer


def test_as_many_threads_as_there_are_share_a_cluster_without_a_word(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with serving(together(CONTACTS, Reply())) as server:
        cluster = cluster_of(server)
        assert at_once(CONTACTS, lambda: cluster.get(ONE)) == [None] * CONTACTS
        assert server.connections == CONTACTS
        cluster.close()
    assert [item.getMessage() for item in caplog.records if item.levelno >= logging.WARNING] == []


def test_connections_are_closed_when_they_are_not_needed_any_more() -> None:
    with serving(together(MANY, Reply())) as server:
        cluster = cluster_of(server)
        at_once(MANY, lambda: cluster.get(ONE))
        assert not server.closed.acquire(blocking=False)
        cluster.close()
        assert all(server.closed.acquire(timeout=60) for _ in range(MANY))


class Renewed:
    """Sessions of one server, each with a token of its own, counted from 0."""

    def __init__(self, server: Server, *, broken: bool = False) -> None:
        self.server = server
        self.broken = broken
        self.numbers = count()
        self.entered = 0

    def __call__(self) -> Session:
        number = next(self.numbers)
        self.entered = number + 1
        if self.broken and number:
            raise KubeconfigError("the plugin gave no credentials")
        return Session(
            urllib3.PoolManager(maxsize=MANY), self.server.url, lambda: f"Bearer token-{number}"
        )

    def transport(self) -> Transport:
        return Transport(self, self.server.time.timeouts(), renewable=True)


def only(token: str, threads: int) -> Callable[[Asked], Reply]:
    """Return a server with one valid token. The first refusals wait for a number of requests."""
    wait = together(threads, REFUSED)
    return lambda asked: Reply() if asked.headers["authorization"] == token else wait(asked)


def test_a_credential_that_is_refused_to_many_threads_is_renewed_once() -> None:
    with serving(only("Bearer token-1", MANY)) as server:
        sessions = Renewed(server)
        transport = sessions.transport()
        assert at_once(MANY, lambda: transport.send(READ)) == [None] * MANY
        assert sessions.entered == 2
        transport.close()
        assert all(server.closed.acquire(timeout=60) for _ in range(server.connections))


def test_a_credential_that_cannot_be_renewed_is_tried_once() -> None:
    with serving(only("none", MANY)) as server:
        sessions = Renewed(server, broken=True)
        transport = sessions.transport()
        met = at_once(MANY, lambda: transport.send(READ))
        assert {type(failure) for failure in met} == {KubeconfigError}
        assert sessions.entered == 2


def test_a_renewed_credential_may_be_refused_again_later() -> None:
    """Tokens of an hour: each is renewed when its time is over."""
    with serving(REFUSED, Reply(), REFUSED, Reply(), REFUSED) as server:
        sessions = Renewed(server)
        transport = sessions.transport()
        for _ in range(2):
            transport.send(READ)
        assert sessions.entered == 3
        with pytest.raises(UnauthorizedError):
            transport.send(READ)
