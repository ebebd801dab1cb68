"""Read, run and rewrite the documentation.

`python -m tests.documentation` regenerates tables of fields and outputs of commands, so that a
change of either is a diff to review.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from reconciler.documents.validators import schema as read_schema
from reconciler.loadbalancers import controllers
from reconciler.loadbalancers.interface import Capability
from reconciler.planning.documents import every_kind, schema_files
from reconciler.reconcile.init import UNNAMED, WORKFLOWS, Beginning, Forge, InitOptions, wanted
from reconciler.report.metrics import catalogue
from tests import reference
from tests.caches import PYTHON

ROOT = Path(__file__).resolve().parent.parent
# Pages other than README and tutorials continue from the repository of this one.
SAMPLE = ROOT / "docs" / "tutorials" / "three-systems.md"
KINDS = ROOT / "docs" / "reference" / "kinds"
DATE = "2026-02-15T10:00:00Z"
# `ipam` with a clock of ten seconds after the commits of the page.
_IPAM = """\
import os
from reconciler import cli
from reconciler.cli import options
from reconciler.model.instant import parse_instant
at = parse_instant(os.environ["GIT_COMMITTER_DATE"]) + 10
options.now = lambda: float(at)
cli.main()
"""
_FENCE = re.compile(
    r"^(?P<indent> *)(?:<!-- test: (?P<mark>[a-z]+) -->\n(?P=indent))?"
    r"```(?P<language>[a-z]*)\n(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_IDS = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{12})\b")
_TABLE = re.compile(
    r"(?P<open><!-- fields: (?P<schemas>(?:[A-Za-z.:]+/[A-Za-z0-9.]+\.json ?)+) ?-->\n)"
    r".*?(?P<close><!-- end of fields -->)",
    re.DOTALL,
)
_KINDS = re.compile(
    r"(?P<open><!-- kinds: (?P<group>[a-z0-9.-]+) -->\n).*?(?P<close><!-- end of kinds -->)",
    re.DOTALL,
)
_METRICS = re.compile(
    r"(?P<open><!-- metrics -->\n).*?(?P<close><!-- end of metrics -->)", re.DOTALL
)
_CONTROLLERS = re.compile(
    r"(?P<open><!-- controllers -->\n).*?(?P<close><!-- end of controllers -->)", re.DOTALL
)
_SCHEMAS = re.compile(
    r"(?P<open><!-- schemas -->\n).*?(?P<close><!-- end of schemas -->)", re.DOTALL
)
_GUARANTEES = re.compile(
    r"(?P<open><!-- guarantees -->\n).*?(?P<close><!-- end of guarantees -->)", re.DOTALL
)
_CI = re.compile(
    r"(?P<open><!-- ci: (?P<forge>[a-z]+)(?P<form>, by its actions|, the comment)? -->\n```yaml\n).*?(?P<close>^```$)",
    re.MULTILINE | re.DOTALL,
)
# Units of numbers and strings in schemas, by the last part of their path.
_UNITS = {
    **dict.fromkeys(("prefixLength", "aggregationLength", "aggregationLengthV6"), "bits"),
    **dict.fromkeys(("increment", "max", "maxAddresses"), "addresses"),
    "localPref": "number",
    "count": "addresses",
    "nodesPerTenant": "addresses",
    "lbPoolPerTenant": "addresses",
    "lbPoolSize": "addresses",
    "defaultPoolSize": "addresses",
    "initialPoolSize": "addresses",
    "growthIncrement": "addresses",
    "maxNodeIPs": "addresses",
    "maxLoadBalancerIPs": "addresses",
    "replicas": "nodes",
    "maxClustersPerTeam": "clusters",
    "maxNodesPerTeam": "nodes",
    "priority": "rank",
    "warning": "percent",
    "critical": "percent",
    "exhausted": "percent",
    "maxReleasePercent": "percent",
    "bytes": "bytes",
    "files": "files",
    "ports": "port",
    "minRecords": "records",
    "maxGrowth": "addresses",
    "index": "number",
    "releases": "records",
    "retention": "duration",
    "expires": "instant",
    "pendingAfter": "duration",
    "shrinkAfter": "duration",
    "cidr": "CIDR",
    "start": "address",
    "end": "address",
    "startAddress": "address",
    "endAddress": "address",
    "gateway": "address",
    "podCIDR": "CIDR",
    "serviceCIDR": "CIDR",
    "prefix": "bits",
    "port": "number",
    "addressReuseGracePeriodSeconds": "seconds",
    "host": "address",
}


class Block(NamedTuple):
    """A fenced block: its language, its text, and the options in the comment before it."""

    mark: str
    language: str
    text: str
    indent: str = ""

    def in_page(self, text: str) -> str:
        """A text of this block as the page has it."""
        return re.sub("^(?=.)", self.indent, text, flags=re.MULTILINE)


class Said(NamedTuple):
    """A command of a console block, the output that is shown, and the one that came."""

    command: str
    shown: str
    came: str
    status: int

    def is_true(self) -> bool:
        """Check that the command succeeds and prints the shown output."""
        return self.status == 0 and masked(self.came) == masked(self.shown)


def markdown_files() -> list[Path]:
    listed = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob(".github/**/*.md")]
    return sorted([*listed, *ROOT.glob("example-repo/**/*.md")])


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page. A block in a list is indented with the text of its item."""
    return [
        Block(
            found["mark"] or "",
            found["language"],
            re.sub(f"^{found['indent']}", "", found["text"], flags=re.MULTILINE),
            found["indent"],
        )
        for found in _FENCE.finditer(text)
    ]


