"""A change of one commit in the form of reconcile's: what only clusters or a person know is not believed.

A replay of such a commit goes by what the commit says: how many releases a person lets pass, what a
look saw, at which time. Who wrote the change wrote that, too.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from reconciler import __version__
from reconciler.adapters.git.opening import open_repository
from reconciler.cli import run
from reconciler.commands.message import Said, message_of
from reconciler.commands.reading.as_of import AsOf
from reconciler.commands.reading.laid import Laid
from reconciler.commands.reading.reader import evaluate_source
from reconciler.commands.replay import believes
from reconciler.evaluate import Evaluation, let_pass, with_gone
from reconciler.observed import path_of
from tests.cli.running import given_out
from tests.commands.test_sightings import TWO
from tests.hostile.test_records import checked as judged
from tests.hostile.test_said_last import QUOTED
from tests.world import CLOCK, ENVIRONMENT, SMALL, commit, git, tenant, write

Capture = pytest.CaptureFixture[str]
BRAKED = (
    "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: default}\n"
    "spec: {brakes: {maxReleasePercent: 10, minRecords: 2}}\n"
)
TENANTS = {f"tenants/t{at}.yaml": tenant(f"t{at}") for at in range(4)}
CLUSTER = ("butler.butlerlabs.dev", "TenantCluster", "team-a")
COPY = partial(path_of, "observed")
CHANGE = ("--branch", "change", "--any-branch", "--no-apply")


def reconciled(folder: Path, *words: str) -> int:
    return run(["reconcile", "--repo", str(folder), *words])


def braked(tmp_path: Path) -> Path:
    """A base whose brake holds releases back, and a branch of a stranger."""
    folder = given_out(tmp_path / "repo", {**SMALL, **TENANTS, "ipam.yaml": BRAKED})
    git(folder, "rm", "-q", *TENANTS)
    commit(folder, "all go", clock=CLOCK + 60)
    assert reconciled(folder, "--no-apply") == 3
    git(folder, "switch", "-qc", "change")
    return folder


def allowed(tmp_path: Path, _: pytest.MonkeyPatch) -> Path:
    """A person's word, which the stranger gave."""
    folder = braked(tmp_path)
    assert reconciled(folder, *CHANGE, "--allow-release", "4") == 0
    return folder


def expired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Clusters may announce it still: nobody asked them."""
    folder = given_out(tmp_path / "repo", {**SMALL, **TENANTS})
    git(folder, "rm", "-q", "tenants/t0.yaml")
    commit(folder, "one goes", clock=CLOCK + 60)
    assert reconciled(folder, "--no-apply") == 0
    git(folder, "switch", "-qc", "change")
    monkeypatch.setattr("reconciler.cli.shared.clock.now", lambda: CLOCK + 3 * 86_400)
    assert reconciled(folder, *CHANGE) == 0
    return folder


def dated_back(tmp_path: Path, _: pytest.MonkeyPatch) -> Path:
    """A time long before the base, by which a retention is over as soon as it begins."""
    folder = given_out(tmp_path / "repo", {**SMALL, **TENANTS})
    git(folder, "rm", "-q", "tenants/t0.yaml")
    base = commit(folder, "one goes", clock=CLOCK + 60)
    long_ago = CLOCK - 9_000_000
    source = AsOf(open_repository(folder, ENVIRONMENT).source(base), long_ago, CLOCK + 60)
    return crafted(folder, base, let_pass(evaluate_source(source)), long_ago, 1)


def looked(tmp_path: Path, _: pytest.MonkeyPatch) -> Path:
    """A look that nobody took, by which clusters are gone, past the brake."""
    copies = {COPY((*CLUSTER, f"c{at}")): TWO.replace("two", f"c{at}") for at in range(4)}
    folder = given_out(tmp_path / "repo", {**SMALL, **copies, "ipam.yaml": BRAKED})
    base = git(folder, "rev-parse", "main")
    git(folder, "rm", "-q", *copies)
    opened = open_repository(folder, ENVIRONMENT)
    look = commit(folder, "look", clock=CLOCK + 60)
    below = Laid(opened.source(base), opened.source(look), "observed")
    planned = evaluate_source(AsOf(below, CLOCK + 60))
    git(folder, "reset", "-q", "--soft", base)
    return crafted(folder, base, let_pass(with_gone(planned, [*copies])), CLOCK + 60, 0, "forged")


def crafted(
    folder: Path, base: str, planned: Evaluation, clock: int, after: int, seen: str = ""
) -> Path:
    """A commit of a plan, with a message in reconcile's form, that a replay bears out."""
    git(folder, "switch", "-qC", "change")
    for change in planned.changes:
        if change.data is None:
            (folder / change.path).unlink(missing_ok=True)
        else:
            write(folder, {change.path: change.data})
    said = Said(f"sha256:{'0' * 64}", base, __version__, clock=clock, seen=seen)
    made = commit(folder, message_of("release", said), clock=clock + after)
    git(folder, "branch", "-qf", "main", base)
    assert believes(open_repository(folder, ENVIRONMENT), made)
    return folder


