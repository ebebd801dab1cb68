"""Random pull requests: what `check` passes loses, moves, doubles, and stops nothing.

`python -m tests.long.pulls [--pulls 2000] [--seed 1] [--plain]`. Each story is a repository
on which people open, merge, and revert changes in every way that forges know. Prints figures; ends
with 1 after a violation, with the seed that repeats it.
"""

import argparse
import io
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import yaml

from reconciler.addresses import literal_ranges
from reconciler.cli import run
from reconciler.records.parse import parse_record
from tests.families.plain import examples
from tests.long import plain
from tests.long.texts import say
from tests.ownership_of_records.play import edited, override
from tests.world import (
    CLOCK,
    SMALL,
    commit,
    git,
    pool,
    provider,
    repository,
    request,
    tenant,
    write,
)

DAY = 86_400
PULLS = 8
"""Pull requests of one story."""
_SETTINGS = """apiVersion: gitops-ipam.dev/v1alpha1
kind: Settings
metadata: {name: ipam}
spec:
"""
_FILES = {
    **SMALL,
    "pools/edge.yaml": pool("edge", "10.40.0.0/25"),
    "pools/far.yaml": pool("far", "10.50.0.0/26"),
    "providers/default.yaml": provider(pools="[{name: edge}, {name: far}]"),
    **{f"tenants/t{at}.yaml": tenant(f"t{at}") for at in range(5)},
    "tenants/asked.yaml": request("t0", count=4),
}
_FORMER = "gitops-ipam.dev/formerly"


class Violation(Exception):  # noqa: N818 - the goal of the search
    """A promise that did not hold."""


class End(Exception):  # noqa: N818 - no fault
    """The story is over."""


class Held(NamedTuple):
    """A record: its range, whether it is live, and its file."""

    range: Any
    is_live: bool
    path: str