def masked(text: str) -> str:
    """Return a text without commit ids and digests, which differ between runs."""
    return _IDS.sub("…", text)


class Terminal:
    """A shell with `ipam` on its path, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.place = folder / "work"
        self.place.mkdir(exist_ok=True)
        programs = folder / "bin"
        programs.mkdir(exist_ok=True)
        start = programs / "ipam"
        python = shlex.quote(sys.executable)
        script = f'#!/bin/sh\nexec {python} -c {shlex.quote(_IPAM)} "$@"\n'
        start.write_text(script, encoding="utf-8")
        start.chmod(0o755)
        self._environment = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            **PYTHON,
            "PYTHONUNBUFFERED": "1",
            "HOME": str(folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "A Person",
            "GIT_AUTHOR_EMAIL": "person@example.com",
            "GIT_COMMITTER_NAME": "A Person",
            "GIT_COMMITTER_EMAIL": "person@example.com",
            # A fixed date, so that commit ids in the documents stay as they are.
            "GIT_AUTHOR_DATE": DATE,
            "GIT_COMMITTER_DATE": DATE,
            "LC_ALL": "C.UTF-8",
        }

    def run(self, script: str) -> tuple[int, str]:
        """Run a script in the last folder. Return its exit code and output."""
        after = self._folder / "after"
        text = f"{script}\nstatus=$?\npwd > {shlex.quote(str(after))}\nexit $status\n"
        done = subprocess.run(
            ["bash", "-c", text],
            cwd=self.place,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        if after.is_file():
            self.place = Path(after.read_text(encoding="utf-8").strip())
        return done.returncode, done.stdout.decode()

    def play(self, block: Block) -> Iterator[Said]:
        """Run a `sh` block as a whole, run a `console` block by command, or write a file."""
        if block.language == "yaml":
            path, _, text = block.text.removeprefix("# ").partition("\n")
            (self.place / path).parent.mkdir(exist_ok=True)
            (self.place / path).write_text(text, encoding="utf-8")
            return
        if block.language == "sh":
            status, came = self.run(f"set -e\n{block.text}")
            yield Said(block.text, came, came, status)
            return
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            status, came = self.run(command)
            yield Said(command, shown, came, status)


def played(text: str, terminal: Terminal) -> list[tuple[Block, list[Said]]]:
    """Run the blocks of a document that have no mark, then those marked `last`.

    YAML marked `file` becomes a file: its first line is a comment with the path.
    """
    told = [block for block in blocks(text) if block.language in ("sh", "console", "yaml")]
    wanted = {"sh": "", "console": "", "yaml": "file"}
    ordered = [block for block in told if block.mark == wanted[block.language]]
    ordered += [block for block in told if block.mark == "last"]
    return [(block, list(terminal.play(block))) for block in ordered]


def played_page(path: Path, folder: Path) -> list[tuple[Block, list[Said]]]:
    """Run a page: README and tutorials in an empty folder, others in the repository that SAMPLE leaves.

    Args:
        path: The page.
        folder: The folder in which SAMPLE was run. The page gets a copy.
    """
    own = folder.parent / f"{folder.name}-{path.parent.name}-{path.stem}"
    if path.parent in (ROOT, SAMPLE.parent):
        own.mkdir()
        terminal = Terminal(own)
    else:
        shutil.copytree(folder, own)
        terminal = Terminal(own)
        terminal.place = own / "work" / "addresses"
    return played(path.read_text(encoding="utf-8"), terminal)


def with_outputs(text: str, told: list[tuple[Block, list[Said]]]) -> str:
    """A document with the outputs that came in place of those that are shown.

    Raises:
        AssertionError: A command failed: that is nothing to show.
    """
    failed = [
        (one.command, one.came)
        for _, said in told
        for one in said
        if one.status != 0 or "ipam: a bug:" in one.came
    ]
    assert not failed, failed
    if all(one.is_true() for _, said in told for one in said):
        return text  # only ids differ: they change with each file of a repository
    for block, said in told:
        if block.language == "console":
            new = "".join(f"$ {one.command}\n{one.came}" for one in said)
            old, new = block.in_page(block.text), block.in_page(new)
            text = text.replace(f"```console\n{old}", f"```console\n{new}", 1)
    return text


def properties(schema: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield all properties of a schema with their paths. `[]` is an item of a list."""
    required = schema.get("required", ())
    for name, about in schema.get("properties", {}).items():
        path = f"{prefix}{name}"
        yield path, {**about, "is_required": name in required}
        yield from properties(about, f"{path}.")
        yield from properties(about.get("items", {}), f"{path}[].")


