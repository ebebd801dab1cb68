"""Histories in real Git with time between commits. `verify` reproduces each commit of a run."""

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from reconciler.gitio.interface import ReplayVerdict
from reconciler.gitio.repository import Repository, open_repository
from reconciler.model.change import FileChange, Observation
from reconciler.planning.evaluate import Evaluation, leaving, released
from reconciler.planning.read import evaluate_source
from reconciler.planning.retention import due_instants
from reconciler.reconcile.reconcile import Reconciled, ReconcileOptions, reconcile
from reconciler.reconcile.verify import verify
from tests.examples import scaled
from tests.world import (
    CLOCK,
    ENVIRONMENT,
    commit,
    git,
    pool,
    provider,
    repository,
    settings_text,
    tenant,
    write,
)

HOUR, DAY = 3_600, 86_400
NAMES = st.sampled_from(("ant", "bee", "cat", "dog"))
SETTINGS = settings_text("{retention: 6h, brakes: {maxReleasePercent: 100, minRecords: 100}}")


class PassingTime(RuleBasedStateMachine):
    """A branch."""

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory()
        self.folder = Path(self.place.name) / "repo"
        self.now = CLOCK
        self.announced: set[str] = set()
        self.looks = 0

    def teardown(self) -> None:
        if self.folder.exists():
            self.all_is_made_again()
        self.place.cleanup()

    @initialize()
    def begin(self) -> None:
        files = {
            "ipam.yaml": SETTINGS,
            "pools/edge.yaml": pool(cidr="10.40.0.0/28", reserved="[{cidr: 10.40.0.12/30}]"),
            "providers/default.yaml": provider(),
            "tenants/ant.yaml": tenant("ant", networking="{lbPoolSize: 4}"),
        }
        repository(self.folder, files)

    # People

    @rule(name=NAMES, size=st.integers(1, 8), lag=st.sampled_from((0, 0, HOUR, 9 * HOUR)))
    def add_a_tenant(self, name: str, size: int, lag: int) -> None:
        write(
            self.folder,
            {f"tenants/{name}.yaml": tenant(name, networking=f"{{lbPoolSize: {size}}}")},
        )
        commit(self.folder, clock=self.now - lag)

    @rule(name=NAMES, lag=st.sampled_from((0, 0, 9 * HOUR)))
    def remove_a_tenant(self, name: str, lag: int) -> None:
        (self.folder / f"tenants/{name}.yaml").unlink(missing_ok=True)
        commit(self.folder, clock=self.now - lag)

    @rule(retention=st.sampled_from(("0s", "1h", "6h")))
    def change_retention(self, retention: str) -> None:
        write(self.folder, {"ipam.yaml": SETTINGS.replace("6h", retention)})
        commit(self.folder, clock=self.now)

    # Time, and clusters

    @rule(seconds=st.sampled_from((1, HOUR, 5 * HOUR, 6 * HOUR, 2 * DAY)))
    def wait(self, seconds: int) -> None:
        self.now += seconds

    @rule(data=st.data())
    def announce(self, data: st.DataObject) -> None:
        held = [
            str(it.relative_to(self.folder)) for it in self.folder.glob("allocations/**/*.yaml")
        ]
        self.announced = (
            set(data.draw(st.lists(st.sampled_from(sorted(held)), max_size=2))) if held else set()
        )

    # The program

    @rule(skew=st.sampled_from((0, 0, -HOUR, 30)), looks=st.booleans(), warm=st.booleans())
    def reconcile(self, skew: int, *, looks: bool, warm: bool) -> None:
        self.looks += looks
        done = self.run(self.folder, self.now + skew, looks=looks, warm=warm)
        assert len(done.parts) <= 3
        if not any(released(part.carried) for part in done.parts):  # a merge waits for the next run
            assert self.run(self.folder, self.now + skew, looks=False, warm=warm).commit is None

    @rule(later=st.sampled_from((0, 60)))
    def two_reconcile_at_once(self, later: int) -> None:
        """Between two due instants, the clock of a machine has no effect."""
        other = self.folder.parent / "other"
        git(self.folder.parent, "clone", "-q", str(self.folder), str(other))
        git(other, "remote", "remove", "origin")
        one = self.run(self.folder, self.now, looks=False, warm=True)
        two = self.run(other, self.now + later, looks=False, warm=False)
        shutil.rmtree(other)
        after = evaluate_source(self.opened(self.folder).source("HEAD")).state
        between = any(self.now < at <= self.now + later for at in due_instants(after))
        assert one.commit == two.commit or between

    def run(self, folder: Path, now: int, *, looks: bool, warm: bool) -> Reconciled:
        data = f"# {self.looks}\n".encode() if self.looks % 3 else None
        look = Observation(now - 1, (FileChange("observed/note.md", data),))
        options = ReconcileOptions(
            still_announced=self.held,
            now=lambda: now,
            look=(lambda _: look) if looks and (data or (folder / "observed").exists()) else None,
        )
        return reconcile(self.opened(folder), options, sleep=lambda _: None)

    def held(self, evaluation: Evaluation) -> Mapping[str, str]:
        going = {record.path for record in leaving(evaluation)}
        return dict.fromkeys(going & self.announced, "it is announced")

    def opened(self, folder: Path) -> Repository:
        return replace(open_repository(folder, ENVIRONMENT), now=lambda: self.now)

    # Invariants at the end

    def all_is_made_again(self) -> None:
        found = self.opened(self.folder)
        for item in verify(found, "HEAD"):
            assert item.verdict is ReplayVerdict.SAME, git(self.folder, "show", item.commit)


TestPassingTime = PassingTime.TestCase
TestPassingTime.settings = settings(max_examples=scaled(25), stateful_step_count=15)
