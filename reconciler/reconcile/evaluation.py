"""Evaluation of a revision as reconcile sees it: edited and lost records, held releases, exit code."""

import shlex
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from operator import eq

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import format_short
from reconciler.documents.findings import (
    Finding,
    Location,
    error,
    has_error,
    join_limited,
    ordered,
    plural,
    shown,
    warning,
)
from reconciler.documents.text import is_yaml
from reconciler.gitio.interface import BranchCommit, Entry, Source
from reconciler.gitio.repository import Repository
from reconciler.model.applied import Applied
from reconciler.model.claim import Allocation
from reconciler.model.errors import ExitCode, GateError, GitError, LimitError
from reconciler.model.key import Key
from reconciler.model.plan import Grant
from reconciler.model.settings import OVERRIDES, PATH, Limits, OverrideKind, Overrides, Settings
from reconciler.planning import read
from reconciler.planning.documents import reader_of
from reconciler.planning.evaluate import Evaluation, held_releases, held_to
from reconciler.planning.read import DEFAULTS, EvaluationOptions
from reconciler.planning.settings import as_findings, is_scope, within
from reconciler.reconcile.commits import Side, content, differing, files, newest, path_of, side_at
from reconciler.records.layout import folders_above, place_of

EDITED = "records-edited"
STRAY = "records-left"
MAX_SHOWN = 20
_SQUASH = "; if a proposal was squashed, set the forge to keep the Ipam-Plan line: the default message on GitHub, a merge commit, a fast-forward, or %{all_commits} in the squash template on GitLab"

Pairs = Mapping[str, tuple[Entry | None, Entry | None]]
"""Files that differ: the entry of R and the entry of the tip, by name (see `files`)."""


class Edits(Struct, frozen=True):
    """Files that differ between R and a tip; `is_gone`: the last records, if there is no R."""

    last: str
    sides: tuple[Side, Side]
    pairs: Pairs
    accepted: Collection[str]
    is_gone: bool


def strays(
    repository: Repository, source: Source, evaluation: Evaluation, base: Source | None = None
) -> list[Finding]:
    """Return the error about new claims with a record in a removed root, or a new root in its folder."""
    now, before = source.revision(), (base or source).revision()
    decisions, settings = evaluation.plan.decisions, evaluation.tree.settings
    is_empty = not read.has_records(source, settings.records)
    # Without the base of a change, only a root without records is checked.
    if now is None or before is None or (before == now and not is_empty):
        return []
    anew = {it.claim for it in decisions if isinstance(it, Grant) and it.replaces is None}
    for there, commit, (then, was) in _removed_roots(repository, before.id, now.id) if anew else ():
        had = {place_of(was.records, it.path).claim: it.oid for it in then.entries([was.records])}
        if lost := anew & had.keys():
            moved = _moved(repository, there, (commit, was.records), before.id, now.id)
            lost = {it for it in lost if had[it] not in moved}
        if lost:
            is_here = bool(there.source(now.id).entries([was.records]))
            (old,) = there.git.root.inside([was.records])
            (new,) = repository.git.root.inside([settings.records])
            many = plural(len(lost), "claim")
            where = "" if is_here else f" in {commit[:12]}"
            message = f"{many} would get new addresses, but had a record in {old}/ at the top of the repository{where}, whose root has no documents or records now"
            hint = "" if is_here else f"git checkout {commit[:12]} -- {old}, and "
            hint = f"run {hint}git mv {old} {new} in the same commit to keep the addresses"
            return [error(STRAY, Location(settings.records), message, hint)]
    is_new = is_empty and base is not None and _has_documents((source, settings))
    if not is_new or _has_documents(side_at(repository, before.id)):
        return []
    found = edited(repository, source, evaluation)
    return [replace(it, location=Location(".")) for it in found]


def _removed_roots(
    repository: Repository, revision: str, tip: str, without: Sequence[str] = ()
) -> Iterator[tuple[Repository, str, Side]]:
    """Yield the roots that lack documents or records at a tip, with their content at a revision."""
    for root, _ in repository.other_roots(revision, without):
        there = repository.below(root)
        now = side_at(there, tip)
        is_alive = _has_documents(now) and read.has_records(now[0], now[1].records)
        if not is_alive and (commit := newest(there, revision)):
            yield there, commit, side_at(there, commit)


