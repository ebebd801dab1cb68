"""The documentation is whole and true: links, fields, options, codes, examples."""

import re
from pathlib import Path

import click
import pytest

from reconciler.cli.commands import VERBS, ipam
from reconciler.documents.load import load
from reconciler.documents.validators import schema as read_schema
from reconciler.model.settings import Settings
from reconciler.planning.documents import observed_kinds, schema_files, source_kinds
from reconciler.planning.settings import read_override, read_settings
from tests import reference
from tests.documentation import (
    KINDS,
    ROOT,
    SAMPLE,
    Said,
    Terminal,
    kind_example,
    markdown_files,
    played,
    played_page,
    played_pages,
    with_controllers,
    with_guarantees,
    with_kinds,
    with_metrics,
    with_schemas,
    with_tables,
)

_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_PROOF = re.compile(r"[`\[](tests/[\w/]+\.py)[`\]]|`(test_\w+)`")
# Written by the benchmarks, and not yet there while they have not run.
_LATER = ROOT / "docs" / "concepts" / "performance.md"
# Options of all commands, which the page of commands lists once.
_EVERYWHERE = {"--help", "-C", "--directory", "--root", "-q", "--quiet", "-v", "--verbose"}


def _text(*parts: str) -> str:
    return ROOT.joinpath(*parts).read_text(encoding="utf-8")


def _anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in headings}


def test_every_relative_link_of_every_page_leads_somewhere() -> None:
    broken = []
    for page in markdown_files():
        prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for link in _LINK.findall(prose):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            is_there = target.exists() or target == _LATER
            if not is_there or (anchor and anchor not in _anchors(target)):
                broken.append((page.name, link))
    assert not broken


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/contributing/change-map.md"])
def test_the_files_and_functions_that_a_page_for_contributors_names_exist(page: str) -> None:
    prose = _text(page)
    folders = "|".join(re.escape(it.name) for it in ROOT.iterdir() if it.is_dir())
    paths = re.findall(rf"`((?:{folders})/[^` ]*)`", prose)
    assert [path for path in paths if not (ROOT / path).exists()] == []
    named = re.findall(r"`(\w+)` (?:in|of) `(reconciler/[\w/]+\.py)`", prose)
    assert [(it, path) for it, path in named if not re.search(rf"\b{it}\b", _text(path))] == []


