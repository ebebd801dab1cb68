"""A run commits copies of objects that are not in Git, with the addresses that follow from them."""

from pathlib import Path

from msgspec.structs import replace

from reconciler.apply.fleet import apply_fleet
from reconciler.apply.intake import MIN_DELETIONS
from reconciler.apply.intake_run import IntakeLook, last_named, look_for_intake, remember_intake
from reconciler.apply.rights import crd_name
from reconciler.apply.targets import ApplyOptions
from reconciler.families.capi.kinds import CLUSTERS
from reconciler.gitio.interface import ReplayVerdict
from reconciler.gitio.repository import Repository, open_repository
from reconciler.model.change import Observation
from reconciler.model.errors import ExitCode
from reconciler.model.objects import CRD, Ref
from reconciler.planning.documents import tidied
from reconciler.planning.read import evaluate_source
from reconciler.reconcile.reconcile import Reconciled, ReconcileOptions, reconcile
from reconciler.reconcile.verify import replay
from reconciler.reconcile.writing import RunCommit
from tests.fake_cluster import HUB
from tests.fake_clusters import FakeClusters
from tests.families.capi.hub import DOORS, shop
from tests.families.capi.trees import cluster, pool
from tests.world import CLOCK, ENVIRONMENT, commit, git, repository, settings

SETTINGS = settings("{intake: [{kind: Cluster}]}")
FILES: dict[str, str | bytes] = {
    "ipam.yaml": SETTINGS,
    "pools/vips.yaml": pool(),
    "pools/doors.yaml": DOORS,
}
PEOPLE = {f"clusters/{name}.yaml": cluster(name) for name in ("blog", "news")}
OPTIONS = ApplyOptions()


class Story:
    """A repository, and a management cluster."""

    def __init__(self, folder: Path, files: dict[str, str] = PEOPLE) -> None:
        self.folder = repository(folder, {**FILES, **files})
        self.clusters = FakeClusters(clock=CLOCK + 100)
        definition = {"apiVersion": CRD.api_version, "kind": CRD.kind, "spec": {}}
        hand = self.clusters.hand(HUB)
        hand.put({**definition, "metadata": {"name": crd_name(CLUSTERS)}})
        hand.put(shop())

    @property
    def git(self) -> Repository:
        return open_repository(self.folder, ENVIRONMENT)

    def run(self) -> Reconciled:
        """Run once: observe and reconcile, apply, and store the state."""
        repository, looks = self.git, [IntakeLook()]

        def look(part: RunCommit) -> Observation:
            head = part.head.id
            whole = evaluate_source(repository.source(head))
            named = last_named(repository, head, "observed")
            looks.append(look_for_intake(whole, self.clusters, OPTIONS, named))
            seen = Observation(looks[-1].at, looks[-1].taken.changes, looks[-1].taken.seen)
            return replace(seen, changes=tidied(whole.tree, seen.changes))

        options = ReconcileOptions(now=lambda: self.clusters.clock, look=look)
        done = reconcile(repository, options, sleep=lambda _: None)
        evaluation = evaluate_source(repository.source(done.head.id))
        apply_fleet(evaluation, self.clusters, OPTIONS, lambda a, b: True)
        remember_intake(looks[-1], self.clusters, OPTIONS)
        return done

    def host(self) -> str:
        live = self.clusters.hand(HUB).get(Ref(CLUSTERS, "default", "shop"))
        assert live is not None
        host: str = live["spec"]["controlPlaneEndpoint"]["host"]
        return host


def test_a_brake_that_holds_what_people_took_away_lets_what_is_gone_pass(tmp_path: Path) -> None:
    brakes = settings("{intake: [{kind: Cluster}], brakes: {maxReleasePercent: 30, minRecords: 3}}")
    story = Story(tmp_path / "repo", {**PEOPLE, "ipam.yaml": brakes})
    story.run()
    (story.folder / "clusters/blog.yaml").unlink()
    commit(story.folder, clock=story.clusters.clock + 10)
    _delete(story)
    for _ in range(2):
        story.clusters.clock += MIN_DELETIONS
        done = story.run()
    assert done.code is ExitCode.GATE
    phases = {path.name: path.read_text() for path in story.folder.rglob("*.control-plane.yaml")}
    assert {name for name, text in phases.items() if "phase: Released" in text} == {
        "shop.control-plane.yaml"
    }
    for made in git(story.folder, "log", "--format=%H", "--grep=Ipam-Plan").splitlines():
        assert replay(story.git, made).verdict is ReplayVerdict.SAME


def _delete(story: Story) -> None:
    hand, ref = story.clusters.hand(HUB), Ref(CLUSTERS, "default", "shop")
    live = hand.get(ref)
    assert live is not None
    hand.delete(ref, live["metadata"]["uid"])
