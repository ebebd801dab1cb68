"""Paths and bytes of observed documents, and the growth that a Demand requests."""

import pytest

from reconciler.documents.document import Identity
from reconciler.documents.load import load
from reconciler.families.demand import DemandEntry, entries_of
from reconciler.model.settings import Settings
from reconciler.planning.documents import identity_of, observed_kinds, path_of, source_reader

PLACE = "observed/Demand.gitops-ipam.dev/team-backend/my-cluster.yaml"
TEXT = b"""apiVersion: gitops-ipam.dev/v1alpha1
kind: Demand
metadata:
  name: my-cluster
  namespace: team-backend
spec:
  loadBalancer:
    - count: 1
      index: 1
    - count: 4
      index: 2
"""


def read(path: str, data: bytes, settings: Settings | None = None) -> tuple[list[str], bool]:
    """Return the findings of a file, and whether it is broken."""
    loaded = source_reader(settings or Settings())(path, data)
    return [f"{it.severity} {it.code}: {it.message}" for it in loaded.findings], loaded.is_broken


@pytest.mark.parametrize(
    ("path", "identity"),
    [
        (PLACE, ("gitops-ipam.dev", "Demand", "team-backend", "my-cluster")),
        ("seen/Pool.x.y/_/a.b.yaml", None),
        ("observed/Pool.x.y/_/a.b.yaml", ("x.y", "Pool", "", "a.b")),
        ("observed/Pool.x.y/a.yaml", None),
        ("observed/Pool.x.y/_/a.yml", None),
        ("observed/a.yaml", None),
        ("observed/Pool.x.y//a.yaml", None),
    ],
)
def test_a_path_tells_whose_file_stands_there(path: str, identity: Identity | None) -> None:
    assert identity_of("observed", path) == identity


def test_what_is_written_is_read_back() -> None:
    (document,) = load(PLACE, TEXT, observed_kinds()).documents
    assert entries_of(document) == (DemandEntry(1, 1), DemandEntry(2, 4))
    assert path_of("observed", document.identity) == PLACE


def test_a_document_at_another_path_is_told_with_the_one_where_it_belongs() -> None:
    found = [f"warning observed-edited: Demand team-backend/my-cluster belongs in {PLACE}"]
    assert read("observed/mine.yaml", TEXT) == (found, False)


@pytest.mark.parametrize(
    "data",
    [
        b"# mine\n" + TEXT,
        TEXT.replace(b"  namespace: team-backend\n", b"") + b"",
        TEXT.replace(b"index: 1", b"index: 3"),
    ],
)
def test_bytes_that_reconcile_would_not_write_are_told(data: bytes) -> None:
    path = PLACE if b"namespace" in data else PLACE.replace("team-backend", "default")
    name = "default" if b"namespace" not in data else "team-backend"
    message = f"Demand {name}/my-cluster is not in the form that ipam reconcile writes"
    assert read(path, data) == ([f"warning observed-edited: {message}"], False)


def test_a_document_of_a_family_is_canonical_as_it_is_dumped() -> None:
    text = (
        b"apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: TenantCluster\nmetadata:\n"
        b"  name: one\n  namespace: team-a\nspec:\n  workers:\n    replicas: 3\n"
    )
    path = "observed/TenantCluster.butler.butlerlabs.dev/team-a/one.yaml"
    assert read(path, text) == ([], False)
    ((told,), _) = read(path, text.replace(b"  name: one", b"  name: 'one'"))
    assert "not in the form that ipam reconcile writes" in told


def test_an_index_that_stands_twice_is_an_error() -> None:
    found, broken = read(PLACE, TEXT.replace(b"index: 2", b"index: 1"))
    assert (found, broken) == (
        ["error field-value: spec.loadBalancer[1].index: 1 appears twice"],
        True,
    )


def test_a_demand_anywhere_else_is_an_error_that_names_its_home() -> None:
    found, broken = read("tenants/mine.yaml", TEXT, Settings(observed="seen"))
    assert found == [
        "error kind-unexpected: Demand belongs in seen/Demand.gitops-ipam.dev/,"
        " which only ipam reconcile writes"
    ]
    assert broken
