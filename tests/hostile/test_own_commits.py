"""What reconcile made is borne out by a fresh cache, whatever people did to records before it."""

from pathlib import Path

import pytest

from tests.hostile.test_history import told
from tests.hostile.test_overrides import override
from tests.world import CLOCK, SMALL, commit, git, repository, tenant, write

FOLDER = "allocations/NetworkPool/butler-system.edge"


def test_reconcile_bears_out_its_own_commit_beside_what_an_override_let_go(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"t{at}" for at in range(20)]
    files = {f"tenants/{name}.yaml": tenant(name) for name in names}
    folder = repository(tmp_path / "repo", {**SMALL, **files})
    assert told(folder, "reconcile", capsys)[0] == 0
    allowed: dict[str, str | bytes] = {}
    for name in names[:8]:
        path = f"overrides/2026-02-15-{name}.yaml"
        scope = f"butler/TenantCluster/team-a/{name}/loadbalancer"
        allowed[path] = override(path, kind="record", scope=scope)
    write(folder, allowed)
    commit(folder, "overrides", CLOCK + 10)
    gone = [f"{FOLDER}/team-a/{name}.loadbalancer.yaml" for name in names[:8]]
    for path in (*gone, *(f"tenants/{name}.yaml" for name in names[8:12])):
        (folder / path).unlink()
    commit(folder, "move", CLOCK + 60)
    assert told(folder, "reconcile", capsys)[0] == 0
    assert "release 4" in git(folder, "show", "-s", "--format=%s")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "fresh"))
    code, said = told(folder, "check", capsys)
    assert (code, "commit-unproven" in said) == (0, False)


@pytest.mark.parametrize("path", ["team-b", "team-b/b.loadbalancer.yaml/notes.txt"])
def test_reconcile_bears_out_its_own_commit_where_a_note_made_way(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    path: str,
) -> None:
    note = f"{FOLDER}/{path}"
    folder = repository(tmp_path / "repo", {**SMALL, note: "a note\n"})
    write(folder, {"tenants/b.yaml": tenant("b", "team-b")})
    commit(folder, "b", CLOCK + 60)
    assert told(folder, "reconcile", capsys)[0] == 0
    assert f"D\t{note}" in git(folder, "diff", "--name-status", "HEAD~1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "fresh"))
    code, said = told(folder, "check", capsys)
    assert (code, "commit-unproven" in said) == (0, False)
