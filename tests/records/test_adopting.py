"""Records that were copied from a cluster or written by hand: they name no claim, and are believed."""

import pytest

from reconciler.model.claim import Allocation, Owner, Phase
from reconciler.model.key import Key
from reconciler.records.parse import parse_record
from tests.records.examples import FOLDER, POOL, REQUEST, SINCE, STATUS, span

# Five addresses whose `cidr` is the block around them.
NODES = REQUEST + STATUS
PATH = f"{FOLDER}/copied.yaml"
CLAIM = Key("butler", "team-backend", "my-cluster", "nodes", "TenantCluster")


def adopted(text: str, path: str = PATH) -> Allocation:
    found = parse_record(FOLDER, path, text.encode())
    assert (found.unreadable, found.findings) == (None, ())
    assert found.allocation is not None
    assert found.allocation.adopted
    return found.allocation


def refused(text: str, path: str = PATH) -> str:
    found = parse_record(FOLDER, path, text.encode())
    assert found.allocation is None
    (finding,) = found.findings
    assert finding.code == "record-unreadable"
    return finding.message


def without(text: str, *starts: str) -> str:
    return "".join(
        line for line in text.splitlines(keepends=True) if not line.strip().startswith(starts)
    )


def test_the_record_of_the_seed_is_adopted() -> None:
    found = adopted(NODES)
    assert found.claim == CLAIM
    assert found.pool == POOL
    assert found.range == span("10.40.0.64", "10.40.0.68")
    assert (found.phase, found.size, found.type) == (Phase.ALLOCATED, 5, "nodes")
    assert (found.since, found.allocated_at) == (SINCE, SINCE)
    assert found.owner == Owner("team-backend", "my-cluster", "backend-team")
    assert (found.name, found.namespace) == ("my-cluster-nodes", "butler-system")
    assert not found.pristine


@pytest.mark.parametrize(
    ("cidr", "range_"),
    [
        ('"10.40.0.64/30"', ("10.40.0.64", "10.40.0.67")),
        ('"10.40.0.64-10.40.0.68"', ("10.40.0.64", "10.40.0.68")),
    ],
)
def test_a_range_may_stand_in_the_cidr_alone(cidr: str, range_: tuple[str, str]) -> None:
    text = without(NODES, "startAddress", "endAddress", '- "', "addresses", "allocatedCount")
    assert adopted(text.replace('"10.40.0.64/29"', cidr)).range == span(*range_)


@pytest.mark.parametrize(
    "cidr", ["10.40.0.65/29", "10.40.0.64-10.40.0", "10.40.0.68-10.40.0.64", "10.40.0.72/29", "-"]
)
def test_a_cidr_that_cannot_be_meant_is_unclear(cidr: str) -> None:
    refused(NODES.replace("10.40.0.64/29", cidr))


def test_a_record_that_names_no_range_at_all_is_unclear() -> None:
    text = without(NODES, "startAddress", "endAddress", "cidr")
    assert "status.startAddress or status.endAddress is missing" in refused(text)


def test_what_a_record_does_not_say_has_a_default() -> None:
    text = without(NODES, "namespace: butler-system", "name: my-cluster-nodes", "allocatedAt",
                   "butler.butlerlabs.dev/team")  # fmt: skip
    found = adopted(text)
    assert found.namespace == "butler-system"
    assert found.name == "team-backend-my-cluster"
    assert found.allocated_at == "1970-01-01T00:00:00Z"
    assert found.owner.team == "team-backend"


@pytest.mark.parametrize(
    ("name", "role", "pinned", "slot"),
    [
        ("my-cluster-nodes-3", "growth", "", "nodes-3"),
        ("my-cluster-lb-12", None, "", "nodes-12"),
        ("my-cluster-nodes-3", "initial", "", "nodes"),
        ("my-cluster-nodes-3", "growth", "10.40.0.64", "nodes"),
        ("my-cluster-3", "growth", "", "nodes"),
    ],
)
def test_a_growth_record_is_known_by_its_name(
    name: str, role: str | None, pinned: str, slot: str
) -> None:
    text = NODES.replace("name: my-cluster-nodes", f"name: {name}")
    if role:
        text = text.replace(
            "  labels:\n", f"  labels:\n    butler.butlerlabs.dev/allocation-role: {role}\n"
        )
    if pinned:
        text = text.replace("spec:\n", f"spec:\n  pinnedRange: {{startAddress: {pinned}}}\n")
    found = adopted(text)
    assert found.claim.slot == slot
    assert found.role == ("growth" if slot[-1].isdigit() else "initial")
    assert found.pinned is bool(pinned)


