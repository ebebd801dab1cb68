"""Sources and trees that imports are tested with."""

from collections.abc import Mapping
from typing import Any

from reconciler.addresses import format_short
from reconciler.documents.findings import Finding, Severity
from reconciler.importing.assembling import Imported, assemble
from reconciler.importing.run import files_found, netbox_rows
from reconciler.importing.sources import ImportedSource
from reconciler.importing.tables import Assumed
from reconciler.planning.evaluate import Evaluation, evaluate
from tests.world import tree_of

Files = Mapping[str, str | bytes]
EMPTY: Files = {"README.md": "nothing yet"}


def table(text: str | bytes, **assumed: Any) -> ImportedSource:
    """Return the rows of a table."""
    data = text.encode() if isinstance(text, str) else text
    return files_found([("a.csv", data)], Assumed(**assumed))


def netbox(*texts: str) -> ImportedSource:
    """Return the rows of NetBox exports."""
    named = [(f"{at}.json", text.encode()) for at, text in enumerate(texts)]
    return files_found(named, Assumed(), netbox_rows)


def imported(found: ImportedSource, files: Files = EMPTY) -> Imported:
    """Import into a tree. Without conflicts, `check` has no findings, and a second import is empty."""
    tree = tree_of(files)
    result = assemble(tree, found)
    if not result.conflicts:
        before = evaluate(tree)
        for item in {*result.after.gates} - {*before.gates}:
            assert any(item.message in note for note in result.notes)
        assert {*errors(result.after)} <= {*errors(before)}
        again = assemble(tree_of({**files, **result.files}), found)
        assert (again.files, again.conflicts) == ({}, ())
    return result


def errors(evaluation: Evaluation) -> list[Finding]:
    """The errors of a tree."""
    return [item for item in evaluation.findings if item.severity is Severity.ERROR]


def lines(result: Imported) -> list[str]:
    """Owner, type, pool, old and new of each range, in short."""

    def short(item: Any) -> str:
        return format_short(item) if item is not None else "-"

    return [
        f"{it.owner} {it.type} {it.pool} {short(it.old)} {short(it.new)}" for it in result.lines
    ]


def conflicts(result: Imported | ImportedSource) -> list[str]:
    """Where and why something has to be decided."""
    return [f"{it.location}: {it.message}" for it in result.conflicts]


def texts(result: Imported) -> dict[str, str]:
    """The files."""
    return {path: data.decode() for path, data in result.files.items()}
