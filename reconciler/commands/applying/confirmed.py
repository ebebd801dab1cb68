"""What a person says of addresses that claims have left, where no cluster can be asked."""

from collections.abc import Iterator

from reconciler.addresses.notation import format_short
from reconciler.clusters.announcing import cluster_of, described_clusters
from reconciler.clusters.options import ApplyOptions
from reconciler.commands.applying.targets import require_claims
from reconciler.engine.moving import last_withdrawal, next_withdrawal
from reconciler.evaluate import Evaluation, leaving, left_behind
from reconciler.findings import nearest
from reconciler.model.instant import format_instant
from reconciler.ports import UsageError

_MINUTE = (
    "the next full minute since the move, because the newest commit is younger than the last one"
)
_UNASKED = "no cluster was asked"


def confirmed(evaluation: Evaluation, options: ApplyOptions) -> dict[str, str]:
    """Records that go only when somebody says that nobody uses them, and of which nobody said so.

    Args:
        evaluation: The plan.
        options: What a person says.

    Returns:
        Why they stay, by path.
    """
    grown = evaluation.state.grown
    stay = [it for it in left_behind(evaluation) if not options.confirms(it.claim, cluster_of(it))]
    stay += [it for it in leaving(evaluation) if it.path in grown]
    return {record.path: _UNASKED for record in stay}


def too_early(evaluation: Evaluation, options: ApplyOptions, head: int, now: int) -> Iterator[str]:
    """What is said of addresses that nobody uses any more, as a person says, but may not go yet.

    Args:
        evaluation: Of the revision that a run left.
        options: What a person says.
        head: The date of that revision: what falls due is committed with a later one.
        now: In seconds since 1970.
    """
    for record in evaluation.state.records:
        if not record.announced or not options.confirms(record.claim, cluster_of(record)):
            continue
        due = next_withdrawal(record, head)
        if record.range is not None and due is not None and due > now:
            is_first = last_withdrawal(record, now) is None
            why = "a full minute after the move" if is_first else _MINUTE
            yield (
                f"Not yet: {format_short(record.range)}, which {record.claim.short} left, may go"
                f" from {format_instant(due)} on, {why}: what was said of it did nothing."
            )


def require_named(evaluation: Evaluation, options: ApplyOptions) -> None:
    """Refuse claims and clusters that a person named, and that are not there.

    Args:
        evaluation: Of the revision.
        options: What a person says.

    Raises:
        UsageError: There is none.
    """
    require_claims(evaluation, options)
    if not options.confirm_withdrawn:
        return
    of_records = (cluster_of(record) for record in evaluation.state.records)
    there = {*of_records, *described_clusters(evaluation.documents)}
    for name in sorted(options.confirm_withdrawn - there):
        message = f"--confirm-withdrawn: there is no cluster {name!r}"
        meant = nearest(name, sorted(there))
        hint = f"did you mean {meant}? " if meant else ""
        raise UsageError(message, f"{hint}A tenant's cluster is named as NAMESPACE/NAME")