@pytest.mark.parametrize("made", [allowed, expired, dated_back, looked])
def test_it_is_red_by_itself_and_green_as_the_tip_of_the_branch_of_reconcile_s_own(
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    made: Callable[[Path, pytest.MonkeyPatch], Path],
) -> None:
    folder = made(tmp_path, monkeypatch)
    document = judged(folder, capsys)
    codes = [it["code"] for it in document["findings"]]
    assert (document["exitCode"], "proposal-unproven" in codes) == (1, True)
    words = ("check", "--repo", str(folder), "--base", "main", "--proposed")
    assert run([*words, "change"]) == 0
    assert run([*words, "main"]) == 1, "the tip is another commit"
    assert run([*words, "elsewhere"]) == 4
    write(folder, {"README.md": "x\n"})
    commit(folder, "more", clock=CLOCK + 3 * 86_400)
    assert run([*words, "change~1"]) == 1, "the change is more than that"


def test_what_the_base_alone_gives_passes_without_a_word(tmp_path: Path, capsys: Capture) -> None:
    folder = given_out(tmp_path / "repo", SMALL)
    write(folder, TENANTS)
    commit(folder, "four", clock=CLOCK + 60)
    git(folder, "switch", "-qc", "change")
    assert reconciled(folder, *CHANGE) == 0
    document = judged(folder, capsys)
    assert (document["exitCode"], document["findings"]) == (0, [])


def test_a_proposal_needs_a_base(tmp_path: Path, capsys: Capture) -> None:
    folder = given_out(tmp_path / "repo", SMALL)
    assert run(["check", "--repo", str(folder), "--proposed", "HEAD"]) == 64
    assert "--proposed needs --base" in capsys.readouterr().err


def test_a_commit_that_quotes_and_writes_records_alone_is_carried_though_it_was_set_back(
    tmp_path: Path, capsys: Capture
) -> None:
    folder = given_out(tmp_path / "repo", SMALL)
    git(folder, "switch", "-qc", "change")
    (record,) = (folder / "allocations").rglob("*.yaml")
    text = record.read_text()
    record.write_text(f"{text}# x\n")
    commit(folder, QUOTED, clock=CLOCK + 60)
    record.write_text(text)
    write(folder, {"notes.md": "x\n"})
    commit(folder, "as it was", clock=CLOCK + 61)
    document = judged(folder, capsys)
    assert [it["code"] for it in document["findings"]] == ["commit-carried"]


def test_many_that_only_quote_neither_end_a_run_nor_fill_the_screen(
    tmp_path: Path, capsys: Capture
) -> None:
    folder = given_out(tmp_path / "repo", SMALL)
    stream = ""
    for at in range(300):
        first = "from refs/heads/main^0\n" if at == 0 else ""
        stream += f"commit refs/heads/main\ncommitter P <p@x> {CLOCK + 60 + at} +0000\n"
        stream += f"data {len(QUOTED)}\n{QUOTED}\n{first}M 644 inline notes.md\ndata 4\n{at:03}\n\n"
    git(folder, "fast-import", "--quiet", "--force", data=stream.encode())
    git(folder, "reset", "-q", "--hard")
    write(folder, {"tenants/late.yaml": tenant("late")})
    commit(folder, "late", clock=CLOCK + 900)
    capsys.readouterr()
    assert reconciled(folder, "--no-apply") == 0
    said = capsys.readouterr().err
    assert said.count("commit-unproven") == 17
    assert "284 more commits say so" in said
