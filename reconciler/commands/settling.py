"""Settled components and links as texts for the cache, and what of an evaluation is settled."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from reconciler.addresses import IPRange
from reconciler.evaluate import Evaluation, Settled
from reconciler.families._family import Links
from reconciler.findings import Finding, Location, Severity
from reconciler.model.key import Key
from reconciler.model.plan import Keep, Usage
from reconciler.model.pool import Tier
from reconciler.partition import Part


def pool_folder(path: str) -> str:
    """`allocations/NetworkPool/butler-system.edge` of the path of a record."""
    return path.rsplit("/", 2)[0]


def shares(
    evaluation: Evaluation, groups: Mapping[str, Sequence[Part]]
) -> dict[str, Settled | None]:
    """What each component adds to the evaluation; None for one that has something to do."""
    mark_of = {part.path: mark for mark, group in groups.items() for part in group}
    restless = {mark_of[path] for path in _restless(evaluation) if path in mark_of}
    kept = dict.fromkeys(groups, 0)
    live = dict.fromkeys(groups, 0)
    usage: dict[str, dict[Key, Usage]] = {mark: {} for mark in groups}
    findings: dict[str, list[Finding]] = {mark: [] for mark in groups}
    for decision in evaluation.plan.decisions:
        if isinstance(decision, Keep):
            mark = mark_of[pool_folder(decision.allocation.path)]
            kept[mark] += 1
    for record in evaluation.state.records:
        live[mark_of[pool_folder(record.path)]] += record.is_live
    for key, pool in evaluation.state.pools.items():
        usage[mark_of[pool.source.path]][key] = evaluation.plan.before[key]
    for found in evaluation.findings:
        path = found.location.path
        owner = mark_of.get(path) or mark_of.get(pool_folder(path))
        if owner is not None:
            findings[owner].append(found)
    return {
        mark: None
        if mark in restless
        else Settled(kept[mark], live[mark], usage[mark], tuple(findings[mark]))
        for mark in groups
    }


def _restless(evaluation: Evaluation) -> Iterable[str]:
    """Paths of the parts that have something to do, now or when the clock moves on."""
    state = evaluation.state
    files = [change.path for change in evaluation.changes]
    files += [record.path for record in state.records if not record.is_live]
    for decision in evaluation.plan.decisions:
        if not isinstance(decision, Keep) and decision.claim in state.claims:
            yield state.claims[decision.claim].source.path
    for found in evaluation.findings:
        if found.severity is Severity.ERROR:
            yield found.location.path
            files.append(found.location.path)
    yield from map(pool_folder, files)


def sum_of(settled: Iterable[Settled]) -> Settled:
    """All components together."""
    parts = list(settled)
    return Settled(
        kept=sum(part.kept for part in parts),
        live=sum(part.live for part in parts),
        usage={key: usage for part in parts for key, usage in part.usage.items()},
        findings=tuple(found for part in parts for found in part.findings),
    )


def write_settled(share: Settled) -> str:
    """A settled component as text."""
    usage = [[key, asdict(item)] for key, item in share.usage.items()]
    findings = [
        [item.code, item.severity, item.message, item.location, item.hint]
        for item in share.findings
    ]
    value = {"kept": share.kept, "live": share.live, "usage": usage, "findings": findings}
    return json.dumps(value, separators=(",", ":"))


def read_settled(text: str) -> Settled:
    """What `write_settled` wrote."""
    share = json.loads(text)
    return Settled(
        kept=share["kept"],
        live=share["live"],
        usage={
            Key(*key): Usage(**{**values, "tier": Tier(values["tier"])})
            for key, values in share["usage"]
        },
        findings=tuple(
            Finding(code, Severity(severity), message, Location(*location), hint)
            for code, severity, message, location, hint in share["findings"]
        ),
    )


def write_links(links: Links) -> str:
    """Lines: a node; after one tab a range, after two a default, after three the shared mark."""
    lines = list(links.nodes)
    lines += [
        # A space is any text; as JSON it holds no tab and no end of line.
        f"\t{json.dumps(space)}\t{item.version}\t{item.first}\t{item.last}"
        for space, item in links.ranges
    ]
    if links.default is not None:
        lines.append(f"\t\t{links.default[0]}\t{links.default[1]}")
    if links.is_shared:
        lines.append("\t\t\t")
    return "\n".join(lines)


def read_links(text: str) -> Links:
    """What `write_links` wrote."""
    if "\t" not in text:
        return Links(tuple(text.split("\n")))
    nodes: list[str] = []
    ranges: list[tuple[str, IPRange]] = []
    default: tuple[str, str] | None = None
    for line in text.split("\n"):
        match line.split("\t"):
            case ["", "", preferred, beginning] if preferred:
                default = (preferred, beginning)
            case ["", space, version, first, last]:
                item = IPRange(int(version), int(first), int(last))
                ranges.append((json.loads(space), item))
            case [node] if node:
                nodes.append(node)
    return Links(tuple(nodes), tuple(ranges), default, text.endswith("\t\t\t"))
