"""The examples of `ipam explain CODE`: `python -m tests.bad_input.examples` regenerates them."""

import io
import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from msgspec.structs import replace

import reconciler.report
from reconciler.apply.intake import MIN_DELETIONS, IntakeState, ListedCopy, findings_of, take_in
from reconciler.cli import run
from reconciler.codes import CODES
from reconciler.model.errors import UnreachableError
from reconciler.planning.limits import clock_behind
from reconciler.planning.settings import EarlierOverrides, overrides_of
from reconciler.reconcile.discovery import ObservingRun
from reconciler.records.changes import retained
from reconciler.report.text.table import Painter, findings_text
from tests.apply.test_intake import EVERY, NOW, VIPS, looked, standing
from tests.bad_input.harness import RECORD, Case, cases, settled_with
from tests.cli.running import given_out
from tests.cli.test_takeovers import BESIDE, FOLDERS
from tests.documentation import masked
from tests.families import live, novaedge
from tests.families import test_growth as growth
from tests.families.plain import examples as plain
from tests.families.test_pinned_tenants import request_of_one, with_pin
from tests.hostile.test_announced import extra
from tests.hostile.test_overrides import override
from tests.planning.outcome import without
from tests.planning.test_ownership import VIP
from tests.reconcile.looking.country import ONE, country
from tests.review.test_announcements import DONE, MINE, TO_TWO, as_findings
from tests.world import (
    AHEAD,
    CLOCK,
    SMALL,
    commit,
    evaluation_of,
    git,
    pool,
    provider,
    reconciled,
    repository,
    request,
    settings,
    settings_text,
    tenant,
    write,
)

FILE = Path(reconciler.report.__file__).parent / "examples.json"
GOLDENS = Path("tests/golden")
STORIES = Path("tests/story/golden")
_NO_COLORS = Painter(is_on=False)
_LONGEST = 330
_LONG_LINE = 320
_FINDING = re.compile(r"\S+: (?:error|warning|info|refused) ([a-z-]+): .*")


def _annotated(text: str, annotation: str) -> str:
    return text.replace(
        "metadata: {", f"metadata: {{annotations: {{gitops-ipam.dev/{annotation}}}, "
    )


def _by_hand(name: str, *ends: str) -> str:
    pool_text = "{{loadBalancerPool: {{start: {}, end: {}}}}}".format(*ends) if ends else "{}"
    return tenant(name, networking=pool_text, providerConfigRef="{name: cloud}")


def _override(name: str) -> str:
    spec = "{kind: brake, releases: 1, reason: they move out, expires: '2026-01-02'}"
    return settings(spec).replace("Settings", "Override").replace("name: ipam", f"name: {name}")


