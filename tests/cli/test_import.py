"""`ipam import` on a real repository: output, written files, and refusals."""

import io
import re
import shutil
from pathlib import Path

import pytest

from tests.cli.running import Capture, ipam
from tests.world import git, pool, provider, repository, tenant, write

GOLDEN = Path(__file__).parent / "golden" / "import.txt"
SEVEN = """\
address,cluster,pool,team,description
10.60.1.10,team-a/web,edge,a,ingress
10.60.1.11,team-a/web,edge,a,ingress
10.60.1.20-10.60.1.23,team-a/shop,edge,a,
10.60.1.30,team-b/blog,edge,b,"=cmd|' /C calc'!A0"
10.60.1.300,team-b/blog,edge,b,typo
10.60.1.22,team-b/blog,edge,b,
10.60.1.40/30,team-b/blog,edge,b,\x1b[31mred
"""


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = repository(tmp_path / "repo", {"README.md": "Addresses\n"})
    (tmp_path / "a.csv").write_text(SEVEN)
    monkeypatch.chdir(tmp_path)
    return folder


def files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*.yaml"))
    }


def test_seven_rows_are_a_table_a_worklist_and_files(
    repo: Path, capsys: Capture, pytestconfig: pytest.Config
) -> None:
    said = []
    for more in ((), ("--partial",), ()):
        ran = ipam(capsys, "import", "csv", "a.csv", "--repo", repo, "--out", "new", *more)
        assert (ran.code, ran.err) == (1, "")
        said.append(f"$ ipam import csv a.csv {' '.join(more)}".rstrip() + f"\n{ran.out}")
    said += [f"--- {path}\n{text}" for path, text in files(Path("new")).items()]
    text = "".join(said)
    assert "\x1b" not in text
    if pytestconfig.getoption("--update-golden"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()


def test_a_file_that_is_there_is_never_replaced(repo: Path, capsys: Capture) -> None:
    Path("good.csv").write_text("address,cluster\n10.60.1.10,team-a/web\n")
    write(repo, {"tenants/team-a/web.yaml": "# mine\n"})
    ran = ipam(capsys, "import", "csv", "good.csv", "--repo", repo, "--out", "new")
    assert ran.code == 0
    assert "tenants/team-a/web.2.yaml" in files(Path("new"))
    shutil.rmtree("new")
    write(Path("new"), {"tenants/team-a/web.yaml": "# mine\n"})
    (repo / "tenants/team-a/web.yaml").unlink()
    ran = ipam(capsys, "import", "csv", "good.csv", "--repo", repo, "--out", "new")
    assert ran.code == 64
    assert "tenants/team-a/web.yaml already exists; nothing was written" in ran.err
    assert files(Path("new")) == {"tenants/team-a/web.yaml": "# mine\n"}


def test_an_import_ends_with_the_commands_that_record_it(
    repo: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("good.csv").write_text("address,cluster\n10.60.1.10,team-a/web\n")
    asked = ("import", "csv", "../good.csv")
    ran = ipam(capsys, *asked[:2], "good.csv", "--repo", repo, "--dry-run")
    assert "Next:" not in ran.out
    monkeypatch.chdir(repo)
    ran = ipam(capsys, *asked)
    (added,) = re.findall("git add (.*) && git commit", ran.out.partition("Next:")[2])
    assert "cd " not in ran.out
    for command in (f"add {added}", "commit -qm Import"):
        git(repo, *command.split())
    assert git(repo, "status", "--porcelain") == ""
    assert ipam(capsys, "reconcile").code == 0
    assert "Next:" not in ipam(capsys, *asked).out


def test_a_dry_run_writes_nothing(repo: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "import", "csv", "a.csv", "--repo", repo, "--partial", "--dry-run")
    assert "Nothing was written" in ran.out
    assert files(repo) == {}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["csv", "nowhere.csv"], "nowhere.csv: No such file or directory"),
        (["csv", "a.csv", "--map", "x"], "--map 'x' is not COLUMN=MEANING"),
        (["cluster", "x", "--metallb-pool", "x"], "--metallb-pool 'x' is not CLUSTER=POOL"),
        (["netbox", "a.csv", "--map-type", "x"], "--map-type 'x' is not TEXT=TYPE"),
        (["csv", "a.csv", "--provider", "x"], "--provider needs --tenants"),
        (["manifests", "a.csv", "--metallb-pool", "x=y"], "--metallb-pool: no cluster 'x'"),
        (["csv", "a.csv", "--add-pool", "x=10.0.0.1/24"], "--pool x: '10.0.0.1/24' has host"),
        (["csv", "a.csv", "--default-namespace", "A b"], "'A b' is not a Kubernetes name"),
        (["cluster", "x=nowhere"], "kubeconfig of nowhere: the file nowhere does not exist"),
    ],
)
def test_what_cannot_be_meant_is_told(
    repo: Path, capsys: Capture, arguments: list[str], said: str
) -> None:
    ran = ipam(capsys, "import", *arguments, "--repo", repo)
    assert ran.code in (5, 64)
    assert said in ran.err


OWNERS = (
    "address,name,namespace,type\n10.60.1.10-13,web,team-a,metallb pool\n"
    "10.60.1.20,shop,team-b,node\n10.60.1.30,,,node\n"
)
PROVIDER = provider("edge").replace("name: edge}\n", "name: edge, namespace: butler-system}\n")


