"""What is done in a cluster, decided as a whole before anything is written.

A plan is a value: made of what the cluster shall hold, of what was read of it and of its inventory
alone. In which order its steps stand is decided by `plan_tenant.py` and `plan_management.py`.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from reconciler.addresses import IPSet
from reconciler.clusters.decision import is_ours
from reconciler.clusters.desired import DesiredObject
from reconciler.clusters.difference import Drift
from reconciler.clusters.inventory import Entry
from reconciler.clusters.metallb import pool_addresses
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.progress import Progress, foresee
from reconciler.clusters.resources import ADDRESS_POOL
from reconciler.clusters.snapshot import Live
from reconciler.clusters.steps import Fail, Note, Step, applied, pruned
from reconciler.model.resource import Ref


class Stop(Struct, frozen=True):
    """Why the work on a cluster ends after the steps of its plan, and what a person can do."""

    message: str
    hint: str = ""


class ClusterPlan(Struct, frozen=True):
    """What is done in a cluster.

    Attributes:
        steps: In the order in which they are taken.
        notes: What a person should know although nothing failed.
        stop: Why the cluster as a whole cannot be brought to what it shall be.
        error: What MetalLB says is wrong with its configuration, when nothing is to be written.
        keeps_inventory: There is a place for its inventory.
        pools: MetalLB's pools of which some addresses may be announced by us.
        at_most: All that it may announce, however far the plan is carried out.
        remembered: What it may announce by what is remembered.
    """

    steps: tuple[Step, ...]
    notes: tuple[str, ...] = ()
    stop: Stop | None = None
    error: str = ""
    keeps_inventory: bool = True
    pools: Mapping[Ref, Live] = field(default_factory=dict)
    at_most: IPSet = field(default_factory=IPSet)
    remembered: IPSet = field(default_factory=IPSet)

    def announced(self, progress: Progress) -> IPSet:
        """The addresses that the cluster announces by us, after the work."""
        pools = {ref: progress.live(ref, live) for ref, live in self.pools.items()}
        pools |= {ref: live for ref, live in progress.now.items() if ref.resource == ADDRESS_POOL}
        found: list[IPSet] = []
        for ref, live in pools.items():
            if live is None:
                continue
            try:
                addresses = pool_addresses(live.manifest)
            except ValueError:  # MetalLB goes on with what it could read before
                addresses = None
            if is_ours(live, progress.entries.get(str(ref))):
                found.append(self.remembered if addresses is None else addresses)
            elif addresses is not None:
                # What was announced by us still is, also when somebody took our label off.
                found.append(addresses & self.remembered)
        return IPSet.of(item for addresses in found for item in addresses)


class Draft:
    """A plan while it is made, with what its steps lead to.

    Attributes:
        progress: As if all steps so far were taken.
    """

    def __init__(self, entries: Mapping[str, Entry], options: ApplyOptions) -> None:
        self.options = options
        self.progress = Progress(dict(entries))
        self.steps: list[Step] = []
        self.notes: list[str] = []

    @property
    def entries(self) -> Mapping[str, Entry]:
        """The inventory's objects as they are becoming."""
        return self.progress.entries

    def add(self, step: Step) -> None:
        """Take one more step."""
        self.steps.append(step)
        foresee(self.progress, step)

    def fail(self, name: str, error: str, drift: Drift | None = None) -> None:
        """Say that an object cannot be as it shall be."""
        self.add(Fail(name, error, drift))

    def note(self, name: str, entry: Entry | None) -> None:
        """Say in the inventory what an object is, where it says something else."""
        if self.entries.get(name) != entry:
            self.add(Note(name, entry))

    def bring(self, desired: DesiredObject, live: Live | None, after: Ref | None = None) -> None:
        """Bring an object to what it shall be; `live` is what it was when it was read."""
        now = self.progress.live(desired.ref, live)
        entry = self.entries.get(str(desired.ref))
        self.add(applied(desired, now, entry, adopt=self.options.adopt, after=after))

    def prune(self, ref: Ref, live: Live | None) -> None:
        """Take away an object that nothing asks for; `live` is what it was when it was read."""
        now = self.progress.live(ref, live)
        self.add(pruned(ref, now, self.entries.get(str(ref))))
