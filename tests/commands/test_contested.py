"""Of records that overlap, only the one whose record came first is rendered with the addresses."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from reconciler.adapters.git.opening import open_repository, open_worktree
from reconciler.commands.contested import withheld
from reconciler.commands.reading.reader import evaluate_source
from reconciler.commands.render import rendered
from reconciler.ports import Source
from tests.cli.running import ipam
from tests.engine.outcome import Files, without
from tests.memory import MemorySource
from tests.world import ENVIRONMENT, SMALL, commit, git, raw, reconciled, repository, tenant, write

FOLDER = "allocations/NetworkPool/butler-system.edge/team-a"
ONE = f"{FOLDER}/one.loadbalancer.yaml"
TWO = f"{FOLDER}/two.loadbalancer.yaml"
BASE = reconciled(SMALL)
EIGHT = "10.40.0.0-10.40.0.7"


def copied(text: str | bytes, name: str = "two") -> str:
    return raw(text).decode().replace("one", name)


BOTH = {**BASE, "tenants/two.yaml": tenant("two"), TWO: copied(BASE[ONE])}


def given(source: Source) -> dict[str, str]:
    """The addresses of each cluster that is rendered."""
    evaluation = evaluate_source(source)
    made = rendered(evaluation, withheld=withheld(evaluation, source))
    return {
        path.partition("/")[0]: text.partition("addresses:\n    - ")[2].replace("\n    - ", " ")
        for path, text in made.items()
        if "/IPAddressPool/" in path
    }


def files(folder: Path) -> list[str]:
    return sorted(str(it.relative_to(folder)) for it in folder.rglob("*") if it.is_file())


def after(*line: Files) -> dict[str, str]:
    found = given(MemorySource(line[-1], before=line[:-1]))
    return {cluster: text.strip() for cluster, text in found.items()}


def test_only_the_one_whose_record_came_first_gets_what_two_hold() -> None:
    assert after(BASE, BOTH) == {"team-a.one": EIGHT}
    swapped = {**without(BASE, ONE, "tenants/one.yaml"), "tenants/two.yaml": tenant("two")}
    assert after({**swapped, TWO: BOTH[TWO]}, BOTH) == {"team-a.two": EIGHT}


def test_the_other_one_keeps_what_it_alone_holds() -> None:
    moved = raw(BASE[ONE]).decode()
    for old, new in [(f"10.40.0.{n}\n", f"10.40.0.{n + 4}\n") for n in range(7, -1, -1)]:
        moved = moved.replace(old, new)
    moved = moved.replace("  cidr: 10.40.0.0/29\n", "")
    both = {**BOTH, TWO: copied(moved)}
    assert after(BASE, both) == {"team-a.one": EIGHT, "team-a.two": "10.40.0.8-10.40.0.11"}


def test_where_both_came_in_one_commit_nobody_gets_it() -> None:
    assert after(SMALL, BOTH) == {}
    assert after(BOTH) == {}


def test_a_record_that_moved_or_was_edited_is_as_old_as_before() -> None:
    elsewhere = {**without(BASE, ONE), "allocations/old.yaml": BASE[ONE]}
    edited = {**BOTH, ONE: raw(BOTH[ONE]).replace(b"team: team-a", b"team: red")}
    assert after(elsewhere, {**elsewhere, **without(BOTH, ONE)}, BOTH) == {"team-a.one": EIGHT}
    assert after(BASE, BOTH, edited) == {"team-a.one": EIGHT}


def test_a_record_that_was_edited_to_hold_the_addresses_came_when_it_was_edited() -> None:
    two = {**SMALL, "tenants/two.yaml": tenant("two")}
    apart = reconciled(two)
    both = {**apart, ONE: copied(apart[TWO], "two").replace("two", "one")}
    assert after(two, apart, both) == {"team-a.two": "10.40.0.8-10.40.0.15"}


def test_a_record_that_was_damaged_meanwhile_is_as_old_as_before() -> None:
    damaged = {**BOTH, ONE: "{"}
    assert after(BASE, BOTH, damaged, BOTH) == {"team-a.one": EIGHT}


def test_a_released_record_that_came_first_withholds_its_addresses_too() -> None:
    released = {**BASE, ONE: reconciled(without(BASE, "tenants/one.yaml"))[ONE]}
    gone = without({**BOTH, ONE: released[ONE]}, "tenants/one.yaml")
    assert after(BASE, released, gone) == {}


def test_of_two_records_of_one_owner_both_are_rendered_and_nothing_is_looked_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unasked(paths: Sequence[str]) -> None:
        raise AssertionError(paths)

    source = MemorySource({**BASE, f"{FOLDER}/again.loadbalancer.yaml": BASE[ONE]})
    evaluation = evaluate_source(source)
    monkeypatch.setattr(source, "past", unasked)
    assert withheld(evaluation, source) == {}


def test_render_leaves_the_younger_out_of_every_cluster_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", BASE)
    ran = ipam(capsys, "render", "--repo", folder, "--out", tmp_path / "out")
    before = files(tmp_path / "out")
    assert ran.code == 0
    write(folder, BOTH)
    commit(folder, "two branches, each reconciled by itself")
    ran = ipam(capsys, "render", "--repo", folder, "--out", tmp_path / "out")
    assert ran.code == 1
    assert f"Left out: {EIGHT} of {TWO}, because another record held it first.\n" in ran.err
    assert "error record-overlap" in ran.err
    assert files(tmp_path / "out") == before


def test_where_history_gives_it_to_nobody_render_leaves_all_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", BOTH)
    ran = ipam(capsys, "render", "--repo", folder, "--out", tmp_path / "out")
    assert (ran.code, "Nothing was written" in ran.err) == (1, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_clone_tells_what_its_history_reaches_back_for(tmp_path: Path, depth: int) -> None:
    author = repository(tmp_path / "author", BASE)
    write(author, BOTH)
    commit(author, "the second")
    git(tmp_path, "clone", "-q", f"--depth={depth}", f"file://{author}", "clone")
    source = open_repository(tmp_path / "clone", ENVIRONMENT).source("HEAD")
    assert list(given(source)) == ([] if depth == 1 else ["team-a.one"])


def test_a_work_tree_is_newer_than_all_commits(tmp_path: Path) -> None:
    author = repository(tmp_path / "author", BASE)
    write(author, BOTH)
    source = open_worktree(open_repository(author, ENVIRONMENT), author)
    assert list(given(source)) == ["team-a.one"]
