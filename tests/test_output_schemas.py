"""JSON output of commands matches schemas/output/ exactly, for all types of trees."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from reconciler.cli import run
from reconciler.codes import CODES
from reconciler.planning.digest import digest
from tests.families.novaedge import pool as nova_pool
from tests.families.novaedge import vip as nova_vip
from tests.world import CLOCK, SMALL, commit, git, pool, repository, request, tenant, write

FOLDER = Path(__file__).resolve().parent.parent / "schemas" / "output"
SCHEMAS = sorted(path.name for path in FOLDER.glob("*.json"))
DAY = 86_400

TREES: Mapping[str, Mapping[str, str]] = {
    "empty": {"README.md": "nothing yet"},
    "small": SMALL,
    "refused": {
        **SMALL,
        "pools/edge.yaml": pool(cidr="10.40.0.0/29"),
        "tenants/two.yaml": tenant("two", networking="{lbPoolSize: 3}"),
    },
    "pinned": {
        **SMALL,
        "pools/nodes.yaml": pool("nodes", "10.50.0.0/24"),
        "tenants/pin.yaml": request(
            "pin", "nodes", pinnedRange="{startAddress: 10.50.0.3, endAddress: 10.50.0.7}"
        ),
    },
    "warned": {**SMALL, "pools/more.yaml": pool("more", "10.40.0.0/25")},
    "wrong": {**SMALL, "tenants/bad.yaml": "kind: [", "tenants/odd.yaml": tenant("x", spek="1")},
    "vips": {
        "pools/vips.yaml": nova_pool(cidrs="[10.200.0.0/30, 2001:db8::/64]"),
        "tenants/vips.yaml": "---\n".join(
            [nova_vip("a", addressFamily="dual"), nova_vip("b"), nova_vip("c")]
        ),
    },
    "reserved whole": {**SMALL, "pools/full.yaml": pool("full", reserved="[{cidr: 10.40.0.0/24}]")},
}


def validated(name: str, text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    schema = json.loads((FOLDER / name).read_text())
    found = [
        f"{error.json_path}: {error.message}"
        for error in Draft202012Validator(schema).iter_errors(document)
    ]
    assert found == []
    return document


Said = Callable[..., dict[str, Any]]


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """Run a verb with -o json; its document, checked against a schema."""

    def run_and_check(name: str, *arguments: str, code: int | None = None) -> dict[str, Any]:
        capsys.readouterr()
        ended = run([*arguments, "-o", "json"])
        assert code is None or ended == code
        return validated(name, capsys.readouterr().out)

    return run_and_check


@pytest.fixture(params=sorted(TREES))
def checkout(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return repository(tmp_path / "repo", TREES[request.param])


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo", SMALL)


@pytest.fixture
def life(tmp_path: Path) -> Path:
    """A repository with a kept, a released and an expired record, and a tenant that waits."""
    files = {**SMALL, "tenants/two.yaml": tenant("two"), "tenants/three.yaml": tenant("three")}
    checkout = repository(tmp_path / "repo", files)
    for name, clock in (("two", CLOCK + 60), ("three", CLOCK + 3 * DAY)):
        assert run(["reconcile", "--repo", str(checkout)]) == 0
        (checkout / f"tenants/{name}.yaml").unlink()
        commit(checkout, f"remove {name}", clock)
    assert run(["reconcile", "--repo", str(checkout), "--allow-release", "9"]) == 0
    return checkout


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_is_one_and_leaves_no_field_to_chance(name: str) -> None:
    schema = json.loads((FOLDER / name).read_text())
    Draft202012Validator.check_schema(schema)
    assert schema["$id"].endswith(f"/output/{name}")
    assert {"$schema", "title", "description"} <= schema.keys()
    assert schema["required"][:2] == ["apiVersion", "kind"]
    for part in objects(schema):
        assert "additionalProperties" in part or "properties" not in part
        assert part.get("description"), "each object needs a description"
        for field in part.get("properties", {}).values():
            assert "$ref" in field or field.get("description"), field


def objects(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        if part.get("type") == "object" or part.get("type") == ["object", "null"]:
            yield part
        for below in part.values():
            yield from objects(below)
    elif isinstance(part, list):
        for below in part:
            yield from objects(below)


def test_a_part_that_stands_in_several_schemas_is_the_same_in_each() -> None:
    seen: dict[str, Any] = {}
    for name in SCHEMAS:
        schema = json.loads((FOLDER / name).read_text())
        for part, definition in schema.get("$defs", {}).items():
            assert seen.setdefault(part, definition) == definition, f"{part} in {name}"
    assert seen["plan"] == json.loads((FOLDER / "plan.json").read_text())


LOOKS = (
    *(("plan.json", f"plan {it}") for it in ("", "--all", "--worktree", "--base HEAD")),
    *(("check.json", f"check {it}") for it in ("", "--worktree", "--base HEAD")),
    *(("pool-list.json", "status"), ("pool-list.json", "status --worktree")),
    ("allocation-list.json", "get allocations"),
    *(("document-list.json", f"get {it}") for it in ("pools", "tenants", "ippools", "vips")),
    *(("standing.json", f"explain {it}") for it in ("0.0.0.0/0", "::/0", "192.0.2.1")),
    *(("free-runs.json", f"find {it}") for it in ("--count 3", "--prefix 29", "--count 300")),
    *(("holders.json", f"who {it} --history") for it in ("0.0.0.0/0", "::/0", "one")),
    *(("forecast.json", "forecast"), ("pool-map.json", "map"), ("history.json", "history")),
)


def test_what_looks_fits_its_schema_before_and_after_a_reconcile(
    checkout: Path, said: Said, tmp_path: Path
) -> None:
    repo = ("--repo", str(checkout))
    for _ in range(2):
        for schema, words in LOOKS:
            found = said(schema, *words.split(), *repo)
            if schema == "plan.json":
                assert (found["revision"] is None) == ("--worktree" in words)
                assert found["digest"] == digest(found["actions"])
            elif schema == "check.json":
                assert found["ok"] == (found["exitCode"] == 0)
        done = said("reconcile-result.json", "reconcile", *repo)
        assert done["pushed"] == (done["commit"] is not None)
    assert done["commit"] is None
    said("render-result.json", "render", *repo, "--out", str(tmp_path / "out"))


def test_every_claim_can_be_explained(checkout: Path, said: Said) -> None:
    for action in said("plan.json", "plan", "--repo", str(checkout), "--all")["actions"]:
        said("explanation-list.json", "explain", action["claim"], "--repo", str(checkout))


def test_what_is_idle_has_a_schema(checkout: Path, tmp_path: Path, said: Said) -> None:
    file = tmp_path / "applied.json"
    cluster = {"cluster": "team-a/one", "state": "waiting", "uses": None}
    result = {"apiVersion": "gitops-ipam.dev/v1alpha1", "kind": "ApplyResult"}
    told = {**result, "revision": "a" * 40, "clusters": [cluster]}
    file.write_text(json.dumps(told), encoding="utf-8")
    run(["reconcile", "--repo", str(checkout)])
    asked = ("forecast", "--apply-result", str(file), "--repo", str(checkout))
    idle = said("forecast.json", *asked)["idle"]
    assert idle["isOtherRevision"]
    assert [it["idle"] for it in idle["tenants"]] == [None for _ in idle["tenants"]]


def test_the_life_of_records(life: Path, said: Said) -> None:
    plan = said("plan.json", "plan", "--repo", str(life), "--all")
    assert {action["action"] for action in plan["actions"]} == {"keep"}
    listed = said("allocation-list.json", "get", "allocations", "--repo", str(life))
    phases = sorted(item["status"]["phase"] for item in listed["items"])
    assert phases == ["Allocated", "Released"]
    told = said("history.json", "history", "--repo", str(life))["items"]
    assert {item["what"] for item in told} == {"allocated", "released", "expired"}
    assert said("pool-list.json", "status", "--repo", str(life))["items"][0]["held"] == 8
    for item in listed["items"]:
        claim = item["metadata"]["annotations"]["gitops-ipam.dev/claim"]
        said("explanation-list.json", "explain", claim, "--repo", str(life))


def test_a_plan_that_releases_and_one_that_expires(life: Path, said: Said) -> None:
    (life / "tenants/one.yaml").unlink()
    commit(life, "remove one", CLOCK + 9 * DAY)
    plan = said("plan.json", "plan", "--repo", str(life))
    assert {action["action"] for action in plan["actions"]} == {"release", "expire"}
    check = said("check.json", "check", "--repo", str(life), code=3)
    assert [gate["code"] for gate in check["gates"]] == ["brake"]
    stopped = said("reconcile-result.json", "reconcile", "--repo", str(life), code=3)
    assert stopped["commit"] is not None  # what expires goes, what would be released stays
    plan = said("plan.json", "plan", "--repo", str(life))
    assert {action["action"] for action in plan["actions"]} == {"release"}


def test_simulate(small: Path, said: Said) -> None:
    fits = said("simulation.json", "simulate", "--tenants", "3", "--repo", str(small), code=0)
    assert (fits["fit"], fits["refused"]) == (3, None)
    full = said("simulation.json", "simulate", "--tenants", "40", "--repo", str(small), code=3)
    assert full["refused"]["reason"] == "pool-exhausted"


def test_verify(life: Path, said: Said) -> None:
    found = said("verification.json", "verify", "--repo", str(life), code=0)
    assert (found["summary"]["same"], len(found["commits"])) == (3, 3)
    write(life, {"allocations/x.yaml": "x: 1\n"})
    commit(life, git(life, "show", "-s", "--format=%B"), CLOCK + 9 * DAY)
    wrong = said("verification.json", "verify", "--repo", str(life), "HEAD~1..", code=1)
    assert wrong["commits"][0]["files"] == ["allocations/x.yaml"]


def test_codes_and_version(said: Said) -> None:
    codes = said("code-list.json", "explain", "--codes")
    assert [item["code"] for item in codes["items"]] == sorted(CODES)
    for code in ("pool-overlap", "brake-held"):
        assert said("code.json", "explain", code)["code"] == code
    said("version.json", "version")


def test_import(small: Path, said: Said, tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("ip,name\n10.40.0.77,old\n10.9.9.9,odd\n")
    schema = "import-result.json"
    found = said(schema, "import", "csv", str(table), "--repo", str(small), code=1)
    assert [item["code"] for item in found["conflicts"]] == ["import-conflict"]
    assert (found["moved"], found["written"]) == (0, [])
    partly = said(schema, "import", "csv", str(table), "--partial", "--repo", str(small), code=1)
    assert partly["written"] == ["tenants/default/old.yaml"]
    validated("plan.json", json.dumps(partly["plan"]))
