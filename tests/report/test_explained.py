"""The ways from a finding to its cause and fix: `ipam explain CODE`, and links to documentation."""

import json
from pathlib import Path

import pytest

from tests.cli.running import Capture, ipam
from tests.world import SMALL, commit, reconciled, repository, tenant, write

SETTINGS = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\nspec: {docsUrl: 'https://docs.example.com/ipam/'}\n"
FULL = {**SMALL, "tenants/two.yaml": tenant("two", networking="{lbPoolSize: 300}")}
PAGE = "https://docs.example.com/ipam/reference/codes/request-too-large/"


@pytest.mark.parametrize("has_docs", [False, True])
def test_codes_are_links_if_settings_name_the_documentation(
    tmp_path: Path, capsys: Capture, *, has_docs: bool
) -> None:
    repo = repository(tmp_path / "repo", {**FULL, **({"ipam.yaml": SETTINGS} if has_docs else {})})
    shown = {
        form: ipam(capsys, "check", "-o", form, "--repo", repo).out
        for form in ("json", "sarif", "markdown")
    }
    (gate,) = json.loads(shown["json"])["gates"]
    (run,) = json.loads(shown["sarif"])["runs"]
    (rule,) = (it for it in run["tool"]["driver"]["rules"] if it["id"] == "request-too-large")
    assert [gate.get("url"), rule.get("helpUri")] == [PAGE if has_docs else None] * 2
    assert (f"[request-too-large]({PAGE})" in shown["markdown"]) is has_docs
    assert has_docs or "://" not in "".join(shown.values()).replace(
        "https://docs.oasis-open.org", ""
    )


@pytest.mark.parametrize(("files", "is_named"), [
    ({"tenants/web.yaml": "[]\n"}, False),  # its finding has a hint
    ({}, True),  # the tenant is removed: brake-held, without a hint
])  # fmt: skip
def test_the_text_names_explain_once_if_a_finding_has_no_hint(
    tmp_path: Path, capsys: Capture, files: dict[str, str], *, is_named: bool
) -> None:
    repo = repository(tmp_path / "repo", reconciled(SMALL))
    write(repo, files)
    if not files:
        (repo / "tenants" / "one.yaml").unlink()
    commit(repo)
    assert ipam(capsys, "check", "--repo", repo).out.count("ipam explain CODE") == is_named
