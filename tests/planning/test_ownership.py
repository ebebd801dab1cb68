"""Limits of teams: their pools and sizes, and namespaces and folders of other teams."""

import pytest

from reconciler.report.json import plan_document
from tests.planning.outcome import Files
from tests.world import SMALL, evaluation_of, pool, provider, reconciled, request, tenant

POOL = "butler/NetworkPool/butler-system/edge"
MINE = {"namespaces": "team-a", "folders": "tenants/a", "owners": "@acme/a"}


def team(name: str = "a", **says: str) -> str:
    """Return a Team. Arguments become annotations, with `-` for `_`."""
    lines = "".join(
        f"    gitops-ipam.dev/{key.replace('_', '-')}: '{text}'\n" for key, text in says.items()
    )
    return (
        "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: Team\n"
        f"metadata:\n  name: {name}\n" + (f"  annotations:\n{lines}" if lines else "")
    )


def world(files: Files | None = None, **teams: dict[str, str]) -> Files:
    said = {f"teams/{name}.yaml": team(name, **says) for name, says in teams.items()}
    return {
        "pools/edge.yaml": pool(),
        "providers/default.yaml": provider(),
        **said,
        **(files or {}),
    }


def found(files: Files) -> list[str]:
    evaluation = evaluation_of(files)
    told = (*evaluation.findings, *evaluation.gates)
    return [f"{it.severity.value} {it.code} {it.message}" for it in told]


def codes(files: Files) -> list[str]:
    return [line.split()[1] for line in found(files)]


def decided(files: Files) -> list[tuple[str, str | None]]:
    plan = plan_document(evaluation_of(files))
    return [(item["action"], item["reason"]) for item in plan["actions"]]


def test_without_what_a_team_may_ask_for_nothing_changes() -> None:
    plain = world(SMALL, a={}, b={})
    assert found(plain) == []
    assert decided(plain) == [("allocate", None)]


def test_what_a_team_asks_for_as_its_own_is_given() -> None:
    files = world({"tenants/a/one.yaml": tenant("one")}, a=MINE | {"pools": POOL})
    assert found(files) == []
    assert decided(files) == [("allocate", None)]


def named(team_name: str) -> str:
    return tenant("one", "team-b", teamRef=f"{{name: {team_name}}}")


@pytest.mark.parametrize(
    ("path", "document", "message"),
    [
        (
            "tenants/b/one.yaml",
            tenant("one"),
            "team a, but the file is in tenants/b/, which belongs to team b",
        ),
        ("tenants/one.yaml", tenant("one"), "team a, but 'tenants/one.yaml'"),
        (
            "tenants/a/one.yaml",
            tenant("one", "team-b"),
            "team b, but the file is in tenants/a/, which belongs to team a",
        ),
        ("tenants/a/one.yaml", named("a"), "team a, but namespace team-b belongs to team b"),
        (
            "tenants/one.yaml",
            named("nobody"),
            "team nobody, but namespace team-b belongs to team b",
        ),
        (
            "tenants/b/one.yaml",
            request("one"),
            "team a, but the file is in tenants/b/, which belongs to team b",
        ),
    ],
)
def test_what_asks_in_another_teams_name_gets_nothing(
    path: str, document: str, message: str
) -> None:
    theirs = {"namespaces": "team-b", "folders": "tenants/b"}
    files = world({path: document}, a=MINE, b=theirs)
    told = [line for line in found(files) if line.startswith("error")]
    assert len(told) == 1
    assert told[0].startswith("error not-yours ")
    assert message in told[0]
    assert decided(files) == [("refuse", "not-yours")]


def test_a_request_for_a_tenant_of_the_team_is_its_own_in_the_platforms_namespace() -> None:
    files = world({"tenants/a/more.yaml": request("one")}, a=MINE)
    assert "not-yours" not in codes(files)


def test_a_pool_that_is_not_for_the_team_gives_it_nothing() -> None:
    other = "butler/NetworkPool/butler-system/other"
    files = world({"tenants/a/one.yaml": tenant("one")}, a=MINE | {"pools": other})
    assert codes(files) == ["not-yours"]
    assert found(files)[0].startswith(
        "gate not-yours team-a/one (loadbalancer): team a is not permitted to use " + POOL
    )
    assert decided(files) == [("refuse", "not-yours")]


def test_more_than_a_team_may_ask_for_is_refused_and_exactly_that_is_given() -> None:
    asked = {"tenants/a/one.yaml": tenant("one")}  # eight addresses
    assert decided(world(asked, a=MINE | {"max_addresses": "8"})) == [("allocate", None)]
    files = world(asked, a=MINE | {"max_addresses": "7"})
    assert decided(files) == [("refuse", "not-yours")]
    assert "asks for 8 loadbalancer addresses, but the limit of team a is 7" in found(files)[0]


