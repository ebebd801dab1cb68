"""Forecast: the past that an outlook of pools is made from."""

from reconciler.asking.happenings import Happening
from reconciler.asking.outlook import SPANS, Outlook, Past, outlooks
from reconciler.commands.annals import History
from reconciler.commands.asking import pools_of_name
from reconciler.evaluate import Evaluation
from reconciler.model.instant import DAY


def forecast(
    evaluation: Evaluation, history: History, pool: str | None
) -> tuple[Past, list[Outlook]]:
    """How long pools will do, and from which past that is told.

    Args:
        evaluation: Of the revision.
        history: Its past.
        pool: Name of a pool; None for all.

    Raises:
        UsageError: There is no such pool.
    """
    state = evaluation.state
    keys = sorted(state.pools) if pool is None else pools_of_name(evaluation, pool)
    past = past_of(history, state.clock)
    return past, outlooks(state, evaluation.plan.before, past, keys)


def past_of(history: History, clock: int) -> Past:
    """As much of the past as the longest span needs.

    Args:
        history: Of a revision.
        clock: Its date.
    """
    start = clock - max(SPANS) * DAY
    told: list[Happening] = []
    for item, _ in history.told(has_causes=False):
        told.append(item)
        if item.row.clock <= start:
            break
    oldest = history.oldest_before(start)
    return Past(clock, clock if oldest is None else oldest, told)
