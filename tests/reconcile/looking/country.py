"""Elastic tenants in memory: a branch, clusters with a simple MetalLB, and runs on both."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from reconciler.addresses import IPSet, format_address
from reconciler.apply.expiry import still_announced
from reconciler.apply.fleet import Scope, apply_fleet
from reconciler.apply.targets import ApplyOptions
from reconciler.families.demand import DEMAND, entries_of
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL
from reconciler.loadbalancers.ranges import ranges_of
from reconciler.model.applied import Applied
from reconciler.model.change import FileChange
from reconciler.model.instant import format_instant
from reconciler.model.objects import SERVICE, Ref
from reconciler.planning.evaluate import Evaluation, evaluate, left_behind, let_pass
from reconciler.reconcile.discovery import Looked, LookOptions, look
from tests.fake_clusters import FakeClusters
from tests.world import CLOCK, pool, provider, reconciled, settings, tenant, tree_of

ONE, TWO = "team-a/one", "team-a/two"
SETTINGS = settings("{retention: 0s}")
ELASTIC = "{allocationMode: elastic, initialPoolSize: 2, growthIncrement: 1}"
Files = Mapping[str, str | bytes]


def elastic(*names: str, cidr: str = "10.0.0.0/27", **network: str) -> dict[str, str | bytes]:
    """Return a reconciled tree of elastic tenants with two initial addresses each."""
    return reconciled(
        {
            "ipam.yaml": SETTINGS,
            "pools/edge.yaml": pool("edge", cidr),
            "providers/default.yaml": provider(
                "default", "[{name: edge}]", **{"loadBalancer": ELASTIC, **network}
            ),
            **{f"tenants/{name}.yaml": tenant(name) for name in names or ("one",)},
        }
    )


@dataclass
class Country:
    """A branch and the clusters of its tenants.

    Attributes:
        clock: Time of the newest commit.
        now: Time of all servers.
        commits: Changes of each commit.
    """

    files: dict[str, str | bytes]
    clusters: FakeClusters = field(default_factory=FakeClusters)
    clock: int = CLOCK
    now: int = CLOCK + 60
    number: int = 1
    commits: list[tuple[FileChange, ...]] = field(default_factory=list)
    options: LookOptions = field(default_factory=LookOptions)
    known: dict[object, Evaluation] = field(default_factory=dict, repr=False)
    wish: ApplyOptions = field(default_factory=ApplyOptions)

    def evaluation(
        self, retained: Mapping[str, str] | None = None, left: Mapping[str, str] | None = None
    ) -> Evaluation:
        """Return the evaluation of the head, including growth that clusters request."""
        asked = (self.number, self.clock, frozenset(self.files.items()), repr((retained, left)))
        if asked not in self.known:
            self.known.clear()
            self.known[asked] = self._evaluated(retained or {}, left or {})
        return self.known[asked]

    def _evaluated(self, retained: Mapping[str, str], left: Mapping[str, str]) -> Evaluation:
        tree = replace(tree_of(self.files, self.clock), retained=retained, left=left)
        return evaluate(replace(tree, revision=f"{self.number:040x}"))

    def commit(self, found: Iterable[FileChange], clock: int) -> None:
        every = tuple(found)
        if not every:
            return
        self.commits.append(every)
        self.number += 1
        self.clock = max(clock, self.clock + 1)
        for path, data in every:
            if data is None:
                del self.files[path]
            else:
                self.files[path] = data

    def looked(self) -> Looked:
        self.clusters.clock = self.now
        return look(self.evaluation(), self.clusters, self.options)

    def decide(self) -> Looked:
        """Reconcile: commit edits, due changes, and observed changes, each in its own commit."""
        self.clusters.clock = self.now
        due = self.evaluation()
        held = still_announced(due, self.clusters, self.wish)
        left = {it.path: held.get(it.path, "") for it in left_behind(due)}
        self.commit(let_pass(self.evaluation(held, left)).changes, self.clock + 1)
        looked = self.looked()
        if looked.changes:
            before = len(self.commits)
            self.commit(looked.changes, looked.at)
            every = {record.path: "" for record in self.evaluation().state.records}
            self.commit(self.evaluation(every).changes, looked.at)
            if len(self.commits) > before + 1:  # one commit, as seen from outside
                last = self.commits.pop()
                self.commits[-1] += last
        return looked

    def apply(self, looked: Looked) -> dict[str, Applied]:
        found = apply_fleet(
            *(self.evaluation(), self.clusters, self.wish, is_in),
            Scope(words=looked.words, readings=looked.readings),
        )
        for connection in self.clusters.opened:
            assert connection.is_closed
        self.clusters.opened.clear()
        return {item.cluster: item for item in found}

    def run(self) -> Looked:
        looked = self.decide()
        self.apply(looked)
        self.serve()
        return looked

    def settle(self, most: int = 12) -> int:
        """Run until two consecutive runs change nothing. Return the number of commits."""
        before, quiet = len(self.commits), 0
        for _ in range(most):
            there = len(self.commits)
            self.run()
            quiet = quiet + 1 if len(self.commits) == there else 0
            if quiet == 2:  # another run, which frees the ranges that the first run withdrew
                return there - before
        raise AssertionError(f"it still moves: {self.commits[-3:]}")

    def ask(self, name: str, cluster: str = ONE, **spec: Any) -> None:
        annotations = spec.pop("annotations", {})
        metadata = {
            "name": name,
            "namespace": "default",
            "uid": f"uid-{cluster}-{name}-{self.now}",
            "resourceVersion": "1",
            "creationTimestamp": format_instant(self.now - 5),
            "annotations": annotations,
        }
        self.clusters.hand(cluster).objects[Ref(SERVICE, "default", name)] = {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": metadata,
            "spec": {"type": "LoadBalancer", "ports": [{"port": 80}], **spec},
            "status": {},
        }

    def leave(self, name: str, cluster: str = ONE) -> None:
        del self.clusters.objects[cluster][Ref(SERVICE, "default", name)]

    def services(self, cluster: str = ONE) -> dict[str, str]:
        """Return the address of each Service, or empty."""
        objects = self.clusters.hand(cluster).objects
        return {
            ref.name: next((it["ip"] for it in _ingress(objects[ref])), "")
            for ref in sorted(objects, key=str)
            if ref.resource == SERVICE
        }

    def give(self, name: str, address: str, cluster: str = ONE) -> None:
        """Assign an address to a Service, as MetalLB does."""
        live = self.clusters.objects[cluster][Ref(SERVICE, "default", name)]
        ingress = [{"ip": address}] if address else []
        live["status"] = {"loadBalancer": {"ingress": ingress}}

    def serve(self) -> None:
        """Assign addresses in all clusters, as MetalLB does: keep them, or assign the first free one."""
        for cluster in sorted(self.clusters.objects):
            pools = self.announced(cluster)
            there = self.services(cluster)
            for name, address in there.items():
                if address and not pools & ranges_of([f"{address}-{address}"]):
                    self.give(name, "", cluster)
            taken = [text for text in self.services(cluster).values() if text]
            free = pools - ranges_of(f"{text}-{text}" for text in taken)
            numbers = (at for item in free for at in range(item.first, item.last + 1))
            for name, address in self.services(cluster).items():
                if not address and (number := next(numbers, None)) is not None:
                    self.give(name, format_address(4, number), cluster)

    def announced(self, cluster: str = ONE) -> IPSet:
        objects = self.clusters.objects.get(cluster, {})
        return ranges_of(
            text
            for ref, item in objects.items()
            if ref.resource == ADDRESS_POOL
            for text in item["spec"]["addresses"]
        )

    def demand(self, name: str = "one") -> list[tuple[int, int]] | None:
        for it in self.evaluation().documents.of(DEMAND.id):
            if it.name == name:
                return [(entry.index, entry.count) for entry in entries_of(it)]
        return None

    def records(self, phase: str = "Allocated") -> list[str]:
        return sorted(
            record.name
            for record in self.evaluation().state.records
            if record.phase.value == phase and record.role == "growth"
        )


def _ingress(manifest: Mapping[str, Any]) -> list[dict[str, str]]:
    balancer = (manifest.get("status") or {}).get("loadBalancer") or {}
    found: list[dict[str, str]] = balancer.get("ingress") or []
    return found


def is_in(ancestor: str, revision: str) -> bool:
    return int(ancestor, 16) <= int(revision, 16)


def country(*names: str, cidr: str = "10.0.0.0/27", **network: str) -> Country:
    """Return a country whose tenants use both of their initial addresses."""
    found = Country(elastic(*names, cidr=cidr, **network))
    for name in names or ("one",):
        found.ask("a", f"team-a/{name}")
        found.ask("b", f"team-a/{name}")
    found.run()
    assert all(all(found.services(f"team-a/{name}").values()) for name in names or ("one",))
    return found
