"""Other roots of a repository, found with git."""

from pathlib import Path

from reconciler.gitio.repository import open_repository
from tests.world import ENVIRONMENT, commit, git, repository, write

PLAN = f"Ipam-Plan: sha256:{'0' * 64}"


def test_each_other_root_is_named_once_with_its_oldest_commit(tmp_path: Path) -> None:
    made = repository(tmp_path / "repo", {"a/x": "1\n"})
    said = []
    for count, trailer in enumerate(
        [
            PLAN,
            f"{PLAN} infra/ipam",
            f"{PLAN} b c",
            f"{PLAN} infra/ipam",
            f"{PLAN} {'z' * 9000}",
            PLAN,
        ]
    ):
        write(made, {"a/x": f"{count}\n"})
        commit(made, f"ipam: {count}\n\n{trailer}")
        said.append(git(made, "rev-parse", "HEAD"))
    write(made, {"a/x": "last\n"})
    commit(made, f"quotes\n\nsaid: {PLAN} infra/net")
    opened = open_repository(made, ENVIRONMENT)
    assert list(opened.other_roots("HEAD")) == [("infra/ipam", said[1]), ("b c", said[2])]
