"""A record that was changed by hand on main, and a change that takes what it held: it is told."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reconciler.cli import run
from tests.cli.running import given_out
from tests.hostile.test_records import BOTH, HELD, VICTIM, checked
from tests.world import CLOCK, commit, git, pool, provider, tenant, write

Capture = pytest.CaptureFixture[str]
OVERRIDE = (
    "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Override\nmetadata: {name: 2026-02-15-one}\n"
    f"spec: {{kind: record, scope: {VICTIM}, reason: it goes, expires: '2026-03-01T00:00:00Z'}}\n"
)


@pytest.fixture(params=["pushed", "merged"])
def main(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A victim and a thief with their records, which reconcile pushed, or somebody merged."""
    repo = given_out(tmp_path / "repo", BOTH)
    if request.param == "merged":
        made = git(repo, "rev-parse", "HEAD").strip()
        git(repo, "reset", "-q", "--hard", "HEAD~1")
        git(repo, "merge", "-q", "--no-ff", "-m", "records", made)
    return repo


def removed(main: Path) -> None:
    (main / VICTIM).unlink()
    commit(main, "gone", clock=CLOCK + 30)


def edited(main: Path) -> None:
    """A record that states another range, in all that it says."""
    text = (main / VICTIM).read_text(encoding="utf-8")
    write(main, {VICTIM: re.sub(r"10\.40\.0\.(\d+)", _further, text)})
    commit(main, "edited", clock=CLOCK + 30)


def _further(address: re.Match[str]) -> str:
    return f"10.40.0.{int(address[1]) + 32}"


def change(main: Path, files: dict[str, str]) -> None:
    git(main, "switch", "-qc", "change")
    write(main, files)
    commit(main, "change", clock=CLOCK + 60)


def codes(found: list[dict[str, Any]]) -> list[str]:
    return [f"{it['severity']} {it['code']} {it['path']}" for it in found]


@pytest.mark.parametrize(
    ("by_hand", "code"), [(removed, "warning record-removed"), (edited, "error record-edited")]
)
def test_who_takes_what_a_record_held_is_told(
    by_hand: Callable[[Path], None], code: str, main: Path, capsys: Capture
) -> None:
    by_hand(main)
    change(main, {"tenants/new.yaml": tenant("new", "aa-team")})
    document = checked(main, capsys)
    assert document["exitCode"] == 1
    assert codes(document["findings"]) == ["error freed-by-hand tenants/new.yaml"]
    message = document["findings"][0]["message"]
    assert message.startswith(
        f"{HELD} of aa-team/new (loadbalancer) was team-a/one (loadbalancer)'s"
    )
    assert codes(document["inherited"]) == [f"{code} {VICTIM}"]


def test_who_uses_what_a_record_held_without_a_record_is_told(main: Path, capsys: Capture) -> None:
    cloud = provider("cloud").replace("mode: ipam", "mode: cloud")
    write(main, {"providers/cloud.yaml": cloud})
    commit(main, "a provider", clock=CLOCK + 10)
    assert run(["reconcile", "--repo", str(main)]) == 0, capsys.readouterr().err
    removed(main)
    start, end = HELD.split("-")
    by_hand = f"{{loadBalancerPool: {{start: {start}, end: {end}}}}}"
    ref = "{name: cloud}"
    new = tenant("new", "aa-team", providerConfigRef=ref, networking=by_hand)
    change(main, {"tenants/new.yaml": new})
    document = checked(main, capsys)
    assert document["exitCode"] == 1
    (found,) = (it for it in document["findings"] if it["severity"] == "error")
    assert (found["code"], found["path"]) == ("freed-by-hand", "tenants/new.yaml")
    assert found["message"].startswith(f"{HELD} of aa-team/new was team-a/one")


def test_who_moves_what_would_come_back_is_told(main: Path, capsys: Capture) -> None:
    removed(main)
    block = f"{HELD.split('-')[0]}/30"
    change(main, {"pools/edge.yaml": pool(reserved=f"[{{cidr: {block}}}]")})
    document = checked(main, capsys)
    assert document["exitCode"] == 1
    errors = [it for it in codes(document["findings"]) if it.startswith("error")]
    assert errors == ["error freed-by-hand tenants/one.yaml"]


