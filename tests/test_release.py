"""A release has correct metadata, and contains pinned dependencies."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from reconciler import __version__
from tests import release
from tests.caches import ROOT
from tests.release import WrongReleaseError, notes, require_commit, require_joined, sbom, sums
from tests.test_build import built, copied
from tests.test_locks import pins
from tests.world import commit, git, write

CHANGELOG = "# Changes\n\n## [0.3.0] - Unreleased\n\n- c\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- b\n\n## [0.1.0] - 2026-11-01\n\n- a\n"  # fmt: skip
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
PINNED = re.compile(r"uses: ([\w./-]+)@(\S+) # (v[\d.]+)")


def test_notes_are_what_the_changelog_says_of_the_version() -> None:
    assert notes(CHANGELOG, "v0.2.0", "0.2.0") == "### Added\n\n- b\n"
    assert notes(CHANGELOG, "v0.1.0", "0.1.0") == "- a\n"


@pytest.mark.parametrize(
    ("tag", "version", "why"),
    [
        ("v0.2.1", "0.2.0", "tag v0.2.1 is not v0.2.0"),
        ("v0.3.0", "0.3.0", "0.3.0 has 'Unreleased', expected a date"),
        ("v0.4.0", "0.4.0", "no heading '## [0.4.0] - DATE'"),
    ],
)
def test_a_tag_that_the_tree_contradicts_is_refused(tag: str, version: str, why: str) -> None:
    with pytest.raises(WrongReleaseError, match=re.escape(why)):
        notes(CHANGELOG, tag, version)


def test_the_changelog_has_notes_for_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = text.replace(f"## [{__version__}] - Unreleased", f"## [{__version__}] - 2026-12-01")
    assert notes(dated, f"v{__version__}", __version__).startswith("The first version")


def test_entries_of_changes_become_the_notes_of_the_next_version(tmp_path: Path) -> None:
    pytest.importorskip("towncrier")
    for name in ("CHANGELOG.md", "pyproject.toml", "changes/README.md"):
        write(tmp_path, {name: (ROOT / name).read_text(encoding="utf-8")})
    write(tmp_path, {"changes/+b.fixed.md": "Fix b.\n", "changes/+a.added.md": "Add a.\n"})
    git(tmp_path, "init", "-q")
    commit(tmp_path, "all of it")
    with pytest.raises(WrongReleaseError, match=re.escape("changes/ has +a.added.md, +b.fixed.md")):
        require_joined(tmp_path / "changes")
    build = ("build", "--yes", "--version", "99.0.0", "--date", "2099-01-01")
    subprocess.run([sys.executable, "-m", "towncrier", *build], cwd=tmp_path, check=True)
    require_joined(tmp_path / "changes")
    text = (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    assert notes(text, "v99.0.0", "99.0.0") == "### Added\n\n- Add a.\n\n### Fixed\n\n- Fix b.\n"
    assert "\n## [0.1.0] - " in text


def test_the_bill_of_materials_has_each_package_of_the_lock_and_is_the_same_each_time() -> None:
    lock = (ROOT / release.LOCK).read_text(encoding="utf-8")
    bill = sbom(lock, __version__)
    assert {item["name"]: item["version"] for item in bill["components"]} == pins(release.LOCK)
    assert all(item["externalReferences"] for item in bill["components"])
    assert bill == sbom(lock, __version__)
    assert bill["serialNumber"] != sbom(lock, "9.9.9")["serialNumber"]


def test_the_bill_of_materials_is_cyclonedx() -> None:
    validation = pytest.importorskip("cyclonedx.validation.json")
    from cyclonedx.schema import SchemaVersion

    lock = (ROOT / release.LOCK).read_text(encoding="utf-8")
    validator = validation.JsonStrictValidator(SchemaVersion.V1_5)
    assert validator.validate_str(json.dumps(sbom(lock, __version__))) is None


def test_checksums_are_of_all_that_is_built(tmp_path: Path) -> None:
    for name in ("b.whl", "a.tar.gz", release.NOTES, release.SUMS):
        (tmp_path / name).write_bytes(b"")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert sums(tmp_path) == f"{empty}  a.tar.gz\n{empty}  b.whl\n"


def test_a_tree_that_no_commit_has_is_no_release(tmp_path: Path) -> None:
    tree = copied(tmp_path / "tree")
    git(tree, "init", "-q", "-b", "main")
    commit(tree, "all of it")
    built(tree, tmp_path / "right", "wheel")
    require_commit(tmp_path / "right")
    write(tree, {"LICENSE": "mine"})
    built(tree, tmp_path / "wrong", "wheel")
    with pytest.raises(WrongReleaseError, match="the tree is of no commit"):
        require_commit(tmp_path / "wrong")


def test_an_unreleased_tree_leaves_nothing_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert release.main("v9.9.9", tmp_path / "dist") == 1
    assert f"release: tag v9.9.9 is not v{__version__}" in capsys.readouterr().err
    assert not (tmp_path / "dist").exists()


def test_what_another_build_left_is_in_no_release(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release, "notes", lambda *_: "the notes")
    assert release.main(f"v{__version__}", tmp_path) == 1
    assert f"release: {tmp_path} is there already: remove it" in capsys.readouterr().err


def test_the_job_that_runs_the_tree_may_only_read_it() -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {}
    jobs = workflow["jobs"]
    assert jobs["build"]["permissions"] == {"contents": "read"}
    writing = {
        name: {right for right, level in job["permissions"].items() if level == "write"}
        for name, job in jobs.items()
    }
    assert writing["image"] == {"packages", "id-token", "attestations"}
    assert writing["publish"] == {"contents", "id-token", "attestations"}
    # The job with write access to releases runs no code of the tree.
    assert not any("checkout" in step.get("uses", "") for step in jobs["publish"]["steps"])


def test_an_action_is_of_one_commit_wherever_it_is_used() -> None:
    found: dict[str, set[tuple[str, str]]] = {}
    places = (*ROOT.glob(".github/**/*.yml"), *ROOT.glob("starter/**/*.yml"))
    for path in (
        *places,
        *ROOT.glob("example-repo/.github/**/*.yml"),
        *ROOT.glob("docs/how-to/*.md"),
    ):
        for name, ref, version in PINNED.findall(path.read_text(encoding="utf-8")):
            assert re.fullmatch(r"[0-9a-f]{40}", ref), (path, name)
            found.setdefault(name, set()).add((ref, version))
    assert "actions/attest-build-provenance" in found
    assert {name: refs for name, refs in found.items() if len(refs) > 1} == {}


def test_what_the_documentation_installs_exists() -> None:
    """Extras, locks, and tags. A tag exists only after its version has a date."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    lines = [
        line
        for page in pages
        for line in page.read_text(encoding="utf-8").splitlines()
        if re.search(r"\b(?:pip|pipx|uv pip) install\b", line)
    ]
    source = re.compile(
        r'"(?:([\w-]+)(?:\[(\w+)\])? @ )?git\+<URL of this repository>(?:@([^"]+))?"'
    )
    found = [it for line in lines for it in source.findall(line)]
    assert {extra for _, extra, _ in found} == {"", "clusters"}
    dated = re.findall(
        r"^## \[(.+)\] - \d", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )
    for name, extra, tag in found:
        assert name in ("", project["name"])
        assert not extra or extra in project["optional-dependencies"]
        assert not tag or tag.removeprefix("v") in dated
    for lock in re.findall(r"-r (requirements\S+)", "\n".join(lines)):
        assert (ROOT / lock).is_file()
