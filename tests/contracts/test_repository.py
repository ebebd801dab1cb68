"""Behavior of each Repository: the fake in memory, and five types of real Git repositories."""

import pytest

from reconciler.gitio.interface import Commit, Revision
from reconciler.model.change import FileChange
from reconciler.model.errors import GitError, LostRaceError, UsageError
from tests.contracts.homes import FIRST, Home
from tests.world import AHEAD, CLOCK

RECORD = "allocations/x/r.yaml"
WHO = ("bot", "bot@example.com")


def commit_on(base: Revision, *changes: FileChange, message: str = "ipam: allocate 1\n") -> Commit:
    return Commit(base, changes or (FileChange(RECORD, b"r: 1\n"),), message, WHO)


def test_files_are_read_by_revision(home: Home) -> None:
    repository = home.open()
    first = repository.fetch()
    home.advance({"pools/a.yaml": "a: 2\n"})
    newest = repository.fetch()
    for revision, text in ((first, b"a: 1\n"), (newest, b"a: 2\n")):
        source = repository.source(revision.id)
        entries = source.entries(["pools"])
        assert [entry.path for entry in entries] == ["pools/a.yaml"]
        assert source.read(entries) == [text]
        assert source.revision() == revision


def test_entries_are_those_of_all_folders_by_path(home: Home) -> None:
    repository = home.open()
    source = repository.source(repository.fetch().id)
    entries = source.entries(["tenants", "pools", "ipam.yaml", "missing"])
    assert [entry.path for entry in entries] == sorted(FIRST)
    assert source.read(entries) == [FIRST[entry.path].encode() for entry in entries]
    assert source.each(entries, lambda path, data: (path, data)) == [
        (path, FIRST[path].encode()) for path in sorted(FIRST)
    ]


def test_the_clock_is_the_committer_date(home: Home) -> None:
    repository = home.open()
    assert repository.fetch().clock == CLOCK
    home.advance({"x": "1\n"})
    assert repository.source(repository.fetch().id).clock() == CLOCK + 60


def test_a_date_that_is_ahead_is_told_and_the_newest_before_it_is_the_clock(home: Home) -> None:
    repository = home.open()
    home.advance({"x": "1\n"})
    assert repository.source(repository.fetch().id).clock_ahead() is None
    home.leap(AHEAD, {"x": "2\n"})
    source = repository.source(repository.fetch().id)
    assert (source.clock(), source.clock_ahead()) == (CLOCK + 60, AHEAD)
    home.leap(CLOCK + 30, {"x": "3\n"})
    source = repository.source(repository.fetch().id)
    assert (source.clock(), source.clock_ahead()) == (CLOCK + 30, None)


def test_a_revision_that_is_not_there_is_an_error_of_git(home: Home) -> None:
    with pytest.raises(GitError, match="commit 'nowhere' does not exist in this repository"):
        home.open().source("nowhere")


@pytest.mark.parametrize("rev", ["--upload-pack=x", "", "-"])
def test_a_revision_that_looks_like_an_option_is_refused(home: Home, rev: str) -> None:
    with pytest.raises(UsageError, match="is not a revision"):
        home.open().source(rev)


def test_changed_names_added_changed_and_removed_files(home: Home) -> None:
    repository = home.open()
    base = repository.fetch().id
    home.advance({"pools/a.yaml": "a: 2\n", "pools/n.yaml": "n: 1\n"}, remove="tenants/t/b.yaml")
    changes, is_contained = repository.changed(base, repository.fetch().id)
    assert is_contained
    assert [(item.path, item.old is None, item.new is None) for item in changes] == [
        ("pools/a.yaml", False, False),
        ("pools/n.yaml", True, False),
        ("tenants/t/b.yaml", False, True),
    ]
    old = [item.old for item in changes if item.old]
    assert repository.source(base).read(old) == [b"a: 1\n", b"b: 2\n"]


def test_changed_counts_from_where_the_two_parted(home: Home) -> None:
    repository = home.open()
    first = repository.fetch()
    ours = repository.commit(commit_on(first))
    home.advance({"x": "1\n"})
    changes, is_contained = repository.changed(repository.fetch().id, ours.id)
    assert [item.path for item in changes] == [RECORD]
    assert not is_contained


def test_a_commit_moves_no_branch(home: Home) -> None:
    repository = home.open()
    base = repository.fetch()
    made = repository.commit(commit_on(base))
    assert made.clock == base.clock + 1
    assert home.head() == base.id
    assert repository.source(made.id).read(repository.source(made.id).entries([RECORD])) == [
        b"r: 1\n"
    ]


def test_equal_commits_have_equal_ids(home: Home) -> None:
    one, two = home.open(), home.open()
    base = one.fetch()
    assert two.fetch() == base
    assert one.commit(commit_on(base)) == two.commit(commit_on(base))
    assert one.commit(commit_on(base)) != one.commit(commit_on(base, message="other\n"))


def test_publish_moves_the_branch(home: Home) -> None:
    repository = home.open()
    base = repository.fetch()
    odd = FileChange("allocations/x/two words 'and' \"more\".yaml", b"\x00\xff\nM 100644\n")
    made = repository.commit(
        commit_on(base, FileChange(RECORD, b"r: 1\n"), odd, FileChange("pools/a.yaml", None))
    )
    repository.publish(base, made)
    assert home.head() == made.id
    assert repository.fetch() == made
    entries = repository.source(made.id).entries(["allocations", "pools"])
    assert [entry.path for entry in entries] == [RECORD, odd.path]
    assert repository.source(made.id).read(entries) == [b"r: 1\n", odd.data]


def test_publish_on_a_branch_that_moved_loses_and_overwrites_nothing(home: Home) -> None:
    repository = home.open()
    base = repository.fetch()
    made = repository.commit(commit_on(base))
    other = home.advance({"x": "1\n"})
    with pytest.raises(LostRaceError, match="branch main moved"):
        repository.publish(base, made)
    assert home.head() == other


def test_publish_on_a_branch_that_was_rolled_back_loses(home: Home) -> None:
    first = home.head()
    home.advance({"x": "1\n"})
    repository = home.open()
    base = repository.fetch()
    made = repository.commit(commit_on(base))
    home.force(first)
    with pytest.raises(LostRaceError):
        repository.publish(base, made)
    assert home.head() == first


def test_publishing_what_somebody_else_has_published_is_success(home: Home) -> None:
    one, two = home.open(), home.open()
    base = one.fetch()
    assert two.fetch() == base
    one.publish(base, one.commit(commit_on(base)))
    two.publish(base, two.commit(commit_on(base)))
    assert one.fetch() == two.fetch()
