"""`ipam import` on a real repository: what it prints, what it writes, and what it never does."""

from pathlib import Path

import pytest

from tests.cli.running import ipam
from tests.world import repository, write

Capture = pytest.CaptureFixture[str]
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
    assert ran.code == 1  # the work tree has a file that holds nothing
    write(Path("new"), {"tenants/team-a/web.yaml": "# mine\n"})
    (repo / "tenants/team-a/web.yaml").unlink()
    ran = ipam(capsys, "import", "csv", "good.csv", "--repo", repo, "--out", "new")
    assert ran.code == 64
    assert "tenants/team-a/web.yaml is there already; nothing was written" in ran.err
    assert files(Path("new")) == {"tenants/team-a/web.yaml": "# mine\n"}


def test_a_dry_run_writes_nothing(repo: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "import", "csv", "a.csv", "--repo", repo, "--partial", "--dry-run")
    assert "Nothing was written" in ran.out
    assert files(repo) == {}


def test_netbox_is_read_from_several_files(repo: Path, capsys: Capture) -> None:
    Path("p.json").write_text('[{"prefix": "10.0.1.0/24", "description": "Edge"}]')
    Path("a.json").write_text('[{"address": "10.0.1.70/24", "dns_name": "web"}]')
    ran = ipam(capsys, "import", "netbox", "p.json", "a.json", "--repo", repo)
    assert ran.code == 0
    assert set(files(repo)) == {"pools/edge.yaml", "tenants/default/web.yaml"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["csv", "nowhere.csv"], "nowhere.csv: No such file or directory"),
        (["csv", "a.csv", "--map", "x"], "--map 'x' is not COLUMN=MEANING"),
        (["cluster", "x", "--metallb-pool", "x"], "--metallb-pool 'x' is not CLUSTER=POOL"),
        (["csv", "a.csv", "--add-pool", "x"], "--add-pool 'x' is not NAME=CIDR"),
        (
            ["csv", "a.csv", "--add-pool", "x=10.0.0.1/24"],
            "--add-pool x: '10.0.0.1/24' has host bits set",
        ),
        (["csv", "a.csv", "--default-namespace", "A b"], "'A b' is no name of Kubernetes"),
        (["cluster", "x=nowhere"], "kubeconfig of nowhere: the file nowhere is not there"),
    ],
)
def test_what_cannot_be_meant_is_told(
    repo: Path, capsys: Capture, arguments: list[str], said: str
) -> None:
    ran = ipam(capsys, "import", *arguments, "--repo", repo)
    assert ran.code in (5, 64)
    assert said in ran.err
