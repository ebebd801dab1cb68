"""What people did to records on the base before a change, and who takes what that freed.

Reconcile has not gone over such a record yet. Whoever has the addresses still announces them, and
no retention holds them: the next change that asks would get them, and look harmless.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_short
from reconciler.commands.handwork import records_since
from reconciler.commands.reading.settings import read_own_settings
from reconciler.comparison import Compared
from reconciler.engine.lookup import Lookup
from reconciler.engine.usage import space_of
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, error, ordered, shown
from reconciler.model.key import Key
from reconciler.model.override import OverrideKind
from reconciler.model.plan import Grant
from reconciler.model.settings import Settings
from reconciler.ports import Repository, Source
from reconciler.records.by_hand import Records, lets_pass, losing
from reconciler.settings import PATH

_HINT = "put the record back as reconcile wrote it, or let reconcile go over it before this change"
BY_HAND = ("record-edited", "record-removed", "record-put-back")
"""Codes of what people did to records, and of what becomes of it."""


def with_freed_before(
    compared: Compared, planned: Callable[[], Evaluation], records: Records | None
) -> Compared:
    """A comparison with what is told of the base's records, and of who takes what they held.

    Args:
        compared: With all else that is told of the change.
        planned: The evaluation of the base. It is asked for only where somebody touched records.
        records: Those of the base that are not what reconcile left; None where there are none.
    """
    evaluation = compared.evaluation
    if records is None:
        return compared
    before = planned()
    told = {(it.code, it.location) for it in (*evaluation.findings, *compared.inherited)}
    stood = [it for it in before.findings if it.code in BY_HAND]
    apart = [it for it in stood if (it.code, it.location) not in told]
    taken = [*_taken(records, evaluation, before)]
    findings = ordered([*evaluation.findings, *taken])
    return replace(
        compared,
        evaluation=replace(evaluation, findings=findings) if taken else evaluation,
        inherited=tuple(ordered([*compared.inherited, *apart])),
    )


def records_since_made(repository: Repository, base: Source, settings: Settings) -> Records | None:
    """Records of the base that are not what reconcile left; None where there are none.

    What reconcile made last is taken as it says: a check of the base by itself proves it.
    """
    revision = base.revision()
    if revision is None:
        return None
    made = next(iter(repository.saying(revision.id, on_line=True)), None)
    if made is None or made == revision.id:
        return None
    limits = settings.limits
    now = read_own_settings(base, settings).settings
    changes, _ = repository.changed(made, revision.id, [PATH, now.records], limits)
    if all(it.path == PATH for it in changes):
        return None
    before = repository.source(made)
    before.bound(limits)
    theirs = read_own_settings(before, now).settings
    return records_since((before, theirs), (base, now), changes)


def _taken(records: Records, evaluation: Evaluation, before: Evaluation) -> Iterator[Finding]:
    """What is said of each who gets addresses by the change that somebody else's record held."""
    allows = partial(evaluation.tree.overrides.allow, OverrideKind.RECORD)
    lost = [
        (it.range, (claim, it))
        for claim, _, gone in losing(records)
        for it in gone
        if it.range is not None and not lets_pass(records, claim, it.path, allows)
    ]
    held, already = Lookup(lost), {_given(it) for it in before.plan.decisions}
    for decision in evaluation.plan.decisions if lost else ():
        given = _given(decision)
        if not isinstance(decision, Grant) or given is None or given in already:
            continue
        space = space_of(evaluation.state.pools, decision.allocation)
        for item, (claim, old) in held.overlapping(given[1]):
            if claim != decision.claim and space_of(evaluation.state.pools, old) in (space, None):
                whose = claim.short if isinstance(claim, Key) else claim
                message = f"{format_short(given[1])} of {decision.claim.short} was {whose}'s"
                message += f" ({format_short(item)}) until {shown(old.path)} was changed by hand"
                yield error("freed-by-hand", decision.source, message, _HINT)


def _given(decision: object) -> tuple[Key, IPRange] | None:
    """Who gets what, to know it again."""
    if not isinstance(decision, Grant) or decision.allocation.range is None:
        return None
    return decision.claim, decision.allocation.range
