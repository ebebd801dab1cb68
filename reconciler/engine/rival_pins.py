"""A pin that another one loses to: two files name one range, and only one of them can be right."""

from collections.abc import Iterator

from reconciler.addresses.notation import format_short
from reconciler.engine.lookup import Lookup
from reconciler.engine.usage import space_of
from reconciler.findings import NAMED, Finding, warning
from reconciler.model.plan import Grant, Plan, Refuse
from reconciler.model.state import State


def check(state: State, plan: Plan) -> Iterator[Finding]:
    """What is told of whoever gets a range that others pin, too.

    Neither has a record that would say whose it is: it goes to who is served first, which a
    mistyped address decides as well. Who gets nothing is refused at its own file.
    """
    taken = [it for it in plan.decisions if isinstance(it, Refuse) and it.reason == "pin-taken"]
    if not taken:
        return
    pins = [(claim.pin, it) for it in taken if (claim := state.claims[it.claim]).pin is not None]
    losers = Lookup(pins)
    for granted in plan.decisions:
        if not isinstance(granted, Grant) or granted.is_taken_back:
            continue
        claim, item = state.claims[granted.claim], granted.allocation.range
        if claim.pin is None or item is None:
            continue
        space = space_of(state.pools, granted.allocation)
        others = [
            (pin, it)
            for pin, it in losers.overlapping(item)
            if any(state.pools[key].space == space for key in state.claims[it.claim].candidates)
        ]
        for pin, it in others[:NAMED]:
            yield warning(
                "pin-contested",
                granted.source,
                f"{format_short(item)} of {granted.claim.short} shares addresses with"
                f" {format_short(pin)}, which {it.claim.short} pins at {it.source}",
                "find out whose they are, and let the other pin a free range, or none",
            )
