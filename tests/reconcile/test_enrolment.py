"""Recognising a cluster, and writing its inventory where it differs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from reconciler.apply.inventory import (
    ClusterIdentity,
    Inventory,
    InventoryEntry,
    check_memory,
    config_maps,
    identify,
)
from reconciler.kube.interface import Cluster, ObjectList
from reconciler.model.errors import ClusterError, IdentityError
from reconciler.model.objects import Ref, Resource

UID, HERE, AT = "uid-1", "metallb-system", "a" * 40


@dataclass
class Server:
    """An API server with an identity and ConfigMaps.

    Attributes:
        hidden: ConfigMaps that no list by label finds.
    """

    maps: Sequence[Mapping[str, Any]] = ()
    uid: str | None = UID
    sent: list[tuple[str, str, Any]] = field(default_factory=list)
    hidden: Sequence[Mapping[str, Any]] = ()

    def get(self, ref: Ref) -> Mapping[str, Any] | None:
        if str(ref) == "Namespace/kube-system":
            return None if self.uid is None else {"metadata": {"uid": self.uid}}
        return next((item for item in self.hidden if item["metadata"]["name"] == ref.name), None)

    def version(self) -> str:
        return "v1.36.3"

    def list(
        self, resource: Resource, namespace: str, *, labels: str = "", fields: str = ""
    ) -> ObjectList:
        assert resource.kind == "ConfigMap"
        if fields == "metadata.name=gitops-ipam-inventory":
            return ObjectList(self.hidden)
        assert labels == "gitops-ipam.dev/inventory"
        found = [item for item in self.maps if item["metadata"]["namespace"] == namespace]
        return ObjectList(found)

    def create(self, manifest: Mapping[str, Any]) -> None:
        self.sent.append(("create", manifest["metadata"]["name"], sorted(manifest["data"])))

    def merge(self, ref: Ref, patch: Mapping[str, Any], manager: str) -> None:
        assert manager == "gitops-ipam"
        self.sent.append(("merge", ref.name, patch["data"]))

    def delete(self, ref: Ref, uid: str, version: str) -> None:
        assert version
        self.sent.append(("delete", ref.name, uid))


def kept(inventory: Inventory, **clusters: str) -> list[Mapping[str, Any]]:
    """The ConfigMaps of an inventory as a server has them."""
    maps = config_maps(inventory, HERE)
    for number, item in enumerate(maps):
        item["metadata"].update(uid=f"map-{number}", resourceVersion="1")
    first, *rest = maps
    return [{**first, "data": {**first["data"], **clusters}}, *rest]


def recognised(server: Server, known: str = "", *, accept: bool = False) -> ClusterIdentity:
    return identify(cast(Cluster, server), "team-a/web", HERE, known, accept=accept)


@pytest.mark.parametrize("known", ["", UID])
@pytest.mark.parametrize("written", ["", UID])
def test_a_cluster_is_known_by_its_uid(known: str, written: str) -> None:
    found = recognised(Server(kept(Inventory(written, AT))), known)
    assert (found.uid, found.inventory.uid, found.namespace) == (UID, written, HERE)


@pytest.mark.parametrize(("known", "written"), [("x", ""), ("", "x"), ("x", UID), (UID, "x")])
def test_another_uid_is_refused_until_a_person_says_so(known: str, written: str) -> None:
    """Whether the management cluster remembers another one, or a copied inventory does."""
    one = Inventory(written, AT, {"Node/one": InventoryEntry("u", "-")})
    server = Server(kept(one, **{"cluster._edge": f"u {AT}"}))
    with pytest.raises(IdentityError, match="kube-system has uid uid-1, not") as refused:
        recognised(server, known)
    assert refused.value.hint == "if that is meant: --re-enrol team-a/web"
    found = recognised(server, known, accept=True)
    assert found.inventory == Inventory()  # what a tenant says of others is not asked


def test_what_has_no_identity_is_no_cluster() -> None:
    with pytest.raises(ClusterError, match="no namespace kube-system"):
        recognised(Server(uid=None))


def test_a_damaged_inventory_is_named_and_nothing_is_done() -> None:
    server = Server(kept(Inventory(UID, "f" * 200_000)))
    what = (
        r"ConfigMap gitops-ipam-inventory in metallb-system, is damaged: 'f{20,200}…\(200000 char"
    )
    with pytest.raises(ClusterError, match=what) as refused:
        recognised(server)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("uid", ["", "a b", "a\nb", "u" * 65, "ü", "\x1b[2J"])
def test_an_identity_that_is_none_is_refused_before_it_is_used(uid: str) -> None:
    with pytest.raises(IdentityError, match="is not the uid of a cluster"):
        recognised(Server(uid=uid))


def test_a_cluster_whose_line_is_damaged_is_refused_with_its_mend() -> None:
    inventory = Inventory(odd={"team-a/web": "cluster.team-a.web of ConfigMap x: 'y' is no uid"})
    check_memory(inventory, "team-a/shop")
    with pytest.raises(IdentityError, match="its entry in the inventory is damaged") as told:
        check_memory(inventory, "team-a/web")
    assert told.value.hint == "fix the value, or rewrite it with --re-enrol team-a/web"