def test_who_takes_nothing_of_it_passes_and_sees_it(main: Path, capsys: Capture) -> None:
    removed(main)
    change(main, {"tenants/one.yaml": tenant("one") + "# words\n"})
    document = checked(main, capsys)
    assert (document["exitCode"], document["findings"]) == (0, [])
    assert codes(document["inherited"]) == [f"warning record-removed {VICTIM}"]


def test_what_an_override_let_go_is_anybodys(main: Path, capsys: Capture) -> None:
    write(main, {"overrides/2026-02-15-one.yaml": OVERRIDE})
    commit(main, "let it go", clock=CLOCK + 10)
    assert run(["reconcile", "--repo", str(main)]) == 0, capsys.readouterr().err
    removed(main)
    change(main, {"tenants/new.yaml": tenant("new", "aa-team")})
    assert "freed-by-hand" not in [it["code"] for it in checked(main, capsys)["findings"]]


def test_where_reconcile_went_over_it_nothing_is_told(main: Path, capsys: Capture) -> None:
    removed(main)
    assert run(["reconcile", "--repo", str(main)]) == 0
    write(main, {"README.md": "words"})
    commit(main, "more", clock=CLOCK + 40)
    change(main, {"tenants/new.yaml": tenant("new", "aa-team")})
    document = checked(main, capsys)
    assert (document["findings"], document["inherited"]) == ([], [])


def test_what_the_base_gives_already_is_none_of_the_change(main: Path, capsys: Capture) -> None:
    removed(main)
    write(main, {"tenants/early.yaml": tenant("early", "aa-team")})
    commit(main, "early", clock=CLOCK + 40)
    change(main, {"tenants/new.yaml": tenant("new", "b-team")})
    assert checked(main, capsys)["findings"] == []


def alone(main: Path, capsys: Capture) -> list[dict[str, Any]]:
    """What a check of the branch by itself says."""
    run(["check", "--repo", str(main), "--format", "json"])
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["findings"]
    return found


def let_go(main: Path) -> None:
    """An Override that lets the victim go, its removal with the document, and the Override's end."""
    write(main, {"overrides/2026-02-15-one.yaml": OVERRIDE})
    commit(main, "let it go", clock=CLOCK + 10)
    assert run(["reconcile", "--repo", str(main)]) == 0
    (main / "tenants/one.yaml").unlink()
    removed(main)


def ended(main: Path) -> None:
    (main / "overrides/2026-02-15-one.yaml").unlink()
    commit(main, "the Override is through", clock=CLOCK + 40)


def test_what_an_override_let_go_when_it_came_is_settled(main: Path, capsys: Capture) -> None:
    let_go(main)
    capsys.readouterr()
    assert run(["reconcile", "--repo", str(main)]) == 0
    assert "Nothing to commit" in capsys.readouterr().out
    (told,) = (it for it in alone(main, capsys) if it["code"] == "record-removed")
    assert told["hint"] == "an Override of kind record lets it go: nothing is left to do"
    ended(main)
    assert alone(main, capsys) == []
    change(main, {"tenants/new.yaml": tenant("new", "aa-team")})
    document = checked(main, capsys)
    assert (document["exitCode"], document["findings"], document["inherited"]) == (0, [], [])


def test_what_went_before_its_override_or_along_with_it_is_not_settled(
    main: Path, capsys: Capture
) -> None:
    (main / "tenants/one.yaml").unlink()
    write(main, {"overrides/2026-02-15-one.yaml": OVERRIDE})
    removed(main)
    ended(main)
    change(main, {"tenants/new.yaml": tenant("new", "aa-team")})
    document = checked(main, capsys)
    assert codes(document["findings"]) == ["error freed-by-hand tenants/new.yaml"]


def test_what_went_once_more_without_an_override_is_not_settled(
    main: Path, capsys: Capture
) -> None:
    text = (main / VICTIM).read_text(encoding="utf-8")
    let_go(main)
    ended(main)
    write(main, {VICTIM: text})
    commit(main, "back", clock=CLOCK + 50)
    (main / VICTIM).unlink()
    commit(main, "gone again", clock=CLOCK + 55)
    change(main, {"tenants/new.yaml": tenant("new", "aa-team")})
    document = checked(main, capsys)
    assert codes(document["findings"]) == ["error freed-by-hand tenants/new.yaml"]
