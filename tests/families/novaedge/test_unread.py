"""A pool that nobody judged before and that is wrong: it is no pool, and nothing is said of it."""

from reconciler.documents.document import Documents
from reconciler.documents.load import load
from reconciler.families.interface import ListingInput, ProjectionInput
from reconciler.families.novaedge import FAMILY
from reconciler.model.settings import Settings
from reconciler.planning.documents import source_kinds
from tests.families.novaedge import pool, vip


def test_it_gives_nothing_and_is_neither_listed_nor_told() -> None:
    text = f"{pool(cidrs='[10.200.0.0/99]')}---\n{vip()}"
    documents = Documents(load("pools/p.yaml", text.encode(), source_kinds()).documents)
    reading = FAMILY.read(documents, {}, Settings())
    assert reading.pools == {}
    assert [item.code for item in reading.findings] == ["cidr-invalid"]
    (claim,) = reading.claims.values()
    assert (claim.candidates, claim.wanted) == ((), ("main",))
    pools, _ = FAMILY.objects.listings
    assert list(pools.rows(ListingInput(documents, {}, ()))) == []
    told = FAMILY.project(ProjectionInput(documents, reading, (), {}, "2026-02-15T10:00:30Z"))
    assert [item.manifest["kind"] for item in told] == ["ProxyVIP"]
