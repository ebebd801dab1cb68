"""A tenant's cluster that lies: about who it is, what was applied, what it announces, and our token."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from reconciler.apply.plan import Applied, ClusterState
from reconciler.kube.resources import ADDRESS_POOL
from reconciler.model.objects import CONFIG_MAP, NAMESPACE, Ref
from reconciler.report.json import apply_document
from reconciler.report.text.runs import applied_text
from reconciler.report.text.table import Painter
from tests.apply.execution.site import FIRST, SECOND, world
from tests.fake_cluster import HUB
from tests.fake_clusters import POOL
from tests.hostile.api import INVENTORY, Fleet, fleet
from tests.kube.server import Reply
from tests.world import reconciled, tenant

BOTH = world("web", "shop")
OURS = {"gitops-ipam.dev/managed-by": "gitops-ipam"}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Fleet]:
    """A management cluster and two tenants; tests make the first one lie."""
    with fleet(tmp_path, FIRST, SECOND) as found:
        yield found


def shown(applied: dict[str, Applied]) -> str:
    """All that anybody gets to see of a run."""
    every = list(applied.values())
    document = apply_document(every, "a" * 40, 5)
    text = applied_text(every, Painter(is_on=False))
    return "\n".join([repr(every), text, json.dumps(document, ensure_ascii=False)])


# Our own token


def test_a_secret_that_holds_our_own_token_is_read_as_it_is(site: Fleet) -> None:
    """One token for several clusters: what is taken out of answers is not taken out of Secrets."""
    for name in (HUB, FIRST, SECOND):
        site.apis[name].user = {"token": "one-token-for-all-of-them"}
        if name != HUB:
            site.give(name)
    applied = site.apply(BOTH)
    assert {item.state for item in applied.values()} == {ClusterState.APPLIED}
    assert "one-token-for-all-of-them" not in shown(applied)


# Who it is, and what was applied to it


def identity(site: Fleet, name: str) -> str:
    """The uid that a cluster goes by."""
    home = site.apis[name].cluster.objects[Ref(NAMESPACE, "", "kube-system")]
    uid: str = home["metadata"]["uid"]
    return uid


def says_it_is(site: Fleet, uid: str) -> None:
    """From now on the first tenant's kube-system has another uid."""
    site.apis[FIRST].cluster.objects[Ref(NAMESPACE, "", "kube-system")]["metadata"]["uid"] = uid


@pytest.mark.parametrize("uid", ["a uid with blanks", "", "u\ncluster.x: y", "u" * 200_000, "ü"])
@pytest.mark.parametrize("is_known", [False, True], ids=["unknown", "known"])
def test_an_identity_that_is_none_gets_into_no_memory(
    site: Fleet, uid: str, *, is_known: bool
) -> None:
    if is_known:
        site.apply(BOTH)
    says_it_is(site, uid)
    for revision in "bc":  # and the next run reads the memory that this one wrote
        applied = site.apply(BOTH, revision, re_enrol=frozenset([FIRST]))
        assert applied[FIRST].state is ClusterState.REFUSED
        assert "is not the uid of a cluster" in applied[FIRST].error
        assert len(applied[FIRST].error) < 400
        assert [applied[name].state for name in (HUB, SECOND)] == [ClusterState.APPLIED] * 2
    if uid:
        assert uid not in json.dumps(site.memory())


@pytest.mark.parametrize("other", [HUB, SECOND])
def test_nobody_is_believed_to_be_another_cluster(site: Fleet, other: str) -> None:
    site.apply(BOTH)
    says_it_is(site, identity(site, other))
    for options in ({}, {"re_enrol": frozenset([FIRST])}):
        applied = site.apply(BOTH, "b", **options)
        assert applied[FIRST].state is ClusterState.REFUSED
        assert [applied[name].state for name in (HUB, SECOND)] == [ClusterState.APPLIED] * 2
    assert f"it is the very cluster that {other} names" in applied[FIRST].error


