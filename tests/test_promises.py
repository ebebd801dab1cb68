"""What the pages promise, and what they deny, is so: proofs are there, figures are the code's."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import click
import pytest

from reconciler.adapters.git import config, process, remote
from reconciler.adapters.kube import cluster as kube
from reconciler.cli.shared.verbs import VERBS, ipam
from reconciler.clusters.orphans import GRACE_SECONDS
from reconciler.commands import reconcile
from reconciler.commands.applying.fleet import AT_ONCE
from reconciler.commands.doctor import cluster, git
from reconciler.documents import yaml
from reconciler.families._events import QUIET_SECONDS
from reconciler.ports import CONTACTS
from reconciler.report import github, markdown, sarif
from reconciler.report.capped import IN_ALL, OF_A_FILE
from reconciler.settings import read_settings
from reconciler.sources import schema_files
from tests.documentation import ROOT, markdown_files
from tests.world import evaluation_of, pool

README = (ROOT / "README.md").read_text(encoding="utf-8")
_FILE = re.compile(r"\[(?:\.\./)*(tests/[\w/]+\.py)\]\(")
_TEST = re.compile(r"`(test_\w+)`")


def section(text: str, heading: str) -> str:
    found = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    assert found, heading
    return found


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def proofs(text: str) -> list[tuple[str, str]]:
    """Each test that a text names, with the file that was linked last before it."""
    found, path = [], ""
    for word in re.findall(rf"{_FILE.pattern}|{_TEST.pattern}", text):
        path = word[0] or path
        if word[1]:
            found.append((path, word[1]))
    return found


@cache
def names_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    named = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    # A machine of Hypothesis is a test by assignment.
    held = {
        target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
    }
    return frozenset(named | held)


def rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| ")][1:]


PROMISING = [
    file
    for file in markdown_files()
    if "\n## What is promised, and what proves it\n" in file.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("file", markdown_files(), ids=lambda file: str(file.relative_to(ROOT)))
def test_every_test_that_a_page_names_is_there(file: Path) -> None:
    for path, name in proofs(file.read_text(encoding="utf-8")):
        assert name in names_in(path), f"{path}: {name}"


@pytest.mark.parametrize("file", PROMISING, ids=lambda file: file.stem)
def test_every_promise_names_a_test_that_proves_it(file: Path) -> None:
    told = section(file.read_text(encoding="utf-8"), "What is promised, and what proves it")
    promises = [row for row in rows(told) if not row.startswith("| ---")]
    assert len(promises) > 3
    for row in promises:
        assert proofs(row), row


def test_the_pages_that_promise_are_these() -> None:
    assert {file.stem for file in PROMISING} == {"README", "clusters", "git", "security"}


def test_what_is_not_there_yet_is_not_there() -> None:
    denied = section(README, "What is not there yet")
    verbs = re.findall(r"`([a-z]+)`", denied)
    kinds = re.findall(r"`([A-Z]\w+)`", denied)
    options = re.findall(r"`[a-z]+ (--[a-z]+)`", denied)
    assert denied.strip()
    assert not set(verbs) & set(VERBS)
    assert not set(kinds) & set(schema_files())
    known = {
        option for name in VERBS for parameter in _command(name).params for option in parameter.opts
    }
    assert not set(options) & known


def test_what_settings_say_of_apply_is_used() -> None:
    text = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    settings, _ = read_settings(f"{text}spec: {{apply: {{documents: all}}}}\n".encode())
    assert settings.applies_documents
    assert "`apply.documents`" in section(page("kinds/Settings.md"), "Rules")


def test_the_package_says_that_it_is_typed_and_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "Typing :: Typed" in project["classifiers"]
    assert (ROOT / "reconciler" / "py.typed").is_file()


def test_the_help_of_reconcile_says_that_it_applies() -> None:
    assert VERBS["reconcile"].help == "Plan, commit the records, push, apply."
    assert "apply them to the clusters" in " ".join((_command("reconcile").help or "").split())


def test_what_others_made_is_introduced_with_a_link() -> None:
    begin = README.partition("\n## ")[0]
    for name in ("Butler", "NovaEdge", "Cluster API", "MetalLB"):
        assert re.search(rf"\[{name}[^\]]*\]\(https://", begin), name


FIGURES = {
    "README.md": [
        f"A file has at most {yaml.MAX_BYTES // 1024} KiB, a document {yaml.MAX_DEPTH} levels and"
        f" {yaml.MAX_NODES:,} values",
    ],
    "docs/repository.md": [
        f"At most {yaml.MAX_BYTES // 1024} KiB a file, {yaml.MAX_DEPTH} levels and"
        f" {yaml.MAX_NODES:,} values a document",
    ],
    "docs/verbs.md": [
        f"the gravest {github.ANNOTATIONS} of errors, of warnings and of what is to know",
        f"the gravest {sarif.RESULTS:,} findings",
        f"at most {OF_A_FILE} findings of a file and {IN_ALL:,} in all",
        f"at most {markdown.LIMIT:,} characters",
        f"plans again, up to {reconcile.ATTEMPTS} times",
        "the version: {}.{} or newer".format(*git._OLDEST),
        "the version: {}.{} for anything, ".format(*kube.OLDEST)
        + "{}.{} for `apply --crds` and `apply --policies`".format(*cluster._RULES),
        f"as `apply` does it, {AT_ONCE} at a time",
    ],
    "docs/ci.md": [f"at most {markdown.LIMIT:,} characters"],
    "docs/git.md": [
        "needs git {}.{} or newer".format(*git._OLDEST),
        f"up to {reconcile.ATTEMPTS} times with growing pauses",
    ],
    "docs/clusters.md": [
        f"{AT_ONCE} clusters are worked on at a time",
        f"goes after {GRACE_SECONDS // 60} minutes",
        f"told once in {QUIET_SECONDS // 60} minutes at most",
        "Kubernetes {}.{} or newer".format(*cluster._RULES),
    ],
    "docs/performance.md": [
        f"{AT_ONCE} clusters are worked on at a time, but up to {CONTACTS}",
    ],
}
_WORDS = {"five": "5", "ten": "10", "sixteen": "16"}


@pytest.mark.parametrize("name", FIGURES)
def test_the_figures_of_a_page_are_those_of_the_program(name: str) -> None:
    text = " ".join((ROOT / name).read_text(encoding="utf-8").split())
    for word, number in _WORDS.items():
        text = re.sub(rf"\b{word}\b", number, text, flags=re.IGNORECASE)
    for figure in FIGURES[name]:
        assert figure in text, figure


def test_the_page_of_git_names_every_variable_that_git_is_given() -> None:
    told = section(page("git.md"), "Remotes and credentials").partition("emptied environment")[2]
    assert set(re.findall(r"`([A-Za-z_]+)`", told)) >= set(process.PASSED)
    assert set(process.PASSED) >= set(
        re.findall(r"`([A-Za-z_]+)`", told.partition("A signature")[0])
    )
    assert ("http.lowSpeedTime", "60") in config.NETWORK
    assert remote._LOOPBACK


def _command(name: str) -> click.Command:
    command = ipam.get_command(click.Context(ipam), name)
    assert command is not None
    return command


def test_the_hint_for_a_network_of_ipv6_sends_nobody_to_what_is_not_there() -> None:
    files = {"pools/edge.yaml": pool(cidr='"fd00:1:2:3::/64"')}
    (found,) = [item for item in evaluation_of(files).findings if item.code == "family-mismatch"]
    assert found.hint == (
        "NetworkPool is IPv4 only (its CRD says so); pools of other systems may hold IPv6"
    )
