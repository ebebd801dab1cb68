"""The page of `report` for a daemon: of a revision alone, with the policy that a browser holds it to."""

from typing import TYPE_CHECKING

from reconciler.cli.shared.opening import Read, apart

if TYPE_CHECKING:
    from reconciler.adapters.git.repository import GitRepository
    from reconciler.ports.page import Page


def page_of(read: Read) -> str:
    """The page of a revision: what `report --rev` writes, byte for byte."""
    # Who runs a daemon that nobody asks for the page needs none of it.
    from reconciler.cli.shared.past import history_of
    from reconciler.commands.reading.whole import evaluate_source
    from reconciler.commands.reporting import material, page
    from reconciler.commands.review import review

    compared = review(read.source, read.repository, None, read.facts())
    evaluation = evaluate_source(read.source)
    history = history_of(read, evaluation.tree.settings)
    text = page(material(evaluation, compared, history, None))
    history.keep()
    return text


def served_page(repository: "GitRepository", revision: str) -> "Page":
    """The same for a browser, while others go on with the repository."""
    from reconciler.adapters.memory import give_back
    from reconciler.commands.reporting import shipped_parts
    from reconciler.ports.page import Page
    from reconciler.report.page.html import policy

    html = page_of(apart(repository, revision)).encode()
    give_back()
    return Page(html, policy(shipped_parts()))
