"""Replaying reconcile commits: on real histories, whoever made them and whenever."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from reconciler import __version__
from reconciler.adapters.git.opening import open_repository
from reconciler.adapters.git.repository import GitRepository
from reconciler.commands.message import SKIP_CI, Said, message_of, read_message
from reconciler.commands.reconcile import Reconciled, ReconcileOptions, reconcile
from reconciler.commands.replay import Replayed, believes, judged, replay
from reconciler.model.verdict import Verdict
from reconciler.ports import GitError
from tests.world import AHEAD, CLOCK, ENVIRONMENT, SMALL, commit, git, repository, tenant, write

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
DAY = 86_400
HELD = ReconcileOptions(still_announced=lambda found: {RECORD: "it is announced"})
Rewrite = Callable[[str], str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = repository(tmp_path / "repo", SMALL)
    assert reconciled(made).commit is not None
    return made


def opened(folder: Path) -> GitRepository:
    return open_repository(folder, ENVIRONMENT)


def reconciled(folder: Path, options: ReconcileOptions | None = None) -> Reconciled:
    head = git(folder, "rev-parse", "HEAD")  # it may have been amended
    return reconcile(opened(folder), replace(options or ReconcileOptions(), accept_history=head))


def replayed(folder: Path, rev: str = "HEAD") -> Replayed:
    """What a replay shows."""
    return replay(opened(folder), git(folder, "rev-parse", rev))


def amended(folder: Path, rewrite: Rewrite = str) -> Replayed:
    """The newest commit with what stands in the work tree, and another message, at its own date."""
    clock = int(git(folder, "show", "-s", "--format=%ct"))
    message = rewrite(git(folder, "show", "-s", "--format=%B"))
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--amend", "-m", message, clock=clock)
    return replayed(folder)


def edit(folder: Path, old: str, new: str) -> None:
    text = (folder / RECORD).read_text(encoding="utf-8")
    assert old in text
    write(folder, {RECORD: text.replace(old, new)})


def without_version(message: str) -> str:
    return message.replace(f"Ipam-Version: {__version__}", "").rstrip("\n") + "\n"


def of_version(number: str) -> Rewrite:
    return lambda message: message.replace(__version__, number)


def removed(folder: Path, clock: int = CLOCK + 60) -> None:
    git(folder, "rm", "-q", "tenants/one.yaml")
    commit(folder, clock=clock)


def test_a_commit_of_reconcile_is_made_again_byte_for_byte(folder: Path) -> None:
    same = Replayed(Verdict.SAME, version=__version__)
    assert replayed(folder) == same
    write(folder, {"tenants/two.yaml": tenant("two")})
    removed(folder)
    assert reconciled(folder, ReconcileOptions(allow_release=1)).commit is not None
    assert "Ipam-Allow-Release: 1\n" in git(folder, "show", "-s", "--format=%B") + "\n"
    assert replayed(folder) == same
    write(folder, {"README.md": "x\n"})
    commit(folder, clock=CLOCK + 3 * DAY)
    assert reconciled(folder).commit is not None
    assert replayed(folder) == same
    assert (folder / RECORD).exists() is False


def test_what_clusters_held_then_is_held_again(folder: Path) -> None:
    removed(folder)
    reconciled(folder, ReconcileOptions(allow_release=1))
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder, clock=CLOCK + 3 * DAY)
    assert reconciled(folder, HELD).commit is not None
    assert (folder / RECORD).exists()
    assert replayed(folder).verdict is Verdict.SAME


def test_a_plan_of_a_date_that_was_ahead_is_made_by_the_clock_that_it_names(folder: Path) -> None:
    removed(folder)
    reconciled(folder, ReconcileOptions(allow_release=1))
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder, clock=AHEAD)
    assert reconciled(folder).commit is not None
    assert "Ipam-Clock: 2026-02-15T10:01:31Z" in git(folder, "show", "-s", "--format=%B")
    later = dataclasses.replace(opened(folder), now=lambda: AHEAD + 1.0)
    for found in (opened(folder), later):
        assert replay(found, git(folder, "rev-parse", "HEAD")).verdict is Verdict.SAME
    gone = amended(folder, lambda text: text.replace("Ipam-Clock: 2026-02-15T10:01:31Z", ""))
    assert gone.verdict is Verdict.FOREIGN


def test_a_commit_that_says_more_than_its_plan_is_different(folder: Path) -> None:
    edit(folder, "10.40.0.", "10.40.0.1")
    found = amended(folder)
    assert (found.verdict, found.files, found.is_believed) == (Verdict.DIFFERENT, (RECORD,), False)
    write(folder, {"README.md": "x\n"})
    assert amended(folder).verdict is Verdict.FOREIGN


@pytest.mark.parametrize("kind", ["link", "missing"])
def test_so_is_one_that_makes_a_link_or_leaves_a_file_out(folder: Path, kind: str) -> None:
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder, clock=CLOCK + 60)
    reconciled(folder)
    path = RECORD.replace("one.", "two.")
    (folder / path).unlink()
    if kind == "link":
        (folder / path).symlink_to("one.loadbalancer.yaml")
    else:
        write(folder, {"allocations/x.md": "x\n"})
    found = amended(folder)
    assert found.verdict is Verdict.DIFFERENT
    assert path in found.files


def test_another_version_may_write_other_bytes_but_not_decide_otherwise(folder: Path) -> None:
    edit(folder, "8 IPs allocated from edge", "all is well")
    found = amended(folder, of_version("0.0.9"))
    assert found == Replayed(Verdict.NOT_COMPARABLE, (RECORD,), (), "0.0.9")
    assert found.is_believed
    edit(folder, "10.40.0.", "10.40.0.1")
    found = amended(folder)
    assert found == Replayed(Verdict.NOT_COMPARABLE, (RECORD,), (RECORD,), "0.0.9")
    assert not found.is_believed


def test_a_commit_of_before_versions_were_told_is_compared_with_and_without_the_brake(
    folder: Path,
) -> None:
    assert amended(folder, without_version) == Replayed(Verdict.SAME)
    removed(folder)
    reconciled(folder, ReconcileOptions(allow_release=1))
    silent = lambda text: without_version(text.replace("Ipam-Allow-Release: 1", ""))  # noqa: E731
    assert amended(folder, silent) == Replayed(Verdict.SAME)


def test_what_has_another_form_or_date_is_not_ours_whatever_base_it_names(folder: Path) -> None:
    assert replayed(folder, "HEAD~1") == Replayed(Verdict.FOREIGN)
    digest = f"Ipam-Plan: sha256:{'0' * 64}"
    for message in (digest, f"x\n\n{digest}"):
        assert amended(folder, lambda _, it=message: it) == Replayed(Verdict.FOREIGN)  # type: ignore[misc]
    base = git(folder, "rev-parse", "HEAD~1")
    text = f"ipam: allocate 1\n\n{digest}\nIpam-Base: {base}\nIpam-Version: {__version__}"
    assert amended(folder, lambda _: text).verdict is Verdict.SAME
    elsewhere = text.replace(base, "0" * len(base))  # as after its history was rewritten
    assert amended(folder, lambda _: elsewhere).verdict is Verdict.SAME
    git(folder, "commit", "-q", "--amend", "-m", text, clock=CLOCK + 2)
    assert replayed(folder).verdict is Verdict.FOREIGN


def test_an_empty_commit_is_not_ours_though_its_base_has_nothing_to_do(folder: Path) -> None:
    base = git(folder, "rev-parse", "HEAD")
    said = Said(f"sha256:{'0' * 64}", base, __version__)
    clock = int(git(folder, "show", "-s", "--format=%ct")) + 1
    commit(folder, message_of("allocate 1", said), clock)
    assert replayed(folder) == Replayed(Verdict.FOREIGN, version=__version__)


def test_a_base_that_is_not_here_is_no_proof_and_no_doubt(folder: Path) -> None:
    clone = folder.parent / "clone"
    git(folder.parent, "clone", "-q", "--depth", "1", folder.as_uri(), str(clone))
    assert replayed(clone).verdict is Verdict.NOT_HERE
    head = git(clone, "rev-parse", "HEAD")
    assert judged(opened(clone), head) is Verdict.NOT_HERE
    assert not believes(opened(clone), head)
    git(clone, "fetch", "-q", "--unshallow")
    assert judged(opened(clone), head) is Verdict.SAME


def test_a_commit_that_is_not_there_is_refused(folder: Path) -> None:
    with pytest.raises(GitError, match="no commit"):
        replay(opened(folder), "0" * 40)


def test_a_message_is_read_as_it_was_written() -> None:
    digest, base = f"sha256:{'a' * 64}", "b" * 40
    for said in (
        Said(digest, base),
        Said(digest, base, "1.0"),
        Said(digest, base, "1.0", 0, CLOCK),
        Said(digest, base, "1.0", 12),
    ):
        assert read_message(message_of("allocate 1", said)) == said
        assert read_message(message_of(f"allocate 1{SKIP_CI}", said)) == said


@pytest.mark.parametrize(
    "more",
    [
        "Ipam-Allow-Release: -1\n",
        "Ipam-Allow-Release: 01\n",
        "Ipam-Clock: yesterday\n",
        "Ipam-Base: {base}\n",
        "And more.\n",
    ],
)
def test_a_message_that_says_nonsense_is_not_read(more: str) -> None:
    base = "b" * 40
    message = message_of("allocate 1", Said(f"sha256:{'a' * 64}", base))
    assert read_message(message + "Ipam-Observed: 12\n") is not None
    assert read_message(message + more.format(base=base)) is None
