from typing import Any

from reconciler.planning.evaluate import matching
from reconciler.report.queries import explanation
from reconciler.report.text.queries import explanation_text
from reconciler.report.text.table import Painter
from tests.planning.outcome import Files, after_removal, without
from tests.world import CLOCK, SMALL, evaluation_of, pool, provider, reconciled, request, tenant

PLAIN = Painter(is_on=False)
KEY = "butler/TenantCluster/team-a/one/loadbalancer"


def explained(files: Files, text: str = KEY, clock: int = CLOCK) -> dict[str, Any]:
    evaluation = evaluation_of(files, clock)
    (key,) = matching(evaluation, text)
    return explanation(evaluation, key)


def test_a_record_whose_claim_is_gone_is_released() -> None:
    found = explained(without(reconciled(SMALL), "tenants/one.yaml"))
    assert found["verdict"] == "releases 10.40.0.0-10.40.0.7 (10.40.0.0/29) in pool edge"
    assert found["asked"] == "nothing: its document was removed"
    assert (found["source"], found["pools"]) == (None, [])


def test_a_refusal_names_remedies_the_nearest_first() -> None:
    files: dict[str, str | bytes] = {
        "pools/edge.yaml": pool(cidr="10.40.0.0/28"),
        "providers/default.yaml": provider(),
        "tenants/old.yaml": tenant("old", networking="{lbPoolSize: 4}"),
        "tenants/mid.yaml": tenant("mid", networking="{lbPoolSize: 3}"),
    }
    files = {**after_removal(files, "tenants/old.yaml"), "tenants/one.yaml": tenant("one",
             networking="{lbPoolSize: 10}")}  # fmt: skip
    found = explained(files)
    assert found["action"] == "refuse"
    assert found["verdict"].startswith("pool-exhausted: needs 10 contiguous addresses")
    assert found["remedies"][0].startswith(
        "ask for fewer addresses, widen pool edge to 10.40.0.0/27 if that network is free, add a pool to poolRefs,"
    )  # no wait helps


def test_a_refused_pin_is_not_told_to_ask_for_fewer() -> None:
    pin = "{startAddress: 10.99.0.0, endAddress: 10.99.3.255}"
    found = explained({**SMALL, "tenants/p.yaml": request("p", pinnedRange=pin)}, "butler-system/p")
    assert found["remedies"] == ["pin a range in the pool, or widen the pool"]


def test_the_reason_of_a_range_is_told() -> None:
    blocks = "[{cidr: 10.40.0.8/29}, {cidr: 10.40.0.20/30}]"
    files = {**SMALL, "pools/edge.yaml": pool(reserved=blocks)}
    files["tenants/one.yaml"] = tenant("one", networking="{lbPoolSize: 3}")
    found = explained(files)
    assert found["verdict"].startswith("gets 10.40.0.16-10.40.0.18")
    assert found["reason"] == (
        "best fit: the smallest free range that fits, from 10.40.0.16-10.40.0.19 (4 free);"
        " other free ranges that fit: 2"
    )
    assert f"  reason    {found['reason']}\n" in explanation_text(found, PLAIN)
    kept = explained(reconciled(files))
    assert kept["reason"] == (
        "its record holds it since 2026-02-15T10:00:30Z;"
        " the pool places new ranges by best fit: the smallest free range that fits"
    )


def test_a_pin_and_a_refusal_have_their_own_reasons() -> None:
    pin = "{startAddress: 10.40.0.4, endAddress: 10.40.0.5}"
    pinned = {**SMALL, "tenants/p.yaml": request("p", pinnedRange=pin)}
    assert explained(pinned, "butler-system/p")["reason"] == "the claim pins this range"
    full = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")}
    assert explained(full)["reason"] is None
    assert explained(without(reconciled(SMALL), "tenants/one.yaml"))["reason"] is None