_TEAM = (
    "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: Team\nmetadata: {name: web}\n"
    "spec: {displayName: Web}\n"
)
_BEFORE = {
    **SMALL,
    "pools/far.yaml": pool("far", "10.50.0.0/24", reserved="[{cidr: 10.50.0.0/28}]"),
    "pools/lab.yaml": pool("lab", "10.60.0.0/24"),
    "providers/cloud.yaml": provider("cloud").replace("mode: ipam", "mode: cloud"),
    "teams/web.yaml": _TEAM,
    "tenants/two.yaml": _by_hand("two", "10.70.0.1", "10.70.0.4"),
    "tenants/three.yaml": _by_hand("three", "10.70.0.11", "10.70.0.14"),
}
# A change with findings of most codes that need a base.
_AFTER = {
    "overrides/2026-01-01-leave.yaml": _override("2026-01-01-leave"),
    "overrides/leave.yaml": _override("leave"),
    "pools/Edge.yaml": pool("other", "10.90.0.0/24"),
    "pools/again.yaml": _annotated(pool("again", "10.40.0.0/25"), "address-space: lab"),
    "pools/edge.yaml": pool(cidr="10.40.0.0/25"),
    "pools/far.yaml": _annotated(pool("far", "10.50.0.0/24"), "warning: '60'"),
    "pools/lab.yaml": _annotated(pool("lab", "10.60.0.0/24"), "address-space: lab"),
    "pools/old.json": "{}",
    "teams/web.yaml": _TEAM.replace("Web", "The web"),
    "teams/shop.yaml": _TEAM.replace("web", "shop"),
    "tenants/two.yaml": _by_hand("two", "10.70.0.1", "10.70.0.6"),
    "tenants/three.yaml": _by_hand("three"),
    "tenants/four.yaml": _by_hand("four", "10.70.0.21", "10.70.0.24"),
    "tenants/new.yaml": _annotated(
        tenant("new").replace(", namespace: team-a", ""), "formerly: team-a/gone"
    ),
}
_SETTLED = reconciled(SMALL)
_HEIRS = {
    f"tenants/{name}.yaml": _annotated(tenant(name), "formerly: team-a/one")
    for name in ("two", "three")
}
_MIXED = {
    **SMALL,
    "pools/edge.yaml": pool(cidr="10.40.0.0/29"),
    "pools/far.yaml": pool("far", "10.50.0.0/24"),
    "providers/default.yaml": provider(pools="[{name: edge}, {name: far}]"),
}
_OF_NODES = request(
    "team-a-one-nodes", pinnedRange="{startAddress: 10.40.0.9, endAddress: 10.40.0.9}"
)
_BGP = "{type: BGP, bgp: {aggregationLength: 28}}"
_TREES: tuple[Mapping[str, str | bytes], ...] = (
    {**SMALL, "providers/default.yaml": provider("prod"), "providers/other.yaml": provider("dmz")},
    {**with_pin(), **request_of_one("team-a-one-lb", 10, 19)},
    {**_SETTLED, RECORD.replace("one", "other"): _SETTLED[RECORD]},
    {**without(_SETTLED, "tenants/one.yaml"), **_HEIRS},
    {**reconciled(_MIXED), "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 12}")},
    plain.files(claims=plain.claim(ipFamilies="[IPv4, IPv6]", count=1)),
    plain.files(plain.cluster(plain.entry(count=8, advertisement=_BGP))),
    plain.files(plain.cluster(plain.entry(count=8), name="management")),
    plain.files(claims="---\n".join(plain.claim(f"db-{it}", count=0) for it in range(101))),
    {**reconciled(growth.BASE), growth.PLACE: b"# mine\n" + growth.demand((1, 4))},
    {
        **growth.grown((1, 4)),
        "providers/default.yaml": provider(loadBalancer="{allocationMode: static}"),
    },
    {
        **SMALL,
        "tenants/one-nodes.yaml": _OF_NODES.replace(
            "Ref: {name: team-a-one-nodes", "Ref: {name: one"
        ),
    },
    novaedge.tree(novaedge.vip(), pools=novaedge.pool(auto="false", cidrs="[10.200.0.0/24]")),
    novaedge.tree(
        f"{novaedge.vip(address='10.200.0.5')}status: {{allocatedAddress: 10.200.0.1/32}}\n"
    ),
)


