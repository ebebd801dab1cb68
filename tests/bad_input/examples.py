"""The examples of `ipam explain CODE`: `python -m tests.bad_input.examples` writes them anew."""

import io
import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from itertools import pairwise
from pathlib import Path

import reconciler.report
from reconciler.cli import run
from reconciler.codes import CODES
from reconciler.report.text.table import Painter, findings_text
from tests.bad_input.harness import RECORD, Case, cases, settled_with
from tests.cli.running import given_out
from tests.documentation import masked
from tests.families import novaedge
from tests.families.plain import examples as plain
from tests.families.test_pinned_tenants import request_of_one, with_pin
from tests.hostile.test_announced import extra
from tests.planning.outcome import without
from tests.review.test_announcements import DONE, MINE, TO_TWO, as_findings
from tests.world import (
    SMALL,
    commit,
    evaluation_of,
    pool,
    provider,
    reconciled,
    repository,
    settings,
    tenant,
    write,
)

FILE = Path(reconciler.report.__file__).parent / "examples.json"
GOLDENS = Path("tests/golden")
STORIES = Path("tests/story/golden")
_PLAIN = Painter(is_on=False)
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
# A change with a finding of most codes that need a base.
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
    novaedge.tree(novaedge.vip(), pools=novaedge.pool(auto="false", cidrs="[10.200.0.0/24]")),
)


def made() -> dict[str, dict[str, str]]:
    """The first fitting finding of each code, as `check` shows it."""
    found: dict[str, dict[str, str]] = {}
    for case in cases():
        wanted = {item.code for item in case.findings} - found.keys()
        for code, text in _shown(case, wanted).items():
            if len(text) <= _LONGEST:
                found |= dict([_example(code, text)])
    found |= dict(_example(code, text) for code, text in _beside_a_base().items())
    for code, text in [*_of_branches(), *_of_goldens(), *_of_trees()]:
        found.setdefault(code, _example(code, text)[1])
    return {code: found[code] for code in sorted(found)}


def _of_goldens() -> Iterator[tuple[str, str]]:
    """What verbs say of whole repositories, which no bad file tells by itself; by file."""
    for path in sorted([*GOLDENS.glob("*/expected/check.txt"), *STORIES.rglob("*.txt")]):
        lines = path.read_text(encoding="utf-8").splitlines()
        yield from _findings(lines)


def _of_branches() -> Iterator[tuple[str, str]]:
    """Findings about who wrote the records of a branch."""
    with tempfile.TemporaryDirectory() as scratch:
        edited = given_out(Path(scratch) / "edited", {**SMALL, "tenants/two.yaml": tenant("two")})
        next(edited.rglob("two.loadbalancer.yaml")).unlink()
        commit(edited)
        yield from _findings(_checked(edited))
        imported = repository(Path(scratch) / "imported", {"pools/edge.yaml": pool()})
        write(imported, reconciled(SMALL))
        commit(imported)
        yield from _findings(_checked(imported, "--base", "HEAD~1"))


def _of_trees() -> Iterator[tuple[str, str]]:
    """Findings about whole repositories that no case of the table has."""
    for files in _TREES:
        evaluation = evaluation_of(files)
        found = [*evaluation.findings, *evaluation.gates]
        yield from _findings(findings_text(found, _PLAIN).splitlines())
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


def _findings(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line, below in pairwise([*lines, ""]):
        told = _FINDING.fullmatch(line)
        if told is not None and told[1] in CODES and len(line) <= _LONG_LINE:
            yield told[1], f"{line}\n{below if below.startswith('  hint: ') else ''}"


def _beside_a_base() -> dict[str, str]:
    """Of what clusters lose, which no tree tells by itself."""
    changes = [TO_TWO, {**DONE, MINE: extra(kind="nodes", spec="  count: 4\n")}]
    every = [item for head in changes for item in as_findings(head)]
    return {item.code: findings_text([item], _PLAIN) for item in every}


def _example(code: str, text: str) -> tuple[str, dict[str, str]]:
    finding, _, hint = text.partition("\n")
    return code, {"finding": finding, "hint": hint.strip().removeprefix("hint: ")}


def _shown(case: Case, wanted: set[str]) -> dict[str, str]:
    if not wanted or any(not isinstance(data, bytes | None) for data in case.files.values()):
        return {}
    evaluation = evaluation_of(dict(settled_with(case)))
    every = [*evaluation.findings, *evaluation.gates]
    first = {item.code: item for item in reversed(every) if item.code in wanted}
    return {code: findings_text([item], _PLAIN) for code, item in first.items()}


def text() -> str:
    return json.dumps(made(), indent=1, ensure_ascii=True) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
