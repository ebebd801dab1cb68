"""What a person did that a commit of reconcile carries out: which commit, which line of which file."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reconciler.asking.happenings import Happening
from reconciler.asking.rows import Row, Touch


class Approval(NamedTuple):
    """An Override that let it pass: the commit that wrote it, and its file."""

    row: Row
    path: str


class Cause(NamedTuple):
    """A commit of a person, and the document in it that names what it happened to.

    Attributes:
        path: The file; empty where none of them names it.
        line: The line that names it; 0 without a file.
        approval: The Override that counted for it; None for none.
    """

    row: Row
    path: str = ""
    line: int = 0
    approval: Approval | None = None


def may_tell(row: Row, records: str, most: int) -> list[Touch]:
    """Documents that a commit touched; none of very many, which would be a change of everything."""
    inside = f"{records}/"
    found = [touch for touch in row.touched if not touch.path.startswith(inside)]
    return found if len(found) <= most else []


def cause_in(
    item: Happening, rows: Sequence[tuple[Row, Sequence[Touch]]], texts: Mapping[str, bytes]
) -> Cause | None:
    """The cause of what happened.

    The newest commit that touched a document which names it; else the newest one of a person. A
    record that a person wrote is its own cause.

    Args:
        item: What happened.
        rows: The commit, and those before it back to the last one of reconcile; newest first. Each
            with the documents in it that may tell something, as `may_tell` has them.
        texts: Documents by id.
    """
    named = _naming(item)
    people = [(row, told) for row, told in rows if not row.is_plan and not row.is_cut]
    for row, told in people:
        for touch in told:
            for oid in (touch.new, touch.old):
                found = named.search(texts.get(oid, b""))
                if found is not None:
                    text = texts[oid]
                    return Cause(row, touch.path, text.count(b"\n", 0, found.start()) + 1)
    return Cause(people[0][0]) if people else None


def taken_out(
    item: Happening, rows: Iterable[Row], records: str, texts: Mapping[str, bytes], most: int
) -> Cause | None:
    """The commit of a person in which the document went that names it, however long ago.

    A brake may have held the release back since then, while reconcile committed all else. None
    where its document came in none of these commits or after it went, or is there still.

    Args:
        item: What was released.
        rows: The commit, and those before it; newest first.
        records: The records folder.
        texts: Documents by id.
        most: So many documents of a commit are looked at.
    """
    named = _naming(item)
    for row in rows:
        told = may_tell(row, records, most) if not (row.is_plan or row.is_cut) else []
        was = [(touch, it) for touch in told if (it := named.search(texts.get(touch.old, b"")))]
        is_there = any(named.search(texts.get(touch.new, b"")) for touch in told)
        if was and not is_there:
            touch, found = was[0]
            line = texts[touch.old].count(b"\n", 0, found.start()) + 1
            return Cause(row, touch.path, line)
        if is_there and not was:
            return None
    return None


def _naming(item: Happening) -> re.Pattern[bytes]:
    """A pattern of the line that names an object, in YAML of either form."""
    name = (item.heir or item.fact).claim.split("/")[3].encode()
    return re.compile(rb"\bname:[ \t]*[\"']?" + re.escape(name) + rb"[\"']?[ \t]*(?=[,}#\r\n]|\Z)")
