"""Running checks: a failure becomes a line with a hint, and the next check runs."""

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from reconciler.ports import (
    BugError,
    KubeconfigError,
    ReconcilerError,
    UnauthorizedError,
    UnreachableError,
)
from reconciler.report.diagnosis import Check, wrong

SKEW_SECONDS = 30

# Hints for failures that have none.
_MENDS = {
    UnreachableError: "see that its API server is up, and that this machine may reach it",
    UnauthorizedError: "give it credentials that are valid, with the rights that deploy/ lists",
    KubeconfigError: "mend that kubeconfig, or name another",
}
_ELSE = "mend that, and look again"

Step = tuple[str, Callable[[], Check]]


def failed(name: str, failure: ReconcilerError) -> Check:
    """Return the result of a check that failed."""
    mend = next((mend for kind, mend in _MENDS.items() if isinstance(failure, kind)), _ELSE)
    check = wrong(name, str(failure), failure.hint or mend)
    return replace(check, is_bug=isinstance(failure, BugError))


def run(steps: Iterable[Step]) -> list[Check]:
    """Run checks in order. After an unreachable one, the remaining checks are skipped."""
    found: list[Check] = []
    for name, step in steps:
        try:
            found.append(step())
        except UnreachableError as gone:
            found.append(failed(name, gone))
            break
        except ReconcilerError as failure:
            found.append(failed(name, failure))
            if len(found) == 1:
                break
    return found


def shorten(names: Iterable[str], most: int = 3) -> str:
    """Return the first of some names, and the number of the others."""
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return f"{', '.join(listed[:most])}{more}"
