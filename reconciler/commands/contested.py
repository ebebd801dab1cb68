"""Of records that hold one address: whose came first, told by the history of the revision.

Who came later gets none of it in what is rendered. Where the history cannot tell (both came in one
commit, or before what a shallow clone has) nobody does (`contract.md` §3).
"""

from collections.abc import Iterable, Mapping

from reconciler.addresses import IPRange, IPSet
from reconciler.commands.reading.files import Reader, reader_of
from reconciler.engine.contests import Contests, contests, destination
from reconciler.engine.rules import OVERLAP
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Severity
from reconciler.model.allocation import Allocation
from reconciler.ports import Entry, Source


def withheld(evaluation: Evaluation, source: Source) -> Mapping[str, IPSet]:
    """What each record holds that must not be announced by it, by its path.

    Costs nothing but a sweep over all ranges where no two records overlap.
    """
    shared = contests(evaluation.state)
    if not shared:
        return {}
    reader = reader_of(source, evaluation.tree.settings)
    records = {item.path: item for item in evaluation.state.records if item.path in shared}
    since = _since(reader, records, shared)
    return {
        path: IPSet.of(
            item
            for other, common in others.items()
            if since[other] >= since[path]
            for item in common
        )
        for path, others in shared.items()
    }


def undecided(evaluation: Evaluation, held_back: Mapping[str, IPSet]) -> IPSet:
    """What several records hold and history gives to none of them.

    Args:
        evaluation: Of the revision.
        held_back: What each record must not announce, as `withheld` tells.
    """
    shared = contests(evaluation.state)
    parts = {path: IPSet.of(it for each in others.values() for it in each)
             for path, others in shared.items()}  # fmt: skip
    given = (part - held_back.get(path, IPSet()) for path, part in parts.items())
    return IPSet.of(it for part in parts.values() for it in part) - IPSet.of(
        it for part in given for it in part
    )


def is_all(findings: Iterable[Finding], held_back: Mapping[str, IPSet]) -> bool:
    """Nothing is wrong but that records hold what others hold, too."""
    wrong = [item for item in findings if item.severity is Severity.ERROR]
    return all(it.code == OVERLAP and it.location.path in held_back for it in wrong)


def _since(reader: Reader, records: Mapping[str, Allocation], shared: Contests) -> dict[str, int]:
    """How many steps ago each record came to hold what it shares, wherever it stood then."""
    standing = {path: path for path in records}
    since: dict[str, int] = {}
    age = 0
    for age, step in enumerate(reader.source.past([reader.records])):
        touched = {item.path: item.old for item in step.changed}
        asked = [path for path, now in standing.items() if now in touched]
        before = _before(reader, touched.values()) if asked else []
        for path in asked:
            parts = [item for common in shared[path].values() for item in common]
            old = next((it for it in before if _held(it, records[path], parts)), None)
            if old is not None:
                standing[path] = old.path
            elif not _is_damaged(touched[standing[path]], standing[path], before):
                since[path] = age
                del standing[path]
        if not standing:
            break
    return {**dict.fromkeys(standing, age), **since}


def _before(reader: Reader, entries: Iterable[Entry | None]) -> list[Allocation]:
    """What the records that a commit changed, moved or removed stated before."""
    olds = [it for it in entries if it is not None and it.is_file]
    read = zip(olds, reader.source.read(olds), strict=True)
    recalled = (reader.read_record(entry.path, data).allocation for entry, data in read)
    return [record for record in recalled if record is not None]


def _held(old: Allocation, record: Allocation, parts: Iterable[IPRange]) -> bool:
    """The record held all that it shares already, whatever else it said."""
    if old.range is None or destination(old) != destination(record):
        return False
    return all(old.range.covers(item) for item in parts)


def _is_damaged(old: Entry | None, path: str, before: Iterable[Allocation]) -> bool:
    """The file was there, but could not be read: it says nothing about when it came."""
    return old is not None and all(record.path != path for record in before)
