"""What is sent to a cluster for one object, and what the inventory says afterwards.

The server here keeps objects as they are sent; what a real one makes of it is in `tests/apply/execution`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from reconciler.apply.executor import ObjectApplier
from reconciler.apply.inventory import InventoryEntry
from reconciler.apply.plan import ObjectOutcome, ObjectResult, Progress, foresee
from reconciler.apply.snapshot import Live, live_of
from reconciler.apply.steps import Apply, Delete, applied, pruned
from reconciler.kube.interface import Cluster
from reconciler.kube.resources import IP_ALLOCATION, DesiredObject, desired_object
from reconciler.model.errors import (
    ClusterError,
    RejectedError,
    StaleError,
    UnauthorizedError,
    UnreachableError,
)
from reconciler.model.objects import Ref

OLD, NEW = "uid-old", "uid-new"
MANIFEST: Mapping[str, Any] = {
    "apiVersion": "butler.butlerlabs.dev/v1alpha1",
    "kind": "IPAllocation",
    "metadata": {"name": "web-lb", "namespace": "butler-system"},
    "spec": {"count": 4},
    "status": {"phase": "Allocated"},
}
WANTED = desired_object(MANIFEST)
REF, NAME = WANTED.ref, str(WANTED.ref)
KNOWN = {NAME: InventoryEntry(OLD, WANTED.hash)}


@dataclass
class Server:
    """An API server of one object.

    Attributes:
        live: The object.
        trouble: What the next writes raise; None for a write that succeeds.
        sent: Writes as they came: verb, body or uid, and what was asked beside it.
        holds: Deleting does not take the object away.
    """

    live: Mapping[str, Any] | None = None
    trouble: list[Exception | None] = field(default_factory=list)
    sent: list[tuple[Any, ...]] = field(default_factory=list)
    holds: bool = False

    def get(self, ref: Ref) -> Mapping[str, Any] | None:
        return self.live

    def apply(
        self,
        manifest: Mapping[str, Any],
        manager: str,
        *,
        force: bool = False,
        status: bool = False,
    ) -> Mapping[str, Any]:
        self._write("status" if status else "apply", manifest, manager, force)
        before = self.live or {"metadata": {"uid": NEW, "generation": 1}}
        metadata = {**before["metadata"], **manifest["metadata"]}
        self.live = {**before, **manifest, "metadata": metadata}
        return self.live

    def merge(self, ref: Ref, patch: Mapping[str, Any], manager: str) -> None:
        self._write("merge", patch["metadata"], manager)

    def delete(self, ref: Ref, uid: str, version: str = "") -> None:
        self._write("delete", uid)
        self.live = self.live if self.holds else None

    def _write(self, *what: Any) -> None:
        self.sent.append(what)
        trouble = self.trouble.pop(0) if self.trouble else None
        if trouble is not None:
            raise trouble


def living(uid: str = OLD, **metadata: Any) -> dict[str, Any]:
    """The object as it shall be."""
    assert WANTED.body is not None
    own = {"uid": uid, "generation": 1, "resourceVersion": "7"}
    managed = {"managedFields": [{"manager": "gitops-ipam"}]}
    status = {"phase": "Allocated", "observedGeneration": 1}
    return {
        **WANTED.body,
        "metadata": {**WANTED.body["metadata"], **own, **managed, **metadata},
        "status": status,
    }


class Account:
    """One cluster: what is planned for an object is carried out at once, or foreseen."""

    def __init__(
        self, server: Server, entries: Mapping[str, InventoryEntry], *, adopt: bool
    ) -> None:
        self.progress = Progress(dict(entries))
        self.applier = ObjectApplier(cast(Cluster, server), "a" * 40, self.progress)
        self.adopt = adopt

    def bring(self, desired: DesiredObject, live: Mapping[str, Any] | None) -> None:
        self.applier.apply(self.planned(desired, live))

    def planned(self, desired: DesiredObject, live: Mapping[str, Any] | None) -> Apply:
        entry = self.entries.get(str(desired.ref))
        return applied(desired, seen(live), entry, adopt=self.adopt)

    def prune(self, ref: Ref, live: Mapping[str, Any] | None) -> None:
        step = pruned(ref, seen(live), self.entries.get(str(ref)))
        if isinstance(step, Delete):
            self.applier.delete(step)
        else:
            foresee(self.progress, step)

    @property
    def entries(self) -> dict[str, InventoryEntry]:
        return self.progress.entries

    @property
    def outcomes(self) -> list[ObjectOutcome]:
        return self.progress.outcomes


def seen(live: Mapping[str, Any] | None) -> Live | None:
    return None if live is None else live_of(live)


def ledger(
    server: Server, entries: Mapping[str, InventoryEntry] = KNOWN, *, adopt: bool = False
) -> Account:
    return Account(server, entries, adopt=adopt)


def verbs(server: Server) -> list[str]:
    return [verb for verb, *_ in server.sent]


def results(account: Account) -> list[tuple[ObjectResult, str]]:
    return [(item.result, item.error) for item in account.outcomes]


def test_only_the_object_that_was_read_is_changed() -> None:
    """Another one may have got its name meanwhile: then the server refuses."""
    server = Server(living(labels={}))
    account = ledger(server)
    account.bring(WANTED, server.live)
    assert server.sent[0][1]["metadata"]["uid"] == OLD
    assert server.sent[0][3] is True
    assert results(account) == [(ObjectResult.CONFIGURED, "")]


def test_what_changed_meanwhile_is_read_again_five_times_at_most() -> None:
    server = Server(living(labels={}), trouble=[StaleError("other version")] * 2)
    account = ledger(server)
    account.bring(WANTED, server.live)
    assert results(account) == [(ObjectResult.CONFIGURED, "")]
    assert verbs(server) == ["apply"] * 3
    server = Server(living(labels={}), trouble=[StaleError("other version")] * 9)
    account = ledger(server)
    account.bring(WANTED, server.live)
    assert results(account) == [(ObjectResult.FAILED, "other version")]
    assert verbs(server) == ["apply"] * 5


@pytest.mark.parametrize("trouble", [UnreachableError("away"), UnauthorizedError("who?")])
def test_a_cluster_that_cannot_be_asked_is_asked_no_more(trouble: ClusterError) -> None:
    server = Server(living(labels={}), trouble=[trouble, trouble])
    account = ledger(server)
    with pytest.raises(type(trouble)):
        account.bring(WANTED, server.live)
    with pytest.raises(type(trouble)):
        account.prune(REF, living())
    assert account.entries == KNOWN


def test_what_is_pruned_is_the_very_object_that_we_made() -> None:
    server = Server(living(finalizers=["a/b", IP_ALLOCATION.finalizer]))
    account = ledger(server)
    account.prune(REF, server.live)
    assert server.sent == [
        ("merge", {"resourceVersion": "7", "uid": OLD, "finalizers": ["a/b"]}, "gitops-ipam"),
        ("delete", OLD),
    ]
    assert (account.entries, results(account)) == ({}, [(ObjectResult.DELETED, "")])


@pytest.mark.parametrize("live", [None, living(NEW), living(NEW, labels={})])
def test_what_is_not_ours_any_more_is_forgotten_not_pruned(live: Mapping[str, Any] | None) -> None:
    server = Server(live)
    account = ledger(server)
    account.prune(REF, live)
    assert (server.sent, account.entries, account.outcomes) == ([], {}, [])


def test_what_could_not_be_pruned_stays_in_the_inventory() -> None:
    server = Server(living(), trouble=[RejectedError("no")])
    account = ledger(server)
    account.prune(REF, server.live)
    assert (account.entries, results(account)) == (KNOWN, [(ObjectResult.FAILED, "no")])
    server = Server(living(finalizers=["a/b"]), holds=True)
    account = ledger(server)
    account.prune(REF, server.live)
    held = "it is being deleted, held by a/b"
    assert (account.entries, results(account)) == (KNOWN, [(ObjectResult.FAILED, held)])


def test_what_changed_before_it_is_pruned_is_read_again_if_it_is_still_ours() -> None:
    server = Server(living(), trouble=[StaleError("other version")])
    account = ledger(server)
    account.prune(REF, living())
    assert results(account) == [(ObjectResult.DELETED, "")]
    server = Server(living(NEW), trouble=[StaleError("other uid")])
    account = ledger(server)
    account.prune(REF, living())
    assert (verbs(server), results(account)) == (["merge"], [(ObjectResult.FAILED, "other uid")])
    server = Server(living(), trouble=[StaleError("other version")] * 9)
    account = ledger(server)
    account.prune(REF, living())
    assert (len(server.sent), results(account)) == (5, [(ObjectResult.FAILED, "other version")])


def test_others_objects_are_forgotten_not_pruned() -> None:
    server = Server(living(labels={}))
    account = ledger(
        server, {NAME: InventoryEntry(OLD, desired_object(MANIFEST, is_status_only=True).hash)}
    )
    account.prune(REF, server.live)
    assert (server.sent, account.entries, account.outcomes) == ([], {}, [])