def field_table(schemas: Sequence[dict[str, Any]]) -> str:
    """One row for each field. Fields that differ between versions name their version."""
    rows: list[str] = []
    versions: dict[str, list[str]] = {}
    for schema in schemas:
        version = schema["properties"]["apiVersion"]["const"].rpartition("/")[2]
        at = 0
        for path, about in properties(schema):
            cells = (f"`{path}`", kind_of(path, about), default_of(about), meaning_of(about))
            row = " | ".join(cells)
            if row not in versions:
                rows.insert(at, row)
            at = rows.index(row) + 1
            versions.setdefault(row, []).append(version)
    lines = ["| Field | Type | Default | Meaning |", "| --- | --- | --- | --- |"]
    for row in rows:
        name, _, rest = row.partition(" | ")
        some = f" ({', '.join(versions[row])})" if len(versions[row]) < len(schemas) else ""
        lines.append(f"| {name}{some} | {rest} |")
    return "\n".join([*lines, ""])


def kind_of(path: str, about: dict[str, Any]) -> str:
    name = about.get("type", "string" if "const" in about else "any")
    unit = _UNITS.get(path.rpartition(".")[2])
    if name == "integer" and unit is None:
        raise KeyError(f"{path} needs a unit: add it to _UNITS in tests/documentation.py")
    if about.get("items", {}).get("type"):
        name = f"array of {about['items']['type']}s"
    return f"{name}, {unit}" if unit and name in ("integer", "string") else str(name)


def default_of(about: dict[str, Any]) -> str:
    """The default of a field, or that it must be there."""
    if "default" in about:
        return f"`{json.dumps(about['default']).strip(chr(34))}`"
    return "required" if about["is_required"] else "-"


