"""A change that removes or narrows a range without a record: it is shown, with the claim that gets it."""

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.running import given_out
from tests.hostile.test_ip_addresses import VIPS, address
from tests.hostile.test_overrides import override
from tests.hostile.test_records import checked
from tests.world import CLOCK, SMALL, commit, git, pool, provider, request, tenant, write

Capture = pytest.CaptureFixture[str]
CODE = "manual-range-removed"
HEAD = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
LEGACY = f"{HEAD}spec: {{sources: [pools, providers, teams, tenants, clusters, legacy]}}\n"
PERMIT = "overrides/2026-02-15-hand-over.yaml"
ALONE = "merge an Override of kind record for capi/IPAddressClaim/team-q/q/address"


def claim(name: str, namespace: str = "team-q") -> str:
    return (
        "apiVersion: ipam.cluster.x-k8s.io/v1beta1\nkind: IPAddressClaim\n"
        f"metadata: {{name: {name}, namespace: {namespace}}}\nspec: {{poolRef: "
        "{apiGroup: ipam.cluster.x-k8s.io, kind: GlobalInClusterIPPool, name: vips}}\n"
    )


def vip(value: str) -> str:
    return (
        "apiVersion: novaedge.io/v1alpha1\nkind: ProxyVIP\nmetadata: {name: front}\n"
        f"spec: {{address: {value}/32, mode: L2ARP, addressFamily: ipv4, ports: [443]}}\n"
    )


FILES = {
    **SMALL,
    "ipam.yaml": LEGACY,
    "pools/vips.yaml": VIPS,
    "tenants/x.yaml": address("x", "10.0.0.10"),
    "tenants/front.yaml": vip("10.0.0.11"),
    "legacy/old.yaml": address("old", "10.0.0.12"),
}
NEW = {"tenants/q.yaml": claim("q")}


class Freed(NamedTuple):
    severity: str
    path: str
    message: str
    hint: str


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = given_out(tmp_path / "repo", FILES)
    git(made, "switch", "-qc", "change")
    return made


def freed(folder: Path, capsys: Capture, files: dict[str, str]) -> list[Freed]:
    """Return the findings about a change. None removes a file."""
    write(folder, files)
    for path in (path for path, text in files.items() if not text):
        (folder / path).unlink()
    commit(folder, "change", clock=CLOCK + 60)
    found = [it for it in checked(folder, capsys)["findings"] if it["code"] == CODE]
    return [Freed(*(it[field] for field in Freed._fields)) for it in found]


@pytest.mark.parametrize(
    ("files", "path", "words"),
    [
        ({"tenants/x.yaml": ""}, "tenants/x.yaml", "team-z/x (IPAddress) no longer holds 10.0.0.10"),
        ({"tenants/x.yaml": address("x", "10.0.0.15")}, "tenants/x.yaml", "holds 10.0.0.10"),
        ({"tenants/front.yaml": ""}, "tenants/front.yaml", "front (spec.address) no longer holds 10.0.0.11"),
        ({"tenants/front.yaml": vip("10.0.0.16")}, "tenants/front.yaml", "holds 10.0.0.11"),
        ({"ipam.yaml": HEAD}, "ipam.yaml", "team-z/old (IPAddress) no longer holds 10.0.0.12"),
        ({"legacy/old.yaml": "", "attic/old.yaml": address("old", "10.0.0.12")}, "legacy/old.yaml", "10.0.0.12"),
    ],
)  # fmt: skip
def test_a_range_that_a_change_removes_is_a_warning_and_an_error_if_another_claim_gets_it(
    folder: Path, capsys: Capture, files: dict[str, str], path: str, words: str
) -> None:
    (alone,) = freed(folder, capsys, files)
    assert (alone.severity, alone.path, words in alone.message) == ("warning", path, True), alone
    address_ = alone.message.split("holds ")[1].split(",")[0]
    (given,) = freed(folder, capsys, NEW)
    assert (given.severity, given.path) == ("error", path)
    assert f"{address_} to team-q/q (address)" in given.message
    assert ALONE in given.hint


def test_the_same_range_of_another_address_space_is_another_one(
    folder: Path, capsys: Capture
) -> None:
    blue = pool("blue", "10.0.0.8/29").replace(
        "{name: blue,", "{name: blue, annotations: {gitops-ipam.dev/address-space: blue},"
    )
    git(folder, "switch", "-q", "main")
    write(folder, {"pools/blue.yaml": blue})
    commit(folder, "Blue", clock=CLOCK + 30)
    git(folder, "switch", "-qC", "change")
    pin = "{startAddress: 10.0.0.10, endAddress: 10.0.0.10}"
    pinned = {"tenants/b.yaml": request("b", "blue", pinnedRange=pin)}
    (found,) = freed(folder, capsys, {"tenants/x.yaml": "", **pinned})
    assert (found.severity, "team-" in found.message.partition(";")[2]) == ("warning", False)
    (found,) = freed(folder, capsys, {**NEW})
    assert found.severity == "error"


def test_a_gateway_that_becomes_free_for_claims_is_shown(tmp_path: Path, capsys: Capture) -> None:
    base = {**SMALL, "providers/default.yaml": provider(gateway="10.40.0.8")}
    folder = given_out(tmp_path / "repo", base)
    git(folder, "switch", "-qc", "change")
    (found,) = freed(folder, capsys, {"providers/default.yaml": provider()})
    assert (found.severity, found.path) == ("warning", "providers/default.yaml")
    assert "holds 10.40.0.8," in found.message
    (found,) = freed(folder, capsys, {"tenants/two.yaml": tenant("two")})
    assert found.severity == "error"
    assert "10.40.0.8-10.40.0.15 to team-a/two (loadbalancer)" in found.message
    assert freed(folder, capsys, {"pools/edge.yaml": pool(reserved="[{cidr: 10.40.0.8/32}]")}) == []


def test_an_override_of_the_base_permits_it(folder: Path, capsys: Capture) -> None:
    scope = "capi/IPAddressClaim/team-q/q/address"
    git(folder, "switch", "-q", "main")
    write(folder, {PERMIT: override(PERMIT, kind="record", scope=scope)})
    commit(folder, "Override", clock=CLOCK + 30)
    git(folder, "switch", "-qC", "change")
    (found,) = freed(folder, capsys, {"tenants/x.yaml": "", **NEW})
    assert found.severity == "warning"
    assert found.message.endswith("to team-q/q (address); an Override permits this")


@pytest.mark.parametrize(
    "files",
    [
        {"tenants/x.yaml": claim("x", "team-z")},
        {"tenants/x.yaml": "", "tenants/y.yaml": address("x", "10.0.0.10")},
        {"tenants/x.yaml": address("x", "10.0.0.10") + "# words\n"},
        {"ipam.yaml": HEAD, "legacy/old.yaml": "", "tenants/old.yaml": address("old", "10.0.0.12")},
        NEW,
    ],
    ids=["its own claim", "another file", "words", "another folder", "a new claim"],
)
def test_a_range_that_keeps_its_holder_is_not_shown(
    folder: Path, capsys: Capture, files: dict[str, str]
) -> None:
    assert freed(folder, capsys, files) == []