def _moved(
    repository: Repository, there: Repository, last: tuple[str, str], base: str, tip: str
) -> set[str]:
    """Return ids of record and observed files of other roots, at their first run or at the tip."""
    (commit, folder), top = last, repository.below("")
    changed, _ = top.changed(commit, tip, limits=Limits(files=1 << 22))
    new = (f"/{it.new.path}" for it in changed if it.new is not None)
    others = {it.partition(f"/{folder}/")[0][1:] for it in new if f"/{folder}/" in it}
    at = [(root, tip) for root in others - {repository.root}]
    at += [(root, top.made(it).parents[0]) for root, it in there.other_roots(base, [commit])]
    sides = (side_at(repository.below(root), revision) for root, revision in at)
    return {it.oid for side in sides if _has_documents(side) for it in files(side).values()}


def _has_documents(side: Side) -> bool:
    return any(read.has_records(side[0], folder) for folder in side[1].sources)


def foreign(repository: Repository, base: str, head: str) -> Iterator[str]:
    """Yield commits of a change with a plan line of another root whose check does not see them."""
    for root, commit in repository.other_roots(head, [base]):
        sides = [side_at(repository.below(root), it) for it in (base, head)]
        if not all(map(_has_documents, sides)) or content(sides[0]) == content(sides[1]):
            yield commit


def newest_side(
    repository: Repository, revision: str, now: Side, tip: str = ""
) -> tuple[str, Side] | None:
    """Return R at a revision, and its side; R of a removed root if its records moved here since."""
    last, (source, settings) = newest(repository, revision), now
    found = {last: side_at(repository, last)} if last else {}
    if read.has_records(source, settings.records):
        tip = tip or revision
        for there, commit, before in _removed_roots(repository, revision, tip, list(found)):
            if read.has_records(repository.source(commit), settings.records):
                continue
            here = files(now)  # very many, and few repositories have removed roots
            same = {it.oid: here[name].oid for name, it in files(before).items() if name in here}
            at = commit, before[1].records
            if any(map(eq, same, same.values())) or (
                same.keys() - _moved(repository, there, at, revision, tip)
            ):
                found[commit] = before
    last = repository.nearest(list(found), revision)
    return (last, found[last]) if last else None


def require_unedited(evaluation: Evaluation) -> None:
    """Raise GateError if records were edited, or left in another root."""
    is_anew = evaluation.tree.allow_release is not None and not evaluation.tree.records
    for found in evaluation.findings:
        if found.code == EDITED or (found.code == STRAY and not is_anew):
            raise GateError(f"{found.location.path}: {found.message}", found.hint)


def edited(repository: Repository, source: Source, evaluation: Evaluation) -> Iterator[Finding]:
    """Return the error about edited records, if any. Raises GitError for a shallow clone."""
    revision, tree = source.revision(), evaluation.tree
    if revision is None:
        return
    found = edits(repository, (source, tree.settings), tree.overrides, source, revision.id)
    if found is not None and not (found.is_gone and tree.allow_release is not None):
        yield _edited(repository, revision.id, found, evaluation)


def edits(
    repository: Repository, now: Side, overrides: Overrides, line: Source, revision: str
) -> Edits | None:
    """Return the edits of a tip, `line`, or of a merge result, whose base it is. Raises GitError."""
    source, settings = now
    tip = source.revision()
    found = newest_side(repository, revision, now, tip.id if tip is not None else "")
    is_gone = found is None and not read.has_records(source, settings.records)
    if (found := _gone(repository, now, line) if is_gone else found) is None:
        return None  # the first run: F is accepted as it is
    last, before = found
    every = differing(before, now)
    pairs, left = set[str](), uncovered(every, overrides, settings)
    paths = [f for side in (before, now) for f in (side[1].records, side[1].observed)]
    # An Override accepts the content of a file for good, also if it expires or is removed later.
    for step in line.past([OVERRIDES, PATH, *paths]) if left else ():
        at, names = there = side_at(repository, step.id)
        differ = differing(there, now)
        pairs |= left.keys() & differ.keys()
        left = {name: pair for name, pair in left.items() if name not in differ}
        # Overrides that the tip itself brings count for later commits.
        is_tip = source is line and step.id == revision
        left = uncovered(
            left, read.read_overrides(at) if is_tip else read.overrides_of_change(at, at), names
        )
        if not left:
            break
    pairs |= left.keys()
    wrong = {name: pair for name, pair in every.items() if name in pairs}
    return Edits(last, (before, now), wrong, every.keys() - pairs, is_gone) if wrong else None


def uncovered(pairs: Pairs, overrides: Overrides, settings: Settings) -> Pairs:
    """Return the files that differ, except for those that an Override of kind `record` covers."""
    return {
        name: pair
        for name, pair in pairs.items()
        if not _is_covered(path_of(settings, name), overrides, settings, is_added=pair[0] is None)
    }


