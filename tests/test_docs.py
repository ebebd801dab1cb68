"""The documentation is whole and true: links, fields, options, codes, examples."""

import re
from pathlib import Path
from typing import Any

import click
import pytest

from reconciler.cli.commands import VERBS, ipam
from reconciler.codes import CODES
from reconciler.documents.load import load
from reconciler.documents.validators import schema as read_schema
from reconciler.model.settings import Settings
from reconciler.planning.documents import observed_kinds, schema_files, source_kinds
from reconciler.planning.settings import read_override, read_settings
from reconciler.records.emit import record_document
from tests.documentation import (
    ROOT,
    Terminal,
    blocks,
    markdown_files,
    pages,
    played,
    played_page,
    with_codes,
    with_metrics,
    with_tables,
)
from tests.world import evaluation_of, pool, reconciled, request

_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
# Written by the benchmarks, and not yet there while they have not run.
_LATER = ROOT / "docs" / "performance.md"
# Of all verbs; told once, above them.
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


def test_the_index_links_every_page() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {
        (start.parent / link.partition("#")[0]).resolve()
        for start in (index, ROOT / "docs" / "reference" / "README.md")
        for link in _LINK.findall(start.read_text(encoding="utf-8"))
    }
    assert {page.resolve() for page in pages()} - {index} <= linked


def test_every_kind_that_people_write_has_a_page_with_its_current_fields() -> None:
    for kind, path in schema_files().items():
        page = _text("docs", "kinds", f"{kind}.md")
        assert f"<!-- fields: {path} -->" in page, kind
        assert with_tables(page) == page, f"python -m tests.documentation writes {kind}.md anew"


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


def test_the_page_of_records_names_every_field_that_a_record_has() -> None:
    page = _text("docs", "kinds", "record.md")
    pinned = request("one", pinnedRange="{startAddress: 10.40.0.8, endAddress: 10.40.0.15}")
    before = reconciled({"pools/edge.yaml": pool(), "tenants/one.yaml": pinned})
    del before["tenants/one.yaml"]
    after = evaluation_of(reconciled(before))
    for name in _names(record_document(after.state.records[0])):
        assert name in page, name


def _names(value: dict[str, Any]) -> set[str]:
    """All keys of a document, without the words that begin every object."""
    found = set(value)
    for inner in value.values():
        for item in inner if isinstance(inner, list) else [inner]:
            found |= _names(item) if isinstance(item, dict) else set()
    return found - {"apiVersion", "kind"}


@pytest.mark.parametrize("kind", sorted(schema_files()))
def test_the_document_that_a_page_shows_is_accepted(kind: str) -> None:
    page = _text("docs", "kinds", f"{kind}.md")
    shown = next(block.text for block in blocks(page) if block.language == "yaml")
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
    """Where the Override that is shown has to stand."""
    (name,) = re.findall(r"^  name: (\S+)$", shown, re.MULTILINE)
    return f"overrides/{name}.yaml"


def _section(text: str, heading: str) -> str:
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def _command(verb: str) -> click.Command:
    command = ipam.get_command(click.Context(ipam), verb)
    assert command is not None
    return command


def _params(verb: str) -> list[click.Parameter]:
    """All parameters of a verb, and of the commands that it has."""
    command = _command(verb)
    inner = command.commands.values() if isinstance(command, click.Group) else ()
    return [param for item in (command, *inner) for param in item.params]


def _options(verb: str) -> set[str]:
    """The names of all options of a verb."""
    params = _params(verb)
    return {name for option in params for name in (*option.opts, *option.secondary_opts)}


@pytest.mark.parametrize("verb", list(VERBS))
def test_the_page_of_verbs_names_every_option_of_a_verb(verb: str) -> None:
    section = _section(_text("docs", "verbs.md"), verb)
    for option in _params(verb):
        if isinstance(option, click.Option):
            for name in option.opts:
                assert name in _EVERYWHERE or f"`{name}" in section, name
            for value in getattr(option.type, "choices", ()):
                assert f"`{value}`" in section or option.name == "color", value
    named = set(re.findall(r"`(--[a-z-]+)", section.partition("```")[0]))
    known = _options(verb)
    assert named <= known | _EVERYWHERE | {"--version", "--interval"}, named - known


def test_the_page_of_verbs_has_no_verb_that_is_not_there() -> None:
    headings = re.findall(r"^## (.*)$", _text("docs", "verbs.md"), re.MULTILINE)
    assert headings == list(dict.fromkeys(headings))
    assert set(headings) == set(VERBS)


