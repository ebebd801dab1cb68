"""A plain repository through the commands, and no word of an API that it does not use."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from reconciler.apply.inventory import NAME
from reconciler.cli import run
from reconciler.kube.clusters import KubeClusters
from reconciler.model.objects import CONFIG_MAP, Ref
from tests.cli.running import Ran, ipam
from tests.documentation import ROOT
from tests.fake_clusters import FakeClusters
from tests.families.plain.examples import BOTH, TWO_REFS, claim, cluster, entry, files, pool
from tests.world import commit, git, repository, write

FOREIGN = re.compile(
    r"butler|novaedge|NetworkPool|TenantCluster|ProviderConfig|ProxyIPPool", re.IGNORECASE
)
CLAIMS = "---\n".join(
    [claim(count=1), claim("net", prefixLength=28), claim("gw", poolRefs=TWO_REFS, count=1)]
)
BALANCED = cluster(
    entry(count=8, services="{default: true}", advertisement="{type: L2}"),
    entry("dmz", poolRefs=TWO_REFS, ipFamilies="[IPv4, IPv6]", count=4),
)
FILES = files(BALANCED, CLAIMS, BOTH)
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = repository(tmp_path / "repo", FILES)
    assert run(["reconcile", "--no-apply", "--repo", str(folder)]) == 0
    git(folder, "reset", "-q", "--hard", "main")
    return folder


COMMANDS = [
    "check", "check -o json", "check -o markdown", "check -o sarif", "plan", "plan --all -o json",
    "get pools", "get pools -o wide", "get pools -o json", "get claims", "get clusters -o yaml",
    "get allocations -o wide", "get allocations -o json", "who 10.22.0.1", "who db-1 -o json",
    "who prod-1", "explain team-db/net", "history", "history -o json", "find --count 4",
    "find --prefix 28 -o json", "forecast", "forecast -o json", "status", "status -o json", "map",
    "map internal", "simulate --tenants 2 --pool internal", "report", "verify", "reconcile --no-apply",
    "move team-db/db-1 --to internal", "move prod-1/internal.ipv4 --to v6", "get pools nothing",
    "who nothing", "explain nothing", "find --count 9999", "simulate --tenants 2",
]  # fmt: skip


def test_no_command_says_a_word_of_other_apis(repo: Path, capsys: Capture) -> None:
    for command in COMMANDS:
        ran = ipam(capsys, *command.split(), "--repo", repo)
        assert ran.code != 70, command
        assert not FOREIGN.search(ran.out + ran.err), command
    for path in repo.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            assert not FOREIGN.search(path.read_text("utf-8")), path


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("claims/a.yaml", claim("a", poolRefs="[{name: other}]", count=1)),
        ("claims/a.yaml", claim("a", count=9_000)),
        ("claims/a.yaml", "kind: AddressClaim\n"),
        ("claims/a.yaml", "apiVersion: other.example/v1\nkind: Any\nmetadata: {name: a}\n"),
        ("claims/a.yaml", claim("a", count=1).replace("AddressClaim", "AdressClaim")),
        ("pools/pools.yaml", ""),
        ("clusters/prod-1.yaml", cluster(entry(count=2))),
        ("ipam.yaml", "spec: {sources: [pools], kinds: {pools: [Any]}}\n"),
    ],
)
def test_no_finding_says_a_word_of_other_apis(
    repo: Path, capsys: Capture, path: str, text: str
) -> None:
    write(repo, {path: text})
    commit(repo)
    for command in ("check", "check --base HEAD~1 -o markdown", "plan"):
        ran = ipam(capsys, *command.split(), "--repo", repo)
        assert not FOREIGN.search(ran.out + ran.err), command


def test_lists_go_by_short_names(repo: Path, capsys: Capture) -> None:
    def listed(what: str) -> list[str]:
        return ipam(capsys, "get", what, "-o", "name", "--repo", repo).out.split()

    assert listed("pools") == [
        "addresspool.gitops-ipam.dev/internal",
        "addresspool.gitops-ipam.dev/v6",
    ]
    assert [it.rpartition("/")[2] for it in listed("claims")] == ["db-1", "gw", "net"]
    assert listed("clusters") == ["clustertarget.gitops-ipam.dev/prod-1"]
    found = json.loads(ipam(capsys, "get", "allocations", "-o", "json", "--repo", repo).out)
    assert found["apiVersion"] == "gitops-ipam.dev/v1alpha1"
    assert len(found["items"]) == 7


@pytest.mark.parametrize(
    "name", ["prod-1/internal.ipv4", "prod-1/internal", "prod-1.internal.ipv4"]
)
def test_a_request_is_named_as_the_plan_shows_it(repo: Path, capsys: Capture, name: str) -> None:
    for command in ("who", "explain", "history"):
        ran = ipam(capsys, command, name, "--repo", repo)
        assert (ran.code, "10.22.0.16-10.22.0.23" in ran.out) == (0, True), command
    others = {"pools/more.yaml": pool("more", "[10.23.0.0/24]")}
    write(repo, others)
    commit(repo)
    ran = ipam(capsys, "move", name, "--to", "more", "--repo", repo)
    assert (ran.code, "10.23.0." in ran.out, "dmz" in ran.out) == (0, True, False), ran.err


def test_a_name_of_several_requests_is_refused_with_names_that_work(
    repo: Path, capsys: Capture
) -> None:
    said = ipam(capsys, "move", "prod-1", "--to", "v6", "--repo", repo).err
    names = said.rpartition(": ")[2].strip().split(", ")
    assert names == ["prod-1/dmz.ipv4", "prod-1/dmz.ipv6", "prod-1/internal.ipv4"]
    for name in names:
        assert ipam(capsys, "explain", name, "--repo", repo).code == 0


def test_lists_and_who_name_the_cluster_only_of_a_cluster(repo: Path, capsys: Capture) -> None:
    rows = ipam(capsys, "get", "allocations", "-o", "wide", "--repo", repo).out.splitlines()
    clusters = {row.split()[0]: row.split()[6] for row in rows[1:]}
    assert (clusters["db-1.ipv4"], clusters["prod-1.dmz.ipv4"]) == ("-", "prod-1")
    assert "  cluster   prod-1" in ipam(capsys, "who", "10.22.0.17", "--repo", repo).out
    assert "tenant" not in ipam(capsys, "who", "db-1", "--repo", repo).out


def test_a_cluster_without_kubeconfig_is_not_enrolled(
    repo: Path, capsys: Capture, tmp_path: Path
) -> None:
    folder = tmp_path / "kubeconfigs"
    folder.mkdir()
    before = (repo / "clusters/prod-1.yaml").read_bytes()
    reach = ("--clusters", folder, "--enroll", "prod-1")
    (folder / "prod_1.kubeconfig").touch()
    ran = ipam(capsys, "apply", "--repo", repo, *reach)
    assert "no kubeconfig yet" in ran.out
    assert "prod_1.kubeconfig" in ran.err
    assert (repo / "clusters/prod-1.yaml").read_bytes() == before


@pytest.mark.parametrize("command", ["apply", "reconcile"])
def test_enroll_writes_the_uid_into_the_checkout(
    repo: Path, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    clusters = FakeClusters()
    clusters.unknown["prod-1"] = set()
    for name in ("named", "connect"):
        monkeypatch.setattr(KubeClusters, name, getattr(clusters, name))
    path = repo / "clusters/prod-1.yaml"
    words = ("--repo", repo, "--clusters", tmp_path, "--enroll", "prod-1")
    assert ipam(capsys, command, *words).code == 0
    uid = clusters.objects["prod-1"][Ref(CONFIG_MAP, "kube-system", NAME)]["data"]["uid"]
    assert f"uid: {uid}" in path.read_text("utf-8")


@pytest.mark.parametrize("words", [("--cluster", "prod1=/none"), ("--enroll", "prod1")])
def test_a_mistyped_name_of_a_cluster_is_noted(
    repo: Path, capsys: Capture, tmp_path: Path, words: tuple[str, ...]
) -> None:
    ran = ipam(capsys, "apply", "--repo", repo, "--clusters", tmp_path, *words)
    assert "No document describes a cluster prod1; did you mean prod-1?" in ran.err


@pytest.mark.parametrize(
    ("path", "old", "new", "code"),
    [
        ("claims/claims.yaml", "name: net,", "name: gw,", "document-duplicate"),
        ("claims/claims.yaml", "count: 1}", "count: 1, ipFamilies: [IPv6]}", "family-without-pool"),
        ("clusters/prod-1.yaml", "name: prod-1}", "name: management}", "name-reserved"),
    ],
)
def test_a_document_with_an_error_releases_nothing(
    path: str, old: str, new: str, code: str, repo: Path, capsys: Capture
) -> None:
    text = (repo / path).read_text("utf-8")
    write(repo, {path: text.replace(old, new, 1)})
    commit(repo)
    records = git(repo, "rev-parse", "main:allocations")
    assert f"error {code}" in ipam(capsys, "check", "--repo", repo).out
    ran = ipam(capsys, "reconcile", "--no-apply", "--repo", repo)
    assert (ran.code, "release 1" in ran.out) == (1, False)
    assert git(repo, "rev-parse", "main:allocations") == records
    git(repo, "reset", "-q", "--hard", "main")
    write(repo, {path: text})
    commit(repo)
    assert "no findings" in ipam(capsys, "check", "--repo", repo).out


def test_an_entry_without_its_former_name_looks_renamed(repo: Path, capsys: Capture) -> None:
    renamed = BALANCED.replace("name: dmz", "name: edge")
    write(repo, {"clusters/prod-1.yaml": renamed})
    commit(repo)
    said = ipam(capsys, "check", "--base", "HEAD~1", "--repo", repo).out
    assert "looks-renamed: entry edge looks like a rename of dmz: 8 addresses change" in said
    assert "add formerly: dmz to entry edge" in said
    kept = renamed.replace("name: edge", "name: edge, formerly: dmz")
    write(repo, {"clusters/prod-1.yaml": kept})
    commit(repo)
    assert "looks-renamed" not in ipam(capsys, "check", "--base", "HEAD~2", "--repo", repo).out
    write(repo, {"clusters/prod-1.yaml": BALANCED, "claims/more.yaml": claim("z", count=1)})
    commit(repo)
    assert "looks-renamed" not in ipam(capsys, "check", "--base", "HEAD~3", "--repo", repo).out


def moved(repo: Path, capsys: Capture, *words: str) -> Ran:
    ran = ipam(capsys, "move", *words, "--repo", repo)
    assert ran.code == 0, ran.err
    return ran


def test_a_claim_moves_and_its_old_range_rests(repo: Path, capsys: Capture) -> None:
    write(
        repo,
        {
            "pools/more.yaml": BOTH.partition("---")[0]
            .replace("internal", "more")
            .replace("22", "23")
        },
    )
    commit(repo)
    said = moved(repo, capsys, "team-db/db-1", "--to", "more").out
    assert "10.22.0.28: reserved until retention ends" in said
    for names in ("overrides", "claims"):
        git(repo, "add", names)
        git(repo, "commit", "-q", "-m", names)
    assert ipam(capsys, "reconcile", "--no-apply", "--repo", repo).code == 0
    git(repo, "reset", "-q", "--hard", "main")
    here = ipam(capsys, "who", "db-1", "--repo", repo).out
    assert "10.23.0.1  allocated" in here
    assert "10.22.0.28  held until" in here


def test_init_writes_plain_kinds_and_butler_by_name(tmp_path: Path, capsys: Capture) -> None:
    plain = tmp_path / "plain"
    assert ipam(capsys, "init", plain, "--yes", "--forge", "github").code == 0
    said = ipam(capsys, "check", "--worktree", "--repo", plain)
    assert (said.code, "2 to allocate" in said.out) == (0, True)
    for path in plain.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            assert not FOREIGN.search(path.read_text("utf-8")), path
    assert "sources: [pools, clusters, claims, teams]" in (plain / "ipam.yaml").read_text("utf-8")
    again = ipam(capsys, "init", plain, "--yes")
    assert "wrote" not in again.out
    butler = tmp_path / "butler"
    assert ipam(capsys, "init", butler, "--yes", "--family", "butler").code == 0
    assert (butler / "providers" / "example.yaml").is_file()
    assert not (butler / ".schemas" / "AddressPool.json").exists()
    assert "wrote" not in ipam(capsys, "init", butler, "--yes").out


@pytest.mark.parametrize(("command", "name"), [("status", "pool-list"), ("forecast", "forecast")])
def test_free_blocks_are_counted_for_pools_with_prefixes(
    repo: Path, capsys: Capture, command: str, name: str
) -> None:
    found = json.loads(ipam(capsys, command, "-o", "json", "--repo", repo).out)
    schema = json.loads((ROOT / f"schemas/output/{name}.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(found)
    blocks = {it["pool"].rpartition("/")[2]: it.get("freeBlocks") for it in found["items"]}
    assert blocks == {"internal": [{"prefixLength": 28, "count": 14}], "v6": None}


def test_edits_of_records_in_a_work_tree_are_errors(repo: Path, capsys: Capture) -> None:
    path = repo / "allocations/AddressPool/internal/team-db/db-1.ipv4.yaml"
    for text in (None, path.read_text("utf-8").replace("10.22.0.28", "10.22.0.99")):
        if text is None:
            shutil.rmtree(repo / "allocations")
        else:
            write(repo, {str(path.relative_to(repo)): text})
        said = ipam(capsys, "check", "--worktree", "--repo", repo)
        assert (said.code, "error records-changed" in said.out) == (1, True), said.out
        plan = ipam(capsys, "plan", "--worktree", "--repo", repo)
        assert (plan.code, "error records-changed" in plan.err) == (1, True)
        undo = said.out.partition("hint: undo: ")[2].partition(";")[0]
        subprocess.run(undo, shell=True, check=True, cwd=repo)
        assert ipam(capsys, "check", "--worktree", "--repo", repo).code == 0


def test_a_work_tree_is_compared_with_head(repo: Path, capsys: Capture) -> None:
    write(repo, {"clusters/prod-1.yaml": BALANCED.replace("name: dmz", "name: edge")})
    said = ipam(capsys, "check", "--worktree", "--repo", repo)
    assert "looks-renamed: entry edge looks like a rename of dmz" in said.out
    write(repo, {"clusters/prod-1.yaml": BALANCED})
    for path in (repo / "pools").iterdir():
        path.write_text(path.read_text("utf-8").replace("10.22.0.0/24", "10.22.0.0/27"), "utf-8")
    said = ipam(capsys, "check", "--worktree", "--repo", repo)
    assert (said.code, "error pool-shrunk" in said.out) == (1, True), said.out
