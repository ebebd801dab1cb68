"""All YAML of seed 003, with its indentation restored, from files to objects."""

from reconciler.projecting import project
from tests.engine.outcome import codes, outcome
from tests.families.novaedge import SEED
from tests.world import evaluation_of, reconciled

FILES: dict[str, str | bytes] = {
    path.relative_to(SEED).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(SEED.rglob("*.yaml"))
}


def test_it_is_read_planned_and_told_as_the_seed_says() -> None:
    assert codes(FILES) == [("warning", "pool-overlap")]  # main-vip-pool and mixed-pool
    assert outcome(FILES) == {
        "auto-vip (vip)": "allocate 10.200.0.1 of main-vip-pool",
        "specific-vip (vip)": "allocate 10.200.0.50 of main-vip-pool",
    }
    evaluation = evaluation_of(reconciled(FILES))
    assert evaluation.changes == ()
    status = {item.manifest["metadata"]["name"]: item.manifest["status"] for item in project(evaluation)
              if item.manifest["kind"] != "IPAllocation"}  # fmt: skip
    assert status["auto-vip"]["allocatedAddress"] == "10.200.0.1/32"
    assert status["auto-vip"]["conditions"][0]["message"] == (
        "Address 10.200.0.1/32 allocated from pool main-vip-pool"
    )
    assert {name: status[name]["available"] for name in status if "available" in status[name]} == {
        "main-vip-pool": 252, "external-vip-pool": 3, "mixed-pool": 15, "ipv6-pool": 256,
    }  # fmt: skip


def test_an_address_of_one_pool_never_conflicts_with_one_of_another() -> None:
    files = {**FILES, "tenants/mixed.yaml": str(FILES["tenants/auto-vip.yaml"]).replace(
        "auto-vip", "zz-mixed").replace("main-vip-pool", "mixed-pool")}  # fmt: skip
    assert outcome(files)["zz-mixed (vip)"] == "allocate 10.200.0.2 of mixed-pool"