def meaning_of(about: dict[str, Any]) -> str:
    """Return the description and the type of a field."""
    parts = [str(about.get("description", "")).replace("|", "\\|")]
    if "const" in about:
        parts.append(f"Always `{about['const']}`.")
    if "enum" in about:
        parts.append(f"One of {', '.join(f'`{value}`' for value in about['enum'])}.")
    if about.get("type") == "integer" and about.get("minimum", -1) >= 0:
        most = about.get("maximum", 0)
        least = about["minimum"]
        is_limited = 0 < most < 2**31 - 1
        parts.append(f"Range: {least}-{most}." if is_limited else f"Minimum: {least}.")
    if "examples" in about:
        parts.append(f"Example: `{about['examples'][0]}`.")
    return " ".join(part for part in parts if part)


def kind_page(name: str) -> str:
    """The page with the fields of a kind."""
    marker = re.compile(rf"<!-- fields: (?:\S+ )*{re.escape(schema_files()[name])} ")
    texts = [path.read_text(encoding="utf-8") for path in sorted(KINDS.glob("*.md"))]
    (page,) = [text for text in texts if marker.search(text)]
    return page


def kind_example(name: str) -> str:
    """Return the example document of a kind's page. Versions with the same fields share one."""
    version = read_schema(schema_files()[name])["properties"]["apiVersion"]["const"]
    shown = [block.text for block in blocks(kind_page(name)) if block.language == "yaml"]
    exact = [text for text in shown if text.startswith(f"apiVersion: {version}\n")]
    return (exact or [re.sub(r"^apiVersion: .*", f"apiVersion: {version}", shown[0])])[0]


def with_tables(text: str) -> str:
    def table(found: re.Match[str]) -> str:
        schemas = [read_schema(name) for name in found["schemas"].split()]
        return f"{found['open']}\n{field_table(schemas)}\n{found['close']}"

    return _TABLE.sub(table, text)


def with_kinds(text: str) -> str:
    """The list of kinds, by group, with the first line of each page."""

    def table(found: re.Match[str]) -> str:
        group = found["group"]
        kinds = [kind for kind in every_kind() if kind.id.group == group]
        rows = []
        for name in dict.fromkeys(kind.name for kind in kinds):
            same = [kind for kind in kinds if kind.name == name]
            versions = ", ".join(f"`{kind.api_version.rpartition('/')[2]}`" for kind in same)
            (path,) = [
                it for it in (KINDS / f"{name}.md", KINDS / f"{name}.{group}.md") if it.is_file()
            ]
            namespace = same[0].default_namespace
            scope = f"`{namespace}`" if namespace else "-"
            use = path.read_text(encoding="utf-8").split("\n")[2]
            rows.append(f"| [{name}]({path.name}) | {versions} | {scope} | {use} |\n")
        head = "| Kind | Version | Default namespace | Use |\n| --- | --- | --- | --- |\n"
        return f"{found['open']}\n{head}{''.join(rows)}\n{found['close']}"

    return _KINDS.sub(table, text)


def with_metrics(text: str) -> str:
    rows = "".join(
        f"| `{metric.name}` | {metric.sort} | {', '.join(f'`{it}`' for it in metric.labels)} |"
        f" {metric.help} |\n"
        for metric in catalogue()
    )
    table = f"\n| Metric | Type | Labels | Meaning |\n| --- | --- | --- | --- |\n{rows}\n"
    return _METRICS.sub(lambda found: f"{found['open']}{table}{found['close']}", text)


def with_controllers(text: str) -> str:
    every = controllers()
    rows = "".join(
        f"| {tag.value} | {' | '.join('yes' if tag in it.capabilities else 'no' for it in every)} |\n"
        for tag in Capability
    )
    rows += f"| versions | {' | '.join(f'{it.oldest} or newer' for it in every)} |\n"
    names, rule = (" | ".join(cells) for cells in ((it.name for it in every), ["---"] * len(every)))
    table = f"\n| | {names} |\n| --- | {rule} |\n{rows}\n"
    return _CONTROLLERS.sub(lambda found: f"{found['open']}{table}{found['close']}", text)


