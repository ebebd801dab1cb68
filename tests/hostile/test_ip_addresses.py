"""IPAddress documents of people: ranges by hand, of the pool that they name."""

from pathlib import Path

import pytest

from reconciler.cli import run
from reconciler.planning.evaluate import Evaluation
from tests.cli.running import given_out, ipam
from tests.world import SMALL, commit, evaluation_of, git, pool, tenant, write

VIPS = (
    "apiVersion: ipam.cluster.x-k8s.io/v1alpha2\nkind: GlobalInClusterIPPool\n"
    "metadata: {name: vips}\nspec: {addresses: [10.0.0.10-10.0.0.19], prefix: 24, gateway: 10.0.0.1}\n"
)
FILES = {**SMALL, "pools/vips.yaml": VIPS}
KEY = "capi/GlobalInClusterIPPool/_/vips"


def address(name: str, value: str, of: str = "vips") -> str:
    return (
        "apiVersion: ipam.cluster.x-k8s.io/v1beta1\nkind: IPAddress\n"
        f"metadata: {{name: {name}, namespace: team-z}}\nspec: {{address: {value}, poolRef: "
        f"{{apiGroup: ipam.cluster.x-k8s.io, kind: GlobalInClusterIPPool, name: {of}}}}}\n"
    )


def many(count: int, first: int = 10) -> dict[str, str]:
    documents = [address(f"x{at}", f"10.0.0.{first + at}") for at in range(count)]
    return {"tenants/x.yaml": "---\n".join(documents)}


def errors(evaluation: Evaluation) -> list[tuple[str, str]]:
    return [(it.code, it.message) for it in evaluation.findings if it.severity.value == "error"]


def test_an_address_of_its_pool_is_right_and_counts_as_allocated() -> None:
    evaluation = evaluation_of({**FILES, **many(3)})
    assert errors(evaluation) == []
    (usage,) = [it for key, it in evaluation.plan.after.items() if str(key) == KEY]
    assert (usage.allocated, usage.available, usage.count) == (3, 7, 0)


@pytest.mark.parametrize(
    ("value", "of", "code", "says"),
    [
        ("10.40.0.9", "vips", "manual-range", "10.40.0.9 of team-z/x (IPAddress) is not in"),
        ("10.0.0.30", "vips", "manual-range", "10.0.0.30 of team-z/x (IPAddress) is not in"),
        (
            "10.0.0.1",
            "vips",
            "manual-range",
            "contains 10.0.0.1, vips (gateway) at pools/vips.yaml:4",
        ),
        ("10.0.0.11", "nosuch", "reference-not-found", "nosuch does not exist in this repository"),
    ],
)
def test_an_address_that_its_pool_does_not_contain_is_an_error(
    value: str, of: str, code: str, says: str
) -> None:
    found = errors(evaluation_of({**FILES, "tenants/x.yaml": address("x", value, of)}))
    assert [(code, says in message) for code, message in found] == [(code, True)]


def test_a_copy_of_the_management_cluster_is_judged_by_nobody() -> None:
    path = "observed/IPAddress.ipam.cluster.x-k8s.io/team-z/x.yaml"
    assert errors(evaluation_of({**FILES, path: address("x", "10.40.0.9")})) == []


def test_new_addresses_are_told_and_stopped_by_the_gate_and_status_counts_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = given_out(tmp_path / "repo", FILES)
    git(folder, "checkout", "-q", "-b", "change")
    for count, code in ((4, 0), (10, 3)):
        write(folder, many(count))
        commit(folder, "addresses")
        ran = ipam(capsys, "check", "--repo", folder, "--base", "main", "--rev", "change")
        assert ran.code == code, ran
        assert ran.out.count("manual-range-added") == count
    assert "pool vips would go from 0.0% to 100.0% (10 of 10)" in ran.out
    said = ipam(capsys, "status", "--repo", folder, "--rev", "change").out
    (row,) = [line for line in said.splitlines() if "vips" in line]
    assert row.split()[2:5] == ["10", "10", "0"]
    # Merged anyway, the gate does not stop changes of others.
    git(folder, "branch", "-f", "main", "change")
    write(
        folder, {"tenants/two.yaml": tenant("two"), "pools/more.yaml": pool("more", "10.41.0.0/24")}
    )
    commit(folder, "other")
    ran = ipam(capsys, "check", "--repo", folder, "--base", "main", "--rev", "change")
    assert ran.code == 0, ran
    git(folder, "checkout", "-q", "-B", "main", "change")
    assert run(["reconcile", "--no-apply", "--repo", str(folder)]) == 0