def test_a_record_that_names_no_tenant_is_known_by_its_path() -> None:
    text = without(NODES, "tenantClusterRef", "name: my-cluster\n", "namespace: team-backend")
    path = f"{FOLDER}/NetworkPool/butler-system.vlan40-pool/team-backend/my-cluster.nodes.yaml"
    assert adopted(text.replace("    name: my-cluster\n", ""), path).claim == CLAIM
    assert "neither the content nor the path" in refused(text.replace("    name: my-cluster\n", ""))


def test_a_record_without_a_pool_is_known_by_its_path_or_unclear() -> None:
    text = without(NODES, "poolRef", "name: vlan40-pool")
    path = f"{FOLDER}/NetworkPool/butler-system.vlan40-pool/team-backend/my-cluster.nodes.yaml"
    assert adopted(text, path).pool == POOL
    assert "spec.poolRef.name is missing" in refused(text)


def test_the_pool_in_the_text_wins_over_the_folder() -> None:
    path = f"{FOLDER}/NetworkPool/butler-system.other/team-backend/my-cluster.nodes.yaml"
    assert adopted(NODES, path).pool == POOL


def test_a_released_record_holds_since_its_release() -> None:
    text = NODES.replace(
        "phase: Allocated", 'phase: Released\n  releasedAt: "2026-03-01T00:00:00Z"'
    )
    found = adopted(text)
    assert (found.phase, found.since) == (Phase.RELEASED, "2026-03-01T00:00:00Z")
    assert found.allocated_at == SINCE


@pytest.mark.parametrize(
    "since", ["", "  releasedAt: yesterday\n", '  releasedAt: "2026-02-30T00:00:00Z"\n']
)
def test_a_release_at_no_known_time_does_not_end(since: str) -> None:
    text = NODES.replace("  phase: Allocated\n", f"  phase: Released\n{since}")
    assert text != NODES
    found = parse_record(FOLDER, PATH, text.encode())
    assert found.unreadable is not None
    assert span("10.40.0.64", "10.40.0.68") in found.unreadable.ranges
    assert found.findings[0].message.endswith("status.releasedAt must be an RFC 3339 time in UTC")


FAILED = (
    without(NODES, "startAddress", "endAddress", "cidr", "addresses", '- "', "allocated")
    .replace("phase: Allocated", "phase: Failed")
    .replace("reason: Allocated", "reason: PoolExhausted")
)


def test_a_failed_record_holds_nothing_and_keeps_its_reason() -> None:
    found = adopted(FAILED)
    assert (found.range, found.allocated_at, found.size) == (None, "", 5)
    assert (found.phase, found.reason) == (Phase.FAILED, "pool-exhausted")
    assert found.message == "5 IPs allocated from vlan40-pool"
    assert found.since == SINCE


@pytest.mark.parametrize(
    "conditions",
    ["[]", "7", "[7]", "[{type: Other, reason: X}]", "[{type: Ready, reason: [x], message: 7}]"],
)
def test_conditions_of_any_form_break_nothing(conditions: str) -> None:
    head, _, _ = FAILED.partition("  conditions:")
    found = adopted(f"{head}  conditions: {conditions}\n")
    assert (found.reason, found.message) == ("", "")
    assert found.since == "1970-01-01T00:00:00Z"


def test_a_failed_record_that_lists_addresses_is_unclear() -> None:
    text = NODES.replace("phase: Allocated", "phase: Pending")
    assert "status.phase is Pending, but addresses" in refused(text)


@pytest.mark.parametrize(
    "addresses",
    ["[10.40.0.64]", "[10.40.0.64, 10.40.0.65, 10.40.0.66, 10.40.0.67, 10.40.0.99]",
     "[10.40.0.64, 10.40.0.65, 10.40.0.66, 10.40.0.67, '2001:db8::1']", "[1, 2, 3, 4, 5]"],
)  # fmt: skip
def test_a_list_of_other_addresses_is_unclear(addresses: str) -> None:
    text = without(NODES, '- "', "addresses") + f"  addresses: {addresses}\n"
    refused(text)


@pytest.mark.parametrize("status", ["7", "[]", "text", "null", "{}", "{phase: 7}"])
def test_a_status_of_any_form_is_unclear_and_raises_nothing(status: str) -> None:
    head, _, _ = NODES.partition("status:")
    assert "status.phase must be one of" in refused(f"{head}status: {status}\n")