def _is_covered(path: str, overrides: Overrides, settings: Settings, *, is_added: bool) -> bool:
    """Return whether an Override names a file, its claim, or, if it is added, a folder above it."""
    claim = place_of(settings.records, path).claim
    scopes = [path, *([str(claim)] if claim is not None else [])]
    scopes += folders_above(path) if is_added else []
    # Each Override that covers the file counts as used.
    return True in [overrides.allow(OverrideKind.RECORD, scope) for scope in scopes]


def restoring(
    root: str, revision: str, sides: tuple[Side, Side], names: Collection[str], but: Collection[str]
) -> str:
    """Return the command that restores some files of the first side, and leaves others (`but`)."""
    (source, then), (_, now) = sides
    at, commands = f"{root}/" if root else "", list[str]()
    origin = f"{top}/" if (top := getattr(source, "root", root)) else ""  # the root may have moved
    restore = "git restore --source={} --staged --worktree -- {}".format
    for field in dict.fromkeys(name.partition("/")[0] for name in names):
        old, new = f"{origin}{getattr(then, field)}", f"{at}{getattr(now, field)}"
        place = shlex.quote(f":/{new}" if root else new)
        mine, left = (
            [f":(top,literal){at}{path_of(now, it)}" for it in some if it.startswith(f"{field}/")]
            for some in (names, sorted(but))
        )
        if old == new:
            commands.append(restore(revision, shlex.join(mine) if left else place))
            continue
        commands.append(f"git rm -rq --ignore-unmatch -- {place}")
        if source.entries([getattr(then, field)]):
            tree = f"--prefix={new}/", f"{revision}:{old}"
            commands.append(f"git read-tree -u {shlex.join(tree)}")
        commands += [restore("HEAD", shlex.join(left))] if left else []
    return " && ".join([*commands, "git commit -m 'Restore records'"])


def _edited(repository: Repository, tip: str, found: Edits, evaluation: Evaluation) -> Finding:
    (_, then), (_, settings) = found.sides
    last, pairs = found.last, found.pairs
    folders = [*{then.records, then.observed, settings.records, settings.observed}]
    commits = repository.touching(tip, last, folders, MAX_SHOWN)
    made = [repository.made(commit) for commit in commits]
    by = join_limited([f"{it.id[:12]} of {shown(it.author)}" for it in made])
    paths = [path_of(settings, name) for name in pairs]
    many = "1 file differs" if len(pairs) == 1 else f"{len(pairs)} files differ"
    what = "commit with records (all were deleted)" if found.is_gone else "reconcile commit"
    message = f"{many} from {last[:12]}, the newest {what}: {join_limited(paths)}"
    message += f"; changed by commit {by}" if by else ""
    taken = join_limited(list(_taken(found, evaluation)))
    message += f"; restoring them removes {taken}" if taken else ""
    hint = f"restore them: {restoring(repository.root, last, found.sides, pairs, found.accepted)}"
    held = {it.claim for it in allocations(found.sides[0], [old for old, _ in pairs.values()])}
    is_new = bool(evaluation.state.claims) and evaluation.state.claims.keys().isdisjoint(held)
    if is_new and not found.is_gone and not read.has_records(found.sides[1][0], settings.records):
        hint = (
            "create the new root in another folder, because another root was moved or removed here"
        )
    elif found.is_gone:
        hint += "; or run ipam reconcile --allow-release 0 to allocate all addresses again"
    elif all(is_scope(OverrideKind.RECORD, path) for path in paths):
        hint += f"; to accept them, merge an Override of kind record with scope {paths[0]}{' (one for each file)' if len(pairs) > 1 else ''}"
        if any(len(it.parents) == 1 and repository.changes_only(it.id, folders) for it in made):
            hint += _SQUASH
    return error(EDITED, Location(paths[0]), message, hint)


def _taken(found: Edits, evaluation: Evaluation) -> Iterator[str]:
    """Return the owners and ranges that the tip has, but R has not, of claims that exist."""
    (before, now), pairs = found.sides, found.pairs.values()
    held = {(it.claim, it.range) for it in allocations(before, [old for old, _ in pairs])}
    for record in allocations(now, [new for _, new in pairs]):
        is_claimed = record.claim in evaluation.state.claims and record.is_live
        if is_claimed and record.range is not None and (record.claim, record.range) not in held:
            yield f"{record.owner.short} {format_short(record.range)}"


def allocations(side: Side, entries: Collection[Entry | None]) -> list[Allocation]:
    """Return the readable records among some files of a side."""
    source, settings = side
    folder = f"{settings.records}/"
    there = [it for it in entries if it is not None and it.path.startswith(folder)]
    recalled = reader_of(source, settings).recalled(there)
    return [it.allocation for it in recalled if it.allocation is not None]


