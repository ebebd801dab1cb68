"""The router of one pool's network lies among the addresses of another pool."""

from reconciler.documents.findings import has_error
from reconciler.model.plan import Grant, Refuse
from reconciler.planning.evaluate import Evaluation
from tests.families.capi import trees
from tests.families.novaedge import pool as nova_pool
from tests.families.novaedge import vip
from tests.world import SMALL, evaluation_of, pool, provider, reconciled, request

ROUTED = trees.pool("vips", "10.40.0.100-10.40.0.110", gateway="10.40.0.1")
LAB = {"gitops-ipam.dev/address-space": "lab"}
FILES = {**SMALL, "pools/vips.yaml": ROUTED}
PIN = "{startAddress: 10.40.0.1, endAddress: 10.40.0.1}"


def describe(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    found = [it for it in evaluation.findings if it.code == "gateway-in-pool"]
    return [(it.severity.value, str(it.location), it.message) for it in found]


def granted(evaluation: Evaluation) -> list[tuple[int, int]]:
    items = (it.allocation.range for it in evaluation.plan.decisions if isinstance(it, Grant))
    return [(item.first, item.last) for item in items if item is not None]


def test_the_router_of_one_pool_is_given_out_by_no_other() -> None:
    evaluation = evaluation_of(FILES)
    assert granted(evaluation) == [(0x0A280002, 0x0A280009)]
    assert describe(evaluation) == [
        ("warning", "pools/edge.yaml:5",
         "pool edge contains 10.40.0.1, vips (gateway) at pools/vips.yaml:12, which will not be allocated")
    ]  # fmt: skip
    (usage,) = (it for key, it in evaluation.plan.after.items() if key.name == "edge")
    assert (usage.total, usage.available) == (255, 247)


def test_a_router_of_another_address_space_is_no_matter() -> None:
    files = {**FILES, "pools/vips.yaml": trees.pool(gateway="10.40.0.1", annotations=LAB)}
    assert describe(evaluation_of(files)) == []
    assert granted(evaluation_of(files)) == [(0x0A280000, 0x0A280007)]


def test_nobody_gets_a_router_by_name() -> None:
    pinned = {**FILES, "tenants/pin.yaml": request("pin", pinnedRange=PIN)}
    refused = [it for it in evaluation_of(pinned).plan.decisions if isinstance(it, Refuse)]
    assert [it.reason for it in refused] == ["pin-reserved"]


def test_a_providers_router_is_given_out_by_no_pool_of_another_family() -> None:
    files = {
        "pools/edge.yaml": pool(reserved="[{cidr: 10.40.0.0/28}]"),
        "pools/nova.yaml": nova_pool(addresses="[10.40.0.1, 10.40.0.2, 10.40.0.3]"),
        "providers/default.yaml": provider(gateway="10.40.0.1"),
        "providers/other.yaml": provider("other", gateway="10.40.0.2"),
        "tenants/web.yaml": vip(),
    }
    evaluation = evaluation_of(files)
    assert granted(evaluation) == [(0x0A280003, 0x0A280003)]
    ((_, place, message),) = describe(evaluation)
    assert place == "pools/nova.yaml:4"
    assert message == (
        "pool main contains 10.40.0.1, butler-system/default (gateway) at providers/default.yaml:9; 10.40.0.2, butler-system/other (gateway) at providers/other.yaml:9, which will not be allocated"
    )


def test_a_record_that_has_what_becomes_a_router_is_told_and_stops_nobody() -> None:
    held = reconciled(SMALL)
    evaluation = evaluation_of({**held, "pools/vips.yaml": ROUTED})
    assert not has_error(evaluation.findings)
    in_pool, in_record = [message for _, _, message in describe(evaluation)]
    assert in_pool.startswith("pool edge contains 10.40.0.1, vips (gateway)")
    assert "holds 10.40.0.0-10.40.0.7, including 10.40.0.1: vips (gateway)" in in_record
    assert evaluation.changes == ()


def test_a_router_of_two_address_spaces_is_held_back_in_both_however_little_is_read() -> None:
    def placed(text: str) -> str:
        space = "annotations: {gitops-ipam.dev/address-space: lab}, "
        return text.replace("metadata: {", f"metadata: {{{space}")

    base = {
        "pools/edge.yaml": pool(),
        "pools/py.yaml": placed(pool("py", "10.9.0.0/24")),
        "pools/nova.yaml": placed(nova_pool(addresses="[10.40.0.1, 10.40.0.2]")),
        "providers/default.yaml": provider(pools="[{name: edge}, {name: py}]", gateway="10.40.0.1"),
    }
    assert granted(evaluation_of({**base, "tenants/web.yaml": vip()})) == [(0x0A280002, 0x0A280002)]