def test_nobody_is_believed_to_be_a_cluster_that_is_leaving(site: Fleet) -> None:
    """A tenant is gone from Git; another one that takes its name would keep its addresses held."""
    site.apply(BOTH)
    says_it_is(site, identity(site, SECOND))
    applied = site.apply(world("web"), "b", re_enrol=frozenset([FIRST]))
    assert applied[FIRST].state is ClusterState.REFUSED
    assert applied[SECOND].state is ClusterState.APPLIED
    assert not [ref for ref in site.apis[SECOND].cluster.objects if ref.resource == ADDRESS_POOL]


@pytest.mark.parametrize("revision", ["f" * 200_000, "--help", "HEAD", "a" * 41, "a b"])
def test_a_revision_that_is_none_stops_that_cluster_alone(site: Fleet, revision: str) -> None:
    site.apply(BOTH)
    home = Ref(CONFIG_MAP, "metallb-system", INVENTORY)
    site.apis[FIRST].cluster.objects[home]["data"]["revision"] = revision
    applied = site.apply(BOTH, "b")
    assert (applied[FIRST].state, applied[FIRST].is_bug) == (ClusterState.FAILED, False)
    assert "is not the id of a commit" in applied[FIRST].error
    assert len(applied[FIRST].error) < 400
    assert [applied[name].state for name in (HUB, SECOND)] == [ClusterState.APPLIED] * 2
    assert revision not in json.dumps(site.memory())


@pytest.mark.parametrize("value", ["a uid with blanks", "u b default 10.0.0.0-10.0.0.x", "\x00"])
def test_a_damaged_line_of_the_memory_stops_that_cluster_alone(site: Fleet, value: str) -> None:
    site.apply(BOTH)
    home = Ref(CONFIG_MAP, "butler-system", INVENTORY)
    site.hub.objects[home]["data"]["cluster.team-a.web"] = value
    applied = site.apply(BOTH, "b")
    assert applied[FIRST].state is ClusterState.REFUSED
    assert "cluster.team-a.web of ConfigMap gitops-ipam-inventory" in applied[FIRST].error
    assert [applied[name].state for name in (HUB, SECOND)] == [ClusterState.APPLIED] * 2
    assert site.memory()["cluster.team-a.web"] == value
    mended = site.apply(BOTH, "b", re_enrol=frozenset([FIRST]))
    assert mended[FIRST].state is ClusterState.APPLIED
    assert site.memory()["cluster.team-a.web"].split()[0] == identity(site, FIRST)


# What it announces


def announces(site: Fleet, *addresses: str, name: str = "default-pool") -> None:
    """The first tenant makes a pool that looks like ours."""
    pool = {
        "apiVersion": "metallb.io/v1beta1",
        "kind": "IPAddressPool",
        "metadata": {"name": name, "namespace": "metallb-system", "labels": OURS},
        "spec": {"addresses": list(addresses)},
    }
    site.apis[FIRST].cluster.put(pool, "gitops-ipam")


def test_a_cluster_that_announces_everything_keeps_nothing_from_others(site: Fleet) -> None:
    site.apply(world("web"))
    announces(site, "10.0.0.0/8", name="greedy")
    before = len(json.dumps(site.memory()))
    applied = site.apply(world("web"), "b")
    (note,) = [note for note in applied[FIRST].notes if note.startswith("rogue: ")]
    assert note.startswith("rogue: it announces 10.0.0.4-10.255.255.255, which no record gave it")
    assert len(json.dumps(site.memory())) == before
    applied = site.apply(reconciled({**world("web"), "tenants/shop.yaml": tenant("shop")}), "c")
    assert applied[SECOND].state is ClusterState.APPLIED
    assert not [item for item in applied[SECOND].outcomes if item.error]
    pool = site.apis[SECOND].cluster.objects[POOL]
    assert pool["spec"]["addresses"] == ["10.0.0.4-10.0.0.7"]


def test_what_was_given_to_a_cluster_counts_until_it_is_gone_from_there(site: Fleet) -> None:
    """The other side of it: who still announces what it had keeps that from others."""
    site.apply(world("shop"))
    site.apis[SECOND].liar = lambda asked: Reply(503) if asked.method != "GET" else None
    applied = site.apply(world("web"), "b")
    (error,) = [item.error for item in applied[FIRST].outcomes if item.error]
    assert error == "team-a/shop may still announce 10.0.0.0-10.0.0.3"