# Most repositories use plain kinds, so examples use them if possible.
_REQUESTS: tuple[Mapping[str, object], ...] = (
    {},
    {"size": 8},
    {"count": 0},
    {"count": "'8'"},
    {"count": 300},
    {"count": 1, "poolRefs": "[{name: internel}]"},
    {"addresses": "[10.22.0.256]"},
    {"addresses": "[10.22.0.9-10.22.0.3]"},
    {"addresses": "[10.22.0.9]", "ipFamilies": "[IPv6]"},
    {"addresses": "[10.23.0.9]"},
    {"count": 1, "ipFamilies": "[IPv4, IPv6]"},
)
_POOLS: tuple[Mapping[str, str], ...] = (
    {"addresses": "[10.22.0.1/24]"},
    {"addresses": "[127.0.0.1-127.0.0.9]"},
    {"addresses": "[10.0.0.0-12.0.0.0]"},
    {"reserved": "[{addresses: [10.23.0.1]}]"},
    {"reserved": "[{addresses: [10.22.0.0/24]}]"},
    {"name": "Internal"},
)
_ONE, _OTHER = (plain.claim(name, addresses="[10.22.0.3]") for name in ("db-1", "db-2"))
_SMALL_POOL = plain.pool(addresses="[10.22.0.0/29]")
_LISTED = settings_text("{sources: [pools, clusters, claims], addressSpaces: [lab]}")
_PLAIN = reconciled(
    plain.files(
        plain.cluster(plain.entry(count=8)),
        plain.claim(count=4),
        "---\n".join(
            [
                plain.pool(),
                plain.pool("far", "[10.30.0.0/24]", reserved="[{addresses: [10.30.0.0/28]}]"),
                plain.pool("lab", "[10.40.0.0/24]"),
            ]
        ),
    )
)
(_RECORD,) = (path for path in _PLAIN if "db-1" in path)
_PLAIN_TREES: tuple[Mapping[str, str | bytes], ...] = (
    *(plain.files(claims=plain.claim(**it)) for it in _REQUESTS),  # type: ignore[arg-type]
    *(plain.files(pools=plain.pool(**it)) for it in _POOLS),
    plain.files(claims=f"{_ONE}---\n{_ONE}"),
    plain.files(claims=f"{_ONE}---\n{_OTHER}"),
    plain.files(claims=_ONE, pools=plain.pool(reserved="[{addresses: [10.22.0.3]}]")),
    plain.files(claims=f"{_ONE}---\n{plain.claim('db-2', count=4)}", pools=_SMALL_POOL),
    plain.files(
        claims=f"{plain.claim(count=5)}---\n{plain.claim('db-2', count=2)}", pools=_SMALL_POOL
    ),
    plain.files(
        claims=plain.claim(count=6), pools=_SMALL_POOL.replace("}\n", ", useAllAddresses: true}\n")
    ),
    plain.files(pools=f"{plain.pool()}---\n{plain.pool('dmz', '[10.22.0.100-10.22.0.109]')}"),
    {**plain.files(pools=plain.pool(addressSpace="labs")), "ipam.yaml": _LISTED},
    {**_PLAIN, "pools/pools.yaml": plain.pool(addresses="[10.22.0.128/25]")},
    without(_PLAIN, "pools/pools.yaml"),
    {**_PLAIN, "claims/claims.yaml": plain.claim(poolRefs="[{name: far}]", count=4)},
    {
        **_PLAIN,
        "claims/claims.yaml": f"{plain.claim(count=4)}---\n{plain.claim('db-2', addresses='[10.22.0.9]')}",
    },
    {**_PLAIN, _RECORD: "status: [\n"},
    {**_PLAIN, _RECORD.replace("db-1", "db-9"): _PLAIN[_RECORD]},
    {
        **without(_PLAIN, "claims/claims.yaml"),
        "claims/other.yaml": "spec:\n  poolRefs: [{name: internal}\n",
    },
)
_LABELED = plain.cluster(plain.entry(count=8, labels="{tier: web}"))
_PLAIN_CHANGE = {
    "claims/claims.yaml": plain.claim("db-9", count=4),
    "clusters/prod-1.yaml": plain.cluster(),
    "pools/again.yaml": plain.pool("again", "[10.22.0.0/26]", addressSpace="lab"),
    "pools/pools.yaml": "---\n".join(
        [
            plain.pool(addresses="[10.22.0.0/25]"),
            plain.pool("far", "[10.30.0.0/24]", thresholds="{warning: 60}"),
            plain.pool("lab", "[10.40.0.0/24]", addressSpace="lab"),
        ]
    ),
}


class Story(NamedTuple):
    """A reconciled repository, its later commits with their dates, and options of `check`."""

    files: Mapping[str, str | bytes]
    changes: tuple[tuple[int, Mapping[str, str | None]], ...]
    options: tuple[str, ...] = ("--base", "HEAD~1")


_DAY = 86_400
_BRAKE = "overrides/2026-02-15-leave.yaml"
_TWO = {**SMALL, "tenants/two.yaml": tenant("two")}
_GONE: Mapping[str, str | None] = {"tenants/one.yaml": None, "tenants/two.yaml": None}
_STORIES = (
    Story(_PLAIN, ((CLOCK + 60, _PLAIN_CHANGE),)),
    Story(_PLAIN, ((CLOCK + 60, {"clusters/prod-1.yaml": _LABELED}),)),
    Story({**SMALL, "ipam.yaml": settings()}, ((CLOCK + 60, {"ipam.yaml": None}),)),
    Story(
        {**_TWO, "ipam.yaml": settings()},
        ((CLOCK + 60, {**_GONE, "ipam.yaml": settings("{brakes: {maxReleasePercent: 100}}")}),),
        (),
    ),
    Story(
        SMALL, ((CLOCK + 60, {"pools/edge.yaml": None}), (CLOCK + 60, {"pools": "nothing\n"})), ()
    ),
    Story(SMALL, ((CLOCK + 5 * _DAY, {"README.md": "x"}), (CLOCK, {"tenants/one.yaml": None}))),
    Story(SMALL, ((AHEAD, {"tenants/one.yaml": None}),), ()),
    Story({**_TWO, _BRAKE: override(_BRAKE, kind="brake", releases=1)}, ((CLOCK + 60, _GONE),)),
    Story(
        SMALL,
        (
            (
                CLOCK + 60,
                {**dict.fromkeys(SMALL), **{f"net/{path}": it for path, it in SMALL.items()}},
            ),
        ),
        ("--root", "net"),
    ),
    Story(SMALL, ((CLOCK + 60, {"ipam.yaml": settings("{metallb: {poolName: edge}}")}),)),
    Story(
        {**BESIDE, **FOLDERS, "tenants/a/web.yaml": VIP},
        ((CLOCK + 60, {"tenants/a/web.yaml": None, "tenants/b/web.yaml": VIP}),),
    ),
    Story(
        {**BESIDE, **FOLDERS, "tenants/gone.yaml": VIP},
        ((CLOCK + 60, {"tenants/gone.yaml": None}), (CLOCK + 90, {"tenants/a/taken.yaml": VIP})),
    ),
    Story(
        {**SMALL, "ipam.yaml": settings("{limits: {files: 8}}")},
        ((CLOCK + 60, {f"tenants/{name}.yaml": tenant(name) for name in ("two", "three")}),),
    ),
)