def _gone(repository: Repository, now: Side, line: Source) -> tuple[str, Side] | None:
    """Return the last commit with records, and its side."""
    for folder in dict.fromkeys(it.records for it in (now[1], *read.settings_before(line))):
        for step in line.past([folder]):
            gone = (it.path for it in step.changed if it.new is None)
            if any(is_yaml(it) and it.startswith(f"{folder}/") for it in gone):
                last = repository.made(step.id).parents[0]
                return last, (repository.source(last), replace(now[1], records=folder))
    return None


def as_reconciled(
    source: Source, repository: Repository, options: EvaluationOptions = DEFAULTS
) -> Evaluation:
    """Return the evaluation by the stricter Settings of tip and R, with errors about records."""
    evaluation, found = read.evaluate_source(source, options), list[Finding]()
    revision = source.revision()
    try:
        last = newest(repository, (revision or repository.resolve("HEAD")).id)
    except GitError:
        if revision is not None:
            raise
        return evaluation  # HEAD has no commit, or the clone is shallow
    if revision is not None:  # a review compares uncommitted records with HEAD
        # A source may be laid over with other files or have another clock.
        source = repository.source(revision.id)
        source.bound(evaluation.tree.settings.limits)
        found = strays(repository, source, evaluation)
        found += edited(repository, source, evaluation) if last or not found else []
    if last:
        evaluation = held_to(evaluation, side_at(repository, last)[1], last[:12])
    return with_found(evaluation, found)


def with_overrides(evaluation: Evaluation, source: Source | None = None) -> Evaluation:
    """Return the evaluation with findings about Overrides; a release limit names dropped sources."""
    old = evaluation.brake
    dropped = [f"{it}/" for it in _dropped(evaluation, source)] if old and source else []
    if old and dropped:
        hint = f"add {join_limited(dropped)} to spec.sources of {PATH} again, which describes released claims"
        brake = replace(old, hint=f"{hint}; {old.hint}")
        gates = tuple(brake if it is old else it for it in evaluation.gates)
        evaluation = replace(evaluation, brake=brake, gates=gates)
    return with_found(evaluation, as_findings(evaluation.tree.overrides, evaluation.plan.after))


def _dropped(evaluation: Evaluation, source: Source) -> Iterator[str]:
    """Yield source folders of earlier Settings with documents of releases that are held back."""
    settings = evaluation.tree.settings
    owners = {_owner(it.claim) for it in held_releases(evaluation)}
    for folder in dict.fromkeys(name for it in read.settings_before(source) for name in it.sources):
        if any(within(folder, it) for it in settings.folders):
            continue
        with suppress(LimitError):
            files = [it for it in source.entries([folder]) if it.is_file and is_yaml(it.path)]
            parsed = reader_of(source, settings).sources(files)
            if owners & {it.identity[1:] for file in parsed for it in file.documents}:
                yield folder


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
    unknown = f"its commit is not among the last {MAX_COMMITS} commits of its folders"
    found = _commits_of(set(listed), repository, source, evaluation.tree.settings)
    for item in held[:MAX_LISTED]:
        has = format_short(item.range) if item.range else "nothing"
        message = f"release held back by the release limit: {item.claim.short} keeps {has}:"
        cause = found.get(_owner(item.claim), unknown)
        yield warning("brake-held", Location(item.path, 1, 1), f"{message} {cause}")
    if held[MAX_LISTED:]:
        message = f"{len(held) - MAX_LISTED} more releases held back by the release limit"
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
        return near & {it.identity[1:] for it in documents}

    steps = islice(source.past(list(settings.folders)), MAX_COMMITS) if wanted else ()
    edits = ((step, it) for step in steps if len(step.changed) <= MAX_FILES for it in step.changed)
    for step, item in edits:
        was, now = named(item.old), named(item.new)
        for owner in was | now:
            wanted.discard(owner)
            what = "edited" if owner in now else "removed"
            by = f"{_author(repository, step)} {what} {shown(item.path)}"
            same = f"its document in {shown(item.path)} is unchanged, but a document that it names has changed"
            found[owner] = by if owner in was else same
        if not wanted:
            break
    return found


def _author(repository: Repository, step: BranchCommit) -> str:
    if not step.id:
        return "an uncommitted change"
    name, _, _ = repository.made(step.id).author.partition(" <")
    return f"commit {step.id[:12]} by {shown(name)}" if name else f"commit {step.id[:12]}"
