"""`check` shows the result of reconcile after a merge, also if the base has new commits."""

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.gitio.merging import merge
from reconciler.gitio.repository import Repository, open_repository
from reconciler.planning.digest import actions, digest
from reconciler.planning.evaluate import let_pass
from reconciler.reconcile.reconcile import ReconcileOptions, reconcile
from reconciler.review.checks import review
from reconciler.review.merging import merged
from tests.examples import scaled
from tests.world import (
    CLOCK,
    ENVIRONMENT,
    commit,
    git,
    pool,
    provider,
    request,
    settings_text,
    tenant,
    write,
)

Files = dict[str, str]
NAMES = tuple(f"t{number}" for number in range(6))
START: Files = {
    "ipam.yaml": settings_text("{brakes: {maxReleasePercent: 100}}"),
    "tenants/keeper.yaml": tenant("keeper"),
    "pools/edge.yaml": pool("edge", "10.40.0.0/27"),
    "pools/far.yaml": pool("far", "10.41.0.0/28"),
    "providers/default.yaml": provider(),
}
BRAKED = {
    **START,
    "ipam.yaml": START["ipam.yaml"].replace("maxReleasePercent: 100", "minRecords: 2"),
    **{f"tenants/{name}.yaml": tenant(name) for name in NAMES[:3]},
}


@st.composite
def edits(draw: st.DrawFn, files: Files) -> Files:
    """Return the files after some edits. Edits of two people often conflict."""
    files = dict(files)
    for _ in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from(NAMES))
        path = f"tenants/{name}.yaml"
        match draw(st.integers(0, 4)):
            case 0 if path in files:
                del files[path]
            case 1:
                files[f"tenants/r-{name}.yaml"] = request(name, "far", count="3")
            case 2:
                cidr = draw(st.sampled_from(("10.40.0.0/26", "10.40.0.0/25")))
                files["pools/edge.yaml"] = pool("edge", cidr)
            case _:
                size = draw(st.integers(1, 9))
                files[path] = tenant(name, networking=f"{{lbPoolSize: {size}}}")
    return files


@given(st.data())
@settings(max_examples=scaled(40))
def test_the_plan_before_the_merge_is_what_reconcile_commits_after_it(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        git(folder, "init", "-q", "-b", "main")
        first = data.draw(edits(data.draw(st.sampled_from((START, BRAKED)))))
        write(folder, first)
        commit(folder)
        reconciled(folder)
        start = git(folder, "rev-parse", "HEAD")
        ours, theirs = data.draw(edits(first)), data.draw(edits(first))
        edited(folder, first, theirs, "theirs", CLOCK + data.draw(st.integers(10, 90)))
        git(folder, "switch", "-q", "-c", "ours", start)
        edited(folder, first, ours, "ours", CLOCK + data.draw(st.integers(10, 90)))
        git(folder, "switch", "-q", "main")
        git(folder, "merge", "-q", "--no-ff", "-m", "theirs", "theirs", clock=CLOCK + 100)
        if data.draw(st.booleans()):
            reconciled(folder)
        _is_as_shown(folder)


def edited(folder: Path, old: Files, new: Files, name: str, clock: int) -> None:
    git(folder, "switch", "-q", "-C", name)
    for path in old.keys() - new.keys():
        (folder / path).unlink()
    write(folder, new)
    commit(folder, name, clock)


def _is_as_shown(folder: Path) -> None:
    repository = opened(folder)
    found = merged(repository, repository.source("ours"), "main", partial(merge, repository))
    evaluation = review(found.source, found.repository, "main").evaluation
    date = max(int(git(folder, "log", "-1", "--format=%ct", it)) for it in ("main", "ours"))
    if found.conflicts:
        return
    git(folder, "merge", "-q", "--no-ff", "-m", "ours", "ours", clock=date)
    before = git(folder, "rev-parse", "HEAD")
    reconciled(folder)
    names = git(folder, "diff", "--name-only", "--no-renames", before, "HEAD").splitlines()
    made = {it: (folder / it).read_bytes() if (folder / it).is_file() else None for it in names}
    passed = let_pass(evaluation)
    assert made == {it.path: it.data for it in passed.changes}
    if made:
        shown = digest(actions(evaluation))
        assert f"Ipam-Plan: {shown}" in git(folder, "log", "-1", "--format=%B")


def reconciled(folder: Path) -> None:
    reconcile(opened(folder), ReconcileOptions(any_branch=True))


def opened(folder: Path) -> Repository:
    """The repository, by a clock of its own."""
    return replace(open_repository(folder, {"PATH": ENVIRONMENT["PATH"]}), now=lambda: CLOCK + 200)