def test_each_owner_becomes_a_tenant_of_a_provider(repo: Path, capsys: Capture) -> None:
    files_there = {"providers/edge.yaml": PROVIDER, "pools/edge.yaml": pool("edge", "10.60.1.0/24")}
    write(repo, files_there)
    Path("owners.csv").write_text(OWNERS)
    asked = ("import", "csv", "owners.csv", "--repo", repo, "--tenants", "--provider")
    ran = ipam(capsys, *asked, "edgy")
    assert (ran.code, "did you mean edge?" in ran.out) == (1, True)
    ran = ipam(capsys, *asked, "edge")
    assert ran.code == 0
    written = files(repo)
    tenants = {path: text for path, text in written.items() if "kind: TenantCluster" in text}
    assert list(tenants) == ["tenants/team-a/web.yaml", "tenants/team-b/shop.yaml"]
    assert all("name: edge" in text for text in tenants.values())
    assert "lbPoolSize: 4" in tenants["tenants/team-a/web.yaml"]
    # The plan keeps the addresses of the table, and names a tenant without load balancers.
    assert ipam(capsys, "check", "--worktree", "--repo", repo).code == 0
    assert (
        "TenantCluster team-b/shop has only node addresses (10.60.1.20), so it would get a new load-balancer range of 8 addresses; if its load balancers already have addresses, describe them as type loadbalancer"
        in ran.out
    )
    assert "team-a/web has" not in ran.out
    # The address without an owner belongs to no cluster, and causes no warning.
    external = [path for path, text in written.items() if "holder: external" in text]
    assert external == ["tenants/default/ip-10-60-1-30.yaml"]
    assert "reference-not-found" not in ipam(capsys, "check", "--worktree", "--repo", repo).out


def test_owners_whose_addresses_are_known_get_their_tenants_later(
    repo: Path, capsys: Capture
) -> None:
    Path("one.csv").write_text("ip,cluster\n10.60.1.10-13,team-a/web\n")
    assert ipam(capsys, "import", "csv", "one.csv", "--repo", repo).code == 0
    assert ipam(capsys, "import", "csv", "one.csv", "--repo", repo).code == 0
    assert not any("kind: TenantCluster" in text for text in files(repo).values())
    ran = ipam(capsys, "import", "csv", "one.csv", "--repo", repo, "--tenants")
    assert ran.code == 0
    written = files(repo)
    assert "lbPoolSize: 4" in written["tenants/team-a/web.2.yaml"]
    assert "name: net-10-60-1-0-24" in written["providers/imported.yaml"]
    assert ipam(capsys, "check", "--worktree", "--repo", repo).code == 0


def test_a_tenant_asks_for_the_size_of_its_own_range_and_not_of_another(
    repo: Path, capsys: Capture
) -> None:
    write(repo, {"pools/edge.yaml": pool("edge", "10.60.1.0/24")})
    Path("one.csv").write_text("ip,cluster\n10.60.1.10-13,team-a/web\n")
    assert ipam(capsys, "import", "csv", "one.csv", "--repo", repo).code == 0
    Path("one.csv").write_text("ip,cluster\n10.60.1.2-3,team-a/web\n10.60.1.10-13,team-a/web\n")
    assert ipam(capsys, "import", "csv", "one.csv", "--repo", repo, "--tenants").code == 0
    assert "lbPoolSize: 4" in files(repo)["tenants/team-a/web.2.yaml"]


def test_a_range_in_a_pool_that_the_provider_does_not_serve_is_noted(
    repo: Path, capsys: Capture
) -> None:
    Path("one.csv").write_text("ip,cluster\n10.60.1.10,team-a/web\n10.70.1.20-21,team-a/web\n")
    write(
        repo,
        {f"pools/{it}.yaml": pool(it, f"10.{n}.1.0/24") for it, n in (("edge", 60), ("far", 70))},
    )
    write(repo, {"tenants/mine.yaml": tenant("web", "team-a"), "providers/p.yaml": PROVIDER})
    (note,) = re.findall(
        "note: (.*serve)", ipam(capsys, "import", "csv", "one.csv", "--repo", repo).out
    )
    assert note == (
        "one.csv:3: 10.70.1.20-10.70.1.21 of team-a/web is in far, which ProviderConfig"
        " butler-system/edge does not serve"
    )


def test_an_owner_that_has_its_tenant_keeps_it(repo: Path, capsys: Capture) -> None:
    Path("one.csv").write_text("ip,cluster\n10.60.1.10,team-a/web\n")
    write(repo, {"tenants/mine.yaml": tenant("web", "team-a"), "providers/p.yaml": PROVIDER})
    ran = ipam(capsys, "import", "csv", "one.csv", "--repo", repo, "--tenants")
    assert sum("kind: TenantCluster" in text for text in files(repo).values()) == 1, ran.out


def test_output_of_kubectl_is_read_from_files_and_the_standard_input(
    repo: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = (
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: metallb.io/v1beta1\n"
        "  kind: IPAddressPool\n  metadata: {name: main, namespace: lb}\n"
        "  spec: {addresses: [10.60.1.0/28]}\n"
    )
    for name in ("team-a.web.yaml", "pools.yaml"):
        Path(name).write_text(listed)
    asked = ("--dry-run", "--repo", repo)
    for file, owner in (
        ("team-a.web.yaml", "team-a/web"),
        ("pools.yaml", "default/pools"),
        ("team-b/shop=pools.yaml", "team-b/shop"),
        ("team-b/shop=-", "team-b/shop"),
    ):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(listed.encode())))
        ran = ipam(capsys, "import", "manifests", file, *asked)
        assert (ran.code, ran.out.split()[8]) == (0, owner)
    # In a folder of documents, an error names the command that reads the list.
    write(repo, {"pools/list.yaml": listed})
    ran = ipam(capsys, "check", "--worktree", "--repo", repo)
    assert ran.code == 1
    assert "List is the output of kubectl, not a document" in ran.out
    assert ran.out.count("pools/list.yaml:") == 1
    assert "ipam import manifests FILE" in ran.out
