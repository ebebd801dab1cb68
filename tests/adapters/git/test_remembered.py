"""The head that was reconciled last, noted at the remote: who notices that history was rewritten."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from reconciler.adapters.git.opening import open_repository
from reconciler.adapters.git.remotes import open_mirror, with_remote
from reconciler.adapters.git.repository import GitRepository
from reconciler.commands.reconcile import ReconcileOptions, reconcile
from reconciler.ports import GitError, HistoryError
from tests.cli.running import Ran, ipam
from tests.world import ENVIRONMENT, commit, git, tenant, write

LAST = "refs/ipam/last"
Capture = pytest.CaptureFixture[str]
Logs = pytest.LogCaptureFixture
FORGED = "ipam: allocate 1\n\nIpam-Plan: sha256:{plan}\nIpam-Base: {base}\nIpam-Version: 0.1.0"


def noted(remote: Path) -> str:
    """What the remote has; empty for nothing."""
    return git(remote, "for-each-ref", "--format=%(objectname)", LAST)


def head(remote: Path) -> str:
    return git(remote, "rev-parse", "refs/heads/main")


def fresh(remote: Path, name: str) -> Path:
    """A clone that never saw anything."""
    git(remote.parent, "clone", "-q", str(remote), name)
    return remote.parent / name


def opened(folder: Path) -> GitRepository:
    return with_remote(open_repository(folder, ENVIRONMENT))


def ran(capsys: Capture, folder: Path, *more: str) -> Ran:
    return ipam(capsys, "reconcile", "--repo", folder, *more)


def grow(remote: Path, name: str) -> str:
    """A person merges a tenant."""
    clone = fresh(remote, f"by-{name}")
    write(clone, {f"tenants/{name}.yaml": tenant(name)})
    made = commit(clone, name)
    git(clone, "push", "-q", "origin", "main")
    return made


@pytest.fixture
def first(remote: Path, capsys: Capture) -> str:
    """The head before the first reconcile, which is done."""
    before = head(remote)
    assert ran(capsys, fresh(remote, "one")).code == 0
    return before


def test_the_head_is_noted_where_every_clone_sees_it(
    remote: Path, first: str, capsys: Capture
) -> None:
    assert noted(remote) == head(remote) != first
    added = grow(remote, "two")
    assert ran(capsys, fresh(remote, "again")).code == 0
    assert noted(remote) == head(remote) != added


def test_a_fresh_clone_refuses_a_history_that_was_rolled_back_until_a_person_accepts_it(
    remote: Path, first: str, capsys: Capture
) -> None:
    lost = head(remote)
    git(remote, "update-ref", "refs/heads/main", first)
    clone = fresh(remote, "late")
    done = ran(capsys, clone)
    assert done.code == 6
    assert f"it is at {first}, and lacks {lost} that reconcile made" in done.err
    assert head(remote) == first
    assert ran(capsys, clone, "--accept-history", first).code == 0
    assert noted(remote) == head(remote)
    assert ran(capsys, fresh(remote, "later")).code == 0


def test_a_pod_with_an_empty_cache_refuses_it_too(
    remote: Path, first: str, tmp_path: Path, capsys: Capture
) -> None:
    git(remote, "update-ref", "refs/heads/main", first)
    write(other := fresh(remote, "other"), {"tenants/x.yaml": tenant("x")})
    commit(other, "x")
    git(other, "push", "-q", "origin", "main")
    mirror = open_mirror(str(remote), tmp_path / "pod", ENVIRONMENT)
    with pytest.raises(HistoryError, match="as the remote remembers"):
        reconcile(mirror, ReconcileOptions())
    assert ipam(capsys, "reconcile", "--remote", remote).code == 6


def test_what_people_rewrote_behind_the_newest_reconcile_is_no_matter_of_addresses(
    remote: Path, first: str, capsys: Capture, caplog: Logs
) -> None:
    made = head(remote)
    grow(remote, "two")
    git(remote, "update-ref", LAST, head(remote))  # seen, and nothing was to be done
    git(remote, "update-ref", "refs/heads/main", made)
    assert ran(capsys, fresh(remote, "late")).code == 0
    assert "no work of reconcile" in caplog.text
    assert noted(remote) == made != first


def test_a_commit_that_only_says_that_reconcile_made_it_stops_nobody(
    remote: Path, first: str, capsys: Capture, caplog: Logs
) -> None:
    clone = fresh(remote, "forger")
    write(clone, {"allocations/forged.yaml": "a: b\n"})
    forged = commit(clone, FORGED.format(plan="0" * 64, base=head(remote)))
    git(clone, "push", "-q", "origin", f"HEAD:{LAST}", "--force")
    assert noted(remote) == forged != first
    assert ran(capsys, fresh(remote, "late")).code == 0
    assert "no work of reconcile" in caplog.text
    assert noted(remote) == head(remote)


def test_a_blob_or_what_is_not_there_stops_nobody(
    remote: Path, first: str, capsys: Capture, caplog: Logs
) -> None:
    blob = git(remote, "hash-object", "-w", "--stdin", data=b"text")
    git(remote, "update-ref", LAST, blob)
    assert ran(capsys, fresh(remote, "late")).code == 0
    assert "is no commit that can be read" in caplog.text
    assert noted(remote) == head(remote) != first
    git(remote, "update-ref", "-d", LAST)
    assert ran(capsys, fresh(remote, "later")).code == 0
    assert noted(remote) == head(remote)


def test_a_tag_of_the_commit_is_as_good_as_the_commit(
    remote: Path, first: str, capsys: Capture
) -> None:
    clone = fresh(remote, "tagger")
    git(clone, "tag", "-a", "-m", "x", "x", "HEAD")
    git(clone, "push", "-q", "--force", "origin", f"refs/tags/x:{LAST}")
    git(remote, "update-ref", "refs/heads/main", first)
    assert ran(capsys, fresh(remote, "late")).code == 6


def test_an_older_head_is_no_trouble_and_is_brought_up_to_date(
    remote: Path, first: str, capsys: Capture
) -> None:
    git(remote, "update-ref", LAST, first)
    assert ran(capsys, fresh(remote, "late")).code == 0
    assert noted(remote) == head(remote)


def test_a_remote_that_refuses_it_is_told_of_once(
    remote: Path, capsys: Capture, caplog: Logs
) -> None:
    hook = remote / "hooks" / "update"
    hook.write_text('#!/bin/sh\ncase "$1" in refs/ipam/*) echo no >&2; exit 1;; esac\n')
    hook.chmod(0o755)
    clone = fresh(remote, "clone")
    assert ran(capsys, clone).code == 0
    assert caplog.text.count("refs/ipam/last cannot be moved") == 1
    assert noted(remote) == ""
    grow(remote, "two")
    assert ran(capsys, clone).code == 0
    assert caplog.text.count("refs/ipam/last cannot be moved") == 1


def test_in_one_process_a_remote_that_refused_is_not_asked_again(
    remote: Path, caplog: Logs
) -> None:
    hook = remote / "hooks" / "update"
    log = remote / "asked.log"
    hook.write_text(f'#!/bin/sh\necho "$1" >> {log}\n[ "$1" = refs/heads/main ]\n')
    hook.chmod(0o755)
    repository = opened(fresh(remote, "clone"))
    reconcile(repository, ReconcileOptions())
    grow(remote, "two")
    reconcile(repository, ReconcileOptions())
    assert log.read_text().splitlines().count(LAST) == 1
    assert caplog.text.count("cannot be moved") == 1


def test_of_two_that_race_the_slower_one_overwrites_nothing_and_asks_anew(
    remote: Path, first: str
) -> None:
    slow = opened(fresh(remote, "slow"))
    slow.fetch()
    grow(remote, "two")
    reconcile(opened(fresh(remote, "quick")), ReconcileOptions())
    newest = noted(remote)
    assert newest == head(remote)
    slow.standing.remember(slow.resolve(first))
    assert noted(remote) == newest
    assert slow.seen.asked.told is None
    reconcile(slow, ReconcileOptions())
    assert noted(remote) == newest


def test_a_clone_that_is_too_shallow_to_tell_is_refused(
    remote: Path, first: str, capsys: Capture
) -> None:
    grow(remote, "two")
    git(remote.parent, "clone", "-q", "--depth", "1", f"file://{remote}", "shallow")
    done = ran(capsys, remote.parent / "shallow")
    assert done.code == 4
    assert "too shallow to tell whether" in done.err
    assert "git fetch --unshallow" in done.err
    with pytest.raises(GitError):
        reconcile(opened(remote.parent / "shallow"), ReconcileOptions())
    assert first != head(remote)


def test_another_branch_than_the_truth_neither_asks_nor_moves_it(
    remote: Path, first: str, capsys: Capture
) -> None:
    before = noted(remote)
    clone = fresh(remote, "clone")
    git(clone, "switch", "-q", "-c", "lab", first)
    write(clone, {"tenants/lab.yaml": tenant("lab")})
    commit(clone, "lab")
    git(clone, "push", "-q", "-u", "origin", "lab")
    assert ran(capsys, clone, "--branch", "lab", "--any-branch").code == 0
    assert noted(remote) == before != git(remote, "rev-parse", "lab")


def test_a_repository_that_is_the_truth_itself_notes_nothing(
    remote: Path, author: Path, capsys: Capture
) -> None:
    assert ran(capsys, remote).code == 0
    assert noted(remote) == ""
    git(author, "remote", "remove", "origin")
    assert ran(capsys, author).code == 0
    assert noted(author) == ""


@pytest.mark.parametrize(("applied", "is_refused"), [("", True), ("lost", True), ("kept", False)])
def test_where_there_is_a_management_cluster_what_it_was_given_decides(
    applied: str, is_refused: bool, remote: Path, first: str, caplog: Logs
) -> None:
    known = {"": "", "lost": head(remote), "kept": first}[applied]
    git(remote, "update-ref", "refs/heads/main", first)
    options = replace(ReconcileOptions(), applied=lambda: known)
    repository = opened(fresh(remote, "late"))
    if is_refused:
        with pytest.raises(HistoryError):
            reconcile(repository, options)
        return
    assert reconcile(repository, options).commit is not None
    assert "the management cluster never had it" in caplog.text


@pytest.mark.parametrize("verb", ["check", "plan", "status", "verify"])
def test_who_only_looks_does_not_ask_for_it(
    verb: str, remote: Path, first: str, capsys: Capture
) -> None:
    clone = fresh(remote, "late")
    git(remote, "update-ref", "refs/heads/main", first)
    remote.rename(remote.with_name("away.git"))
    assert ipam(capsys, verb, "--repo", clone).code == 0
