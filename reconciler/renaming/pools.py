"""Pools that have another name by now: their records go along."""

from collections.abc import Collection, Iterable, Mapping

from msgspec.structs import replace

from reconciler.documents.document import Documents
from reconciler.families import is_pool
from reconciler.findings import Finding
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.pool import Pool
from reconciler.model.state import Former
from reconciler.renaming.links import Link, broken, is_there, several, still_there, unclear
from reconciler.renaming.renamed import Name, Renamed
from reconciler.renaming.tangles import next_in_chain, tangled
from reconciler.tree import Tree


def rename_pools(
    tree: Tree,
    documents: Documents,
    renamed: Renamed,
    links: Iterable[Link],
    pools: Mapping[Key, Pool],
) -> Renamed:
    """The records, of pools that have another name by now, too."""
    every = [link for link in links if is_pool(link.document.kind.id)]
    if not every:
        return renamed
    becomes, found = _becoming(every, documents, renamed.records)
    findings = (*renamed.findings, *found)
    if not becomes or unclear(tree):
        return replace(renamed, findings=findings)
    former = dict(renamed.former)
    records: list[Allocation] = []
    for record in renamed.records:
        pool = pools.get(becomes.get(record.pool, record.pool))
        if pool is None or pool.key == record.pool or not _holds(pool, record):
            records.append(record)
            continue
        known = former.get(record.path, Former())
        former[record.path] = replace(known, pool=record.pool)
        records.append(replace(record, pool=pool.key, pristine=False))
    return replace(renamed, records=tuple(records), findings=findings, former=former)


def _becoming(
    links: list[Link], documents: Documents, records: Iterable[Allocation]
) -> tuple[dict[Key, Key], list[Finding]]:
    """Which pool each one that is gone became, where that is clear; and what is to be said."""
    by_former: dict[Key, list[Link]] = {}
    findings: list[Finding] = []
    used = frozenset(record.pool for record in records if record.range is not None)
    knots = _knots(links, documents, used)
    for link in links:
        if (knot := knots.get(link.now)) is not None:
            findings.append(knot)
        elif is_there(link, documents):
            findings += still_there(link, documents)
        else:
            by_former.setdefault(link.before, []).append(link)
    for key, rivals in by_former.items():
        if key in used and len(rivals) > 1:
            findings += several(rivals)
    becomes = {
        key: rivals[0].now
        for key, rivals in by_former.items()
        if len(rivals) == 1 and not rivals[0].document.doubt
    }
    return becomes, findings


def _knots(
    links: Iterable[Link], documents: Documents, used: Collection[Key]
) -> dict[Key, Finding]:
    """Pools that take nothing over because their names are swapped, or hang on one another.

    Args:
        links: Those that say what they were called.
        documents: What is there.
        used: Pools that records name. Of others nothing can go astray.
    """
    every = {link.now.owner: link for link in links}
    by_former: dict[Name, list[Link]] = {}
    for link in every.values():
        by_former.setdefault(link.before.owner, []).append(link)

    def is_pending(name: Name) -> bool:
        own = by_former[name][0]
        return own.before in used and not is_there(own, documents)

    found: dict[Key, Finding] = {}
    for link in every.values():
        if link.before not in used or broken(link, documents):
            continue
        after = by_former.get(link.now.owner)
        if is_there(link, documents):
            knot = tangled(link, every, is_pending)
        else:
            knot = next_in_chain(link, after) if after and link.now in used else None
        if knot is not None:
            found[link.now] = knot
    return found


def _holds(pool: Pool, record: Allocation) -> bool:
    """What a record holds is of the pool's network, whether it gives that out or not."""
    item = record.range
    return item is not None and (pool.extent.covers(item) or pool.usable.covers(item))
