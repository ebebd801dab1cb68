"""Decisions for a tree in short form, for tests of allocation rules."""

from collections.abc import Mapping

from reconciler.addresses import IPRange, IPSet, format_short, parse_address
from reconciler.documents.findings import Location
from reconciler.model.key import Key
from reconciler.model.plan import Refuse
from reconciler.model.pool import Placement, Pool, Thresholds
from reconciler.planning.digest import action_name
from reconciler.planning.evaluate import Evaluation
from tests.world import CLOCK, evaluation_of, reconciled

Files = Mapping[str, str | bytes]
LB = "loadbalancer"


def outcome(files: Files, clock: int = CLOCK) -> dict[str, str]:
    """Each decision by its claim: `allocate 10.40.0.0-10.40.0.7 of edge`, `refuse pin-taken`."""
    return decided(evaluation_of(files, clock))


def decided(evaluation: Evaluation) -> dict[str, str]:
    found = {}
    for decision in evaluation.plan.decisions:
        text = action_name(decision, evaluation)
        if isinstance(decision, Refuse):
            text = f"refuse {decision.reason}"
        elif decision.allocation.range is not None:
            text = f"{text} {format_short(decision.allocation.range)}"
            text = f"{text} of {decision.allocation.pool.name}"
        found[decision.claim.short] = text
    return found


def refusal(files: Files, claim: str, clock: int = CLOCK) -> Refuse:
    for decision in evaluation_of(files, clock).plan.decisions:
        if decision.claim.short == claim:
            assert isinstance(decision, Refuse), decision
            return decision
    raise AssertionError(f"no claim {claim}")


def codes(files: Files, clock: int = CLOCK) -> list[tuple[str, str]]:
    evaluation = evaluation_of(files, clock)
    return [(item.severity.value, item.code) for item in (*evaluation.findings, *evaluation.gates)]


def without(files: Files, *paths: str) -> dict[str, str | bytes]:
    return {path: text for path, text in files.items() if path not in paths}


def after_removal(files: Files, *paths: str, clock: int = CLOCK) -> dict[str, str | bytes]:
    """The files reconciled, then again once some of them are gone."""
    return reconciled(without(reconciled(files), *paths), clock)


def record_paths(files: Files) -> list[str]:
    return sorted(path for path in files if path.startswith("allocations/"))


def span(text: str) -> IPRange:
    """A range from `10.0.0.1` or `10.0.0.1-10.0.0.4`."""
    first, _, last = text.partition("-")
    (version, low), (_, high) = parse_address(first), parse_address(last or first)
    return IPRange(version, low, high)


def a_pool(
    *windows: IPRange, name: str = "edge", space: str = "default", auto_assign: bool = True
) -> Pool:
    """A pool of some ranges without a document."""
    key, usable = Key("butler", "butler-system", name, "", "NetworkPool"), IPSet.of(windows)
    return Pool(
        key, usable, windows, IPSet(), Placement.LOWEST, Thresholds(), None, space, usable,
        Location(f"pools/{name}.yaml", 7), auto_assign,
    )  # fmt: skip
