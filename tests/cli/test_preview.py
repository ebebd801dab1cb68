"""`check --base` shows maps, and what clusters get, as Markdown and as a picture."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.running import given_out, ipam
from tests.world import SMALL, commit, git, tenant, write

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Reconciled; on a branch a tenant more."""
    folder = given_out(tmp_path / "repo", SMALL)
    git(folder, "switch", "-q", "-c", "change")
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder)
    return folder


def test_a_comment_shows_the_map_and_what_each_cluster_gets(repo: Path, capsys: Capture) -> None:
    text = ipam(capsys, "check", "--repo", repo, "--base", "main", "-o", "markdown").out
    assert "  B  team-a/two: 0 → 8\n" in text
    assert "<code>team-a.two</code>: 2 objects change" in text
    assert "<code>team-a.one</code>" not in text
    assert "+    - 10.40.0.8-10.40.0.15\n" in text
    base, head = (git(repo, "rev-parse", name)[:12] for name in ("main", "change"))
    assert f"again: `ipam check --base {base} --rev {head}`" in text.splitlines()[-1]
    again = ipam(capsys, "check", "--repo", repo, "--base", base, "--rev", head, "-o", "markdown")
    assert again.out.partition("<sub>")[0] == text.partition("<sub>")[0]


def test_a_picture_goes_into_a_file(repo: Path, tmp_path: Path, capsys: Capture) -> None:
    place = tmp_path / "maps.svg"
    asked = ("check", "--repo", repo, "--base", "main", "--output-file", f"svg={place}")
    assert ipam(capsys, *asked).code == 0
    texts = [it.text for it in ElementTree.parse(place).iter() if it.tag.endswith("text")]
    assert "  B  team-a/two: 0 → 8" in texts
