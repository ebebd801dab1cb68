"""Checks of all families, including the toy family. A new family needs `examples/<family>/`."""

import re
from collections.abc import Iterator
from contextlib import nullcontext
from ipaddress import ip_address
from pathlib import Path

import pytest
from msgspec.structs import replace

from reconciler.documents.document import Documents, Kind
from reconciler.documents.findings import Severity
from reconciler.documents.load import check_schema
from reconciler.documents.validators import acceptor, schema
from reconciler.documents.yaml import dump
from reconciler.families import families
from reconciler.families.interface import Family, FamilyReading
from reconciler.model.plan import Expire, Grant, Keep, Release
from reconciler.model.settings import Settings
from reconciler.planning.projection import project
from reconciler.records.emit import record_document, record_text
from reconciler.records.layout import RecordPath, place_of
from reconciler.records.parse import parse_record
from tests.toy import EXAMPLE, installed
from tests.toy.families.toy import FAMILY as TOY
from tests.world import CLOCK, evaluation_of, reconciled

EXAMPLES = Path(__file__).parent / "examples"
ADDRESS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![0-9./])|[0-9a-f]{1,4}:[0-9a-f:]*:[0-9a-f]*")

ALL = (*families(), TOY)
every_family = pytest.mark.parametrize("family", ALL, ids=lambda family: family.name)
every_kind = pytest.mark.parametrize(
    ("family", "kind"),
    [(family, kind) for family in ALL for kind in family.kinds],
    ids=lambda item: item.api_version if isinstance(item, Kind) else item.name,
)

Files = dict[str, str | bytes]


@pytest.fixture(autouse=True)
def _known(family: Family) -> Iterator[None]:
    with installed() if family is TOY else nullcontext():
        yield


def example(family: Family) -> Files:
    folder = EXAMPLE if family is TOY else EXAMPLES / family.name
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.yaml"))
    }


@every_family
def test_without_documents_a_family_has_no_pools_and_no_claims(family: Family) -> None:
    """Only the owners of its records can still announce their ranges."""
    records = evaluation_of(reconciled(example(family))).state.records
    held = {record.claim: record for record in records}
    reading = family.read(Documents([]), held, Settings())
    reading.announcing.clear()
    assert reading == FamilyReading()


@every_family
def test_its_example_is_right_and_every_claim_in_it_is_granted(family: Family) -> None:
    evaluation = evaluation_of(example(family))
    assert [it for it in evaluation.findings if it.severity is not Severity.INFO] == []
    assert evaluation.gates == ()
    assert evaluation.state.claims
    assert all(isinstance(decision, Grant) for decision in evaluation.plan.decisions)


@every_family
def test_a_document_with_the_name_of_another_releases_nothing(family: Family) -> None:
    files = reconciled(example(family))
    sources = [it for it in evaluation_of(files).tree.sources if it.documents]
    tried = 0
    for source in sources:
        for at, document in enumerate(source.documents):
            bodies = [dict(it.body) for it in source.documents]
            for other in (it for every in sources for it in every.documents):
                if other.kind == document.kind and other is not document:
                    named = {it: other.metadata.get(it) for it in ("name", "namespace")}
                    metadata = {**document.metadata, **named}
                    whole = {key: value for key, value in metadata.items() if value is not None}
                    bodies[at] = {**document.body, "metadata": whole}
                    text = "---\n".join(dump(body) for body in bodies)
                    evaluation = evaluation_of({**files, source.path: text})
                    assert "document-duplicate" in {it.code for it in evaluation.findings}
                    assert not [it for it in evaluation.plan.decisions if isinstance(it, Release)]
                    tried += 1
    assert tried > 0


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
def test_a_second_run_finds_what_the_first_one_wrote_and_has_nothing_to_do(family: Family) -> None:
    evaluation = evaluation_of(reconciled(example(family)))
    assert (evaluation.changes, evaluation.findings, evaluation.gates) == ((), (), ())
    assert evaluation.state.records
    assert all(isinstance(decision, Keep) for decision in evaluation.plan.decisions)


