"""Golden trees and their results as files. `python -m tests.golden.cases` prints all of them.

A case is `<case>/tree`, a repository at the clock of the tests, and `<case>/expected`: the plan, the
output of `check`, the next records, and the objects for clusters.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeGuard

from reconciler.apply.render import rendered
from reconciler.planning.evaluate import evaluate
from reconciler.reconcile.evaluation import exit_code
from reconciler.report.formats import json_text
from reconciler.report.json import plan_document
from reconciler.report.text.plan import check_text
from reconciler.report.text.table import Painter
from reconciler.review.result import Compared
from tests.world import reconciled, tree_of

ROOT = Path(__file__).parent
Files = dict[str, str | bytes]


def cases() -> list[str]:
    return sorted(path.parent.name for path in ROOT.glob("*/tree"))


def read(folder: Path) -> Files:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def outcome(files: Files) -> dict[str, str]:
    """Return the results for files: plan, findings, all records, and all objects of clusters."""
    evaluation = evaluate(tree_of(files))
    verdict = check_text(Compared(evaluation), Painter(is_on=False))
    after = {path: str(data, "utf-8") for path, data in reconciled(files).items() if is_bytes(data)}
    records = {path: text for path, text in after.items() if path.startswith("allocations/")}
    objects = rendered(evaluate(tree_of(after)))
    return {
        "plan.json": json_text(plan_document(evaluation, keeps=True)),
        "check.txt": f"{verdict}exit code {int(exit_code(evaluation))}\n",
        "records.yaml": listed(records),
        "rendered.yaml": listed(without_repetition(objects, list(records.values()))),
    }


def is_bytes(data: str | bytes) -> TypeGuard[bytes]:
    """Files of a case are bytes, as Git gives them."""
    return isinstance(data, bytes)


def without_repetition(objects: dict[str, str], records: list[str]) -> dict[str, str]:
    """The objects without CRDs, the same for every tree, and without those that are records."""
    return {
        path: "".join(line for line in text.splitlines(keepends=True) if "- crds/" not in line)
        for path, text in objects.items()
        if "/crds/" not in path and text not in records
    }


def listed(found: dict[str, str]) -> str:
    return "".join(f"--- # {path}\n{found[path]}" for path in sorted(found))


def main(order: Callable[[list[str]], list[str]]) -> None:
    """Print the outcome of every case, with its files taken in some order."""
    found = {}
    for case in cases():
        files = read(ROOT / case / "tree")
        found[case] = outcome({path: files[path] for path in order(sorted(files))})
    # As bytes, so that a locale which cannot print a character says so.
    sys.stdout.buffer.write(json.dumps(found, indent=1, ensure_ascii=False).encode())


if __name__ == "__main__":
    main(lambda paths: paths[::-1] if "--reversed" in sys.argv else paths)
