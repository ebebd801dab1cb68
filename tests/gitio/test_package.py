"""The package source for CI comes from the metadata of the installer."""

import json

import pytest

from reconciler.gitio import files
from reconciler.gitio.files import requirement, with_extra

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def git(url: str) -> str:
    return json.dumps({"url": url, "vcs_info": {"vcs": "git", "commit_id": COMMIT}})


def test_from_an_index_it_is_the_very_version() -> None:
    assert requirement(None, "0.1.0") == "gitops-ipam==0.1.0"


@pytest.mark.parametrize(
    "url", ["https://git.example.com/net/ipam.git", "ssh://git@git.example.com:2222/net/ipam"]
)
def test_from_a_clone_it_is_the_very_commit(url: str) -> None:
    assert requirement(git(url), "0.1.0") == f"git+{url}@{COMMIT}"


def test_from_an_archive_it_is_its_address() -> None:
    url = "https://files.example.com/ipam-0.1.0-py3-none-any.whl"
    assert requirement(json.dumps({"url": url, "archive_info": {}}), "0.1.0") == url


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("gitops-ipam==0.1.0", "gitops-ipam[clusters]==0.1.0"),
        (f"git+https://git.example.com/ipam@{COMMIT}",
         f"gitops-ipam[clusters] @ git+https://git.example.com/ipam@{COMMIT}"),
        ("", "gitops-ipam[clusters] @ SOURCE"),
    ],
)  # fmt: skip
def test_an_extra_comes_from_where_the_program_came_from_and_from_no_index_else(
    source: str, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "installed_from", lambda: source)
    assert with_extra("clusters") == wanted
