"""The last look before a commit is published: no address that it gives out is held already.

The tree is compared as committed, whole, whatever the plan left out: the files that the commit is
made of, and each record of its base that it leaves alone.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from reconciler.commands.held import Held
from reconciler.families import home_of, pool_kinds
from reconciler.net.clashes import Line, Span, granted, overlapping
from reconciler.net.ranges import written
from reconciler.net.reading import Holding, holding_of, is_read, is_record
from reconciler.net.spaces import described, may_share, spaces_of
from reconciler.ports import Commit, ReconcilerError, Repository, Revision, Source
from reconciler.tree import Tree

_SHOWN = 3

Pair = tuple[Holding, Holding]


def require_no_clash(
    repository: Repository,
    commit: Commit,
    made: Revision,
    tree: Tree,
) -> None:
    """Compare what a commit gives out with every record of its tree.

    Args:
        repository: Where it is.
        commit: What it was made of. When that gives nothing out, nothing is read.
        made: The commit itself.
        tree: Its base as it was read: the folders, and what counts in the place of broken files.

    Raises:
        ReconcilerError: A range would be held twice: a bug, and nothing may be published.
    """
    folder = tree.settings.records
    new = {
        path: holding_of(folder, path, data)
        for path, data in commit.changes
        if data is not None and is_record(folder, path)
    }
    # Whether they held it before matters only when another one holds it, too.
    given = granted(new.values(), ())
    if not given:
        return
    base, source = repository.source(commit.base.id), repository.source(made.id)
    base.bound(tree.settings.limits)
    source.bound(tree.settings.limits)
    held = Held(base, folder)
    changed = {change.path for change in commit.changes}
    spans = held.spans(Line(item for record in given for item in record.ranges), changed)
    spans += [Span(*item, record.path) for record in new.values() for item in record.ranges]
    pairs = overlapping(spans, {record.path for record in given})
    if pairs:
        given = granted(new.values(), held.read(changed))
        pairs = overlapping(spans, {record.path for record in given})
    if clashes := _in_one_space(source, tree, _pairs(held, new, pairs)):
        hint = f"nothing was published; report it with ipam plan --all --rev {commit.base.id[:12]}"
        raise ReconcilerError(_told(clashes), hint)


def _pairs(held: Held, new: Mapping[str, Holding], paths: Sequence[tuple[str, str]]) -> list[Pair]:
    """The records of two paths each."""
    known = {**new, **{record.path: record for record in held.found(it for _, it in paths)}}
    return [(known[path], known[other]) for path, other in paths]


def _in_one_space(source: Source, tree: Tree, pairs: Sequence[Pair]) -> list[Pair]:
    """Those pairs that are not known to be of different address spaces."""
    pools = {record.pool for pair in pairs for record in pair}
    if len(pools) < 2:
        return list(pairs)
    names = frozenset(pool.name for pool in pools if pool.name)
    kinds = {kind: home_of(family.name, kind) or "" for kind, family in pool_kinds().items()}
    before = {document.unread: document.data for document in tree.last_good.documents}
    listed = source.entries(tree.settings.folders)
    files = [entry for entry in listed if is_read(entry.path) and entry.path not in before]
    read = partial(described, kinds, names)
    found = [item for items in source.each(files, read) for item in items]
    found += [item for path, data in before.items() for item in read(path, data)]
    spaces = spaces_of(pools, found)
    return [pair for pair in pairs if may_share(spaces[pair[0].pool], spaces[pair[1].pool])]


def _told(clashes: Sequence[Pair]) -> str:
    """All that a report needs: both records of each pair, with what they hold and where."""
    shown = "; ".join(
        f"{_named(record)} would be given what {_named(other)} holds"
        for record, other in clashes[:_SHOWN]
    )
    more = len(clashes) - _SHOWN
    return f"a bug: {shown}{f'; and {more} more' if more > 0 else ''}"


def _named(record: Holding) -> str:
    ranges = ", ".join(map(written, record.ranges[:_SHOWN]))
    return f"{record.claim or 'a record'} ({record.path}: {ranges})"
