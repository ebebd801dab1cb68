"""Repositories whose pages are looked at."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reconciler.cli import run
from reconciler.model.instant import DAY
from tests.families.novaedge import pool as vip_pool
from tests.families.novaedge import vip
from tests.report.hostile import corpus as texts
from tests.world import CLOCK, SMALL, commit, git, pool, provider, repository, tenant, write


def _reconciled(repo: Path) -> Path:
    code = run(["reconcile", "--repo", str(repo), "--allow-release", "99"])
    assert code in (0, 3), code
    return repo


def lived(folder: Path) -> Path:
    """Tenants of three families that came, grew, moved out, and one that is too much."""
    files = {
        **SMALL,
        "pools/edge.yaml": pool(reserved="[{cidr: 10.40.0.0/28, description: servers}]"),
        "pools/small.yaml": pool("small", "10.50.0.0/28"),
        "pools/wide.yaml": pool("wide", "10.60.0.0/18"),
        "pools/v6.yaml": vip_pool(name="v6", cidrs="[2001:db8::/64]"),
        "providers/small.yaml": provider("small", "[{name: small}]"),
    }
    repo = _reconciled(repository(folder, files))

    def lb(name: str, team: str, size: int, config: str = "default") -> str:
        spec = {} if config == "default" else {"providerConfigRef": f"{{name: {config}}}"}
        return tenant(name, team, networking=f"{{lbPoolSize: {size}}}", **spec)

    for day, message, name, text in (
        (10, "Merge pull request #7 from people/two", "two", lb("two", "team-b", 8)),
        (20, "A virtual IP (#8)", "v", vip("front", "v6", addressFamily="ipv6")),
        (40, "Three (#9)", "three", lb("three", "team-c", 16)),
        (60, "Small ones (#10)", "s", lb("s1", "team-b", 8, "small")),
        (80, "One goes (#11)", "one", None),
        (81, "Too much (#12)", "t", lb("s2", "team-c", 8, "small")),
        (82, "And a third (#13)", "u", lb("s3", "team-c", 8, "small")),
    ):
        if text is None:
            (repo / f"tenants/{name}.yaml").unlink()
        else:
            write(repo, {f"tenants/{name}.yaml": text})
        commit(repo, message, CLOCK + day * DAY)
        _reconciled(repo)
    return repo


def change(folder: Path) -> Path:
    """The same with a branch that brings a tenant, and takes one."""
    repo = lived(folder)
    git(repo, "switch", "-qc", "change")
    write(repo, {"tenants/new.yaml": tenant("new", "team-d", networking="{lbPoolSize: 4}")})
    (repo / "tenants/two.yaml").unlink()
    commit(repo, "new", CLOCK + 83 * DAY)
    return repo


def quiet(folder: Path) -> Path:
    repo = repository(folder, SMALL)
    write(repo, {"pools/more.yaml": pool("more", "10.41.0.0/24")})
    commit(repo, "later", CLOCK + 100 * DAY)
    return _reconciled(repo)


def nothing(folder: Path) -> Path:
    return repository(folder, {"README.md": "x\n"})


def hostile(folder: Path) -> Path:
    """Commits and reasons that are written to be acted on."""
    repo = _reconciled(repository(folder, SMALL))
    for number, text in enumerate(texts()):
        write(repo, {f"tenants/h{number}.yaml": tenant(f"h{number}")})
        git(repo, "add", ".")
        clock = f"@{CLOCK + (number + 1) * 60} +0000"
        # Only valid text: other bytes are refused earlier.
        message = text.replace("\0", "").encode("utf-8", "replace").decode().strip() or "x"
        git(
            repo, "-c", f"user.name={_one_line(message)}", "commit", "-q", "--allow-empty",
            "--cleanup=verbatim", "-F", "-", f"--date={clock}", data=message.encode(),
        )  # fmt: skip
    return _reconciled(repo)


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
    folder: Path
    _made: dict[str, Path] = field(default_factory=dict)

    def of(self, name: str) -> Path:
        if name not in self._made:
            make, options = MADE[name]
            repo, out = make(self.folder / name), self.folder / f"{name}.html"
            assert run(["report", "--repo", str(repo), "--out", str(out), *options]) in (0, 1)
            self._made[name] = out
        return self._made[name]


def document_of(page: Path) -> dict[str, Any]:
    """The data in a page."""
    _, _, text = page.read_text(encoding="utf-8").partition('id="data">')
    found: dict[str, Any] = json.loads(text.partition("</script>")[0])
    return found
