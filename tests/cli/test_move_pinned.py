"""`ipam move` of a pinned claim also changes or removes the pin."""

from collections.abc import Callable

import pytest

from tests.cli.conftest import Moves
from tests.families.plain import examples as plain
from tests.world import SMALL, git, pool, provider, request, tenant

BY_HAND = """\
apiVersion: butler.butlerlabs.dev/v1alpha1
kind: TenantCluster
metadata:
  name: one
  namespace: team-a
spec:
  workers: {replicas: 1}
  networking:
    # as the load balancer had it
    lbPoolSize: 8
    loadBalancerPool:  # from before
      start: 10.40.0.40
      end: 10.40.0.47
    podCIDR: 10.244.0.0/16
"""
PIN = "{startAddress: 10.40.0.64, endAddress: '10.40.0.71'} # alive"
HELD = request("held", pinnedRange=PIN).replace("type: nodes", "type: loadbalancer")
FILES = {
    **SMALL,
    "pools/far.yaml": pool("far", "10.50.0.0/24", reserved="[{cidr: 10.50.0.0/30}]"),
    "pools/small.yaml": pool("small", "10.60.0.0/30"),
    "providers/default.yaml": provider(pools="[{name: edge}, {name: far}, {name: small}]"),
    "tenants/one.yaml": BY_HAND,
    "tenants/two.yaml": tenant("held"),
    "tenants/held.yaml": HELD,
}


@pytest.fixture
def play(moves: Callable[..., Moves]) -> Moves:
    return moves(FILES)


def record(play: Moves, path: str) -> str:
    return git(play.folder, "show", f"HEAD:allocations/NetworkPool/butler-system.{path}.yaml")


def test_a_request_that_pins_a_range_gets_another_pin_and_stays_the_tenants_own_claim(
    play: Moves,
) -> None:
    ran = play("move", "butler-system/held", "--to", "far")
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[3:6] == [
        "  2. tenants/held.yaml:5: spec.poolRef.name: now far",
        "     tenants/held.yaml:8: spec.pinnedRange: now 10.50.0.4-10.50.0.11",
        "     git add tenants/held.yaml && git commit -m"
        " 'Move butler-system/held (request) to far'",
    ]
    text = (play.folder / "tenants/held.yaml").read_text()
    pin = "{startAddress: 10.50.0.4, endAddress: 10.50.0.11} # alive"
    assert text == HELD.replace("poolRef: {name: edge}", "poolRef: {name: far}").replace(PIN, pin)
    checked = play.checked("butler-system-held-request")
    assert (checked.code, checked.out.splitlines()[0]) == (0, "1 move")
    assert play("reconcile").code == 0
    assert "startAddress: 10.50.0.4" in record(play, "far/butler-system/held.request")
    assert "announced: until-unused" in record(play, "edge/butler-system/held.request")
    assert "held.loadbalancer" not in git(play.folder, "ls-tree", "-r", "--name-only", "HEAD")
    assert "1 move" not in play("plan").out


def test_a_tenant_that_pins_its_range_moves_without_the_pin(play: Moves) -> None:
    ran = play("move", "team-a/one", "--to", "far")
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[3:5] == [
        "  2. tenants/one.yaml:4: metadata.annotations.gitops-ipam.dev/loadbalancer-pool: now far",
        "     tenants/one.yaml:11: spec.networking.loadBalancerPool: removed",
    ]
    pin = "    loadBalancerPool:  # from before\n      start: 10.40.0.40\n      end: 10.40.0.47\n"
    noted = "  annotations:\n    gitops-ipam.dev/loadbalancer-pool: far\n  name: one\n"
    text = (play.folder / "tenants/one.yaml").read_text()
    assert text == BY_HAND.replace(pin, "").replace("  name: one\n", noted)
    checked = play.checked("team-a-one-loadbalancer")
    assert (checked.code, checked.out.splitlines()[0]) == (0, "1 move")
    assert "announcement-lost" not in checked.out
    assert play("reconcile").code == 0
    assert "startAddress: 10.50.0.4" in record(play, "far/team-a/one.loadbalancer")
    assert "announced: until-unused" in record(play, "edge/team-a/one.loadbalancer")


def test_a_tenant_is_moved_by_its_own_name_though_a_request_of_another_holds_its_addresses(
    moves: Callable[..., Moves],
) -> None:
    files = {**FILES, "tenants/held.yaml": HELD.replace("name: held, n", "name: other, n", 1)}
    play = moves(files)
    ran = play("move", "team-a/held", "--to", "far")
    assert "Move butler-system/other (request) to far" in ran.out, ran.err
    ran = play("move", "team-a/absent", "--to", "far")
    assert "no claim 'team-a/absent'" in ran.err


@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        (
            "tenants/one.yaml",
            "    loadBalancerPool:  # from before\n",
            "    ? loadBalancerPool\n    :\n",
            "tenants/one.yaml:11: ipam cannot edit this file: spec.networking.loadBalancerPool must be removed",
        ),
        (
            "tenants/held.yaml",
            f"pinnedRange: {PIN}",
            "pinnedRange:\n    startAddress: >-\n      10.40.0.64\n    endAddress: 10.40.0.71",
            "tenants/held.yaml:8: ipam cannot edit this file: spec.pinnedRange must be set to 10.50.0.4-10.50.0.11",
        ),
    ],
)
def test_a_pin_that_cannot_be_edited_in_place_is_named_with_what_to_do(
    play: Moves, path: str, old: str, new: str, said: str
) -> None:
    text = (play.folder / path).read_text()
    assert old in text
    (play.folder / path).write_text(text.replace(old, new))
    claim = "butler-system/held" if "held" in path else "team-a/one"
    ran = play("move", claim, "--to", "far")
    assert (ran.code, said in ran.err) == (64, True), ran.err
    assert "hint: make this edit by hand, and set " in ran.err
    assert " to far after merging an Override of kind move" in ran.err
    assert git(play.folder, "status", "--porcelain") == f"M {path}"


def test_pins_of_an_entry_and_of_a_claim_are_moved_by_an_edit(moves: Callable[..., Moves]) -> None:
    pins = "[10.22.0.16-10.22.0.31]"
    pools = f"{plain.pool()}---\n{plain.pool('other', '[10.30.0.0/24]')}"
    document = plain.cluster(plain.entry(addresses=pins))
    play = moves(plain.files(document, plain.claim(addresses="[10.22.0.9]"), pools))
    for claim in ("prod-1/internal", "team-db/db-1"):
        ran = play("move", claim, "--to", "other")
        assert (ran.code, play.status()) == (64, [])
        assert "set addresses to a range of pool other in the same change as poolRefs" in ran.err
