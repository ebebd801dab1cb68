"""What is removed while another file cannot be read: it counts still, and its removal is told at once.

A document that vanishes may have been moved into a file that nobody can read, so it counts as it was
(ADR 0006). But a file that a change leaves as it is took nothing in. What would be wrong without
such documents is an error of the change that removes them, and not of the one that mends the file.
"""

from collections.abc import Collection, Container, Iterable

from msgspec import Struct
from msgspec.structs import replace

from reconciler.comparison import Base, Compared
from reconciler.documents.document import Document
from reconciler.evaluate import Evaluation, evaluate
from reconciler.findings import Finding, Severity, ordered


class Wrong(Struct, frozen=True):
    """What is wrong, and what may not pass, beside what is told already."""

    errors: tuple[Finding, ...] = ()
    gates: tuple[Finding, ...] = ()


def with_vanished(base: Base, compared: Compared, changed: Container[str]) -> Compared:
    """A comparison with what is wrong because of documents that the change removes.

    Args:
        base: What the change touches of its base.
        compared: With what counts in the place of what cannot be read.
        changed: Paths of the files that differ.
    """
    evaluation, now = compared.evaluation, base.described_now.documents
    gone = [
        it
        for it in evaluation.tree.last_good.documents
        if it.identity in base.described.documents
        and it.identity not in now
        and it.unread not in changed
    ]
    wrong = without(evaluation, gone)
    if not (wrong.errors or wrong.gates):
        return compared
    errors, gates = (_while_unread(found, gone) for found in (wrong.errors, wrong.gates))
    evaluation = replace(
        evaluation,
        findings=ordered([*evaluation.findings, *errors]),
        gates=ordered([*evaluation.gates, *gates]),
    )
    return replace(compared, evaluation=evaluation)


def vanished(evaluation: Evaluation) -> Wrong:
    """What is wrong because of what was removed while something could not be read."""
    documents = evaluation.tree.last_good.documents
    return without(evaluation, [it for it in documents if it.path != it.unread])


def without(evaluation: Evaluation, gone: Collection[Document]) -> Wrong:
    """What would be wrong, and is not, if documents did not count that cannot be read."""
    if not gone:
        return Wrong()
    tree, left_out = evaluation.tree, {it.identity for it in gone}
    documents = tuple(it for it in tree.last_good.documents if it.identity not in left_out)
    last_good = replace(tree.last_good, documents=documents)
    other = evaluate(replace(tree, last_good=last_good), evaluation.allow_release)
    errors = (it for it in other.findings if it.severity is Severity.ERROR)
    return Wrong(
        tuple(it for it in errors if it not in evaluation.findings),
        tuple(it for it in other.gates if it not in evaluation.gates),
    )


def _while_unread(found: Iterable[Finding], gone: Collection[Document]) -> list[Finding]:
    path = next(iter(sorted({it.unread for it in gone})), "")
    why = f"; it counts as it was, only until {path} can be read"
    return [replace(it, message=f"{it.message}{why}") for it in found]