@every_family
def test_its_records_say_all_in_text_and_path(family: Family) -> None:
    for record in evaluation_of(reconciled(example(family))).state.records:
        assert record.pristine
        assert record_text(record) == dump(record_document(record))
        assert place_of("allocations", record.path) == RecordPath(record.claim, record.pool)
        assert family.slots(record.claim.slot) == record.claim.kind
        assert record.pool.kind in family.pool_kinds
        careful = parse_record(
            "allocations", record.path, f"# note\n{record_text(record)}".encode()
        )
        assert careful.allocation is not None
        assert replace(careful.allocation, pristine=True) == record


@every_family
def test_records_that_were_copied_from_a_cluster_are_kept_by_who_holds_them(family: Family) -> None:
    files = reconciled(example(family))
    for path in [path for path in files if path.startswith("allocations/")]:
        text = re.sub(r"  annotations:\n.*\n", "", str(files.pop(path), "utf-8"), count=1)  # type: ignore[arg-type]
        files[f"allocations/copied/{path.replace('/', '.')}"] = text
    evaluation = evaluation_of(files)
    assert all(isinstance(decision, Keep) for decision in evaluation.plan.decisions)
    assert evaluation_of(reconciled(files)).changes == ()
    assert reconciled(files) == reconciled(example(family))


@every_family
def test_while_a_file_of_it_cannot_be_read_nobody_loses_or_gains_an_address(family: Family) -> None:
    whole = reconciled(example(family))
    for path in example(family):
        found = evaluation_of({**whole, path: "]["}).plan.decisions
        assert not any(isinstance(decision, Grant | Release | Expire) for decision in found), path


@every_family
def test_who_goes_gives_its_addresses_back_when_retention_ends(family: Family) -> None:
    """Without any document of the family, all records are released, and then gone."""
    whole = reconciled(example(family))
    pools = {kind for kind in family.kinds if kind.name in family.pool_kinds}
    files = {path: data for path, data in whole.items() if path not in example(family)}
    for path, text in example(family).items():
        parts = [
            part
            for part in str(text).split("---\n")
            if any(f"kind: {kind.name}\n" in part for kind in pools)
        ]
        files |= {path: "---\n".join(parts)} if parts else {}
    found = evaluation_of(files).plan.decisions
    assert found
    assert all(isinstance(decision, Release) for decision in found)
    gone = evaluation_of(reconciled(files), CLOCK + 2 * 86_400).plan.decisions
    assert all(isinstance(decision, Expire) for decision in gone)


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
    clusters: set[str] = set()
    for item in project(evaluation):
        if item.cluster == "management":
            if item.manifest["kind"] == "IPAllocation":
                status = item.manifest["status"]
                assert isinstance(status, dict)
                managed |= set(status["addresses"])
        else:
            clusters.add(item.cluster)
            told |= set(ADDRESS.findall(repr(item.manifest)))
    assert managed == (recorded if family.record.labels is None else set())
    assert bool(told) == bool(clusters)
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
    found = [
        item for item in evaluation_of(example(family)).documents.of(kind.id) if item.kind == kind
    ]
    assert found, f"examples/{family.name} has no {kind.name} of {kind.api_version}"
    assert schema(kind.schema)["title"]
    assert schema(kind.schema)["description"]
    assert schema(kind.schema)["$id"].endswith(kind.schema.rpartition(":")[2].rpartition("/")[2])
    for document in found:
        assert acceptor(kind.schema)(document.body)
        assert check_schema(document) == []


@every_kind
def test_its_schema_refuses_a_field_that_nobody_knows(family: Family, kind: Kind) -> None:
    there = evaluation_of(example(family)).documents.of(kind.id)
    document = next(item for item in there if item.kind == kind)
    assert not acceptor(kind.schema)({**document.body, "spek": {}})