def test_what_a_claim_holds_stays_whoever_owns_it_by_now() -> None:
    asked = {"tenants/a/one.yaml": tenant("one")}
    held = reconciled(world(asked, a=MINE))
    narrow = {
        **held,
        "teams/a.yaml": team(namespaces="other", folders="tenants/a", max_addresses="1"),
    }
    assert codes(narrow) == ["not-yours"]
    assert decided(narrow) == []
    assert evaluation_of(narrow).changes == ()


def test_the_inner_folder_decides_and_two_teams_may_share_one() -> None:
    inner = {"namespaces": "team-b", "folders": "tenants/a/inner, tenants/shared"}
    outer = MINE | {"folders": "tenants/a tenants/shared"}
    for path, space, fine in (
        ("tenants/a/inner/one.yaml", "team-b", True),
        ("tenants/a/inner/one.yaml", "team-a", False),
        ("tenants/a/innermost/one.yaml", "team-a", True),
        ("tenants/shared/one.yaml", "team-a", True),
        ("tenants/shared/one.yaml", "team-b", True),
    ):
        files = world({path: tenant("one", space)}, a=outer, b=inner)
        assert ("not-yours" not in codes(files)) is fine, path


VIP = (
    "apiVersion: novaedge.io/v1alpha1\nkind: ProxyVIP\nmetadata: {name: vip}\n"
    "spec:\n  poolRef: {name: vips}\n  mode: BGP\n  addressFamily: ipv4\n  ports: [80]\n"
    "  bgpConfig: {localAS: 65000, routerID: 10.0.0.1, peers: [{address: 10.0.0.254, as: 65001}]}\n"
)
VIPS = (
    "apiVersion: novaedge.io/v1alpha1\nkind: ProxyIPPool\nmetadata: {name: vips}\n"
    "spec: {cidrs: [10.60.0.0/28], autoAssign: true}\n"
)


def test_what_is_of_the_cluster_is_of_the_team_of_its_folder() -> None:
    mine = MINE | {"pools": "novaedge/ProxyIPPool/_/vips"}
    files = world({"pools/vips.yaml": VIPS, "tenants/a/vip.yaml": VIP}, a=mine)
    assert "not-yours" not in codes(files)
    files = world({"pools/vips.yaml": VIPS, "tenants/a/vip.yaml": VIP}, a=MINE | {"pools": POOL})
    assert "not-yours" in codes(files)


CLAIM = (
    "apiVersion: ipam.cluster.x-k8s.io/v1beta1\nkind: IPAddressClaim\n"
    "metadata: {name: one, namespace: team-a}\n"
    "spec: {poolRef: {apiGroup: ipam.cluster.x-k8s.io, kind: GlobalInClusterIPPool, name: g}}\n"
)
GLOBAL = (
    "apiVersion: ipam.cluster.x-k8s.io/v1alpha2\nkind: GlobalInClusterIPPool\n"
    "metadata: {name: g}\nspec: {addresses: [10.70.0.0/28], prefix: 28}\n"
)


def test_claims_of_cluster_api_are_judged_as_well() -> None:
    theirs = {"folders": "tenants/b"}
    for path, fine in (("tenants/a/c.yaml", True), ("tenants/b/c.yaml", False)):
        files = world({"pools/g.yaml": GLOBAL, path: CLAIM}, a=MINE, b=theirs)
        assert ("not-yours" not in codes(files)) is fine, path


HOSTILE = [
    ("namespaces", "Team_A"),
    ("namespaces", " , "),
    ("pools", "edge"),
    ("max_addresses", "-1"),
    ("max_addresses", "8, 9"),
    ("max_addresses", "٣"),
    ("folders", "tenants/../pools"),
    ("folders", "tenants/*"),
    ("folders", "tenants/a#"),
    ("owners", "acme"),
    ("owners", "@acme/../x"),
    ("owners", "@a#b"),
    ("owners", "!@acme"),
    ("namespace", "team-a"),
    ("maxaddresses", "9"),
]


@pytest.mark.parametrize(("name", "text"), HOSTILE)
def test_what_nobody_can_read_for_sure_is_an_error_at_its_place(name: str, text: str) -> None:
    evaluation = evaluation_of(world({"teams/a.yaml": team(**{name: text})}))
    (wrong,) = evaluation.findings
    assert (wrong.code, wrong.location.line, wrong.location.path) == (
        "annotation-invalid",
        6,
        "teams/a.yaml",
    )
    assert wrong.hint


def test_a_team_that_is_called_like_its_namespace_asks_for_itself() -> None:
    files = world({"tenants/a.yaml": tenant("x", "a", teamRef="{name: a}")}, a={"namespaces": "a"})
    assert "not-yours" not in codes(files)


def test_a_namespace_of_another_team_is_not_named_away() -> None:
    named = {"tenants/a.yaml": tenant("x", "a", teamRef="{name: a}")}
    files = world(named, a={"pools": POOL}, b={"namespaces": "a"})
    line, _ = [it for it in found(files) if "not-yours" in it]
    assert "a/x names team a, but its namespace belongs to team b" in line