def made() -> dict[str, dict[str, str]]:
    """Return the first suitable finding of each code, as `check` shows it."""
    found: dict[str, dict[str, str]] = {}
    for code, text in [*_of_trees(_PLAIN_TREES), *_of_story(_STORIES[0])]:
        found.setdefault(code, _example(code, text)[1])
    for case in cases():
        wanted = {item.code for item in case.findings} - found.keys()
        for code, text in _shown(case, wanted).items():
            if len(text) <= _LONGEST:
                found |= dict([_example(code, text)])
    found |= dict(_example(code, text) for code, text in _beside_a_base().items())
    late = [it for story in _STORIES[1:] for it in _of_story(story)]
    for code, text in [
        *_of_branches(),
        *_of_goldens(),
        *_of_trees(_TREES),
        *_of_change(),
        *late,
        *_of_commits(),
        *_of_runs(),
    ]:
        found.setdefault(code, _example(code, text)[1])
    return {code: found[code] for code in sorted(found)}


def _of_goldens() -> Iterator[tuple[str, str]]:
    """Yield the findings in goldens, which need a whole repository, in the order of the files."""
    for path in sorted([*GOLDENS.glob("*/expected/check.txt"), *STORIES.rglob("*.txt")]):
        lines = path.read_text(encoding="utf-8").splitlines()
        yield from _findings(lines)


def _of_branches() -> Iterator[tuple[str, str]]:
    """Yield findings about the authors of the records of a branch."""
    with tempfile.TemporaryDirectory() as scratch:
        edited = given_out(Path(scratch) / "edited", {**SMALL, "tenants/two.yaml": tenant("two")})
        next(edited.rglob("two.loadbalancer.yaml")).unlink()
        commit(edited)
        yield from _findings(_checked(edited))
        yield from _findings(_checked(repository(Path(scratch) / "empty", {"README.md": "x"})))
        imported = repository(Path(scratch) / "imported", {"pools/edge.yaml": pool()})
        write(imported, reconciled(SMALL))
        commit(imported)
        yield from _findings(_checked(imported, "--base", "HEAD~1"))


