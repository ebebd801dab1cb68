"""Which findings count: none that only follows from another, less what a person let pass."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from reconciler.engine import rules
from reconciler.families._family import Reading
from reconciler.findings import Finding, Severity
from reconciler.model.key import Key
from reconciler.model.override import OverrideKind
from reconciler.model.plan import Grant, Keep, Plan
from reconciler.model.state import State
from reconciler.tree import Tree


def without_causes(state: State, reading: Reading, plan: Plan) -> Iterator[Finding]:
    """Findings without errors that only follow from a file which never could be read.

    Nor from a pool that is gone and still has records: that is told once, with all of them. What
    presumes that a claim gets what it asks for is not told beside its refusal.
    """
    removed = rules.removed_pools(state) if reading.missing else {}
    given = set[Key]()
    if reading.presumed:
        given = {it.claim for it in plan.decisions if isinstance(it, Grant | Keep)}
    for found in reading.findings:
        if not reading.presumed.get(found, frozenset()) <= given:
            continue
        follows = found.code == "reference-not-found" and found.severity is Severity.ERROR
        if not (state.unknown and follows) and reading.missing.get(found) not in removed:
            yield found


def shrinkable(found: Iterable[Finding], tree: Tree, state: State) -> Iterator[Finding]:
    """Findings of which none stops a pool that may shrink: what its records hold stays held."""
    places = {str(pool.source): str(key) for key, pool in state.pools.items()}
    for item in found:
        scope = places.get(str(item.location)) if item.code == rules.OUTSIDE else None
        if scope is not None and tree.overrides.allow(OverrideKind.SHRINK, scope):
            message = f"{item.message}; an Override lets it shrink: it holds them until it goes"
            yield replace(item, severity=Severity.WARNING, message=message)
        else:
            yield item
