"""Plan of a tenant cluster."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.apply.inventory import Inventory
from reconciler.apply.metallb import (
    NAMESPACE,
    Pools,
    describe,
    giving,
    overlaps,
    pool_addresses,
    state_error,
    users_of,
    with_addresses,
)
from reconciler.apply.plan import ClusterPlan, Draft, Lock, is_policy, orphan_notes
from reconciler.apply.snapshot import SERVICES, Live, Query, Snapshot
from reconciler.apply.steps import Confirm, Look, is_ours, taken
from reconciler.apply.targets import UNCLEAR, ApplyOptions, Target
from reconciler.documents.findings import plural
from reconciler.kube.resources import (
    ADDRESS_POOL,
    ADVERTISEMENT,
    CONFIGURATION_STATE,
    DesiredObject,
    desired_object,
    parse_ref,
)
from reconciler.model.applied import WRITTEN, Drift
from reconciler.model.errors import ClusterError
from reconciler.model.objects import ADOPT, Ref, Resource


def keeping_name(target: Target, live: Pools, snapshot: Snapshot, draft: Draft) -> Target:
    """Return the desired objects, with the name of the existing pool while Services use it."""
    wanted = target.wanted()
    old, new = [it for it in live if it not in wanted], [it for it in wanted if it not in live]
    if len(old) != 1 or len(new) != 1 or draft.options.force_withdraw:
        return target
    services = snapshot.of(SERVICES).objects.values()
    users = users_of((item.manifest for item in services), live[old[0]] & wanted[new[0]])
    if not users:
        return target
    used = f"Service {users[0].service} uses {users[0].address}, and would lose it"
    mend = f"name it {old[0]} in the repository again, or --force-withdraw"
    error = f"IPAddressPool {old[0]} is not renamed: {used}; {mend}"
    draft.fail(str(_pool(new[0])), error)
    return replace(target, desired=tuple(_renamed(item, new[0], old[0]) for item in target.desired))


def _renamed(item: DesiredObject, new: str, old: str) -> DesiredObject:
    body: dict[str, Any] = dict(item.body or {})
    if item.ref.resource == ADVERTISEMENT:
        pools = [old if name == new else name for name in body["spec"]["ipAddressPools"]]
        return desired_object({**body, "spec": {**body["spec"], "ipAddressPools": pools}})
    name = old if item.ref.name == new else item.ref.name
    return desired_object({**body, "metadata": {**body["metadata"], "name": name}})


def plan_tenant(
    target: Target,
    snapshot: Snapshot,
    inventory: Inventory,
    options: ApplyOptions,
    home: Ref | None,
) -> ClusterPlan:
    """Plan a tenant cluster."""
    draft = Draft(inventory.objects, options)
    if count := len(inventory.damaged):
        what = f"{plural(count, 'line')} of the inventory cannot be read"
        draft.notes.append(f"{what}; the objects in them are not changed")
    lock = Lock(draft, snapshot, home)
    lock.begin()
    work = _Tenant(target, snapshot, draft)
    stop = work.run()
    if stop is None:
        lock.end()
    at_most = [target.remembered, *work.live.values(), *work.wanted.values()]
    return ClusterPlan(
        tuple(draft.steps),
        tuple(draft.notes),
        stop,
        work.error,
        keeps_inventory=work.is_there,
        pools=dict(work.pools()),
        at_most=IPSet.of(item for found in at_most for item in found),
        remembered=target.remembered,
    )


class _Tenant:
    def __init__(self, target: Target, snapshot: Snapshot, draft: Draft) -> None:
        self.target = target
        self.snapshot = snapshot
        self.draft = draft
        self.error = ""
        self.is_there = bool(draft.entries or target.desired)
        self.objects: dict[Ref, Live] = {}
        self.live: dict[str, IPSet] = {}
        self.wanted = target.wanted()
        self.desired = list(target.desired)

    def run(self) -> ClusterError | None:
        answer = self.snapshot.of(Query(ADDRESS_POOL, NAMESPACE))
        if answer.is_unknown:
            return self._without_metallb()
        advertisements = self.snapshot.of(Query(ADVERTISEMENT, NAMESPACE))
        self.objects = {**answer.objects, **advertisements.objects}
        self._read()
        self._hold_back()
        blocked = self._clashing()
        self.desired = self._adjusted()
        begun = len(self.draft.progress.outcomes)
        self._shrink()
        self._prune(ADDRESS_POOL)
        for item in self.desired:
            if item.ref not in blocked:
                self.draft.apply(item, self.objects.get(item.ref))
        self._prune(ADVERTISEMENT)
        self._confirm(begun)
        return None

    def _without_metallb(self) -> ClusterError | None:
        self.is_there = bool(self.draft.entries)
        if self.target.desired:
            return ClusterError(
                "MetalLB is not there: no kind IPAddressPool of metallb.io",
                "install MetalLB 0.15.3 or newer",
            )
        for name in [name for name in self.draft.entries if not is_policy(name)]:
            self.draft.note(name, None)
        return None

    def pools(self) -> Iterator[tuple[Ref, Live]]:
        return ((ref, live) for ref, live in self.objects.items() if ref.resource == ADDRESS_POOL)

    def _read(self) -> None:
        wanted = frozenset(item.ref for item in self.target.desired)
        now = self.snapshot.now
        for name, entry in list(orphan_notes(self.draft.entries, self.objects, wanted, now)):
            self.draft.note(name, entry)
        for ref, live in self.pools():
            invites = (live.metadata.get("annotations") or {}).get(ADOPT) == "true"
            is_adopted = ref.name in self.wanted and (self.draft.options.adopt or invites)
            if is_adopted or is_ours(live, self.draft.entries.get(str(ref))):
                self.live[ref.name] = self._addresses(live, self.target.remembered)
        self.target = keeping_name(self.target, self.live, self.snapshot, self.draft)
        self.wanted, self.desired = self.target.wanted(), list(self.target.desired)

    def _addresses(self, live: Live, otherwise: IPSet) -> IPSet:
        try:
            return pool_addresses(live.manifest)
        except ValueError as wrong:
            note = f"IPAddressPool {live.ref.name}: {wrong}"
            self.draft.notes += [note] if note not in self.draft.notes else []
            return otherwise  # MetalLB continues with the last configuration that it could parse

    def _hold_back(self) -> None:
        """Keep addresses in use, and addresses of an IP version that no record of the pool has."""
        for name, addresses in self.wanted.items():
            there, versions = self.live.get(name, IPSet()), {it.version for it in addresses}
            self.wanted[name] |= IPSet(tuple(it for it in there if it.version not in versions))
        there, asked = (
            IPSet.of(item for found in pools.values() for item in found)
            for pools in (self.live, self.wanted)
        )
        removed = there - asked - self.target.forced
        if removed and (reason := self._hold(removed)):
            error = f"{describe(removed)} is not withdrawn: {reason}"
            for name, addresses in self.live.items():
                if kept := addresses & removed:
                    self.wanted[name] = self.wanted.get(name, IPSet()) | kept
                    self.draft.fail(str(_pool(name)), error, self._drift(name))
        for other, theirs in self.target.withheld:
            for name, addresses in self.wanted.items():
                if shared := addresses & theirs - self.live.get(name, IPSet()):
                    self.wanted[name] = addresses - shared
                    error = f"{other} may still announce {describe(shared)}"
                    self.draft.fail(str(_pool(name)), error, self._drift(name))

    def _drift(self, name: str) -> Drift | None:
        if name not in self.live:
            return None
        return taken(self.objects[_pool(name)].manifest, "spec.addresses")

    def _hold(self, removed: IPSet) -> str:
        if self.draft.options.force_withdraw:
            return ""
        if not self.target.is_whole and removed - self.target.released:
            return f"{UNCLEAR}, so the desired state is unknown; fix that"
        services = self.snapshot.of(SERVICES).objects.values()
        users = users_of((live.manifest for live in services), removed)
        if not users:
            return ""
        more = f" and {len(users) - 1} more" if len(users) > 1 else ""
        what = f"Service {users[0].service} uses {users[0].address}{more}"
        return f"{what}; delete it, or --force-withdraw"

    def _clashing(self) -> frozenset[Ref]:
        foreign = {
            ref.name: self._addresses(live, IPSet())
            for ref, live in self.pools()
            if ref.name not in {**self.live, **self.wanted}
        }
        blocked: list[Ref] = []
        for name, message in overlaps(self.wanted, foreign):
            self.draft.fail(str(_pool(name)), message)
            if self.wanted[name] - self.live.get(name, IPSet()):
                blocked.append(_pool(name))
        return frozenset(blocked)

    def _adjusted(self) -> list[DesiredObject]:
        asked = self.target.wanted()
        found: list[DesiredObject] = []
        for item in self.target.desired:
            if item.ref.resource == ADDRESS_POOL:
                addresses = self.wanted[item.ref.name]
                changed = addresses != asked[item.ref.name]
                if addresses:
                    found.append(with_addresses(item, addresses) if changed else item)
            elif any(self.wanted.values()):
                found.append(item)
        return found

    def _shrink(self) -> None:
        pools = {it.ref.name: it for it in self.desired if it.ref.resource == ADDRESS_POOL}
        gave = False
        for name, keeps in giving(self.live, self.wanted):
            ref = _pool(name)
            if name not in pools:
                continue  # it is deleted before other pools grow
            if keeps:
                self.draft.apply(with_addresses(pools[name], keeps), self.objects[ref])
            elif str(ref) in self.draft.entries:  # MetalLB refuses a pool without addresses
                self.draft.prune(ref, self.objects[ref])
            gave = True
        if gave:
            self.draft.add(Confirm(is_last=False))
            self.draft.add(Look(ADDRESS_POOL, NAMESPACE))

    def _prune(self, resource: Resource) -> None:
        wanted = frozenset(item.ref for item in self.desired)
        asked = self.target.wanted()
        is_held = any(held for name, held in self.wanted.items() if name not in asked)
        for name in sorted(self.draft.entries):
            ref = parse_ref(name)
            is_kept = ref.resource == ADDRESS_POOL and self.wanted.get(ref.name)
            if ref.resource != resource or ref in wanted or is_kept:
                continue
            if ref.resource == ADVERTISEMENT and is_held:
                continue  # a pool that is held back keeps its advertisement
            if self.draft.entries[name].orphan_since is None:
                self.draft.prune(ref, self.objects.get(ref))

    def _confirm(self, begun: int) -> None:
        outcomes = self.draft.progress.outcomes[begun:]
        is_written = any(item.result in WRITTEN for item in outcomes)
        if is_written:
            self.draft.add(Confirm())
        if not is_written or self.draft.options.dry_run:
            states = self.snapshot.of(Query(CONFIGURATION_STATE, NAMESPACE)).objects.values()
            self.error = state_error(live.manifest for live in states)


def _pool(name: str) -> Ref:
    return Ref(ADDRESS_POOL, NAMESPACE, name)