@pytest.mark.parametrize("page", markdown_files(), ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_sentence_tells_to_run_is_a_verb_with_these_options(page: Path) -> None:
    prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for told in re.findall(r"`ipam ([^`]+)`", prose):
        verb, *words = told.replace("\\|", "|").split()
        if verb in ("-V", "--version"):
            continue
        assert verb in VERBS, told
        known = _options(verb) | _EVERYWHERE
        wrong = [it for it in words if it.startswith("--") and it.split("=")[0] not in known]
        assert not wrong, told


def test_the_page_of_verbs_names_every_schema_of_machine_output() -> None:
    page = _text("docs", "verbs.md")
    named = re.findall(r"`(\w+)` \| `([a-z-]+\.json)` \|$", page, re.MULTILINE)
    assert {name for _, name in named} == {path.name for path in ROOT.glob("schemas/output/*.json")}
    for kind, name in named:
        assert f'"{kind}"' in _text("schemas", "output", name) or name == "document-list.json"


def test_the_page_of_errors_has_every_code_with_its_meaning() -> None:
    page = _text("docs", "errors.md")
    assert with_codes(page) == page, "python -m tests.documentation writes errors.md anew"


def test_every_metric_is_in_the_table() -> None:
    page = _text("docs", "running.md")
    assert with_metrics(page) == page, "python -m tests.documentation writes running.md anew"


def test_the_concepts_name_every_reason_of_a_refusal() -> None:
    section = _section(_text("docs", "concepts.md"), "Refusals")
    reasons = list(CODES)[list(CODES).index("pool-exhausted") : list(CODES).index("capacity")]
    assert len(reasons) > 10
    for reason in (*reasons, "family-mismatch", "record-stale"):
        assert f"`{reason}`" in section, reason


def test_every_code_that_a_page_names_is_a_code() -> None:
    for page in (ROOT / "docs" / "kinds").glob("*.md"):
        rules = page.read_text(encoding="utf-8").partition("## Rules")[2]
        for name in re.findall(r"`([a-z]+(?:-[a-z]+)+)`", rules):
            assert name in CODES, f"{page.name}: {name}"


@pytest.fixture(scope="module")
def readme(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the README's commands leave."""
    folder = tmp_path_factory.mktemp("readme")
    played(_text("README.md"), Terminal(folder))
    return folder


@pytest.mark.parametrize(
    "page",
    [
        path
        for path in pages()
        if any(block.language == "console" for block in blocks(path.read_text(encoding="utf-8")))
    ],
    ids=lambda path: path.stem,
)
def test_the_examples_of_a_page_print_what_is_shown(page: Path, readme: Path) -> None:
    for _, said in played_page(page, readme):
        for one in said:
            assert one.is_true(), f"$ {one.command}\n{one.came}"


# That of somebody else, our own at the commit of the workflow, and what a reader has to fill in.
_PINNED = re.compile(
    r"[\w/-]+@[0-9a-f]{40} # v[0-9.]+"
    r"|\$/\.github/actions/[a-z]+"
    r"|<owner>/gitops-ipam/\.github/(?:actions/[a-z]+|workflows/[a-z]+\.yml)@<commit>"
)


def test_every_action_of_every_workflow_is_pinned_to_a_commit() -> None:
    shown = [block.text for block in blocks(_text("docs", "ci.md")) if block.language == "yaml"]
    for text in [*_workflows(), *shown]:
        for used in re.findall(r"\buses: (.*)$", text, re.MULTILINE):
            assert _PINNED.fullmatch(used), used


def test_no_job_of_a_workflow_has_a_right_that_it_does_not_name() -> None:
    for text in _workflows():
        assert "\npermissions: {}\n" in text
        assert "pull_request_target" not in text


def _workflows() -> list[str]:
    found = [*ROOT.glob(".github/workflows/*.yml"), *ROOT.glob("example-repo/.github/workflows/*")]
    assert found
    return [path.read_text(encoding="utf-8") for path in found]


def test_every_file_that_contributors_are_sent_to_is_there() -> None:
    text = _section(_text("CONTRIBUTING.md"), "Where do I change …?")
    for path in re.findall(r"`((?:reconciler|schemas)/[\w/.]+)`", text):
        assert (ROOT / path).exists(), path
