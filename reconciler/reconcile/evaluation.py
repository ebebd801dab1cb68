"""Evaluation of a revision as reconcile sees it, and its exit code."""

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from reconciler.addresses import format_short
from reconciler.apply.plan import Applied
from reconciler.documents.findings import Finding, Location, has_error, ordered, shown, warning
from reconciler.documents.text import is_yaml
from reconciler.gitio.interface import BranchCommit, Entry, Source
from reconciler.gitio.repository import Repository
from reconciler.model.errors import ExitCode
from reconciler.model.key import Key
from reconciler.model.settings import Settings
from reconciler.planning.documents import reader_of
from reconciler.planning.evaluate import Evaluation, held_releases, held_to
from reconciler.planning.read import DEFAULTS, EvaluationOptions, evaluate_source
from reconciler.planning.settings import as_findings
from reconciler.reconcile.commits import newest, side_at
from reconciler.reconcile.records import edited, strays


def as_reconciled(
    source: Source, repository: Repository, options: EvaluationOptions = DEFAULTS
) -> Evaluation:
    """Return the evaluation of a revision of the branch, with errors about edited records."""
    evaluation = evaluate_source(source, options)
    return with_changes_by_hand(repository, source, evaluation)


def with_changes_by_hand(
    repository: Repository, source: Source, evaluation: Evaluation
) -> Evaluation:
    """Return an evaluation by the stricter Settings of tip and R, with errors about records."""
    revision = source.revision()
    if revision is None:
        return evaluation
    # A source may be laid over with other files or have another clock.
    source = repository.source(revision.id)
    last = newest(repository, revision.id)
    earlier = side_at(repository, last)[1] if last else None
    found = strays(repository, source, evaluation)
    found += edited(repository, source, evaluation) if last or not found else []
    if earlier is not None:
        evaluation = held_to(evaluation, earlier, last[:12])
    return with_found(evaluation, found)


def with_overrides(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with a finding for each Override that permits something, or nothing."""
    return with_found(evaluation, as_findings(evaluation.tree.overrides, evaluation.plan.after))


def with_found(evaluation: Evaluation, found: Iterable[Finding]) -> Evaluation:
    """Return the evaluation with more findings, all of them by place."""
    listed = list(found)
    if not listed:
        return evaluation
    return replace(evaluation, findings=ordered([*evaluation.findings, *listed]))


def exit_code(evaluation: Evaluation) -> ExitCode:
    """Return 1 for invalid content, 3 for valid content that a limit stops, else 0."""
    if has_error(evaluation.findings):
        return ExitCode.WRONG
    return ExitCode.GATE if evaluation.gates else ExitCode.OK


def reconciled_code(
    code: ExitCode, evaluation: Evaluation, applied: Sequence[Applied] | None
) -> ExitCode:
    """Return 70 for a bug, 5 if a cluster failed or was not asked, else the code of the plan."""
    if any(cluster.is_bug for cluster in applied or ()):
        return ExitCode.BUG
    if any(cluster.is_failed for cluster in applied or ()) or evaluation.tree.held_back:
        return ExitCode.CLUSTER
    return code


def applied_code(evaluation: Evaluation, applied: Sequence[Applied]) -> ExitCode:
    """Return 70 for a bug, 5 if a cluster failed, 1 for invalid content, else 0."""
    is_wrong = exit_code(evaluation) is ExitCode.WRONG
    return reconciled_code(ExitCode.WRONG if is_wrong else ExitCode.OK, evaluation, applied)


MAX_COMMITS, MAX_PATHS, MAX_FILES = 200, 1_000, 2_000
"""The number of commits that are searched, of paths that are searched for, and of files per commit."""
MAX_LISTED = 50
OwnerName = tuple[str, str, str]
"""Kind, namespace, and name of an owner of claims."""


def held_by_limit(
    evaluation: Evaluation, repository: Repository, source: Source, known: Container[Key] = ()
) -> Iterator[Finding]:
    """Report releases that the limit delays, with their commits, except claims in `known`."""
    held = [it for it in held_releases(evaluation) if it.claim not in known]
    listed = {_owner(it.claim): it for it in held[:MAX_LISTED]}
    unknown = f"who asked for it is not among the last {MAX_COMMITS} commits of its folders"
    found = _commits_of(set(listed), repository, source, evaluation.tree.settings)
    for item in held[:MAX_LISTED]:
        has = format_short(item.range) if item.range else "nothing"
        message = f"a brake holds its release back: {item.claim.short} keeps {has};"
        cause = found.get(_owner(item.claim), unknown)
        yield warning("brake-held", Location(item.path, 1, 1), f"{message} {cause}")
    if held[MAX_LISTED:]:
        message = f"a brake holds {len(held) - MAX_LISTED} more releases back"
        yield warning("brake-held", Location("."), message)


def _owner(claim: Key) -> OwnerName:
    return claim.kind, claim.namespace, claim.name


def _commits_of(
    wanted: set[OwnerName], repository: Repository, source: Source, settings: Settings
) -> dict[OwnerName, str]:
    found, reader = dict[OwnerName, str](), reader_of(source, settings)

    def named(entry: Entry | None) -> set[OwnerName]:
        if entry is None or not entry.is_file or not is_yaml(entry.path):
            return set()
        (data,) = source.read([entry])
        if not (near := {owner for owner in wanted if owner[2].encode() in data}):
            return near
        documents = reader.read_source(entry.path, data).documents
        return near & {(it.kind.name, it.namespace, it.name) for it in documents}

    steps = islice(source.past(list(settings.folders)), MAX_COMMITS) if wanted else ()
    edits = (
        (step, item) for step in steps if len(step.changed) <= MAX_FILES for item in step.changed
    )
    for step, item in edits:
        was, now = named(item.old), named(item.new)
        for owner in was | now:
            wanted.discard(owner)
            what = "edited it in" if owner in now else "took it out of"
            found[owner] = f"{_author(repository, step)} {what} {shown(item.path)}"
            if owner not in was:
                found[owner] = f"its document in {shown(item.path)} is as it was: what that names"
                found[owner] += " has changed"
        if not wanted:
            break
    return found


def _author(repository: Repository, step: BranchCommit) -> str:
    if not step.id:
        return "the work tree"
    name, _, _ = repository.made(step.id).author.partition(" <")
    return f"commit {step.id[:12]} of {shown(name)}" if name else f"commit {step.id[:12]}"
