"""A remote, a checkout, and a person with real Git."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from reconciler.cli import run
from reconciler.records.parse import parse_record
from tests.world import CLOCK, SMALL, commit, git, repository, tenant, write

TENANTS = {f"tenants/t{at}.yaml": tenant(f"t{at}") for at in range(5)}
FOLDER = "allocations/NetworkPool/butler-system.edge/team-a"
RECORD = f"{FOLDER}/one.loadbalancer.yaml"


def override(name: str, **spec: object) -> dict[str, str]:
    """Return an Override file. Fields of its spec are in YAML flow style."""
    lines = "".join(f"  {key}: {value}\n" for key, value in spec.items())
    text = (
        "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Override\n"
        f"metadata: {{name: {name}}}\nspec:\n{lines}"
        '  reason: agreed\n  expires: "2026-03-01T00:00:00Z"\n'
    )
    return {f"overrides/{name}.yaml": text}


class Play:
    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder / "work", capsys
        self.remote = folder / "remote.git"
        self.now = CLOCK
        repository(self.folder, {**SMALL, **TENANTS})
        git(folder, "init", "-q", "--bare", "-b", "main", str(self.remote))
        self.git("remote", "add", "origin", str(self.remote))
        self.git("push", "-q", "-u", "origin", "main")

    def git(self, *arguments: str) -> str:
        self.now += 10
        return git(self.folder, *arguments, clock=self.now)

    def ipam(self, verb: str, *more: str) -> tuple[int, str]:
        """Run a verb: the exit code, and all that it prints."""
        self.capsys.readouterr()
        code = run([verb, "--repo", str(self.folder), *more])
        said = self.capsys.readouterr()
        self.now += 10
        return code, said.out + said.err

    def codes(self, verb: str, *more: str) -> tuple[int, set[str]]:
        """Run a verb: the exit code, and the codes of its errors."""
        code, _ = self.ipam(verb, *more)
        self.capsys.readouterr()
        run([verb, "--repo", str(self.folder), "-o", "json", *more])
        found = json.loads(self.capsys.readouterr().out)
        found = found.get("plan", found)["findings"]
        return code, {it["code"] for it in found if it["severity"] == "error"}

    def reconcile(self, *more: str) -> int:
        """Reconcile without an apply, and update the checkout."""
        return self.ipam("reconcile", "--no-apply", *more)[0]

    def edit(
        self,
        files: Mapping[str, str | bytes] | None = None,
        gone: Iterable[str] = (),
        message: str = "edit",
    ) -> str:
        for path in gone:
            (self.folder / path).unlink()
        write(self.folder, files or {})
        self.now += 10
        return commit(self.folder, message, self.now)

    def add(self, name: str = "late") -> str:
        """Add a tenant, reconcile, and return the head."""
        self.edit({f"tenants/{name}.yaml": tenant(name)})
        self.push()
        assert self.reconcile() == 0
        return self.tip

    def push(self, *more: str) -> None:
        self.git("push", "-q", *more, "origin", "HEAD:main")

    def change(self, name: str = "change") -> None:
        self.git("switch", "-q", "-c", name, "main")

    def merge(self, name: str = "change", *how: str) -> None:
        """Merge a branch into main, as a forge does, and push."""
        self.git("switch", "-q", "main")
        self.git("merge", "-q", *(how or ("--no-ff",)), "-m", f"Merge {name}", name)
        self.push()

    def shown(self, path: str, revision: str = "main") -> str:
        return self.git("show", f"{revision}:{path}") + "\n"

    def held(self, revision: str = "origin/main") -> dict[str, str]:
        """The ranges of live records, by claim."""
        found = {}
        for path in self.git("ls-tree", "-r", "--name-only", revision, "allocations").splitlines():
            record = parse_record(
                "allocations", path, self.shown(path, revision).encode()
            ).allocation
            if record is not None and record.is_live:
                found[str(record.claim)] = str(record.range)
        return found

    @property
    def tip(self) -> str:
        return self.git("rev-parse", "HEAD")


def edited(text: str) -> str:
    """The record with the range one block further."""

    def moved(found: re.Match[str]) -> str:
        return f"10.40.0.{int(found[1]) + 128}"

    return re.sub(r"10\.40\.0\.(\d+)", moved, text)
