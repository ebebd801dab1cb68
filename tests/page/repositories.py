"""Repositories whose pages are looked at."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reconciler.cli import run
from reconciler.model.instant import DAY
from tests.families.novaedge import pool as vip_pool
from tests.families.novaedge import vip
from tests.report.hostile import corpus as texts
from tests.world import CLOCK, SMALL, commit, git, pool, provider, repository, tenant, write

_DAY = 86_400


def _reconciled(repo: Path) -> None:
    code = run(["reconcile", "--repo", str(repo), "--allow-release", "99"])
    assert code in (0, 3), code


def _story(repo: Path, steps: list[tuple[int, str, Mapping[str, str | None]]]) -> Path:
    """Changes at days, each reconciled; None removes a file."""
    for day, message, files in steps:
        write(repo, {path: text for path, text in files.items() if text is not None})
        for path, text in files.items():
            if text is None:
                (repo / path).unlink()
        commit(repo, message, CLOCK + day * DAY)
        _reconciled(repo)
    return repo


def lived(folder: Path) -> Path:
    """Tenants of three families that came, grew, moved out, and one that is too much."""
    small = "[{name: small}]"
    files = {
        **SMALL,
        "pools/edge.yaml": pool(reserved="[{cidr: 10.40.0.0/28, description: servers}]"),
        "pools/small.yaml": pool("small", "10.50.0.0/28"),
        "pools/wide.yaml": pool("wide", "10.60.0.0/18"),
        "pools/v6.yaml": vip_pool(name="v6", cidrs="[2001:db8::/64]"),
        "providers/small.yaml": provider("small", small),
    }
    repo = repository(folder, files)
    _reconciled(repo)
    ref = "{name: small}"

    def lb(name: str, team: str, size: int, **spec: object) -> str:
        return tenant(name, team, networking=f"{{lbPoolSize: {size}}}", **spec)

    return _story(
        repo,
        [
            (
                10,
                "Merge pull request #7 from people/two",
                {"tenants/two.yaml": lb("two", "team-b", 8)},
            ),
            (20, "A virtual IP (#8)", {"tenants/v.yaml": vip("front", "v6", addressFamily="ipv6")}),
            (40, "Three (#9)", {"tenants/three.yaml": lb("three", "team-c", 16)}),
            (
                60,
                "Small ones (#10)",
                {"tenants/s.yaml": lb("s1", "team-b", 8, providerConfigRef=ref)},
            ),
            (80, "One goes (#11)", {"tenants/one.yaml": None}),
            (
                81,
                "Too much (#12)",
                {"tenants/t.yaml": lb("s2", "team-c", 8, providerConfigRef=ref)},
            ),
            (
                82,
                "And a third (#13)",
                {"tenants/u.yaml": lb("s3", "team-c", 8, providerConfigRef=ref)},
            ),
        ],
    )


def change(folder: Path) -> Path:
    """The same with a branch that brings a tenant, and takes one."""
    repo = lived(folder)
    git(repo, "switch", "-qc", "change")
    write(repo, {"tenants/new.yaml": tenant("new", "team-d", networking="{lbPoolSize: 4}")})
    (repo / "tenants/two.yaml").unlink()
    commit(repo, "new", CLOCK + 83 * _DAY)
    return repo


def quiet(folder: Path) -> Path:
    """Nothing needs anybody."""
    return _story(
        repository(folder, SMALL),
        [(100, "later", {"pools/more.yaml": pool("more", "10.41.0.0/24")})],
    )


def nothing(folder: Path) -> Path:
    """There is no document at all."""
    return repository(folder, {"README.md": "x\n"})


def hostile(folder: Path) -> Path:
    """Commits and reasons that are written to be acted on."""
    repo = repository(folder, SMALL)
    _reconciled(repo)
    for number, text in enumerate(texts()):
        write(repo, {f"tenants/h{number}.yaml": tenant(f"h{number}")})
        git(repo, "add", ".")
        clock = f"@{CLOCK + (number + 1) * 60} +0000"
        # Git takes no other bytes than those of texts; what is no text never comes so far.
        message = text.replace("\0", "").encode("utf-8", "replace").decode().strip() or "x"
        git(
            repo, "-c", f"user.name={_one_line(message)}", "commit", "-q", "--allow-empty",
            "--cleanup=verbatim", "-F", "-", f"--date={clock}", data=message.encode(),
        )  # fmt: skip
    _reconciled(repo)
    return repo


def _one_line(text: str) -> str:
    return " ".join(text.split())[:60].strip("<>., ;:\"'\\") or "x"


MADE: Mapping[str, tuple[Callable[[Path], Path], tuple[str, ...]]] = {
    "lived": (lived, ()),
    "change": (change, ("--base", "main")),
    "quiet": (quiet, ()),
    "nothing": (nothing, ()),
    "hostile": (hostile, ()),
}


@dataclass
class Pages:
    """Pages by what they are of, made when they are first asked for."""

    folder: Path
    _made: dict[str, Path] = field(default_factory=dict)

    def of(self, name: str) -> Path:
        """The page of a repository."""
        if name not in self._made:
            make, options = MADE[name]
            repo, out = make(self.folder / name), self.folder / f"{name}.html"
            assert run(["report", "--repo", str(repo), "--out", str(out), *options]) in (0, 1)
            self._made[name] = out
        return self._made[name]


def document_of(page: Path) -> dict[str, object]:
    """What a page is made from."""
    text = page.read_text(encoding="utf-8")
    begin = text.index('id="data">') + len('id="data">')
    found: dict[str, object] = json.loads(text[begin : text.index("</script>", begin)])
    return found
