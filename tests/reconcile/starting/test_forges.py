"""The host of a remote, or files in a repository, determine the forge."""

import pytest

from reconciler.reconcile.init import Forge, forge_in, forge_of


@pytest.mark.parametrize(
    ("url", "forge"),
    [
        ("git@github.com:acme/addresses.git", Forge.GITHUB),
        ("ssh://git@github.acme.example/acme/addresses", Forge.GITHUB),
        ("git@gitlab.acme.example:net/addresses.git", Forge.GITLAB),
        ("ssh://git@gitlab-ce.acme.example:2222/net/addresses.git", Forge.GITLAB),
        ("https://codeberg.org/acme/addresses", Forge.FORGEJO),
        ("GITEA.acme.example:acme/addresses", Forge.GITEA),
    ],
)
def test_a_forge_is_known_by_a_word_of_its_host(url: str, forge: Forge) -> None:
    assert forge_of(url) is forge


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/srv/git/github/addresses.git",
        "https://git.acme.example/github/addresses",
        "https://mygithub.example/acme/addresses",
        "https://bitbucket.org/acme/addresses",
    ],
)
def test_another_place_names_no_forge(url: str) -> None:
    assert forge_of(url) is None


def test_files_of_one_forge_name_it_and_those_of_two_do_not() -> None:
    assert forge_in([".git", ".github"]) is Forge.GITHUB
    assert forge_in([".gitlab-ci.yml"]) is Forge.GITLAB
    assert forge_in([".forgejo", ".gitea"]) is None
    assert forge_in([".git", "pools"]) is None
