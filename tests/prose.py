"""Foreign idioms and slips of grammar in documentation, docstrings, comments, and messages.

`python -m tests.prose FILE...` lists the hits. Without arguments, or as `make lint`, it compares all files
with `prose.budget`: a file has at most as many hits as listed there, and a file that is not listed has none.
`--lower` writes lower counts to `prose.budget`, never higher ones. `harper` checks the grammar of Markdown.
"""

import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BUDGET = Path(__file__).with_name("prose.budget")
_FILES = (
    "*.md",
    "reconciler/*.py",
    "page/*.js",
    "schemas/*.json",
    "starter/*.y*ml",
    "deploy/*.y*ml",
)
_HARPER = "AnA,RepeatedWords,LongSentences,OxfordComma,PronounInflectionBe"
# Each idiom, and the words to use instead.
_IDIOMS = {
    re.compile(pattern): instead
    for pattern, instead in (
        (r"\b[Ww]hat (?:is|was|are|were|has|had|does|did|can|cannot|could|may|must|needs?|follows|stands|stood|lives|goes|went|comes|came|ends|begins|lies|lacks|holds?|fits|waits|stays|left|belongs|counts|brings?|people|somebody|reconcile|it|they|a|an|the|clusters?|others?|no|nothing|each|every|else)\b", "the noun: 'the records that …'"),
        (r"\b[Ww]hoever\b|(?<![.?] )\b[Ww]ho (?:asks|has|had|may|wants|means|wrote|writes|needs|merges|changes|reviews|looks|names|holds|knows|gets|reads|does|is|was|comes|makes|took|takes|puts|pushes|checks|commits|runs|owns|serves|fits|says|can|cannot|could|waits|gives)\b", "'you', 'anyone who', or the role"),
        (r"\b(?:somebody|nobody|anybody|everybody)\b", "the role, or the passive"),
        (r"\b(?:tells?|told|telling)\b", "report, show, log, determine"),
        (r"\b(?:stands?|stood|standing)\b", "is, are, appears"),
        (r",\s+too\b", "also (before the verb)"),
        (r"(?:^|[.;:,] )[Ww]here (?:a|an|the|it|no|nobody|nothing|there|that|this|one|some|you|they)\b", "if, when"),
        (r"(?:^|[.;:|] )Of (?:a|an|the|each|such|what|those|two|several|very|more|other|records?|pools?|which)\b", "the subject first"),
        (r"\b(?:that|those) of\b", "the noun again"),
        (r"\b(?:goes?|went|gone) (?:by|on|along|away|with|behind|free|anew)\b|\b(?:comes?|came) (?:by|free|anew|along)\b", "continues, is removed, depends on"),
        (r"\blet(?:s|ting)? (?:[a-z]+ ){0,4}?(?:pass|go|gone)\b", "permit, allow, release"),
        (r"\b(?:is|are|was|were) no (?!longer|more\b)[a-z]+", "is not a …"),
        (r"\banew\b|\bonce more\b|\bfrom then on\b|\bfor ever\b|\ball the same\b|\blikewise\b|\bmeanwhile\b", "again, anyway, in the meantime"),
        (r"\bbesides?\b", "next to, compared with, in addition to"),
        (r"\b(?!let |leave |left )[a-z]+ alone\b", "only (before the noun)"),
        (r"\b[Ss]o (?:many|much|often|long) (?!as\b|that\b)", "'at most N'"),
        (r"\bmend(?:s|ed|ing)?\b", "fix"),
        (r"\bin thought\b|\b(?:a|the last|one) look\b|\bbears?\b|\bshall\b", "simulate, check, has, must"),
    )
}  # fmt: skip


class Hit(NamedTuple):
    """A place in a file, the words there, and the better ones."""

    line: int
    column: int
    words: str
    instead: str


def idioms(path: str, text: str) -> list[Hit]:
    parts = _python if path.endswith(".py") else _plain
    return [
        Hit(number, found.start() + 1, found[0], instead)
        for number, line in parts(text)
        for pattern, instead in _IDIOMS.items()
        for found in pattern.finditer(line)
    ]


def _plain(text: str) -> Iterator[tuple[int, str]]:
    """Return the lines without fenced code, code spans, link targets, and HTML."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*(```|~~~)", line):
            fenced = not fenced
        elif not fenced and not re.match(r"\s*<", line):
            yield number, re.sub(r"`[^`]*`|\]\([^)]*\)", "X", line)


def _python(text: str) -> Iterator[tuple[int, str]]:
    """Return the lines of comments, and of strings with a space."""
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and " " in node.value.strip()
        ):
            for offset, line in enumerate(node.value.splitlines()):
                yield node.lineno + offset, re.sub(r"`[^`]*`", "X", line)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def grammar(paths: Sequence[str]) -> Iterator[tuple[str, Hit]]:
    """Return the hits of harper, which names no folders, but keeps the order of its arguments."""
    options = ["--no-color", "--no-parallel", "--quiet", "--format", "json", "--only", _HARPER]
    command = [sys.executable, "-m", "harper", "lint", *options, *paths]
    # It fails with a backtrace if there is a hit.
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    for path, found in zip(paths, json.loads(done.stdout), strict=True):
        for hit in found["lints"]:
            yield path, Hit(hit["line"], hit["column"], hit["matched_text"], hit["message"])


def hits(paths: Sequence[str]) -> dict[str, list[Hit]]:
    found = {path: idioms(path, (ROOT / path).read_text(encoding="utf-8")) for path in paths}
    documents = [path for path in paths if path.endswith(".md")]
    for path, hit in grammar(documents) if documents else ():
        found[path].append(hit)
    return found


def over(found: dict[str, list[Hit]], budget: dict[str, int]) -> list[str]:
    """Return the hits of the files that have more than their budget, a line each."""
    return [
        f"{path}:{hit.line}:{hit.column}: {hit.words!r}; use: {hit.instead}"
        for path, items in found.items()
        if len(items) > budget.get(path, 0)
        for hit in sorted(items)
    ]


def main(arguments: Sequence[str]) -> int:
    budget = {
        path: int(count)
        for count, path in (
            line.split() for line in BUDGET.read_text(encoding="utf-8").splitlines()
        )
    }
    named = [item for item in arguments if item != "--lower"]
    listed = subprocess.check_output(
        ["git", "ls-files", "-co", "--exclude-standard", *(named or _FILES)], cwd=ROOT, text=True
    )
    found = hits([path for path in listed.splitlines() if (ROOT / path).is_file()])
    if "--lower" in arguments:
        lower = {path: min(len(found.get(path, ())), most) for path, most in budget.items()}
        BUDGET.write_text("".join(f"{n:4d} {path}\n" for path, n in sorted(lower.items()) if n))
    lines = over(found, {} if named else budget)
    print("\n".join(lines) or f"prose: {sum(map(len, found.values()))} hits, all in the budget")  # noqa: T201
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
