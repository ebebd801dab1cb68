"""Output of each command on a real repository, as text, JSON, and YAML."""

import json
from pathlib import Path

import click
import pytest
import yaml

from reconciler.cli.commands import VERBS
from reconciler.cli.commands import ipam as group
from tests.cli.running import Capture, ipam
from tests.world import SMALL, commit, git, reconciled, repository, tenant, write

KEY = "butler/TenantCluster/team-a/one/loadbalancer"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Reconciled, and one tenant more."""
    folder = repository(tmp_path / "repo", reconciled(SMALL))
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder)
    return folder


def test_json_and_yaml_say_the_same_in_exactly_one_document(repo: Path, capsys: Capture) -> None:
    verbs = ("status", "map edge", "find --count 9", "check", "plan", "get pools", f"explain {KEY}")
    for verb in (*verbs, "simulate --tenants 1 --lb 2 --nodes 3"):
        first = ipam(capsys, *verb.split(), "--repo", repo, "-o", "json")
        second = ipam(capsys, *verb.split(), "--repo", repo, "--output", "yaml")
        assert json.loads(first.out) == yaml.safe_load(second.out)
        assert (first.err, second.err) == ("", "")


def test_with_settings_that_never_could_be_read_no_verb_says_that_something_is_given(
    repo: Path, capsys: Capture
) -> None:
    write(repo, {"ipam.yaml": "metadata: {name: ipam\n"})
    head = commit(repo)
    planned = ipam(capsys, "plan", "--repo", repo)
    assert "10.40.0.8" not in planned.out
    assert "(loadbalancer): no new addresses while ipam.yaml cannot be read" in planned.out
    explained = ipam(capsys, "explain", KEY.replace("one", "two"), "--repo", repo)
    assert "pool-frozen: no new addresses" in explained.out
    assert "to allocate" not in ipam(capsys, "status", "--repo", repo).err
    done = ipam(capsys, "reconcile", "--repo", repo, "--no-apply")
    assert (done.code, "10.40.0.8" in done.out) == (1, False)
    assert git(repo, "rev-parse", "HEAD") == head


def test_reconcile_commits_and_says_what_it_did(repo: Path, capsys: Capture) -> None:
    words = ("reconcile", "--repo", repo, "--no-apply", "--author", "Ann <ann@example.com>")
    ran = ipam(capsys, *words)
    after = git(repo, "rev-parse", "HEAD")
    assert ran.code == 0
    assert ran.out.splitlines()[-1] == (
        f"Committed {after[:12]} to main. Not pushed: this checkout has no remote."
    )
    assert ran.err == "Not applied: --no-apply.\n"
    assert git(repo, "log", "-1", "--format=%an <%ae>") == "Ann <ann@example.com>"
    ran = ipam(capsys, "reconcile", "--repo", repo)
    assert ran.out.splitlines()[-1] == f"Nothing to commit on {after[:12]}."


def test_schema_lists_prints_and_writes(capsys: Capture, tmp_path: Path) -> None:
    names = ipam(capsys, "schema").out.splitlines()
    assert "NetworkPool" in names
    text = ipam(capsys, "schema", "networkpool").out
    assert json.loads(text)["title"] == "NetworkPool (Butler)"
    ran = ipam(capsys, "schema", "--out", tmp_path / "deep" / "schemas")
    assert (ran.code, ran.out) == (0, "")
    assert (tmp_path / "deep" / "schemas" / "NetworkPool.json").is_file()


def test_every_verb_has_help_and_every_long_option_a_variable(capsys: Capture) -> None:
    context = click.Context(group)
    for name in VERBS:
        assert ipam(capsys, name, "--help").out.startswith(f"Usage: ipam {name} ")
        command = group.get_command(context, name)
        assert command is not None
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.envvar, (name, parameter.opts)


def test_variables_stand_for_options(
    repo: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"REPO": str(repo), "OUTPUT": "json", "REV": "HEAD~1", "ALL": "1"}.items():
        monkeypatch.setenv(f"IPAM_{name}", value)
    found = json.loads(ipam(capsys, "plan").out)
    assert found["revision"] == git(repo, "rev-parse", "HEAD~1")
    assert [item["action"] for item in found["actions"]] == ["keep"]
    monkeypatch.setenv("IPAM_DETAILED_EXITCODE", "1")
    assert ipam(capsys, "plan", "--rev", "HEAD").code == 2


def test_render_of_wrong_content_writes_nothing_and_says_so(
    repo: Path, capsys: Capture, tmp_path: Path
) -> None:
    write(repo, {"ipam.yaml": "kind: Nothing\n"})
    ran = ipam(capsys, "render", "--worktree", "--repo", repo, "--out", tmp_path / "out")
    assert ran.code == 1
    assert "Nothing was written" in ran.err
    assert not (tmp_path / "out").exists()
