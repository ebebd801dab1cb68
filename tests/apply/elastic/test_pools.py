"""Unused addresses in the pools of a cluster, and cases in which more addresses do not help."""

from typing import Any

import pytest

from reconciler.addresses import IPSet
from reconciler.apply.elastic import SILENT, addresses_of, spare, unwell
from reconciler.loadbalancers.interface import LivePool
from reconciler.loadbalancers.metallb.objects import live as read_pool
from reconciler.model.instant import format_instant
from tests.apply.elastic.building import METALLB, addresses
from tests.world import CLOCK

BLOCK = addresses("10.0.0.250-10.0.1.5")  # 12 addresses; .0.255 and .1.0 are among them


def manifest(**spec: Any) -> dict[str, Any]:
    metadata = {"name": "default-pool", "namespace": "metallb-system"}
    return {"metadata": metadata, "spec": {"addresses": ["10.0.0.0-10.0.0.3"], **spec}}


def written(seconds: int, **more: Any) -> dict[str, Any]:
    entry = {"time": format_instant(CLOCK - seconds), "fieldsV1": {"f:spec": {}}, **more}
    pool = manifest()
    return {**pool, "metadata": {**pool["metadata"], "managedFields": [entry]}}


def state(result: str = "Valid", at: str = "") -> dict[str, Any]:
    return {
        "metadata": {"name": "controller"},
        "status": {
            "result": result,
            "errorSummary": "overlap",
            "conditions": [{"lastTransitionTime": at}],
        },
    }


def test_a_pool_is_read_with_what_metallb_leaves_out() -> None:
    assert read_pool(manifest()) == LivePool(addresses("10.0.0.0-10.0.0.3"))
    odd = read_pool(manifest(avoidBuggyIPs=True, autoAssign=False))
    assert (odd.avoids_buggy, odd.assigns) == (True, False)
    assert addresses_of([odd, LivePool(BLOCK)]).size == 16


def test_spare_is_what_is_announced_ours_and_not_used() -> None:
    used = addresses("10.0.0.250-10.0.0.251")
    assert spare([LivePool(BLOCK)], BLOCK, used) == 10
    assert spare([LivePool(BLOCK)], addresses("10.0.0.250-10.0.0.252"), used) == 1
    assert spare([], BLOCK, used) == 0


def test_a_pool_that_assigns_to_nobody_has_nothing_to_spare() -> None:
    assert spare([LivePool(BLOCK, assigns=False)], BLOCK, IPSet()) == 0


@pytest.mark.parametrize(
    ("field", "value"), [("serviceAllocation", {"namespaces": ["x"]}), ("autoAssign", False)]
)
def test_a_pool_that_somebody_keeps_from_services_is_told(field: str, value: object) -> None:
    why = unwell(METALLB, [manifest(**{field: value})], [state()], IPSet(), CLOCK)
    assert f"spec.{field} of IPAddressPool default-pool" in why


def test_an_entry_states_which_services_its_pool_serves() -> None:
    pool = manifest(autoAssign=False, serviceAllocation={"namespaces": ["x"]})
    for has_entries in (True, False):
        why = unwell(METALLB, [pool], [state()], IPSet(), CLOCK, has_entries=has_entries)
        assert ("edited outside ipam" in why) is not has_entries


@pytest.mark.parametrize(
    ("seconds", "read", "silent"),
    [
        (SILENT + 1, format_instant(CLOCK - SILENT - 2), True),
        (SILENT + 1, "", True),
        (SILENT + 1, format_instant(CLOCK - SILENT), False),
        (SILENT, format_instant(CLOCK - 3_600), False),  # it may be about to
    ],
)
def test_a_controller_that_has_not_read_its_pools_for_long_is_silent(
    seconds: int, read: str, silent: bool
) -> None:
    why = unwell(METALLB, [written(seconds)], [state(at=read)], IPSet(), CLOCK)
    assert bool(why) is silent
