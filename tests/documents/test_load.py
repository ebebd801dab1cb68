"""Loading documents from a file: recognized kinds, and all reasons for a rejection."""

import pytest

from reconciler.documents.document import Document, Documents, GroupKind, Kind, Selection
from reconciler.documents.findings import Finding, Location
from reconciler.documents.load import Kinds, Loaded, load
from reconciler.planning.documents import source_kinds
from tests.world import pool, provider, tenant

PATH = "pools/a.yaml"
VERSION = "butler.butlerlabs.dev/v1alpha1"
POOL = f"apiVersion: {VERSION}\nkind: NetworkPool\nmetadata: {{name: a}}\nspec: {{cidr: 10.0.0.0/24}}\n"


def loaded(text: str) -> Loaded:
    return load(PATH, text.encode(), source_kinds())


def only(text: str) -> Finding:
    (found,) = loaded(text).findings
    return found


def test_a_document_is_what_it_says_it_is() -> None:
    found = loaded(POOL)
    (document,) = found.documents
    assert (found.findings, found.broken, found.unclear) == ((), (), False)
    assert document.identity == ("butler.butlerlabs.dev", "NetworkPool", "butler-system", "a")
    assert document.title == "NetworkPool butler-system/a"
    assert document.spec == {"cidr": "10.0.0.0/24"}
    assert (document.annotations(), document.labels()) == ({}, {})


@pytest.mark.parametrize(
    ("text", "namespace"),
    [
        (pool(namespace="other"), "other"),
        (tenant("a").replace(", namespace: team-a", ""), "default"),
        (provider("a"), "butler-system"),
        (f"apiVersion: {VERSION}\nkind: Team\nmetadata: {{name: a}}\n", ""),
    ],
)
def test_a_missing_namespace_is_the_default_of_the_kind(text: str, namespace: str) -> None:
    (document,) = loaded(text).documents
    assert document.namespace == namespace


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "part"),
    [
        pytest.param(POOL.replace(VERSION, "1"), "field-type", 1, 13, "string", id="C03"),
        pytest.param("text\n", "document-not-mapping", 1, 1, "type string,", id="text"),
        pytest.param("42\n", "document-not-mapping", 1, 1, "type integer,", id="number"),
        pytest.param("4.2\n", "document-not-mapping", 1, 1, "type number,", id="float"),
        pytest.param("~\n", "document-not-mapping", 1, 1, "type null,", id="null"),
        pytest.param(POOL.replace("name: a", "name: [a]"), "field-type", 3, 18,
                     "string", id="name list"),
        pytest.param(POOL.replace("name: a", "name: a, namespace: [b]"), "field-type", 3, 32,
                     "metadata.namespace", id="namespace list"),
    ],
)  # fmt: skip
def test_a_document_that_is_none_is_a_finding_at_its_place(
    text: str, code: str, line: int, column: int, part: str
) -> None:
    found = loaded(text)
    first = found.findings[0]
    assert (first.code, first.location.line, first.location.column) == (code, line, column)
    assert part in first.message
    assert first.hint
    assert found.documents == ()
    assert found.unclear is not bool(found.broken) or code == "document-empty"


@pytest.mark.parametrize(
    ("version", "meant"),
    [
        ("kustomize.config.k8s.io/v1beta1", ""),
        ("kustomize.toolkit.fluxcd.io/v1", ""),
        ("infrastructure.cluster.x-k8s.io/v1beta2", ""),
        ("addons.cluster.x-k8s.io/v1beta1", ""),
        ("bootstrap.cluster.x-k8s.io/v1beta1", ""),
        ("v1", ""),
        ("cluster.x-k8s.io/v1alpha4", "cluster.x-k8s.io/v1beta"),
        ("ipam.cluster.x-k8s.io/v2", "ipam.cluster.x-k8s.io/v1"),
        ("butler.butlerlab.dev/v1alpha1", VERSION),
    ],
)
def test_an_api_version_of_another_group_is_not_guessed(version: str, meant: str) -> None:
    hint = only(POOL.replace(VERSION, version)).hint
    assert hint.startswith(f"did you mean {meant}" if meant else "run ipam schema")


def test_all_that_is_wrong_with_the_head_of_a_document_is_told() -> None:
    found = loaded("apiVersion: 1\nmetadata: {}\n").findings
    assert [item.code for item in found] == ["field-type", "field-required", "field-required"]


def test_a_wrong_document_is_broken_and_its_neighbours_are_read() -> None:
    wrong = POOL.replace("{name: a}", "{name: b}").replace("cidr", "cidrr")
    found = loaded(f"{POOL}---\n{wrong}---\nnothing\n")
    assert [document.name for document in found.documents] == ["a"]
    assert found.broken == (("butler.butlerlabs.dev", "NetworkPool", "butler-system", "b"),)
    assert found.unclear


