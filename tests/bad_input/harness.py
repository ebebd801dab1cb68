"""The bad-input table: cases in YAML, each added to a small valid repository.

A `▶` in the text of a case marks the location that a finding must name. It is removed before the
text is written.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.cli.running import Capture, ipam
from tests.world import CLOCK, SMALL, git, reconciled

HERE = Path(__file__).parent
MARK = "▶"
RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"


class Link(bytes):
    """The target of a symlink, instead of the bytes of a file."""


@dataclass(frozen=True)
class Expected:
    """One finding that a case must give."""

    code: str
    severity: str
    path: str
    line: int
    column: int
    pointer: str
    says: str
    hint: str


@dataclass(frozen=True)
class Case:
    """A row: files added to `SMALL`, and the expected findings."""

    id: str
    title: str
    files: Mapping[str, bytes | None]
    exit: int
    findings: tuple[Expected, ...]
    forbid: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.id}-{self.title.replace(' ', '-')}"


@cache
def cases() -> tuple[Case, ...]:
    """All rows of all tables, in the order of their files."""
    shapes = _load(HERE / "shapes.yaml")
    return tuple(
        _case(row, shapes)
        for path in sorted((HERE / "cases").glob("*.yaml"))
        for row in _load(path)
    )


def named(*ids: str) -> list[Case]:
    return [case for case in cases() if case.id in ids]


def files_of(case: Case) -> dict[str, bytes]:
    return _laid_over({path: text.encode() for path, text in SMALL.items()}, case.files)


def settled_with(case: Case) -> dict[str, bytes]:
    """A repository that was reconciled before the case came into it."""
    return _laid_over(settled(), case.files)


def _laid_over(base: Mapping[str, bytes], files: Mapping[str, bytes | None]) -> dict[str, bytes]:
    both = {**base, **files}
    return {path: data for path, data in both.items() if data is not None}


@cache
def settled() -> Mapping[str, bytes]:
    return {
        path: text if isinstance(text, bytes) else text.encode()
        for path, text in reconciled(SMALL).items()
    }


def bare(folder: Path, files: Mapping[str, bytes]) -> Path:
    """A bare repository with one commit of the files, made by one process."""
    git(folder.parent, "init", "-q", "--bare", "-b", "main", str(folder))
    git(folder, "fast-import", "--quiet", data=stream(files))
    return folder


def stream(files: Mapping[str, bytes]) -> bytes:
    """A fast-import stream of one commit."""
    who = f"A Person <person@example.com> {CLOCK} +0000".encode()
    parts = [b"commit refs/heads/main\ncommitter %s\ndata 5\nfirst\ndeleteall\n" % who]
    for path, data in files.items():
        mode = b"120000" if isinstance(data, Link) else b"100644"
        name = b'"%s"' % b"".join(b"\\%03o" % byte for byte in path.encode())
        head = b"M %s inline %s\ndata %d\n" % (mode, name, len(data))
        parts.append(b"%s%s\n" % (head, bytes(data)))
    return b"".join(parts)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def checked(capsys: Capture, folder: Path) -> tuple[int, dict[str, Any], str]:
    code, out, err = ipam(capsys, "check", "--repo", str(folder), "-o", "json")
    return code, json.loads(out), out + err


def records_of(folder: Path) -> dict[str, str]:
    listed = git(folder, "ls-tree", "-r", "main", "allocations/")
    rows = (line.split(None, 3) for line in listed.splitlines())
    return {path: oid for _, _, oid, path in rows}


def _load(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def _case(row: Mapping[str, Any], shapes: Mapping[str, Any]) -> Case:
    files: dict[str, bytes | None] = {}
    marks: list[tuple[str, int, int]] = []
    for path, content in row["put"].items():
        data, found = _written(content, shapes) if content is not None else (None, [])
        files[path] = data
        marks += [(path, line, column) for line, column in found]
    wanted = row.get("finds", [])
    rows = wanted if isinstance(wanted, list) else [{"code": wanted, **row}]
    findings = tuple(_expected(item, index, marks) for index, item in enumerate(rows))
    errors = [item for item in findings if item.severity not in ("warning", "info")]
    default = 0 if not errors else 1 if any(item.severity == "error" for item in errors) else 3
    code, forbidden = row.get("exit", default), tuple(row.get("forbid", ()))
    return Case(row["id"], row["case"], files, code, findings, forbidden)


def _expected(item: Mapping[str, Any], index: int, marks: list[tuple[str, int, int]]) -> Expected:
    path, line, column = item["at"] if "at" in item else marks[item.get("mark", index)]
    place = (path, line, column, item.get("pointer", ""))
    severity = item.get("severity", "error")
    return Expected(item["code"], severity, *place, item["says"], item.get("hint", ""))


def _written(content: Any, shapes: Mapping[str, Any]) -> tuple[bytes, list[tuple[int, int]]]:
    if isinstance(content, dict) and "hex" in content:
        return bytes.fromhex(content["hex"]), []
    if isinstance(content, dict) and "symlink" in content:
        return Link(content["symlink"].encode()), []
    if isinstance(content, dict) and "repeat" in content:
        text = content["repeat"] * content["times"]
        content = f"{content.get('before', '')}{text}{content.get('after', '')}"
    if isinstance(content, dict):
        shape = shapes[content["shape"]]
        text = shape["text"]
        for field, default in shape["fields"].items():
            text = text.replace(f"<{field}>", content.get(field, default))
        content = text + content.get("more", "")
    text, places = content, []
    while MARK in text:
        before, _, after = text.partition(MARK)
        last = before.rpartition("\n")[2]
        places.append((before.count("\n") + 1, len(last) + 1))
        text = before + after
    return text.encode("utf-8", "surrogatepass"), places
