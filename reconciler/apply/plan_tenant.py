"""Plan of a tenant cluster."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from reconciler.addresses import IPRange, IPSet
from reconciler.apply.inventory import Inventory
from reconciler.apply.plan import ClusterPlan, Draft, Lock, is_policy, orphan_notes
from reconciler.apply.pools import Pools, User, balancing_in, giving, overlaps, users_of
from reconciler.apply.snapshot import SERVICES, Live, Query, Snapshot
from reconciler.apply.steps import Confirm, Look, is_ours, taken
from reconciler.apply.targets import UNCLEAR, ApplyOptions, Target
from reconciler.documents.findings import plural
from reconciler.kube.resources import DesiredObject, desired_object, parse_ref
from reconciler.loadbalancers import resources
from reconciler.loadbalancers.ranges import describe
from reconciler.model.applied import WRITTEN, Drift
from reconciler.model.errors import ClusterError
from reconciler.model.objects import ADOPT, Manifest, Ref, Resource

_EVERYTHING = IPSet((IPRange(4, 0, (1 << 32) - 1), IPRange(6, 0, (1 << 128) - 1)))


def keeping_names(target: Target, live: Pools, snapshot: Snapshot, draft: Draft) -> Target:
    """Return the desired objects, with the names of existing pools while Services use them."""
    if draft.options.force_withdraw:
        return target
    wanted, kind = target.wanted(), target.balancer.pool.kind
    old = [name for name in live if name not in wanted]
    for new in [name for name in wanted if name not in live]:
        for name in old:
            users = _users(snapshot, live[name] & wanted[new])
            if not users:
                continue
            used = f"Service {users[0].service} uses {users[0].address}, and would lose it"
            mend = f"use the name {name} in the repository again, or --force-withdraw"
            error = f"{kind} {name} is not renamed: {used}; {mend}"
            draft.fail(str(target.pool_ref(new)), error)
            desired = tuple(_renamed(target, item, new, name) for item in target.desired)
            target = replace(target, desired=desired)
            old.remove(name)
            break
    return target


def _users(snapshot: Snapshot, addresses: IPSet, *, counts_pins: bool = True) -> list[User]:
    if not addresses:
        return []
    services = snapshot.of(SERVICES).objects.values()
    return users_of((it.manifest for it in services), addresses, counts_pins=counts_pins)


def _renamed(target: Target, item: DesiredObject, new: str, old: str) -> DesiredObject:
    body: dict[str, Any] = dict(item.body or {})
    if item.ref.resource != target.balancer.pool:
        return desired_object(target.balancer.renamed(body, new, old))
    if item.ref.name != new:
        return item
    return desired_object({**body, "metadata": {**body["metadata"], "name": old}})


def plan_tenant(
    target: Target,
    snapshot: Snapshot,
    inventory: Inventory,
    options: ApplyOptions,
    home: Ref | None,
) -> ClusterPlan:
    """Plan a tenant cluster. One that no document describes has the controller of its pools."""
    if not target.balancing.has_entries:
        target = replace(target, balancing=balancing_in(inventory.objects))
    draft = Draft(inventory.objects, options)
    if count := len(inventory.damaged):
        what = f"{plural(count, 'line')} of the inventory cannot be read"
        draft.notes.append(f"{what}; the objects in them are not changed")
    lock = Lock(draft, snapshot, home, target.balancing)
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
        controller=target.balancing.controller,
    )


class _Tenant:
    def __init__(self, target: Target, snapshot: Snapshot, draft: Draft) -> None:
        self.target = target
        self.balancer = target.balancer
        self.kind = self.balancer.pool.kind
        self.home = target.home
        self.has_entries = target.balancing.has_entries
        self.snapshot = snapshot
        self.draft = draft
        self.error = ""
        self.is_there = bool(draft.entries or target.desired)
        self.objects: dict[Ref, Live] = {}
        self.live: dict[str, IPSet] = {}
        self.wanted = target.wanted()
        self.desired = list(target.desired)

    def run(self) -> ClusterError | None:
        answer = self.snapshot.of(Query(self.balancer.pool, self.home))
        for name in sorted(self.draft.entries):
            ref = parse_ref(name)
            is_here = ref.resource in self.balancer.resources and ref.namespace == self.home
            if ref.resource in resources() and not is_here:
                where = f" in {self.home}" if self.home else ""
                what = f"{name} exists, expected only objects of {self.balancer.name}{where}"
                hint = "undo the edit of the controller, remove the load balancers, and then change the controller"
                return ClusterError(what, hint)
        if answer.is_unknown:
            return self._without_controller()
        used = {item.ref.resource for item in self.target.desired}
        used |= {parse_ref(name).resource for name in self.draft.entries if not is_policy(name)}
        # The kinds other than pools that can be there: the first, and those that are used.
        kinds = self.balancer.others[: None if self.has_entries else 1]
        kinds += tuple(it for it in self.balancer.others if it in used and it not in kinds)
        others = self.snapshot.need(*(Query(it, self.home) for it in kinds))
        self.objects = {**answer.objects, **{k: v for it in others for k, v in it.objects.items()}}
        self._read()
        self._hold_back()
        blocked = self._clashing()
        self.desired = self._adjusted()
        begun = len(self.draft.progress.outcomes)
        self._shrink()
        self._prune(self.balancer.pool)
        for item in self.desired:
            if item.ref not in blocked and not self._is_contested(item):
                self.draft.apply(item, self.objects.get(item.ref))
        for resource in self.balancer.others:
            self._prune(resource)
        self._confirm(begun)
        return None

    def _without_controller(self) -> ClusterError | None:
        self.is_there = bool(self.draft.entries)
        if self.target.desired:
            return ClusterError(self.balancer.missing, self.balancer.install)
        for name in [name for name in self.draft.entries if not is_policy(name)]:
            self.draft.note(name, None)
        return None

    def pools(self) -> Iterator[tuple[Ref, Live]]:
        return (pair for pair in self.objects.items() if pair[0].resource == self.balancer.pool)

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
        self.target = keeping_names(self.target, self.live, self.snapshot, self.draft)
        self.wanted, self.desired = self.target.wanted(), list(self.target.desired)

    def _addresses(self, live: Live, otherwise: IPSet) -> IPSet:
        try:
            return self.balancer.addresses(live.manifest)
        except ValueError as wrong:
            note = f"{self.kind} {live.ref.name}: {wrong}"
            self.draft.notes += [note] if note not in self.draft.notes else []
            return otherwise  # the controller continues with its last readable configuration

    def _hold_back(self) -> None:
        """Keep addresses in use. Without entries, also of an IP version that no record has."""
        for name, addresses in () if self.has_entries else self.wanted.items():
            there, versions = self.live.get(name, IPSet()), {it.version for it in addresses}
            self.wanted[name] |= IPSet(tuple(it for it in there if it.version not in versions))
        asked = IPSet.of(it for addresses in self.wanted.values() for it in addresses)
        for name, addresses in self.live.items():
            removed = addresses - self.wanted.get(name, IPSet()) - self.target.forced
            if removed and (reason := self._hold(removed, removed - asked)):
                self._keep(name, removed, reason)
        self._keep_last()
        for other, theirs in self.target.withheld:
            for name, addresses in self.wanted.items():
                if shared := addresses & theirs - self.live.get(name, IPSet()):
                    self.wanted[name] = addresses - shared
                    error = f"{other} might still announce {describe(shared)}"
                    self.draft.fail(str(self._pool(name)), error, self._drift(name))

    def _keep(self, name: str, removed: IPSet, reason: str) -> None:
        is_asked = name in self.target.wanted()
        stays = removed if is_asked else self.live[name]  # an obsolete pool stays as it is
        for other, addresses in self.wanted.items():
            self.wanted[other] = addresses - stays
        self.wanted[name] = self.wanted.get(name, IPSet()) | removed
        if not removed - self.target.leaving:
            self.draft.notes.append(f"{self.kind} {name} keeps {describe(removed)}: {reason}")
            return
        error = f"{describe(removed)} is not withdrawn: {reason}"
        self.draft.fail(str(self._pool(name)), error, self._drift(name))

    def _keep_last(self) -> None:
        """Keep the last pool while Services have addresses: without pools, all lose theirs."""
        if self.draft.options.force_withdraw or any(self.wanted.values()) or not self.live:
            return
        names = {ref.name for ref, _ in self.pools()}
        users = _users(self.snapshot, _EVERYTHING - self.target.forced, counts_pins=False)
        if names <= self.live.keys() and users:
            name = min(self.live)
            reason = f"{name} is the last {self.kind}, and Service {users[0].service} would lose"
            self._keep(name, self.live[name], f"{reason} {users[0].address}")

    def _drift(self, name: str) -> Drift | None:
        if name not in self.live:
            return None
        return taken(self.objects[self._pool(name)].manifest, "spec.addresses")

    def _hold(self, removed: IPSet, gone: IPSet) -> str:
        """Return why addresses stay in their pool; `gone` are in no other one either."""
        if self.draft.options.force_withdraw:
            return ""
        if not self.target.is_whole and gone - self.target.released - self.target.leaving:
            return f"{UNCLEAR}, so the desired state is unknown; fix that first"
        if refused := removed & self.target.refused:
            return f"a claim pins {describe(refused)}, but is refused; run ipam check"
        users = _users(self.snapshot, removed)
        if not users:
            return ""
        more = f" and {len(users) - 1} more" if len(users) > 1 else ""
        what = f"Service {users[0].service} uses {users[0].address}{more}"
        return f"{what}; delete the Service, or use --force-withdraw"

    def _clashing(self) -> frozenset[Ref]:
        foreign = {
            ref.name: self._addresses(live, IPSet())
            for ref, live in self.pools()
            if ref.name not in {**self.live, **self.wanted}
        }
        blocked: list[Ref] = []
        keep = self.target.balancing.keep_name or self.balancer.named
        for name, message in overlaps(self.wanted, foreign, self.kind, keep):
            self.draft.fail(str(self._pool(name)), message)
            if self.wanted[name] - self.live.get(name, IPSet()):
                blocked.append(self._pool(name))
        return frozenset(blocked)

    def _is_contested(self, item: DesiredObject) -> bool:
        """Report an advertisement for a pool that an advertisement of others selects."""
        if item.ref.resource == self.balancer.pool or not self.has_entries:
            return False
        mine = [it for it in self.wanted if self.wanted[it] and self._selects(item.body or {}, it)]
        selects = self.balancer.selects
        for ref, live in self.objects.items():
            is_other = ref.resource in self.balancer.others and ref != item.ref
            if not is_other or is_ours(live, self.draft.entries.get(str(ref))):
                continue
            for name in (it for it in mine if self._selects(live.manifest, it)):
                its = {it.name for it, at in self.pools() if selects(live.manifest, at.manifest)}
                others = ", ".join(sorted(its - {name}))
                fix = f"limit its pools or selectors to {others}" if others else "delete it"
                error = f"{ref.resource.kind} {ref.name}, which has another owner, selects {self.kind} {name}; {fix}, or set advertisement.type None"
                self.draft.fail(str(item.ref), error)
                return True
        return False

    def _adjusted(self) -> list[DesiredObject]:
        asked = self.target.wanted()
        found: list[DesiredObject] = []
        for item in self.target.desired:
            if item.ref.resource == self.balancer.pool:
                addresses = self.wanted[item.ref.name]
                changed = addresses != asked[item.ref.name] or self.has_entries
                if addresses:
                    found.append(self._with(item, addresses) if changed else item)
            elif any(self._selects(item.body or {}, it) for it in self.wanted if self.wanted[it]):
                found.append(item)
        return found

    def _selects(self, other: Manifest, name: str) -> bool:
        found = (it.body for it in self.target.desired if it.ref == self._pool(name) and it.body)
        return self.balancer.selects(other, next(found, {"metadata": {"name": name}}))

    def _with(self, item: DesiredObject, addresses: IPSet) -> DesiredObject:
        live = self.objects.get(item.ref) if self.has_entries else None
        form = None if live is None or item.ref.name not in self.live else live.manifest
        return desired_object(self.balancer.with_addresses(item.body or {}, addresses, form))

    def _shrink(self) -> None:
        pools = {it.ref.name: it for it in self.desired if it.ref.resource == self.balancer.pool}
        gave = False
        for name, keeps in giving(self.live, self.wanted):
            ref = self._pool(name)
            if name not in pools:
                continue  # it is deleted before other pools grow
            if keeps:
                self.draft.apply(self._with(pools[name], keeps), self.objects[ref])
            elif str(ref) in self.draft.entries:  # a pool without addresses is refused
                self.draft.prune(ref, self.objects[ref])
            gave = True
        if gave:
            self.draft.add(self._confirming(is_last=False))
            self.draft.add(Look(self.balancer.pool, self.home))

    def _prune(self, resource: Resource) -> None:
        wanted = frozenset(item.ref for item in self.desired)
        asked = self.target.wanted()
        held = [name for name, addresses in self.wanted.items() if addresses and name not in asked]
        for name in sorted(self.draft.entries):
            ref = parse_ref(name)
            is_kept = ref.resource == self.balancer.pool and self.wanted.get(ref.name)
            if ref.resource != resource or ref in wanted or is_kept:
                continue
            live = self.objects.get(ref)
            is_other = resource != self.balancer.pool
            if is_other and live and any(self._selects(live.manifest, it) for it in held):
                continue  # a pool that is held back keeps its advertisement
            if self.draft.entries[name].orphan_since is None:
                self.draft.prune(ref, live)

    def _confirming(self, *, is_last: bool = True) -> Confirm:
        return Confirm(self.target.balancing.controller, self.home, is_last)

    def _confirm(self, begun: int) -> None:
        outcomes = self.draft.progress.outcomes[begun:]
        is_written = any(item.result in WRITTEN for item in outcomes)
        if is_written:
            self.draft.add(self._confirming())
        if (state := self.balancer.state) and (not is_written or self.draft.options.dry_run):
            states = self.snapshot.of(Query(state, self.home)).objects.values()
            self.error = self.balancer.state_error(live.manifest for live in states)

    def _pool(self, name: str) -> Ref:
        return self.target.pool_ref(name)