def test_a_file_with_a_syntax_error_breaks_the_documents_before_it_but_blames_only_the_place() -> (
    None
):
    found = loaded(f"{POOL}---\n{POOL.replace('name: a', 'name: b')}  broken: [\n")
    assert found.documents == ()
    assert [item[3] for item in found.broken] == ["a"]
    assert [item.code for item in found.findings] == ["yaml-syntax"]


def test_what_follows_from_a_yaml_problem_is_not_told_a_second_time() -> None:
    found = loaded(POOL.replace("10.0.0.0/24", "*pool"))
    assert [item.code for item in found.findings] == ["yaml-anchor"]
    assert found.broken == (("butler.butlerlabs.dev", "NetworkPool", "butler-system", "a"),)


def test_a_problem_before_all_documents_blames_none_of_them() -> None:
    found = loaded(f"%YAML 1.2\n---\n{POOL}")
    assert [item.code for item in found.findings] == ["yaml-directive"]


def test_of_a_kind_that_adopts_it_is_kept_beside_the_body() -> None:
    text = f"{POOL}status: {{cidr: x}}\n".replace("name: a", "name: a, creationTimestamp: now")
    adopts = Kind(VERSION, "NetworkPool", "butler/NetworkPool.json", "x", adopts=True)
    (document,) = load(PATH, text.encode(), Kinds([adopts])).documents
    assert document.copied == {"status": {"cidr": "x"}, "creationTimestamp": "now"}
    assert "status" not in document.body
    found = load(PATH, text.encode(), Kinds([adopts])).findings
    assert [item.message for item in found] == [
        "status comes from a cluster and its addresses are adopted",
        "metadata.creationTimestamp comes from a cluster and is ignored",
    ]
    (other,) = loaded(text).documents
    assert other.copied == {}


def test_places_are_found_in_the_document_they_belong_to() -> None:
    first, second = loaded(f"{POOL}---\n{POOL.replace('name: a', 'name: b')}").documents
    assert first.at("spec", "cidr") == Location(PATH, 4, 14, "/spec/cidr")
    assert second.at("spec", "cidr") == Location(PATH, 9, 14, "/spec/cidr")
    assert second.at("spec", "cidr", key=True).column == 8
    assert second.at() == Location(PATH, 6, 1)


def test_documents_come_in_the_order_of_their_identities() -> None:
    kind = Kind(VERSION, "Team", "butler/Team.json", None)
    made = [Document(PATH, 0, 1, kind, "", name, {}, b"") for name in ("b", "a", "c")]
    documents = Documents(made, {(*kind.id, "", "d"): "pools/b.yaml"})
    assert [document.name for document in documents.of(kind.id)] == ["a", "b", "c"]
    assert list(documents.of(GroupKind("g", "Team"))) == []
    assert documents.unread(kind.id, "", "d") == "pools/b.yaml"
    assert documents.every(kind.id, "") == ["a", "b", "c", "d"]


def test_kinds_of_one_name_are_told_apart_by_their_group_and_versions_are_not() -> None:
    one, two = Kind("a.io/v1", "Cluster", "", "x"), Kind("a.io/v2", "Cluster", "", "x")
    other = Kind("b.io/v1", "Cluster", "", "x")
    made = [
        Document(PATH, at, 1, kind, "x", name, {"metadata": {}}, b"")
        for at, (kind, name) in enumerate(((other, "n"), (two, "m"), (one, "n")))
    ]
    documents = Documents(made, {(*other.id, "x", "wrong"): "b.yaml"})
    assert one.id == two.id == GroupKind("a.io", "Cluster")
    assert [(item.name, item.kind.api_version) for item in documents.of(one.id)] == [
        ("m", "a.io/v2"),
        ("n", "a.io/v1"),
    ]
    assert documents.find(other.id, "x", "m") is None
    assert documents.find(other.id, "x", "n") is made[0]
    assert documents.every(one.id, "x") == ["m", "n"]
    assert documents.every(other.id, "x") == ["n", "wrong"]
    assert made[1].identity == ("a.io", "Cluster", "x", "m")


def test_labels_select_documents() -> None:
    kind = Kind("a.io/v1", "Lake", "", "x")

    def lake(namespace: str, name: str, **labels: str) -> Document:
        return Document(PATH, 0, 1, kind, namespace, name, {"metadata": {"labels": labels}}, b"")

    made = [
        lake("x", "b", use="web"),
        lake("x", "a", use="web", more="1"),
        lake("y", "c", use="web"),
    ]
    documents = Documents([*made, lake("x", "d")], {(*kind.id, "x", "e"): "broken.yaml"})
    found = documents.matching(kind.id, "x", {"use": "web"})
    assert [document.name for document in found.documents] == ["a", "b"]
    assert found.unread == ("broken.yaml",)
    assert documents.matching(kind.id, "y", {"use": "db"}) == Selection((), ())
    assert len(documents.matching(kind.id, "x", {}).documents) == 3
