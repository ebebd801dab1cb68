"""Whether there is anything in a revision that can be checked; a wrong folder is not fine."""

from msgspec.structs import replace

from reconciler.documents.suffix import is_yaml
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Location, article_list, error, info, ordered
from reconciler.model.settings import OVERRIDES
from reconciler.ports import Source
from reconciler.review.result import Compared

_CODE = "nothing-to-check"
_PLACE = Location(".")


def with_emptiness(source: Source, compared: Compared, *, allows: bool) -> Compared:
    """A review with what is said where no document was found.

    Args:
        source: The files of the revision.
        compared: What was found in them.
        allows: A person expects none.
    """
    evaluation = compared.evaluation
    found = emptiness(source, evaluation, allows=allows)
    if found is None:
        return compared
    found_too = ordered([*evaluation.findings, found])
    return replace(compared, evaluation=replace(evaluation, findings=found_too))


def emptiness(source: Source, evaluation: Evaluation, *, allows: bool) -> Finding | None:
    """What is said where no document was found; None where there is one. Args: as above."""
    if _has_something(evaluation):
        return None
    settings = evaluation.tree.settings
    there = source.entries([*settings.folders, settings.records, OVERRIDES])
    if any(is_yaml(entry.path) for entry in there):
        return None
    return _told(settings.sources, is_place=bool(there), allows=allows)


def _has_something(evaluation: Evaluation) -> bool:
    """What costs no look at the files."""
    return bool(evaluation.state.pools or evaluation.plan.decisions)


def _told(sources: tuple[str, ...], *, is_place: bool, allows: bool) -> Finding:
    listed = article_list([f"{folder}/" for folder in sources])
    if is_place or allows:
        return info(_CODE, _PLACE, f"nothing to check yet: no document is in {listed}")
    hint = "is it the right folder (--repo, --root)? Settings name others with spec.sources;"
    hint += " check --allow-empty when there is to be none yet"
    return error(_CODE, _PLACE, f"nothing to check: no file is in {listed}", hint)
