"""What a person says of addresses that claims have left, where no cluster can be asked."""

from collections.abc import Iterator

from reconciler.addresses.notation import format_short
from reconciler.clusters.announcing import cluster_of, described_clusters
from reconciler.clusters.options import ApplyOptions
from reconciler.commands.applying.targets import require_claims
from reconciler.engine.moving import EVERY, last_withdrawal
from reconciler.evaluate import Evaluation, leaving, left_behind
from reconciler.findings import nearest
from reconciler.model.instant import format_instant, parse_instant
from reconciler.ports import UsageError

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


def too_early(evaluation: Evaluation, options: ApplyOptions, now: int) -> Iterator[str]:
    """What is said of addresses that nobody uses any more, as a person says, but may not go yet.

    Args:
        evaluation: Of the revision that a run left.
        options: What a person says.
        now: In seconds since 1970.
    """
    for record in evaluation.state.records:
        since = parse_instant(record.since) if record.announced else None
        if since is None or not options.confirms(record.claim, cluster_of(record)):
            continue
        if record.range is not None and last_withdrawal(record, now) is None:
            held, due = format_short(record.range), format_instant(since + EVERY)
            yield f"Not yet: {held}, which {record.claim.short} left, may go from {due} on."


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
