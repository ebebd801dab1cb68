"""The examples of `ipam explain CODE`: `python -m tests.bad_input.examples` writes them anew."""

import io
import json
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from itertools import pairwise
from pathlib import Path

import reconciler.report
from reconciler.cli import run
from reconciler.codes import CODES
from reconciler.report.text.table import Painter, findings_text
from tests.bad_input.harness import Case, cases, settled_with
from tests.cli.running import given_out
from tests.documentation import masked
from tests.hostile.test_announced import extra
from tests.review.test_announcements import DONE, MINE, TO_TWO, as_findings
from tests.world import SMALL, commit, evaluation_of, pool, reconciled, repository, tenant, write

FILE = Path(reconciler.report.__file__).parent / "examples.json"
GOLDENS = Path("tests/golden")
STORIES = Path("tests/story/golden")
_LONGEST = 330
_LONG_LINE = 320
_FINDING = re.compile(r"\S+: (?:error|warning|info|refused) ([a-z-]+): .*")


def made() -> dict[str, dict[str, str]]:
    """The first fitting finding of each code, as `check` shows it."""
    found: dict[str, dict[str, str]] = {}
    for case in cases():
        wanted = {item.code for item in case.findings} - found.keys()
        for code, text in _shown(case, wanted).items():
            if len(text) <= _LONGEST:
                found |= dict([_example(code, text)])
    found |= dict(_example(code, text) for code, text in _beside_a_base().items())
    for code, text in [*_of_branches(), *_of_goldens()]:
        found.setdefault(code, _example(code, text)[1])
    return {code: found[code] for code in sorted(found)}


def _of_goldens() -> Iterator[tuple[str, str]]:
    """What verbs say of whole repositories, which no bad file tells by itself; by file."""
    for path in sorted([*GOLDENS.glob("*/expected/check.txt"), *STORIES.rglob("*.txt")]):
        lines = path.read_text(encoding="utf-8").splitlines()
        yield from _findings(lines)


def _of_branches() -> Iterator[tuple[str, str]]:
    """Findings about who wrote the records of a branch."""
    with tempfile.TemporaryDirectory() as scratch:
        edited = given_out(Path(scratch) / "edited", {**SMALL, "tenants/two.yaml": tenant("two")})
        next(edited.rglob("two.loadbalancer.yaml")).unlink()
        commit(edited)
        yield from _findings(_checked(edited))
        imported = repository(Path(scratch) / "imported", {"pools/edge.yaml": pool()})
        write(imported, reconciled(SMALL))
        commit(imported)
        yield from _findings(_checked(imported, "--base", "HEAD~1"))


def _checked(folder: Path, *more: str) -> list[str]:
    with redirect_stdout(io.StringIO()) as out:
        run(["check", "--repo", str(folder), *more])
    return masked(out.getvalue()).splitlines()


def _findings(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line, below in pairwise([*lines, ""]):
        told = _FINDING.fullmatch(line)
        if told is not None and told[1] in CODES and len(line) <= _LONG_LINE:
            yield told[1], f"{line}\n{below if below.startswith('  hint: ') else ''}"


def _beside_a_base() -> dict[str, str]:
    """Of what clusters lose, which no tree tells by itself."""
    changes = [TO_TWO, {**DONE, MINE: extra(kind="nodes", spec="  count: 4\n")}]
    every = [item for head in changes for item in as_findings(head)]
    return {item.code: findings_text([item], Painter(is_on=False)) for item in every}


def _example(code: str, text: str) -> tuple[str, dict[str, str]]:
    finding, _, hint = text.partition("\n")
    return code, {"finding": finding, "hint": hint.strip().removeprefix("hint: ")}


def _shown(case: Case, wanted: set[str]) -> dict[str, str]:
    if not wanted or any(not isinstance(data, bytes | None) for data in case.files.values()):
        return {}
    evaluation = evaluation_of(dict(settled_with(case)))
    every = [*evaluation.findings, *evaluation.gates]
    first = {item.code: item for item in reversed(every) if item.code in wanted}
    return {code: findings_text([item], Painter(is_on=False)) for code, item in first.items()}


def text() -> str:
    return json.dumps(made(), indent=1, ensure_ascii=True) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
