"""What a person says of addresses that claims have left, where no cluster can be asked."""

from reconciler.clusters.announcing import cluster_of, described_clusters
from reconciler.clusters.options import ApplyOptions
from reconciler.commands.applying.targets import require_claims
from reconciler.evaluate import Evaluation, leaving, left_behind
from reconciler.findings import nearest
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
