"""All that the page shows, as one JSON document."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reconciler import __version__
from reconciler.asking.applied import ApplyResult
from reconciler.asking.rows import Row
from reconciler.asking.served import Served
from reconciler.findings import Finding
from reconciler.model.instant import DAY, format_instant
from reconciler.report.capped import capped
from reconciler.report.escape import escape
from reconciler.report.machine import envelope, plan_document, pools
from reconciler.report.page.figures import exact, pools_document
from reconciler.report.page.material import Material
from reconciler.report.page.past import past_document

_USAGE = ("total", "allocated", "held", "available", "utilizationPercent", "tier")


def page_document(found: Material) -> dict[str, Any]:
    """The document: the same for the same revision, on any machine."""
    evaluation, compared = found.evaluation, found.compared
    listed = pools_document(evaluation, found.past, found.outlooks, found.idle)
    begins = found.rows[-1].clock if found.rows else evaluation.state.clock
    findings = [*_findings(compared.evaluation.findings), *_gates(compared.evaluation.gates)]
    applied, served = found.given.applied, found.given.served
    return {
        **envelope("Report"),
        "version": __version__,
        "revision": evaluation.tree.revision,
        "base": found.base,
        "asOf": format_instant(evaluation.state.clock),
        "history": {
            "days": max(evaluation.state.clock - begins, 0) // DAY,
            "isWhole": found.is_whole,
            "begins": format_instant(begins),
        },
        "pools": listed,
        **past_document(found.rows, found.told, found.lives, [it["key"] for it in listed]),
        "findings": findings,
        "drift": None if applied is None else list(_drift(applied)),
        "growth": None if served is None else list(_growth(served, found.rows)),
        "change": _change(found),
    }


def _findings(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    return [_finding(item, item.severity.value) for item in capped(tuple(findings))]


def _gates(gates: Iterable[Finding]) -> list[dict[str, Any]]:
    return [_finding(item, "gate") for item in capped(tuple(gates))]


def _finding(item: Finding, severity: str) -> dict[str, Any]:
    return {
        "code": item.code,
        "severity": severity,
        "message": escape(item.message),
        "path": escape(item.location.path),
        "line": item.location.line,
        "column": item.location.column,
        "hint": escape(item.hint),
    }


def _change(found: Material) -> dict[str, Any]:
    """What reconciling the revision does; with a base what merging it does."""
    evaluation = found.compared.evaluation
    plan = plan_document(evaluation, base=found.base)
    today = {item["pool"]: _used(item) for item in pools(evaluation, today=True)}
    after = {item["pool"]: _used(item) for item in plan["pools"]}
    return {
        "base": found.base,
        "digest": plan["digest"],
        "summary": plan["summary"],
        "actions": [_action(item) for item in plan["actions"]],
        "pools": {
            key: {"before": today[key], "after": used}
            for key, used in after.items()
            if used != today[key]
        },
    }


def _used(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: exact(item[name]) for name in _USAGE}


def _action(item: Mapping[str, Any]) -> dict[str, Any]:
    source, came = item["source"], item.get("from") or {}
    return {
        **{name: item[name] for name in ("action", "claim", "pool", "start", "end", "reason")},
        "count": exact(item["count"]),
        "message": escape(item["message"] or "") or None,
        "path": escape(source["path"]),
        "line": source["line"],
        "from": {name: came[name] for name in ("pool", "start", "end")}
        if "start" in came
        else None,
        "grows": item.get("grows"),
    }


def _growth(served: Iterable[Served], rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """How long growth waited, each at the time of the commit that was the newest then."""
    clocks = {row.id: row.clock for row in rows}
    for item in served:
        clock = clocks.get(item.revision)
        time = None if clock is None else format_instant(clock)
        yield {"cluster": escape(item.cluster), "time": time, "seconds": item.seconds}


def _drift(result: ApplyResult) -> Iterator[dict[str, Any]]:
    for name, cluster in result.clusters.items():
        for item in cluster.drifted:
            yield {
                "cluster": escape(name),
                "state": cluster.state,
                "object": escape(item.object),
                "manager": escape(item.manager) or None,
                "time": escape(item.time) or None,
                "fields": [escape(field) for field in item.fields],
                "error": escape(item.error) or None,
            }
        if cluster.state in ("unreachable", "refused", "failed") and not cluster.drifted:
            yield {
                "cluster": escape(name),
                "state": cluster.state,
                "object": None,
                "manager": None,
                "time": None,
                "fields": [],
                "error": escape(cluster.error) or None,
            }