def _of_commits() -> Iterator[tuple[str, str]]:
    """Yield findings about a base with conflicting commits, and about an unusable path."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = repository(Path(scratch) / "repo", SMALL)
        first = git(folder, "rev-parse", "HEAD")
        for branch in ("change", "main"):
            git(folder, "switch", "-q", "-C", branch, first)
            write(folder, {"README.md": branch})
            commit(folder)
        yield from _findings(_checked(folder, "--rev", "change", "--base", "main"))
        pools = git(folder, "ls-tree", "HEAD:pools").replace("edge.yaml", ".git")
        pools = git(folder, "mktree", data=f"{pools}\n".encode())
        kept = [it for it in git(folder, "ls-tree", "HEAD").splitlines() if "\tpools" not in it]
        tree = "\n".join([*kept, f"040000 tree {pools}\tpools", ""])
        tree = git(folder, "mktree", data=tree.encode())
        head = git(folder, "commit-tree", "-p", "HEAD", "-m", "x", tree)
        yield from _findings(_checked(folder, "--rev", head, "--base", "main"))


def _of_runs() -> Iterator[tuple[str, str]]:
    """Yield findings about a shallow clone, a clock, and clusters."""
    added = {_BRAKE: override(_BRAKE, kind="brake", releases=1).encode()}
    here = country()
    here.clusters.faults[ONE] = lambda _verb, _what: UnreachableError("no answer")
    unread = {live.intake("Cluster").resource: ListedCopy(problem="no answer")}
    state = IntakeState({VIPS: NOW - MIN_DELETIONS})
    used = standing(live.pool(), state=state, named="uid-1")
    used = replace(used, copies=replace(used.copies, used=[VIPS]))
    runs = [
        (looked(live.cluster("bad", spec={"paused": "yes"})), standing()),
        (looked(listed=unread), standing(live.cluster())),
        (looked(), used),
    ]
    nothing: Any = None
    run = ObservingRun(nothing, nothing, nothing, nothing, nothing, looked=here.looked())
    found = [
        *overrides_of(added, EarlierOverrides({}, CLOCK, is_cut=True)).findings,
        *clock_behind(CLOCK + 7_200, CLOCK),
        *retained({RECORD: "cannot reach team-a/one: no answer"}),
        *(item for seen, context in runs for item in findings_of(take_in(seen, context), EVERY)),
        *run._findings(evaluation_of(SMALL)),
    ]
    yield from _findings(findings_text(found, _NO_COLORS).splitlines())


def _of_trees(trees: Iterable[Mapping[str, str | bytes]]) -> Iterator[tuple[str, str]]:
    """Yield findings about whole repositories that are not in the bad-input table."""
    for files in trees:
        evaluation = evaluation_of(files)
        found = [*evaluation.findings, *evaluation.gates]
        yield from _findings(findings_text(found, _NO_COLORS).splitlines())


def _of_story(story: Story) -> Iterator[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = given_out(Path(scratch) / "repo", story.files)
        for clock, change in story.changes:
            gone = [path for path, text in change.items() if text is None]
            git(folder, "rm", "-q", "--ignore-unmatch", "--", *gone, "nothing")
            write(folder, {path: text for path, text in change.items() if text is not None})
            commit(folder, clock=clock)
        yield from _findings(_checked(folder, *story.options))


def _of_change() -> Iterator[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as scratch:
        changed = repository(Path(scratch) / "changed", reconciled(_BEFORE))
        write(changed, _AFTER)
        (changed / "pools" / "link.yaml").symlink_to("edge.yaml")
        commit(changed)
        yield from _findings(_checked(changed, "--base", "HEAD~1"))


def _checked(folder: Path, *more: str) -> list[str]:
    with redirect_stdout(io.StringIO()) as out:
        run(["check", "--repo", str(folder), *more])
    return masked(out.getvalue()).splitlines()


def _findings(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Return findings with their hint. Consecutive findings with the same code can share a hint."""
    found, hint, code = list[tuple[str, str]](), "", ""
    for line in reversed(lines):
        told = _FINDING.fullmatch(line)
        if told is None:
            hint, code = line if line.startswith("  hint: ") else "", ""
            continue
        hint, code = hint if code in ("", told[1]) else "", told[1]
        if code in CODES and len(line) <= _LONG_LINE:
            found.append((code, f"{line}\n{hint}"))
    return reversed(found)


def _beside_a_base() -> dict[str, str]:
    """Return findings about ranges that clusters lose, by code. They need a base."""
    changes = [TO_TWO, {**DONE, MINE: extra(kind="nodes", spec="  count: 4\n")}]
    every = [item for head in changes for item in as_findings(head)]
    return {item.code: findings_text([item], _NO_COLORS) for item in every}


def _example(code: str, text: str) -> tuple[str, dict[str, str]]:
    finding, _, hint = text.partition("\n")
    return code, {"finding": finding, "hint": hint.strip().removeprefix("hint: ")}


def _shown(case: Case, wanted: set[str]) -> dict[str, str]:
    if not wanted or any(not isinstance(data, bytes | None) for data in case.files.values()):
        return {}
    evaluation = evaluation_of(dict(settled_with(case)))
    every = [*evaluation.findings, *evaluation.gates]
    first = {item.code: item for item in reversed(every) if item.code in wanted}
    return {code: findings_text([item], _NO_COLORS) for code, item in first.items()}


def text() -> str:
    with patch("reconciler.cli.options.now", None):  # examples do not depend on the day
        return json.dumps(made(), indent=1, ensure_ascii=True) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
