"""The same questions to every family. A new one needs `examples/<family>/`, a tree of its kinds."""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path

import pytest

from reconciler.documents.document import Documents, Kind
from reconciler.documents.schema import acceptor, check
from reconciler.documents.shipped import schema
from reconciler.evaluate import Evaluation
from reconciler.families import families
from reconciler.families._family import Family
from reconciler.model.plan import Grant
from reconciler.projecting import project
from tests.world import evaluation_of, reconciled

EXAMPLES = Path(__file__).parent / "examples"
ADDRESS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![0-9./])|[0-9a-f]{1,4}:[0-9a-f:]*:[0-9a-f]*")

every_family = pytest.mark.parametrize("family", families(), ids=lambda family: family.name)
every_kind = pytest.mark.parametrize(
    ("family", "kind"),
    [(family, kind) for family in families() for kind in family.kinds],
    ids=lambda item: item.name,
)

Files = dict[str, str | bytes]


def example(family: Family) -> Files:
    """The example tree of a family."""
    folder = EXAMPLES / family.name
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.yaml"))
    }


def documents(evaluation: Evaluation, family: Family) -> Documents:
    """The documents of the family's kinds."""
    found = (item for kind in family.kinds for item in evaluation.documents.of(kind.id))
    return Documents(found)


@every_family
def test_its_example_is_right_and_every_claim_in_it_is_granted(family: Family) -> None:
    evaluation = evaluation_of(example(family))
    assert evaluation.findings == ()
    assert evaluation.gates == ()
    assert evaluation.state.claims
    assert all(isinstance(decision, Grant) for decision in evaluation.plan.decisions)


@every_family
def test_its_keys_bear_its_name_and_its_claims_name_pools_that_exist(family: Family) -> None:
    state = evaluation_of(example(family)).state
    assert all(key.family == family.name for key in (*state.pools, *state.claims))
    for key, claim in state.claims.items():
        assert key == claim.key
        assert claim.size > 0
        assert set(claim.candidates) <= set(state.pools)
        assert claim.source.path in example(family)
        assert claim.source.line > 0
    for key, pool in state.pools.items():
        assert key == pool.key
        assert pool.source.line > 0
        assert not pool.usable & pool.reserved


@every_family
def test_the_order_of_documents_changes_nothing(family: Family) -> None:
    evaluation = evaluation_of(example(family))
    settings = evaluation.tree.settings
    there = list(documents(evaluation, family).of(family.kinds[0].id))
    for kind in family.kinds[1:]:
        there += documents(evaluation, family).of(kind.id)
    one = family.read(Documents(there), {}, settings)
    two = family.read(Documents(reversed(there)), {}, settings)
    assert one == two
    assert list(one.claims) == list(two.claims)


@every_family
def test_each_mistake_is_found_at_its_line(family: Family) -> None:
    """Each address and each size in turn is replaced by nonsense."""
    tried = 0
    for path, line, wrong in broken(example(family)):
        findings = evaluation_of({**example(family), path: wrong}).findings
        tried += 1
        assert findings, (path, line)
        assert any((item.location.path, item.location.line) == (path, line) for item in findings)
        for item in findings:
            assert item.location.path
            assert item.location.line > 0
            assert item.message
    assert tried > 3


def broken(files: Files) -> Iterator[tuple[str, int, str]]:
    """The files with one value wrong: path, line and text."""
    for path, text in files.items():
        lines = str(text).splitlines(keepends=True)
        for number, line in enumerate(lines):
            name, _, value = line.rstrip().rpartition(": ")
            if value and (ADDRESS.match(value) or value.isdigit() or "/" in value):
                if "apiVersion" in name:
                    continue
                changed = f"{name}: many\n" if value.isdigit() else f"{name}: 10.40.0.999\n"
                yield path, number + 1, "".join([*lines[:number], changed, *lines[number + 1 :]])


@every_family
def test_clusters_hear_of_recorded_addresses_only_and_management_of_all(family: Family) -> None:
    evaluation = evaluation_of(reconciled(example(family)))
    recorded = {
        str(ip_address(value))
        for record in evaluation.state.records
        if record.range is not None
        for value in range(record.range.first, record.range.last + 1)
    }
    told: set[str] = set()
    managed: set[str] = set()
    for item in project(evaluation):
        if item.cluster == "management":
            if item.manifest["kind"] == "IPAllocation":
                status = item.manifest["status"]
                assert isinstance(status, dict)
                managed |= set(status["addresses"])
        else:
            told |= set(ADDRESS.findall(repr(item.manifest)))
    assert managed == recorded
    assert told
    assert told <= recorded


@every_family
def test_a_projection_is_a_whole_object_with_a_name_of_its_own(family: Family) -> None:
    seen = set()
    for item in project(evaluation_of(reconciled(example(family)))):
        metadata = item.manifest["metadata"]
        assert isinstance(metadata, dict)
        name = item.cluster, item.manifest["kind"], metadata.get("namespace"), metadata["name"]
        assert item.manifest["apiVersion"]
        assert name not in seen
        seen.add(name)


@every_kind
def test_its_schema_is_there_and_accepts_the_example(family: Family, kind: Kind) -> None:
    found = list(evaluation_of(example(family)).documents.of(kind.id))
    assert found, f"examples/{family.name} has no {kind.name}"
    assert schema(kind.schema)["title"]
    assert schema(kind.schema)["description"]
    assert schema(kind.schema)["$id"].endswith(kind.schema)
    for document in found:
        assert acceptor(kind.schema)(document.body)
        assert check(document) == []


@every_kind
def test_its_schema_refuses_a_field_that_nobody_knows(family: Family, kind: Kind) -> None:
    document = next(evaluation_of(example(family)).documents.of(kind.id))
    assert not acceptor(kind.schema)({**document.body, "spek": {}})
