"""Suggested fixes of refused claims."""

import re
from collections.abc import Iterator
from difflib import unified_diff

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPRange, IPSet, format_short
from reconciler.documents.edit import with_edits
from reconciler.documents.findings import Finding, Severity
from reconciler.families import family_of
from reconciler.families.interface import Fix, Fixes
from reconciler.model.change import FileChange
from reconciler.model.claim import Allocation, Claim
from reconciler.model.key import Key
from reconciler.model.plan import Grant, Keep, Refuse
from reconciler.model.pool import Pool
from reconciler.planning.documents import source_reader
from reconciler.planning.evaluate import Evaluation, evaluate
from reconciler.planning.space import everything

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def patch(path: str, before: bytes, after: bytes) -> str:
    """Return the diff of a file that keeps its path."""
    # Git ends a name that contains a space with a tab.
    name = f"{path}\t" if " " in path else path
    old, new = (_LINE.findall(data.decode()) for data in (before, after))
    rows = unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm="\n")
    end = "\n\\ No newline at end of file\n"
    return "".join(row if row.endswith("\n") else f"{row}{end}" for row in rows)


LACKS_ROOM = ("pool-exhausted", "pool-fragmented", "request-too-large", "pin-outside-pool")
_QUOTA = "quota-exceeded"
_POOLS = 4
"""Maximum number of pools that are tried. Each costs an evaluation of the whole tree."""


class Remedy(Struct, frozen=True):
    """A change of one file that serves the claim. `gates` are limits that it newly exceeds."""

    says: str
    change: FileChange
    before: bytes
    gets: Allocation
    gates: tuple[str, ...]


def remedies(evaluation: Evaluation, key: Key) -> list[Remedy]:
    """Return changes that serve a claim, the least intrusive first: of claim, pool, provider."""
    refused = next((it for it in evaluation.plan.decisions if it.claim == key), None)
    claim, family = evaluation.state.claims.get(key), family_of(key.family)
    if not isinstance(refused, Refuse) or claim is None or family is None:
        return []
    if refused.reason not in (*LACKS_ROOM, _QUOTA):
        return []
    found = [_smaller(evaluation, claim, family.fixes)]
    if refused.reason != _QUOTA:
        found += [
            _best(evaluation, claim, fixes) for fixes in _rooms(evaluation, claim, family.fixes)
        ]
    return [item for item in found if item is not None]


def taken_of(evaluation: Evaluation, pool: Pool) -> IPSet:
    """Return the addresses of a pool's space that other claims cannot get."""
    return IPSet.of(
        item.range
        for item in everything(evaluation.state)
        if item.sort in ("record", "in-use", "gateway")
        and (not item.spaces or pool.space in item.spaces)
    )


def run_with(free: IPSet, held: IPRange) -> int:
    """Return the size of the free range around a range after that range is freed."""
    beside = IPRange(held.version, max(held.first - 1, 0), held.last + 1)
    return held.size + sum(item.size for item in free.overlapping(beside))


def _smaller(evaluation: Evaluation, claim: Claim, fixes: Fixes) -> Remedy | None:
    if claim.pin is not None:
        return None
    low, high, best, beyond = 0, claim.size, None, None
    guess = max((evaluation.plan.after[key].largest for key in claim.candidates), default=0)
    sizes = [guess + 1, guess]
    while high - low > 1:
        size = sizes.pop() if sizes else (low + high) // 2
        if not low < size < high:
            continue
        fix = fixes.smaller(evaluation.documents, claim, size)
        if fix is None:
            return None
        remedy = _tried(evaluation, claim, fix)
        if remedy is None or remedy.gates:
            high, beyond = size, beyond or remedy
        else:
            low, best = size, remedy
    return best or beyond


def _rooms(evaluation: Evaluation, claim: Claim, fixes: Fixes) -> Iterator[Iterator[Fix]]:
    pools = evaluation.state.pools
    for key in claim.candidates[:_POOLS]:
        lacking = max(claim.size - evaluation.plan.after[key].largest, 1)
        yield fixes.widened(evaluation.documents, pools[key], lacking)
    after = evaluation.plan.after
    fitting = {
        key: pool
        for key, pool in pools.items()
        if key not in claim.candidates and after[key].largest >= claim.size
    }
    yield fixes.added(evaluation.documents, claim, fitting)


def _best(evaluation: Evaluation, claim: Claim, fixes: Iterator[Fix]) -> Remedy | None:
    first = None
    for _, fix in zip(range(2 * _POOLS), fixes, strict=False):
        remedy = _tried(evaluation, claim, fix)
        if remedy is not None and not remedy.gates:
            return remedy
        first = first or remedy
    return first


def _tried(evaluation: Evaluation, claim: Claim, fix: Fix) -> Remedy | None:
    document, tree = fix.document, evaluation.tree
    data = None if document.doubt else with_edits(document, fix.edits)
    if data is None:
        return None
    edited = source_reader(tree.settings)(document.path, data)
    sources = tuple(edited if it.path == document.path else it for it in tree.sources)
    after = evaluate(replace(tree, sources=sources))
    decided = {it.claim: it for it in after.plan.decisions}
    got = decided.get(claim.key)
    if not isinstance(got, Grant | Keep) or got.allocation.range is None:
        return None
    if _harms(evaluation, after, claim.key) or _meets(evaluation, after):
        return None
    known = {_name(item) for item in evaluation.gates}
    gates = tuple(item.message for item in after.gates if _name(item) not in known)
    return Remedy(fix.says, FileChange(document.path, data), document.data, got.allocation, gates)


def _harms(before: Evaluation, after: Evaluation, key: Key) -> bool:
    there = {it.claim: it for it in before.plan.decisions if it.claim != key}
    then = {it.claim: it for it in after.plan.decisions if it.claim != key}
    for claim, decision in there.items():
        now = then.pop(claim, None)
        if type(now) is not type(decision) and not isinstance(decision, Refuse):
            return True
        if isinstance(decision, Keep) and isinstance(now, Keep):
            was = decision.allocation.range, decision.stale
            if was != (now.allocation.range, now.stale):
                return True
    known = {_name(item) for item in before.findings}
    wrong = (Severity.ERROR, Severity.WARNING)
    new = (it for it in after.findings if it.severity in wrong and _name(it) not in known)
    return bool(then) or any(new)


def _meets(before: Evaluation, after: Evaluation) -> bool:
    for key, pool in after.state.pools.items():
        was = before.state.pools.get(key)
        new = pool.extent - was.extent if was is not None else IPSet()
        if new and any(
            new & IPSet((item.range,))
            for item in everything(before.state)
            if not item.spaces or pool.space in item.spaces
        ):
            return True
    return False


def _name(found: Finding) -> tuple[str, str, str]:
    return found.code, found.location.path, found.location.pointer


def described_remedies(number: int, remedy: Remedy) -> dict[str, object]:
    """Describe a remedy."""
    path, data = remedy.change
    item = remedy.gets.range
    return {
        "number": number,
        "says": remedy.says,
        "path": path,
        "gets": f"{format_short(item)} of {remedy.gets.pool.name}" if item else "nothing",
        "gates": list(remedy.gates),
        "patch": patch(path, remedy.before, data or b""),
    }
