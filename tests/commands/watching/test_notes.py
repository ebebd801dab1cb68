"""What a daemon knows of clusters from its own work."""

from typing import Any

from reconciler.clusters.desired import owned_labels
from reconciler.clusters.resources import ADDRESS_POOL
from reconciler.commands.watching.notes import Notes
from reconciler.model.resource import Ref
from reconciler.ports import Listing


def test_what_an_apply_reads_is_no_look() -> None:
    notes = Notes()
    notes.note("a/web", ["1"])
    assert notes.is_known("a/web", "1")
    assert not notes.is_known("a/web", "1", looks=True)
    notes.note("a/web", ["1"], looks=True)
    notes.note("a/web", ["1"])  # read once more, by an apply
    assert notes.is_known("a/web", "1", looks=True)
    assert not notes.is_known("a/shop", "1")


def pool(uid: Any, namespace: Any = "here", **metadata: Any) -> dict[str, Any]:
    """A pool of ours."""
    named = {"uid": uid, "namespace": namespace, "labels": owned_labels(), **metadata}
    return {"apiVersion": "metallb.io/v1beta1", "kind": "IPAddressPool", "metadata": named}


def test_of_our_own_objects_those_are_known_that_the_last_round_left() -> None:
    notes = Notes()
    every = [pool("a"), pool("b"), pool("there", "there"), pool("theirs", labels={"a": "b"})]
    notes.listed("a/web", ADDRESS_POOL, "", Listing(every))
    notes.made("a/web", pool("c"))
    notes.made("a/web", pool("theirs", labels=None))
    notes.went("a/web", Ref(ADDRESS_POOL, "here", "b"), "b")
    assert notes.ours("a/web", ADDRESS_POOL, "here") == {"a", "c"}
    assert notes.ours("a/web", ADDRESS_POOL, "") == {"a", "c", "there"}
    notes.listed("a/web", ADDRESS_POOL, "here", Listing([pool("c")]))
    assert notes.ours("a/web", ADDRESS_POOL, "") == {"c", "there"}
    notes.listed("a/web", ADDRESS_POOL, "", Listing([]))
    assert notes.ours("a/web", ADDRESS_POOL, "") == frozenset()
    notes.went("a/web", Ref(ADDRESS_POOL, "here", "b"), "b")


def test_an_object_of_another_shape_than_any_server_sends_is_none_of_ours() -> None:
    notes = Notes()
    odd = [{}, {"metadata": "x"}, pool("a", labels=["x"]), pool(7), pool("b", namespace=None)]
    notes.listed("a/web", ADDRESS_POOL, "", Listing(odd))
    notes.made("a/web", {**pool("c"), "apiVersion": None})
    assert notes.ours("a/web", ADDRESS_POOL, "") == {"b"}


def test_of_a_cluster_that_is_gone_nothing_is_known() -> None:
    notes = Notes()
    for cluster in ("a/web", "a/shop"):
        notes.made(cluster, pool("a"))
    notes.forget("a/web")
    assert notes.ours("a/web", ADDRESS_POOL, "") == frozenset()
    assert notes.ours("a/shop", ADDRESS_POOL, "") == {"a"}
