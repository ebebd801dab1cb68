"""Claims that wait for a document that was never readable, or that exists twice."""

import pytest

from reconciler.addresses import format_range
from reconciler.model.plan import Refuse
from tests.memory import evaluation_after
from tests.planning.outcome import decided
from tests.reconcile.reading.test_last_good import NEW, NEWCOMER, ONE, after
from tests.world import SMALL, pool, provider, reconciled, request, tenant

DEFAULTS = {"tenantAllocation": "{defaults: {nodesPerTenant: 3}}"}


def test_what_reads_well_in_a_file_without_a_good_version_waits_for_its_mending() -> None:
    pin = request("pin", pinnedRange="{startAddress: 10.40.0.40, endAddress: 10.40.0.43}")
    wrong = tenant("odd", networking="{lbPoolSiz: 3}")
    other = pin.replace("name: pin,", "name: other,").replace("{name: pin}", "{name: other}")
    evaluation = evaluation_after(
        [SMALL],
        {
            **SMALL,
            "tenants/a.yaml": f"{tenant('c')}---\n{pin}---\n{wrong}",
            "tenants/b.yaml": other,
        },
    )
    assert decided(evaluation)["team-a/c (loadbalancer)"] == "refuse pool-frozen"
    refused = {
        item.claim.name: (item.reason, item.message)
        for item in evaluation.plan.decisions
        if isinstance(item, Refuse)
    }
    line = f"{tenant('c')}---\n{pin}---\n{wrong}".split("\n").index("  networking: {lbPoolSiz: 3}")
    while_broken = f"no new addresses while tenants/a.yaml:{line + 1} cannot be read"
    assert refused["pin"] == ("pool-frozen", while_broken)
    taken = (
        "pinned range 10.40.0.40-10.40.0.43 is already held by the unreadable file tenants/a.yaml"
    )
    assert refused["other"] == ("pin-taken", taken)


def test_of_two_documents_of_one_object_the_one_counts_that_was_there_before() -> None:
    before = reconciled(SMALL)
    files = {**before, "pools/0.yaml": pool("edge", "10.99.0.0/24"), **NEWCOMER}
    for line in ([before], [before, files]):
        evaluation = evaluation_after(line, files)
        assert decided(evaluation) == {
            NEW: "refuse pool-frozen",
            ONE: "keep 10.40.0.0-10.40.0.7 of edge",
        }
        (told,) = [item for item in evaluation.findings if item.code == "document-duplicate"]
        assert told.location.path == "pools/0.yaml"


def test_a_second_description_of_a_tenant_gives_it_nothing_new() -> None:
    small = {**SMALL, "pools/other.yaml": pool("other", "10.99.0.0/24", **DEFAULTS)}
    small["providers/other.yaml"] = provider("other", "[{name: other}]")
    before = reconciled(small)
    double = tenant("one", providerConfigRef="{name: other}")
    assert after(before, {**before, "tenants/again.yaml": double}) == {
        ONE: "keep 10.40.0.0-10.40.0.7 of edge"
    }
    new = {**small, "tenants/again.yaml": double}
    assert set(after({}, new).values()) == {"refuse pool-frozen"}


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-32-be"])
def test_what_is_in_another_encoding_is_off_limits_and_its_tenant_waits(codec: str) -> None:
    pin = request("pin", pinnedRange="{startAddress: 10.40.0.0, endAddress: 10.40.0.3}")
    pin = pin.replace("{name: pin, namespace", "{name: one, namespace")
    legacy = f"{pin}# and 10.40.0.4\u201310.40.0.11\n".encode(codec)
    evaluation = evaluation_after([SMALL], {**SMALL, "tenants/legacy.yaml": legacy, **NEWCOMER})
    assert decided(evaluation) == {
        ONE: "refuse pool-frozen",
        NEW: "allocate 10.40.0.12-10.40.0.19 of edge",
    }


def test_a_record_in_another_encoding_keeps_its_addresses_off_limits() -> None:
    before = reconciled(SMALL)
    (path,) = (path for path in before if path.startswith("allocations/"))
    text = before[path]
    data = (text if isinstance(text, str) else text.decode()).encode("utf-16")
    evaluation = evaluation_after([], {**before, path: data})
    (record,) = (item.unreadable for item in evaluation.tree.records)
    assert record is not None
    assert "10.40.0.0-10.40.0.7" in [format_range(item) for item in record.ranges]


@pytest.mark.parametrize(
    "reference",
    [
        "{name: One, namespace: team-a}",
        "{namespace: team-a}",
        "{name: 1, namespace: team-a}",
        "{name: one}",
        "{name: one, namespace: Team_A}",
    ],
)
def test_a_request_whose_reference_nobody_can_read_may_be_any_tenants(reference: str) -> None:
    pin = request("pin", pinnedRange="{startAddress: 10.40.0.50, endAddress: 10.40.0.57}")
    pin = pin.replace("{name: pin, namespace: team-a}", reference)
    far = tenant("far").replace("team-a", "team-b")
    files = {**SMALL, "tenants/far.yaml": far, "tenants/pin.yaml": pin}
    evaluation = evaluation_after([SMALL], files)
    assert decided(evaluation) == {
        ONE: "refuse pool-frozen",
        "team-b/far (loadbalancer)": "allocate 10.40.0.8-10.40.0.15 of edge",
    }
    refused = next(it for it in evaluation.plan.decisions if isinstance(it, Refuse))
    assert "no new addresses while tenants/pin.yaml:6 cannot be read" in refused.message
