"""Checks of all families for their objects in clusters."""

import re
from collections.abc import Iterator

import pytest
import yaml

from reconciler.documents.load import load
from reconciler.documents.validators import crd_files
from reconciler.families import is_annotated
from reconciler.families.clusters import announcer, cluster_of, described_clusters
from reconciler.families.interface import Family
from reconciler.kube.resources import IP_ALLOCATION, pools_by_ref, ref_of, resource_of
from reconciler.model.claim import Allocation
from reconciler.model.objects import MANAGEMENT, OURS, Need
from reconciler.planning.documents import source_kinds
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.projection import project
from reconciler.records.emit import record_document
from reconciler.report.listing import items, listings
from reconciler.report.text.queries import listing_text
from reconciler.report.text.table import Painter
from tests.families.test_conformance import every_family, example
from tests.toy import installed
from tests.world import SMALL, evaluation_of, reconciled

PLAIN = Painter(is_on=False)


@pytest.fixture(autouse=True)
def _all_known() -> Iterator[None]:
    with installed():
        yield


def applied(family: Family) -> Evaluation:
    return evaluation_of(reconciled(example(family)))


@every_family
def test_what_it_applies_to_the_management_cluster_is_of_its_kinds(family: Family) -> None:
    own = family.objects
    for item in project(applied(family)):
        if item.cluster != MANAGEMENT or item.manifest["kind"] == IP_ALLOCATION.kind:
            continue
        kind = resource_of(item.manifest)
        assert kind in own.resources
        assert item.is_status_only or item.is_part or kind in own.owned
        assert kind.is_namespaced == bool(item.manifest["metadata"].get("namespace"))


@every_family
def test_it_has_the_rights_to_what_it_applies(family: Family) -> None:
    given = {
        (right.resource, right.part, verb)
        for right in family.objects.rights
        for verb in right.verbs
        if right.need is Need.APPLY
    }
    for kind in family.objects.owned:
        assert {(kind, "", verb) for verb in OURS} <= given
    for item in project(applied(family)):
        kind = resource_of(item.manifest)
        if item.cluster == MANAGEMENT and kind in family.objects.resources:
            assert (kind, "", "list") in given
            if "status" in item.manifest:
                assert (kind, "status", "patch") in given


@every_family
def test_each_pool_has_an_object_of_its_own(family: Family) -> None:
    evaluation = applied(family)
    pools = evaluation.state.pools.values()
    known = pools_by_ref(pools)
    if not is_annotated(family):  # its kinds are files only
        assert not known
        return
    assert sorted(pool.key for pool in known.values()) == sorted(pool.key for pool in pools)
    made = {ref_of(item.manifest) for item in project(evaluation)}
    assert set(known) <= made


@every_family
def test_a_record_and_its_copy_name_one_cluster(family: Family) -> None:
    evaluation = applied(family)
    assert evaluation.state.records
    for record in evaluation.state.records:
        assert announcer(record_document(record)) in (cluster_of(record), None)
    named = {cluster_of(record) for record in evaluation.state.records}
    assert named <= {MANAGEMENT, *described_clusters(evaluation.documents)}
    announced = {item.cluster for item in project(evaluation)}
    assert announced <= {MANAGEMENT, *named}


@every_family
def test_its_crds_are_those_of_its_kinds(family: Family) -> None:
    found = [yaml.safe_load(text) for text in crd_files(*family.objects.crds).values()]
    plurals = {(kind.group, kind.plural): kind for kind in family.objects.resources}
    for crd in found:
        spec = crd["spec"]
        kind = plurals[spec["group"], spec["names"]["plural"]]
        assert spec["names"]["kind"] == kind.kind
        assert (spec["scope"] == "Namespaced") is kind.is_namespaced
        served = [f"{kind.group}/{version['name']}" for version in spec["versions"]]
        assert kind.api_version in served
    given = {crd["spec"]["names"]["kind"] for crd in found}
    assert {kind.kind for kind in family.objects.needed} <= given


@every_family
def test_what_it_lists_is_in_its_example(family: Family) -> None:
    evaluation = applied(family)
    for listing in family.objects.listings:
        assert listings()[listing.name] is listing
        for wide in (False, True):
            text = listing_text(listing, items(evaluation, listing), PLAIN, wide=wide, headers=True)
            header, *rows = text.splitlines()
            columns = (*listing.columns, *(listing.wide if wide else ()))
            assert re.split(" {2,}", header) == [column.header for column in columns]
            assert len(rows) >= len(list(evaluation.documents.of(listing.kind)))


@every_family
def test_what_it_adds_in_thought_can_be_read(family: Family) -> None:
    newcomer = family.objects.newcomer
    for chosen, sizes in ((None, (None, None)), ("other", (4, 2))):
        if newcomer is not None:
            body = newcomer.document("one", "some", chosen, *sizes)
            loaded = load("one.yaml", yaml.safe_dump(body).encode(), source_kinds())
            assert loaded.findings == ()
            (document,) = loaded.documents
            named = document.kind.id, document.namespace, document.name
            assert named == (newcomer.kind, "some", "one")
            assert newcomer.chooses in [kind.id for kind in family.kinds]


def a_record() -> Allocation:
    return evaluation_of(reconciled(SMALL)).state.records[0]


@pytest.mark.parametrize(
    ("change", "cluster"),
    [
        ({}, "team-a/one"),
        ({"type": "nodes"}, None),
        ({"tenantClusterRef": {}}, None),
        ({"tenantClusterRef": {"name": "one"}}, "/one"),
    ],
)
def test_a_copy_tells_who_announces_it(change: dict[str, object], cluster: str | None) -> None:
    copy = record_document(a_record())
    assert announcer({**copy, "spec": {**copy["spec"], **change}}) == cluster
    assert announcer({"metadata": copy["metadata"]}) is None