@pytest.mark.parametrize("path", sorted(KINDS.glob("*.md")), ids=lambda path: path.stem)
def test_a_page_of_a_kind_has_its_current_fields(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert with_kinds(with_tables(page)) == page, "run python -m tests.documentation"


@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: path.stem)
def test_a_list_is_one_on_forges_and_on_the_site(path: Path) -> None:
    prose = re.sub(
        r"^( *)```.*?^\1```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    item = re.compile(r"( *)(?:[-*+]|\d+\.) ")
    for paragraph in re.split(r"\n\s*\n", prose):
        first, *rest = paragraph.strip("\n").split("\n")
        nested = [found for line in (first, *rest) if (found := item.match(line))]
        assert not nested or item.match(first), f"needs an empty line before it: {nested[0].string}"
        for found in nested:
            assert len(found[1]) % 4 == 0, f"indent by four spaces: {found.string}"


def test_the_defaults_of_settings_are_those_of_the_program() -> None:
    spec = read_schema(schema_files()["Settings"])["properties"]["spec"]["properties"]
    defaults = Settings()
    assert tuple(spec["sources"]["default"]) == defaults.sources
    assert spec["records"]["default"] == defaults.records
    assert spec["gate"]["default"] == defaults.gate
    assert spec["retention"]["default"] == f"{defaults.retention // 3600}h"
    for tier, about in spec["thresholds"]["properties"].items():
        assert about["default"] == getattr(defaults.thresholds, tier)
    brakes = spec["brakes"]["properties"]
    assert brakes["maxReleasePercent"]["default"] == defaults.max_release_percent
    assert brakes["minRecords"]["default"] == defaults.min_records


@pytest.mark.parametrize("kind", sorted(schema_files()))
def test_the_document_that_a_page_shows_is_accepted(kind: str) -> None:
    shown = kind_example(kind)
    if kind == "Settings":
        _, findings = read_settings(shown.encode())
    elif kind == "Override":
        _, wrong = read_override(path_of(shown), shown.encode())
        findings = tuple(wrong)
    else:
        kinds = observed_kinds() if kind == "Demand" else source_kinds()
        loaded = load("shown.yaml", shown.encode(), kinds)
        assert [document.kind.name for document in loaded.documents] == [kind.partition(".")[0]]
        findings = loaded.findings
    assert not findings


def path_of(shown: str) -> str:
    (name,) = re.findall(r"^  name: (\S+)$", shown, re.MULTILINE)
    return f"overrides/{name}.yaml"


def _command(verb: str) -> click.Command:
    command = ipam.get_command(click.Context(ipam), verb)
    assert command is not None
    return command


def _params(verb: str) -> list[click.Parameter]:
    command = _command(verb)
    inner = command.commands.values() if isinstance(command, click.Group) else ()
    return [param for item in (command, *inner) for param in item.params]


def _options(verb: str) -> set[str]:
    params = _params(verb)
    return {name for option in params for name in (*option.opts, *option.secondary_opts)}


@pytest.mark.parametrize("page", markdown_files(), ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_sentence_tells_to_run_is_a_verb_with_these_options(page: Path) -> None:
    prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for told in re.findall(r"`ipam ([^`]+)`", prose):
        verb, *words = told.replace("\\|", "|").split()
        if verb in ("-V", "--version", "--help"):
            continue
        assert verb in VERBS, told
        known = _options(verb) | _EVERYWHERE
        wrong = [it for it in words if it.startswith("--") and it.split("=")[0] not in known]
        assert not wrong, told


def test_generated_pages_are_current() -> None:
    stale = {
        path
        for path, text in reference.pages().items()
        if not path.is_file() or text != _text(str(path))
    }
    assert not stale | reference.strays(), "run python -m tests.documentation"


def test_every_metric_is_in_the_table() -> None:
    page = _text("docs", "reference", "metrics.md")
    assert with_metrics(page) == page, "run python -m tests.documentation"


def test_what_each_controller_can_do_is_in_the_table() -> None:
    page = _text("docs", "reference", "load-balancers.md")
    told = "run python -m tests.documentation to regenerate load-balancers.md"
    assert with_controllers(page) == page, told


def test_every_schema_of_an_output_is_in_the_table() -> None:
    page = _text("docs", "reference", "output.md")
    assert with_schemas(page) == page, "run python -m tests.documentation"


def test_the_page_of_guarantees_lists_tests_that_exist() -> None:
    page = _text("docs", "reference", "guarantees.md")
    assert with_guarantees(page) == page, "run python -m tests.documentation"
    for path, name in re.findall(r"`([\w/]+\.py)(?:::(test_\w+))?`", page):
        text = _text("tests", path)
        assert not name or re.search(rf"^(\s*def {name}\(|.*\b{name} = )", text, re.MULTILINE), name


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    played(SAMPLE.read_text(encoding="utf-8"), Terminal(folder))
    return folder


def require_true(said: list[Said]) -> None:
    for one in said:
        assert one.is_true(), f"$ {one.command}\n{one.came}"


@pytest.mark.parametrize("page", played_pages(), ids=lambda path: path.stem)
def test_the_examples_of_a_page_print_what_is_shown(page: Path, sample: Path) -> None:
    for _, said in played_page(page, sample):
        require_true(said)


@pytest.mark.parametrize("file", markdown_files(), ids=lambda file: str(file.relative_to(ROOT)))
def test_every_test_that_a_page_names_is_there(file: Path) -> None:
    path = ""
    for linked, name in _PROOF.findall(file.read_text(encoding="utf-8")):
        path = linked or path
        if name:  # a machine of Hypothesis is a test by assignment
            pattern = rf"^(\s*def {name}\(|.*\b{name} = )"
            assert re.search(pattern, _text(path), re.MULTILINE), f"{path}: {name}"
