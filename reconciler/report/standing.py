"""What stands at some addresses: pools, records, routers, ranges in use, networks inside clusters."""

import re
from typing import Any

from reconciler.addresses import IPRange
from reconciler.addresses.notation import NotationError, format_address, parse_address, parse_cidr
from reconciler.engine.standing import Standing, everything, of_pool
from reconciler.evaluate import Evaluation
from reconciler.findings import shown
from reconciler.model.pool import Pool
from reconciler.report.machine import envelope

_LIKE = re.compile(r"[0-9]+(\.[0-9]*){2,}[-/.0-9]*|[0-9a-fA-F]*:[-/.:0-9a-fA-F]*", re.ASCII)
_ORDER = ("pool", "record", "in-use", "gateway", "pods", "services")


def asked_range(text: str) -> IPRange | None:
    """The addresses that a text means: one, a CIDR, or a range such as `10.0.0.1-10.0.0.9`."""
    first, dash, last = text.partition("-")
    try:
        if "/" in text:
            return parse_cidr(text)
        (version, start), (other, end) = (
            parse_address(first),
            parse_address(last if dash else first),
        )
    except NotationError:
        return None
    return IPRange(version, start, end) if version == other and start <= end else None


def mistaken(text: str) -> NotationError | None:
    """Why a text that looks like addresses means none; None where it looks like a name."""
    if not _LIKE.fullmatch(text):
        return None
    first, _, last = text.partition("-")
    try:
        parse_cidr(text) if "/" in text else (parse_address(first), parse_address(last or first))
    except NotationError as wrong:
        return wrong
    return NotationError(f"{shown(text)} does not end after it starts")


def standing(evaluation: Evaluation, asked: IPRange) -> dict[str, Any]:
    """All that stands at some addresses, pools first."""
    there = [item for item in everything(evaluation.state) if item.range.overlaps(asked)]
    there.sort(key=lambda item: (_ORDER.index(item.sort), item))
    pools = {pool.source: pool for pool in evaluation.state.pools.values()}
    return {
        **envelope("Standing"),
        **_ends(asked),
        "items": [_item(item, asked, pools.get(item.source)) for item in there],
    }


def _item(item: Standing, asked: IPRange, pool: Pool | None) -> dict[str, Any]:
    shared = item.range.shared(asked) or asked
    return {
        "sort": item.sort,
        "title": item.title,
        **_ends(shared),
        "whole": _ends(item.range),
        "addressSpaces": list(item.spaces),
        "says": of_pool(pool, shared) if pool is not None and item.sort == "pool" else None,
        "source": {"path": item.source.path, "line": item.source.line},
    }


def _ends(item: IPRange) -> dict[str, str]:
    return {
        "start": format_address(item.version, item.first),
        "end": format_address(item.version, item.last),
    }
