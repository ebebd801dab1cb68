"""`ipam get`: pools, allocations and tenants in the columns of `kubectl get` (Butler's CRDs)."""

from collections.abc import Iterable

from reconciler.addresses.notation import format_address, format_short
from reconciler.documents.document import GroupKind
from reconciler.evaluate import Evaluation
from reconciler.model.allocation import Allocation
from reconciler.model.instant import DAY, parse_instant
from reconciler.model.record_kind import GROUP
from reconciler.report.table import Cell, Painter, table


def pools_text(
    evaluation: Evaluation, names: frozenset[str], painter: Painter, *, wide: bool
) -> str:
    """NetworkPools: CIDR, AVAILABLE, ALLOCATED, TOTAL."""
    rows: list[list[Cell]] = []
    for document in evaluation.documents.of(GroupKind(GROUP, "NetworkPool")):
        usage = next(
            (
                evaluation.plan.before[key]
                for key in evaluation.state.pools
                if (key.namespace, key.name) == (document.namespace, document.name)
            ),
            None,
        )
        if usage is None or (names and document.name not in names):
            continue
        row: list[Cell] = [document.name, document.spec["cidr"], str(usage.available)]
        row += [str(usage.allocated), str(usage.total)]
        if wide:
            row += [document.namespace, str(usage.largest), f"{usage.fragmentation}%"]
            row += [f"{usage.percent:.1f}%", usage.tier.value]
        rows.append(row)
    headers = ["NAME", "CIDR", "AVAILABLE", "ALLOCATED", "TOTAL"]
    if wide:
        headers += ["NAMESPACE", "LARGEST", "FRAG", "USED", "TIER"]
    return table(headers, rows, painter)


def allocations_text(
    records: Iterable[Allocation], clock: int, painter: Painter, *, wide: bool
) -> str:
    """IPAllocations: POOL, CLUSTER, TYPE, PHASE, START, END, AGE."""
    rows: list[list[Cell]] = []
    for record in records:
        start = end = ""
        if record.range is not None:
            start = format_address(record.range.version, record.range.first)
            end = format_address(record.range.version, record.range.last)
        row: list[Cell] = [record.name, record.pool.name, record.owner.name, record.type]
        row += [record.phase.value, start, end, age(record.allocated_at or record.since, clock)]
        if wide:
            row += [record.owner.namespace, record.owner.team, str(record.size), record.path]
        rows.append(row)
    headers = ["NAME", "POOL", "CLUSTER", "TYPE", "PHASE", "START", "END", "AGE"]
    if wide:
        headers += ["NAMESPACE", "TEAM", "COUNT", "RECORD"]
    return table(headers, rows, painter)


def tenants_text(
    evaluation: Evaluation, names: frozenset[str], painter: Painter, *, wide: bool
) -> str:
    """TenantClusters with what they hold."""
    held: dict[tuple[str, str], list[Allocation]] = {}
    for record in evaluation.state.records:
        if record.is_live:
            held.setdefault((record.owner.namespace, record.owner.name), []).append(record)
    rows: list[list[Cell]] = []
    for document in evaluation.documents.of(GroupKind(GROUP, "TenantCluster")):
        if names and document.name not in names:
            continue
        records = held.get((document.namespace, document.name), [])
        team = (document.spec.get("teamRef") or {}).get("name", document.namespace)
        row: list[Cell] = [document.namespace, document.name, team]
        row += [_ranges(records, "nodes"), _ranges(records, "loadbalancer")]
        if wide:
            row += [", ".join(sorted({record.pool.name for record in records}))]
            row += [f"{document.path}:{document.line}"]
        rows.append(row)
    headers = ["NAMESPACE", "NAME", "TEAM", "NODES", "LOADBALANCER"]
    if wide:
        headers += ["POOLS", "SOURCE"]
    return table(headers, rows, painter)


def _ranges(records: list[Allocation], kind: str) -> str:
    found = sorted(record.range for record in records if record.type == kind and record.range)
    return ", ".join(format_short(item) for item in found) or "-"


def age(since: str, clock: int) -> str:
    """How long ago, as kubectl writes it: `7d`, `3h`, `5m`, `9s`. Counts to the revision's date."""
    start = parse_instant(since)
    if start is None or clock < start:
        return "0s"
    seconds = clock - start
    for unit, length in (("d", DAY), ("h", 3_600), ("m", 60)):
        if seconds >= 2 * length or (unit == "d" and seconds >= length):
            return f"{seconds // length}{unit}"
    return f"{seconds}s"
