"""The page of `report` for a daemon: of a revision alone, with the policy that a browser holds it to."""

from reconciler.adapters.git.repository import GitRepository
from reconciler.cli.shared.opening import Read, apart
from reconciler.cli.shared.past import history_of
from reconciler.commands.emptiness import with_emptiness
from reconciler.commands.reading.reader import evaluate_source
from reconciler.commands.reporting import material, page, shipped_parts
from reconciler.evaluate import Evaluation
from reconciler.ports.page import Page
from reconciler.report.page.html import policy
from reconciler.report.page.material import Given
from reconciler.review.checks import review
from reconciler.review.result import Compared


def page_of(
    read: Read, evaluation: Evaluation, compared: Compared, base: str | None, given: Given
) -> str:
    """The page of a revision with its past, which is kept for the next run.

    Args:
        read: The revision whose past is told: that of the base where there is one.
        evaluation: Of what is shown.
        compared: What `check` makes of it.
        base: Id of the base; None for none.
        given: What clusters told.
    """
    # Who runs a daemon that nobody asks for the page needs none of it.

    # Of the wrong folder it would say that nothing needs anybody.
    compared = with_emptiness(read.source, compared, allows=False)
    history = history_of(read, evaluation.tree.settings)
    return page(material(evaluation, compared, history, base, given))


def served_page(repository: GitRepository, revision: str) -> Page:
    """What `report --rev` writes, byte for byte, for a browser, while others go on with the repository."""
    read = apart(repository, revision)
    compared = review(read.source, read.repository, None)
    html = page_of(read, evaluate_source(read.source), compared, None, Given()).encode()
    return Page(html, policy(shipped_parts()))
