"""What parts of a tree bear on, where the trees of other tests do not reach."""

from reconciler.documents.load import load
from reconciler.evaluate import source_kinds
from reconciler.families._family import Links
from reconciler.model.state import Unreadable
from reconciler.partition import file_links, pool_links
from reconciler.records.recall import Recalled, recall
from tests.world import SMALL, reconciled, tenant

TEAM = "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: Team\nmetadata: {name: blue}\n"
RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"


def test_a_file_of_a_team_and_a_tenant_cannot_be_told_apart() -> None:
    mixed = load("tenants/x.yaml", f"{TEAM}---\n{tenant('x')}".encode(), source_kinds())
    assert file_links(mixed) is None


def test_a_file_of_teams_bears_on_everything() -> None:
    assert file_links(load("teams/x.yaml", TEAM.encode(), source_kinds())) == Links(
        (), is_shared=True
    )


def test_records_that_hold_nothing_bear_on_nothing() -> None:
    assert pool_links([Recalled(None)]) == Links(())
    assert pool_links([Recalled(None, Unreadable("allocations/x.yaml", None, None, None))]) == (
        Links(())
    )


def test_a_record_without_a_range_bears_on_its_owner_and_pool_alone() -> None:
    data = reconciled(SMALL)[RECORD]
    assert isinstance(data, bytes)
    record = recall("allocations", RECORD, data).allocation
    assert record is not None
    found = pool_links([Recalled(record._replace(range=None))])
    assert found.nodes == ("TenantCluster team-a/one", "NetworkPool butler-system/edge")
    assert found.ranges == ()


def test_a_file_that_cannot_be_read_cannot_be_told_apart() -> None:
    assert file_links(load("tenants/x.yaml", b"a: [\n", source_kinds())) is None