def with_schemas(text: str) -> str:
    rows = []
    for path in sorted((ROOT / "schemas" / "output").glob("*.json")):
        about = json.loads(path.read_text(encoding="utf-8"))
        rows.append(f"| {about['title']} | {about['description']} | `{path.relative_to(ROOT)}` |\n")
    table = f"\n| Document | Content | Schema |\n| --- | --- | --- |\n{''.join(rows)}\n"
    return _SCHEMAS.sub(lambda found: f"{found['open']}{table}{found['close']}", text)


def with_guarantees(text: str) -> str:
    listed = yaml.safe_load((ROOT / "tests" / "guarantees.yaml").read_text(encoding="utf-8"))
    parts = []
    for part in listed:
        failures = any("failure" in item for item in part["guarantees"])
        head = ("Guarantee", *(("If it failed",) if failures else ()), "Tests")
        rows = [head, ("---",) * len(head)]
        for item in part["guarantees"]:
            tests = "<br>".join(f"`{name.removeprefix('tests/')}`" for name in item["tests"])
            rows.append((item["promise"], *((item["failure"],) if failures else ()), tests))
        table = "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
        parts.append(f"## {part['subject']}\n\n{table}\n")
    written = "\n".join(parts)
    return _GUARANTEES.sub(lambda found: f"{found['open']}\n{written}\n{found['close']}", text)


def with_ci(text: str) -> str:
    def written(found: re.Match[str]) -> str:
        form = found["form"] or ""
        shown = shown_comment() if "comment" in form else shown_ci(Forge(found["forge"]), by_action=bool(form))  # fmt: skip
        return f"{found['open']}{shown}{found['close']}"

    return _CI.sub(written, text)


def shown_ci(forge: Forge, *, by_action: bool = False) -> str:
    """Return the files that `ipam init` writes for a forge without a known package or action.

    The placeholders are nothing that pip or GitHub could fetch: no stranger can take their name.
    """
    if not by_action:
        return wanted(InitOptions("main", forge, UNNAMED, Beginning.EMPTY))[WORKFLOWS[forge]]
    return _by_action(WORKFLOWS[forge])


def shown_comment() -> str:
    return _by_action(".github/workflows/ipam-comment.yml")


def _by_action(path: str) -> str:
    package = f"git+https://github.com/owner/gitops-ipam@{'0' * 40}"
    text = wanted(InitOptions("main", Forge.GITHUB, package, Beginning.EMPTY))[path]
    return text.replace("owner/gitops-ipam", "<owner>/gitops-ipam").replace("0" * 40, "<commit>")


def main() -> None:
    """Write tables and outputs of all pages, or only tables, which need no commands."""
    for path in (ROOT / "README.md", *pages()):
        path.write_text(with_parts(path.read_text(encoding="utf-8")), encoding="utf-8")
    if sys.argv[1:] == ["tables"]:
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "sample"
        folder.mkdir()
        played(SAMPLE.read_text(encoding="utf-8"), Terminal(folder))
        for path in played_pages():
            text = path.read_text(encoding="utf-8")
            path.write_text(with_outputs(text, played_page(path, folder)), encoding="utf-8")
    reference.write()


def with_parts(text: str) -> str:
    """A page with its generated parts."""
    for written in (
        with_tables,
        with_kinds,
        with_metrics,
        with_controllers,
        with_schemas,
        with_guarantees,
        with_ci,
    ):
        text = written(text)
    return text


def played_pages() -> list[Path]:
    """Return the pages whose commands are run: pages that show an output."""
    every = (ROOT / "README.md", *pages())
    shown = ((path, blocks(path.read_text(encoding="utf-8"))) for path in every)
    return [path for path, found in shown if any(it.language == "console" for it in found)]


def pages() -> list[Path]:
    """Return the pages of docs/, by path."""
    return sorted((ROOT / "docs").rglob("*.md"))


if __name__ == "__main__":
    main()
