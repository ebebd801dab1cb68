"""What the pages promise, and what they deny, is so: proofs are there, figures are the code's."""

import ast
import re
from functools import cache
from pathlib import Path

import click
import pytest

from reconciler.cli.commands import VERBS, ipam
from reconciler.planning.documents import schema_files
from reconciler.planning.settings import read_settings
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


@pytest.mark.parametrize("file", markdown_files(), ids=lambda file: str(file.relative_to(ROOT)))
def test_every_test_that_a_page_names_is_there(file: Path) -> None:
    for path, name in proofs(file.read_text(encoding="utf-8")):
        assert name in names_in(path), f"{path}: {name}"


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


def _command(name: str) -> click.Command:
    command = ipam.get_command(click.Context(ipam), name)
    assert command is not None
    return command


def test_the_hint_for_a_network_of_ipv6_sends_nobody_to_what_is_not_there() -> None:
    files = {"pools/edge.yaml": pool(cidr='"fd00:1:2:3::/64"')}
    (found,) = [item for item in evaluation_of(files).findings if item.code == "family-mismatch"]
    assert found.hint == (
        "NetworkPool is IPv4 only (its CRD says so); kinds that take IPv6 are ProxyIPPool,"
        " InClusterIPPool and GlobalInClusterIPPool"
    )
