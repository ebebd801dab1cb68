"""Whatever a cluster answers with is looked at before anything of it is read."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from reconciler.apply.management import validated
from reconciler.kube.interface import Cluster, ObjectList, RequestCounts
from reconciler.model.errors import ClusterError
from reconciler.model.objects import NODE, Manifest, Ref

REF = Ref(NODE, "", "one")
NAMED: Manifest = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "one"}}
STORED: Manifest = {**NAMED, "metadata": {"name": "one", "uid": "u", "resourceVersion": "7"}}


@dataclass
class Server:
    """A cluster that has one answer, and keeps what it was asked."""

    answer: Any = None
    asked: list[Any] = field(default_factory=list)

    def requests(self) -> RequestCounts:
        return RequestCounts(1, 2, 3)

    def now(self) -> int:
        return 7

    def version(self) -> str:
        return "v1.36.3"

    def get(self, *words: Any) -> Any:
        return self._answer("get", *words)

    def list(self, *words: Any, **more: Any) -> Any:
        return ObjectList([self._answer("list", *words, more)], "9")

    def apply(self, *words: Any, **more: Any) -> Any:
        return self._answer("apply", *words, more)

    def create(self, *words: Any) -> Any:
        return self._answer("create", *words)

    def merge(self, *words: Any) -> Any:
        return self._answer("merge", *words)

    def delete(self, *words: Any) -> None:
        self._answer("delete", *words)

    def pause(self, *words: Any) -> None:
        self._answer("pause", *words)

    def limit(self, *words: Any) -> None:
        self._answer("limit", *words)

    def extend(self, *words: Any) -> None:
        self._answer("extend", *words)

    def close(self) -> None:
        self._answer("close")

    def _answer(self, *asked: Any) -> Any:
        self.asked.append(asked)
        return self.answer


ANSWERED: list[tuple[Callable[[Cluster], Any], tuple[Any, ...]]] = [
    (lambda it: it.get(REF), ("get", REF)),
    (lambda it: it.list(NODE, "a", labels="b", fields="c").items[0],
     ("list", NODE, "a", {"labels": "b", "fields": "c"})),
    (lambda it: it.apply(NAMED, "m", force=True, status=True),
     ("apply", NAMED, "m", {"force": True, "status": True})),
    (lambda it: it.create(NAMED), ("create", NAMED)),
    (lambda it: it.merge(REF, {"a": 1}, "m"), ("merge", REF, {"a": 1}, "m")),
]  # fmt: skip


def checked(server: Server) -> Cluster:
    return validated(cast(Cluster, server))


@pytest.mark.parametrize(("ask", "asked"), ANSWERED, ids=[asked[0] for _, asked in ANSWERED])
def test_a_good_answer_is_passed_on(ask: Callable[[Cluster], Any], asked: tuple[Any, ...]) -> None:
    server = Server(STORED)
    assert ask(checked(server)) == STORED
    assert server.asked == [asked]


@pytest.mark.parametrize(("ask", "asked"), ANSWERED, ids=[asked[0] for _, asked in ANSWERED])
def test_an_odd_answer_is_the_clusters_failure(
    ask: Callable[[Cluster], Any], asked: tuple[Any, ...]
) -> None:
    del asked
    with pytest.raises(ClusterError) as told:
        ask(checked(Server(NAMED)))
    assert str(told.value) == (
        "it holds something that cannot be read: Node 'one': metadata.uid is missing"
    )
    assert told.value.hint == "mend that object, or what answers in its place"


def test_all_else_is_the_clusters_own() -> None:
    server = Server()
    it = checked(server)
    assert (it.requests(), it.now(), it.version()) == (RequestCounts(1, 2, 3), 7, "v1.36.3")
    it.delete(REF, "u", "7")
    it.pause(1.0)
    it.limit(None)
    it.extend(2.0)
    it.close()
    assert server.asked == [
        ("delete", REF, "u", "7"),
        ("pause", 1.0),
        ("limit", None),
        ("extend", 2.0),
        ("close",),
    ]
