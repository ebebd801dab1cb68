"""A cache folder of another user is ignored, and its links are not followed."""

import os
from pathlib import Path

import pytest

from tests.cli.running import Ran
from tests.gitio.command import Command, served

WORDS = "the cache is not used"
OTHER = 65_533


def cache_of(root: Path) -> Path:
    return root / "cache" / "gitops-ipam"


def test_the_cache_is_made_for_its_user_alone_whatever_the_umask(
    tmp_path: Path, author: Path, command: Command
) -> None:
    remote = served(tmp_path, author)
    before = os.umask(0)
    try:
        assert command.run("plan", "--repo", str(author)).code == 0
        assert command.run("reconcile", "--remote", str(remote)).code == 0
    finally:
        os.umask(before)
    place = cache_of(tmp_path)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (place, *place.iterdir())}
    assert modes == {"gitops-ipam": 0o700, "remotes": 0o700}
    assert {path.stat().st_mode & 0o777 for path in place.glob("*/*")} == {0o700}


def spoiled(place: Path, how: str) -> None:
    """Give a part of a folder to another user."""
    if how == "another user's":
        os.chown(place, OTHER, OTHER)
    elif how == "a link of another user":
        place.rename(place.with_suffix(".moved"))
        place.symlink_to(place.with_suffix(".moved"))
        os.lchown(place, OTHER, OTHER)
    elif how == "a file":
        place.rename(place.with_suffix(".moved"))
        place.write_text("")
    else:
        place.chmod({"the group's": 0o770, "everybody's": 0o777}[how])


SPOILED = [
    pytest.param(how, marks=pytest.mark.skipif(os.geteuid() != 0 and "another" in how, reason="needs root to change the owner of a folder"))
    for how in ("another user's", "a link of another user", "the group's", "everybody's", "a file")
]  # fmt: skip


def mirror_of(root: Path) -> Path:
    (found,) = (cache_of(root) / "remotes").iterdir()
    return found


def refused(done: Ran, doctor: Ran, words: str) -> bool:
    return done.code == 4 and words in done.err and doctor.code == 4 and words in doctor.out


@pytest.mark.parametrize("how", SPOILED)
@pytest.mark.parametrize("inner", ["", "remotes", "mirror"])
def test_a_mirror_where_others_may_write_is_refused(
    tmp_path: Path, author: Path, command: Command, how: str, inner: str
) -> None:
    remote = str(served(tmp_path, author))
    assert command.run("reconcile", "--remote", remote).code == 0
    place = mirror_of(tmp_path) if inner == "mirror" else cache_of(tmp_path) / inner
    spoiled(place, how)
    done = command.run("reconcile", "--remote", remote)
    assert refused(done, command.run("doctor", "--remote", remote), WORDS), done