class Story:
    """A bare remote, a checkout, and people."""

    def __init__(self, folder: Path, seed: int, *, is_plain: bool = False) -> None:
        self.lot, self.seed, self.now = Random(seed), seed, CLOCK
        self.is_plain, self.edits = is_plain, PLAIN_EDITS if is_plain else EDITS
        self.folder, self.remote = folder / "work", folder / "remote.git"
        self.rendered = folder / "rendered"
        self.log: list[str] = []
        self.done: Counter[str] = Counter()
        repository(self.folder, plain.FILES if is_plain else _FILES)
        git(folder, "init", "-q", "--bare", "-b", "main", str(self.remote))
        self.git("remote", "add", "origin", str(self.remote))
        self.git("push", "-q", "-u", "origin", "main")
        self.reconcile(0)
        self.branches = 0

    # Actions of people and programs.

    def git(self, *arguments: str) -> str:
        self.now += 10
        return git(self.folder, *arguments, clock=self.now)

    def tries(self, *arguments: str) -> bool:
        """Run a Git command that can fail. Return whether it succeeded."""
        try:
            self.git(*arguments)
        except AssertionError:
            return False
        return True

    def ipam(self, *words: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = run([words[0], "--repo", str(self.folder), *words[1:]])
        self.now += 10
        if code == 70 or "a bug" in err.getvalue() or "Traceback" in err.getvalue():
            raise Violation(f"{' '.join(words)}: {err.getvalue()}")
        return code, out.getvalue(), err.getvalue()

    def reconcile(self, *expected: int) -> int:
        code, out, err = self.ipam("reconcile", "--no-apply")
        self.git("fetch", "-q", "origin")
        if expected and code not in expected:
            raise Violation(f"reconcile ended with {code}\n{out}{err}")
        return code

    def records(self, revision: str = "origin/main") -> dict[str, list[Held]]:
        """Return the records with a range, by claim, from the folder in Settings."""
        found: dict[str, list[Held]] = {}
        for path in self.git("ls-tree", "-r", "--name-only", revision).splitlines():
            folder = path.partition("/")[0]
            if folder not in ("allocations", "state") or not path.endswith(".yaml"):
                continue
            data = self.git("show", f"{revision}:{path}") + "\n"
            record = parse_record(folder, path, data.encode()).allocation
            if record is not None and record.range is not None:
                held = Held(record.range, record.is_live, path)
                found.setdefault(str(record.claim), []).append(held)
        return found

    def live(self, revision: str = "origin/main") -> dict[str, str]:
        found = {}
        for claim, held in self.records(revision).items():
            for item in held:
                if item.is_live:
                    found[claim] = str(item.range)
        return found

    # One pull request.

    def pull(self) -> None:
        self.branches += 1
        name = f"change-{self.branches}"
        start = self.edit(name)
        code, out, err = self.ipam("check", "--base", "origin/main")
        self.log.append(f"  check {code}")
        self.done["green" if code == 0 else "red"] += 1
        if code != 0 and self.lot.random() > 0.25:
            return
        planned: list[dict[str, Any]] = []
        if code == 0:
            _, text, _ = self.ipam("plan", "--base", "origin/main", "-o", "json")
            planned = json.loads(text)["actions"]
        before, tip = self.live(), self.git("rev-parse", "origin/main")
        if not self._merged(name):
            self.done["conflict"] += 1
            return
        self.git("push", "-q", "origin", "HEAD:main")
        self.git("switch", "-q", "-C", "main")
        self.git("fetch", "-q", "origin")
        if self.lot.random() < 0.1:
            self.now += self.lot.choice([3_600, 2 * DAY])
        if code == 0:
            self.reconcile(0)
            self._require(before, planned, f"{name} of {start}\n{out}{err}")
        else:
            self._over_red(before, tip)

    def edit(self, name: str) -> str:
        """Create a branch with one to four edits in one or more commits. Return its start."""
        self.git("fetch", "-q", "origin")
        start = "origin/main"
        if self.lot.random() < 0.25:  # the base moved on since
            older = self.lot.choice(["origin/main~1", "origin/main~2"])
            start = older if self.tries("rev-parse", "--verify", "-q", older) else start
        self.git("switch", "-q", "--discard-changes", "-C", name, start)
        edits = self.lot.sample(sorted(self.edits), self.lot.choice([1, 1, 1, 2, 2, 3, 4]))
        for edit in edits:
            self.edits[edit](self)
            self.done[f"edit {edit}"] += 1
            if self.lot.random() < 0.5:
                self.now += 10
                commit(self.folder, edit, self.now)
        self.now += 10
        commit(self.folder, "the rest", self.now)
        self.log.append(f"{name} of {start}: {', '.join(edits)}")
        return start

    def _merged(self, name: str) -> bool:
        how = self.lot.choice(["merge", "squash", "rebase", "forward", "pull"])
        self.log.append(f"  {how}")
        self.done[f"merged by {how}"] += 1
        if how == "pull":  # `git pull` on the branch, pushed as main
            return self.tries("merge", "-q", "--no-edit", "origin/main") or self._aborted()
        if how == "rebase":
            return self.tries("rebase", "-q", "origin/main") or self._aborted("rebase")
        self.git("switch", "-q", "--discard-changes", "-C", "main", "origin/main")
        if how == "forward" and self.tries("merge", "-q", "--ff-only", name):
            return True
        if how == "squash":
            if not self.tries("merge", "-q", "--squash", name):
                return self._aborted("reset")
            self.now += 10
            commit(self.folder, f"{name} (#1)", self.now)
            return True
        return self.tries("merge", "-q", "--no-ff", "-m", f"Merge {name}", name) or self._aborted()

    def _aborted(self, what: str = "merge") -> bool:
        words = ("reset", "-q", "--hard") if what == "reset" else (what, "--abort")
        self.git(*words)
        return False

    def _over_red(self, before: dict[str, str], tip: str) -> None:
        """After a merge with a failed check, reconcile can stop. Restoring the tree must fix it."""
        merged = self.git("rev-parse", "origin/main")
        code = self.reconcile(0, 1, 3, 6, 64)
        self.done[f"over red: reconcile {code}"] += 1
        self._sound()
        if code == 0:
            return
        is_forged = "Ipam-Plan" in self.git("log", "--format=%B", f"{tip}..{merged}")
        if is_forged or self.git("rev-parse", "origin/main") != merged:
            raise End  # a forged commit counts after its merge, or the rest was allocated
        self.git("rm", "-rqf", "--ignore-unmatch", ".")
        self.git("checkout", "-q", tip, "--", ".")
        self.now += 10
        commit(self.folder, "Back to the last good tree", self.now)
        self.git("push", "-q", "origin", "HEAD:main")
        self.reconcile(0)
        after = self.live()
        lost = {claim for claim, held in before.items() if after.get(claim) != held}
        if lost:
            raise Violation(f"after the cure these are others: {sorted(lost)}")

    # Promises.

    def _require(self, before: dict[str, str], planned: list[dict[str, Any]], said: str) -> None:
        self._sound()
        after = self.live()
        shown: dict[str, list[str]] = {}
        for item in planned:
            ends = f"{item['start']}-{item['end']}" if item["start"] else ""
            shown.setdefault(item["claim"], []).append(ends)
        for claim in before.keys() | after.keys():
            if before.get(claim) == after.get(claim):
                continue
            renamed = claim not in after and before[claim] in (after.get(it) for it in shown)
            name = "/".join(claim.split("/")[2:4])
            is_edit = f"claim-moves: {name} " in said  # an Override permits an edited record
            if claim not in shown and not renamed and not is_edit:
                text = f"{claim}: {before.get(claim)} → {after.get(claim)}, not shown"
                raise Violation(f"{text}\n{said}")
        code, out, err = self.ipam("check", "--rev", "origin/main")
        if code != 0:
            raise Violation(f"the branch is red after a green change: {code}\n{out}{err}\n{said}")

    def _sound(self) -> None:
        live = [
            (item, claim) for claim, held in self.records().items() for item in held if item.is_live
        ]
        live.sort(key=lambda it: it[0].range)
        for (one, first), (two, second) in pairwise(live):
            if one.range.overlaps(two.range):
                raise Violation(f"{first} and {second} both have {one.range}, {two.range}")
        if self.is_plain:
            self._render()

    def _render(self) -> None:
        """No address is in the pools of two clusters, and none that was there goes unconfirmed."""
        code, _, err = self.ipam("render", "--rev", "origin/main", "--out", str(self.rendered))
        if code not in (0, 1, 3):
            raise Violation(f"render ended with {code}: {err}")
        pools = {
            (path.relative_to(self.rendered).parts[0], path.name): yaml.safe_load(path.read_text())
            for kind in ("IPAddressPool", "CiliumLoadBalancerIPPool")
            for path in self.rendered.glob(f"*/{kind}/*.yaml")
        }
        held = [
            (literal_ranges(text)[0], where)
            for where, it in pools.items()
            for text in it["spec"].get("addresses")
            or [f"{block['start']}-{block['stop']}" for block in it["spec"]["blocks"]]
        ]
        held.sort(key=lambda it: it[0])
        for (one, first), (two, second) in pairwise(held):
            if one.overlaps(two):
                raise Violation(f"{first} and {second} both announce {one}, {two}")

    # Moved references, reverts of reconcile commits, proposals.

    def mischief(self) -> None:
        what = self.lot.choice(["delete", "back", "planted", "proposal", "revert", "nothing"])
        self.log.append(f"mischief: {what}")
        self.git("switch", "-q", "--discard-changes", "-C", "main", "origin/main")
        self.done[f"mischief {what}"] += 1
        before = self.live()
        if what == "delete":
            self.tries("push", "-q", "origin", ":refs/ipam/last")
        elif what == "back":
            self.tries("push", "-qf", "origin", "origin/main~1:refs/ipam/last")
        elif what == "planted":
            self.git("switch", "-q", "--discard-changes", "-C", "planted", "origin/main~1")
            self.now += 10
            commit(self.folder, "planted", self.now)
            self.tries("push", "-qf", "origin", "HEAD:refs/ipam/last")
            self.git("switch", "-q", "main")
        elif what == "proposal":
            self._proposal()
            return
        elif what == "revert":
            self._revert()
            return
        code = self.reconcile(0, 6)
        if code == 6:
            self.git("push", "-q", "origin", ":refs/ipam/last")
            self.reconcile(0)
        self._require(before, [], what)

    def _proposal(self) -> None:
        """A change that is merged, and the proposal of reconcile, merged in three ways."""
        self.git("switch", "-q", "--discard-changes", "-C", "main", "origin/main")
        self.branches += 1
        name = f"p{self.branches}"
        folder, text = (
            ("claims", examples.claim(name, count=1))
            if self.is_plain
            else ("tenants", tenant(name))
        )
        write(self.folder, {f"{folder}/{name}.yaml": text})
        self.now += 10
        commit(self.folder, "one more", self.now)
        if self.ipam("check", "--base", "origin/main")[0] != 0:
            return
        self.git("push", "-q", "origin", "HEAD:main")
        self.git("fetch", "-q", "origin")
        before = self.live()
        code, out, err = self.ipam("reconcile", "--no-apply", "--to-branch", "ipam/records")
        if code != 0:
            raise Violation(f"--to-branch ended with {code}\n{out}{err}")
        self.git("fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*")
        if not self.tries("rev-parse", "-q", "--verify", "origin/ipam/records"):
            return  # nothing to propose: the pools are full
        self.git("switch", "-q", "--discard-changes", "-C", "proposal", "origin/ipam/records")
        code, out, err = self.ipam(
            "check", "--base", "origin/main", "--proposed", "origin/ipam/records"
        )
        if code != 0:
            raise Violation(f"a proposal is red: {code}\n{out}{err}")
        self.git("switch", "-q", "--discard-changes", "-C", "main", "origin/main")
        how = self.lot.choice([("--no-ff", "-m", "Merge records"), ("--ff-only",), ("--squash",)])
        self.git("merge", "-q", *how, "proposal")
        if how == ("--squash",):
            message = "Records\n\n" + self.git("log", "--format=* %B", "main..proposal")
            self.now += 10
            commit(self.folder, message, self.now)
        self.log.append(f"  proposal {how[0]}")
        self.git("push", "-q", "origin", "HEAD:main", ":refs/heads/ipam/records")
        self.reconcile(0)
        self._sound()
        after = self.live()
        lost = {claim for claim, held in before.items() if after.get(claim) != held}
        if lost:
            raise Violation(f"the proposal changed {sorted(lost)}")

    def _revert(self) -> None:
        """Reverting the newest reconcile commit fails `check`. After a merge, reconcile stops."""
        found = self.git("log", "-1", "--format=%H", "--grep=^Ipam-Plan", "origin/main")
        self.git("switch", "-q", "--discard-changes", "-C", "undo", "origin/main")
        if not found or not self.tries("revert", "--no-edit", found):
            self.tries("revert", "--abort")
            return
        code, _, _ = self.ipam("check", "--base", "origin/main")
        may = (self.folder / "overrides").exists()  # an Override can permit it
        if code == 0 and not may and self.records("HEAD") != self.records():
            raise Violation("the revert of a reconcile commit is green")


def _file(story: Story, folder: str) -> Path | None:
    found = (story.folder / folder).rglob("*.yaml")
    there = sorted(it for it in found if it.is_file() and not it.is_symlink())
    return story.lot.choice(there) if there else None


def _name(story: Story) -> str:
    return f"n{story.branches}-{story.lot.randint(0, 99)}"


def _override(story: Story, kind: str, scope: str, **more: object) -> dict[str, str]:
    name = f"2026-02-15-{_name(story)}"
    return override(name, kind=kind, scope=scope, **more)


def _replaced(folder: str, pattern: str, new: Callable[[Story], str]) -> Callable[[Story], None]:
    """Edit one file of a folder: the first match of a pattern."""

    def edit(story: Story) -> None:
        if (path := _file(story, folder)) is not None:
            text = path.read_bytes().decode(errors="replace")
            value = new(story)
            path.write_text(re.sub(pattern, lambda found: found.expand(value), text, count=1))

    return edit


def _written(make: Callable[[Story], dict[str, str]]) -> Callable[[Story], None]:
    return lambda story: write(story.folder, make(story))


def _removed(folder: str) -> Callable[[Story], None]:
    def edit(story: Story) -> None:
        if (path := _file(story, folder)) is not None:
            path.unlink()

    return edit


def _new_tenant(story: Story) -> dict[str, str]:
    name = _name(story)
    size = f"{{lbPoolSize: {story.lot.choice([1, 2, 4, 8, 16, 40])}}}"
    spec = {"networking": size} if story.lot.random() < 0.5 else {}
    return {f"tenants/{name}.yaml": tenant(name, story.lot.choice(["team-a", "team-b"]), **spec)}


def _move_file(story: Story) -> None:
    if (path := _file(story, "tenants")) is not None:
        path.rename(path.with_name(f"{_name(story)}.yaml"))


def _rename(story: Story) -> None:
    """Another name, with or without the former one."""
    if (path := _file(story, "tenants")) is None:
        return
    text, new = path.read_bytes().decode(errors="replace"), _name(story)
    note = r", annotations: {gitops-ipam.dev/formerly: \2/\1}" if story.lot.random() < 0.7 else ""
    path.write_text(
        re.sub(
            r"name: ([\w.-]+), namespace: ([\w-]+)\}",
            rf"name: {new}, namespace: \2{note}}}",
            text,
            count=1,
        )
    )


def _move_records(story: Story) -> None:
    """Records in another folder, with the Settings, the files, or both."""
    old, new = (
        ("allocations", "state")
        if (story.folder / "allocations").is_dir()
        else ("state", "allocations")
    )
    if story.lot.random() < 0.7:
        write(story.folder, {"ipam.yaml": f"{_SETTINGS}  records: {new}\n"})
    is_free = (story.folder / old).is_dir() and not (story.folder / new).exists()
    if story.lot.random() < 0.7 and is_free:
        (story.folder / old).rename(story.folder / new)


def _edit_record(story: Story) -> None:
    if (path := _file(story, "allocations")) is not None:
        path.write_text(edited(path.read_text()))


def _forged(story: Story) -> None:
    story.now += 10
    base = story.git("rev-parse", "HEAD")
    plan = "0" * 64
    message = f"ipam: allocate 1\n\nIpam-Plan: sha256:{plan}\nIpam-Base: {base}\n"
    if story.lot.random() < 0.5:
        _edit_record(story)
    commit(story.folder, message, story.now)


def _twice(story: Story) -> None:
    if (path := _file(story, "tenants")) is not None:
        path.with_name(f"{_name(story)}.yaml").write_bytes(path.read_bytes())


def _link(story: Story) -> None:
    if (path := _file(story, story.lot.choice(["tenants", "pools", "allocations"]))) is not None:
        path.unlink()
        path.symlink_to(story.lot.choice(["/etc/passwd", "one.yaml", ".."]))


def _moved_by_override(story: Story) -> dict[str, str]:
    claim = story.lot.choice(
        sorted(story.live()) or ["butler/TenantCluster/team-a/one/loadbalancer"]
    )
    return _override(story, "move", claim)


def _record_override(story: Story) -> dict[str, str]:
    path = _file(story, "allocations")
    scope = path.relative_to(story.folder).as_posix() if path is not None else "allocations"
    return _override(story, "record", scope)


def _settings(story: Story) -> dict[str, str]:
    lines = ["retention: 1h", "retention: 0s", "maxReleasePercent: 5", "poolOverlap: error",
             "limits: {files: 5}", "branch: nosuch", "kinds: [butler/TenantCluster]", "nosuch: 1",
             "addressSpaces: [{name: lab}]", "branch: main"]  # fmt: skip
    return {"ipam.yaml": f"{_SETTINGS}  {story.lot.choice(lines)}\n"}


def _emptied(story: Story) -> None:
    """All tenants but one are removed."""
    for path in sorted((story.folder / "tenants").glob("*.yaml"))[1:]:
        path.unlink()


EDITS: dict[str, Callable[[Story], None]] = {
    "new tenant": _written(_new_tenant),
    "another new tenant": _written(_new_tenant),
    "tenant removed": _removed("tenants"),
    "tenant's file moved": _move_file,
    "tenant renamed": _rename,
    "tenant twice": _twice,
    "most tenants removed": _emptied,
    "size": _replaced("tenants", r"(\n  workers:[^\n]*\n)(  networking: [^\n]*\n)?", lambda it: rf"\1  networking: {{lbPoolSize: {it.lot.choice([0, 1, 2, 4, 8, 12, 16, 64])}}}\n"),
    "another team": _replaced("tenants", r"namespace: [\w-]+", lambda it: f"namespace: {it.lot.choice(['team-a', 'team-b', 'team-c'])}"),
    "tenant's provider": _replaced("tenants", r"\nspec:\n", lambda it: f"\nspec:\n  providerConfigRef: {{name: {it.lot.choice(['default', 'default', 'other', 'nosuch'])}}}\n"),
    "provider": _written(lambda it: {"providers/other.yaml": provider("other", it.lot.choice(["[{name: far}]", "[{name: far}, {name: edge}]", "[{name: nosuch}]"]))}),
    "pools of the provider": _written(lambda it: {"providers/default.yaml": provider(pools=it.lot.choice(["[{name: far}]", "[{name: far}, {name: edge}]", "[{name: edge}, {name: far}]"]))}),
    "provider removed": _removed("providers"),
    "new pool": _written(lambda it: {f"pools/{_name(it)}.yaml": pool(_name(it), f"10.60.{it.lot.randint(0, 9)}.0/{it.lot.choice([24, 26, 29])}")}),
    "pool removed": _removed("pools"),
    "pool's network": _replaced("pools", r"cidr: (10\.\d+\.\d+)\.0/\d+", lambda it: rf"cidr: \1.0/{it.lot.choice([22, 24, 25, 26, 27, 29])}"),
    "pool's range reserved": _replaced("pools", r"(\n  cidr: (10\.\d+\.\d+)[^\n]*\n)", lambda it: rf"\1  reserved: [{{cidr: \2.{it.lot.choice([0, 16, 32, 64])}/{it.lot.choice([28, 29, 32])}}}]\n"),
    "pool renamed": _replaced("pools", r"name: [\w-]+", lambda it: f"name: {_name(it)}"),
    "address asked for": _written(lambda it: {f"tenants/{_name(it)}.yaml": request(f"t{it.lot.randint(0, 4)}", pinnedRange=f"{{startAddress: 10.40.0.{it.lot.randint(0, 120)}, endAddress: 10.40.0.{it.lot.randint(100, 126)}}}")}),
    "request": _written(lambda it: {f"tenants/{_name(it)}.yaml": request(f"t{it.lot.randint(0, 4)}", count=it.lot.choice([1, 3, 16]))}),
    "broken": _replaced(("tenants"), r"spec:", lambda _: "spec: [}"),
    "broken pool": _replaced("pools", r"spec:", lambda _: "spec: {"),
    "settings": _written(_settings),
    "settings removed": lambda it: (it.folder / "ipam.yaml").unlink(missing_ok=True),
    "records moved": _move_records,
    "record edited": _edit_record,
    "record removed": _removed("allocations"),
    "link": _link,
    "forged": _forged,
    "override move": _written(_moved_by_override),
    "override record": _written(_record_override),
    "override brake": _written(lambda it: override(f"2026-02-15-{_name(it)}", kind="brake", releases=4)),
    "override removed": _removed("overrides"),
    "odd name": lambda it: write(it.folder, {it.lot.choice(["tenants/a\nb.yaml", "tenants/x" * 20 + ".yaml", "allocations/README", "allocations/notes.md", "tenants/.gitattributes"]): "x\n"}),
}  # fmt: skip


def _changed(folder: str, change: Callable[[Any, Random], None]) -> Callable[[Story], None]:
    def edit(story: Story) -> None:
        if (path := _file(story, folder)) is not None:
            path.write_text(plain.changed(path.read_text(errors="replace"), change, story.lot))

    return edit


PLAIN_EDITS: dict[str, Callable[[Story], None]] = {
    **{name: _changed(*change) for name, change in plain.CHANGES.items()},
    **{
        name: lambda it, make=make: write(it.folder, make(_name(it), it.lot))  # type: ignore[misc]
        for name, make in plain.WRITTEN.items()
    },
    **{f"{kind} removed": _removed(kind) for kind in ("claims", "clusters", "pools", "teams")},
    "broken claim": _replaced("claims", r"spec:", lambda _: "spec: [}"),
    "broken cluster": _replaced("clusters", r"spec:", lambda _: "spec: [}"),
    "broken pool": _replaced("pools", r"spec:", lambda _: "spec: {"),
    **{name: EDITS[name] for name in ("record edited", "record removed", "override move", "override record", "override brake", "override removed")},
    "another override move": EDITS["override move"],
}  # fmt: skip


def play(seed: int, pulls: int = PULLS, *, is_plain: bool = False) -> Story:
    """Run one history. Raise Violation on a failure."""
    with tempfile.TemporaryDirectory(prefix="pulls-") as folder:
        story = Story(Path(folder), seed, is_plain=is_plain)
        try:
            for _ in range(pulls):
                story.pull()
                if story.lot.random() < 0.3:
                    story.mischief()
        except End:
            story.done["ended early"] += 1
        except (Violation, AssertionError) as found:
            log = "\n".join(story.log)
            raise Violation(f"seed {seed}\n{log}\n{found}") from None
        return story


def main() -> int:
    """Run until all pull requests are done. Return 1 after a violation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pulls", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plain", action="store_true", help="a repository of plain kinds")
    wish = parser.parse_args()
    done: Counter[str] = Counter()
    violations, begun = 0, time.monotonic()
    for seed in range(wish.seed, wish.seed + wish.pulls // PULLS):
        try:
            done += play(seed, is_plain=wish.plain).done
        except Violation as found:
            violations += 1
            say(f"VIOLATION {found}\n")
    for what, count in sorted(done.items()):
        say(f"{count:6} {what}")
    say(f"{violations} violations in {time.monotonic() - begun:.0f} s")
    return 1 if violations else 0


if __name__ == "__main__":
    raise SystemExit(main())
