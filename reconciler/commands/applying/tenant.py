"""One tenant cluster: MetalLB's pools, withdrawn before they are given away, validated as a whole.

MetalLB re-addresses Services without a word when their pool shrinks, and drops its whole
configuration over one overlap (`clusters/metallb.py`): all checks are made before any write.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from reconciler.addresses import IPSet
from reconciler.clusters.difference import Drift, taken
from reconciler.clusters.intent import Intent
from reconciler.clusters.inventory import Enrolled
from reconciler.clusters.metallb import (
    NAMESPACE,
    giving,
    overlaps,
    pool_addresses,
    users_of,
    with_addresses,
    written,
)
from reconciler.clusters.outcome import Applied, State
from reconciler.clusters.resources import ADDRESS_POOL, ADVERTISEMENT, SERVICE, parse_ref
from reconciler.clusters.steps import is_ours
from reconciler.commands.applying.concluding import concluded, contained, saved
from reconciler.commands.applying.confirmation import confirm
from reconciler.commands.applying.enrolment import Enrolment, enrol
from reconciler.commands.applying.ledger import Ledger, listed
from reconciler.commands.applying.orphans import track
from reconciler.commands.applying.policies import locked
from reconciler.commands.applying.target import UNCLEAR, Target
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.ports import Cluster, ClusterError, NoSuchKindError

_NOTHING = IPSet()


def apply_tenant(
    cluster: Cluster,
    target: Target,
    known: Enrolled | None,
    claim: Callable[[Enrolment], None],
    ledger_of: Callable[[Enrolment], Ledger],
) -> tuple[Applied, Enrolled]:
    """Bring a tenant cluster to its intents.

    Args:
        cluster: The cluster.
        target: What it shall hold.
        known: What the management cluster remembers of it.
        claim: Refuses an identity that another cluster has, and a revision that is too old.
        ledger_of: Begins the account of what is done.

    Returns:
        What was done, and what the management cluster shall remember.

    Raises:
        ClusterError: It cannot be asked, or is not the one that it was.
    """
    uid = known.uid if known else ""
    enrolment = enrol(cluster, target.name, NAMESPACE, uid, accept=target.is_re_enrolled)
    claim(enrolment)
    ledger = ledger_of(enrolment)
    work = _Tenant(cluster, target, enrolment, ledger)
    failure: ClusterError | None = None
    try:
        with contained():
            announced = locked(ledger, enrolment, work.notes, work.run)
    except ClusterError as failed:
        failure = failed
        # It may not even have been read: what it announced before, it announces still.
        announced = _union([target.remembered, *work.live.values(), *work.wanted.values()])
    if work.is_there:
        failure = saved(ledger, enrolment) or failure
    applied = concluded(target.name, enrolment, ledger, failure, work.notes)
    if work.error and failure is None:
        applied = replace(applied, state=State.FAILED, error=work.error)
    revision = known.revision if known and failure else applied.revision
    spaces = target.spaces_of(announced, known.spaces if known else ())
    return applied, Enrolled(enrolment.uid, revision, spaces, written(announced))


class _Tenant:
    """A tenant cluster while it is worked on."""

    def __init__(
        self, cluster: Cluster, target: Target, enrolment: Enrolment, ledger: Ledger
    ) -> None:
        self.cluster = cluster
        self.target = target
        self.ledger = ledger
        self.notes: list[str] = list(_damage(enrolment))
        self.error = ""
        self.is_there = True
        self.pools: dict[Ref, Manifest] = {}
        self.live: dict[str, IPSet] = {}
        self.wanted = target.wanted()
        self.intents = list(target.intents)

    def run(self) -> IPSet:
        """Do it; returns the addresses that the cluster announces by us then."""
        if not self._read():
            return IPSet()
        self._hold_back()
        blocked = self._clashing()
        self.intents = self._adjusted()
        start = self.cluster.now()
        self._shrink()
        self._prune(ADDRESS_POOL)
        for item in self.intents:
            if item.ref not in blocked:
                now = self.ledger.bring(item, self.pools.get(item.ref))
                if now is not None:
                    self.pools[item.ref] = now
        self._prune(ADVERTISEMENT)
        is_written = self.ledger.is_changed and not self.ledger.wish.dry_run
        self.error = confirm(self.cluster, start if is_written else None, self.notes)
        return self._announced()

    def _read(self) -> bool:
        """Read what is there; False when MetalLB is not, and nothing is wanted of it."""
        entries = self.ledger.entries
        try:
            found = listed(self.cluster.list(ADDRESS_POOL, NAMESPACE), ADDRESS_POOL)
            found |= listed(self.cluster.list(ADVERTISEMENT, NAMESPACE), ADVERTISEMENT)
        except NoSuchKindError:
            self.is_there = bool(entries)
            if self.target.intents:
                raise ClusterError(
                    "MetalLB is not there: no kind IPAddressPool of metallb.io",
                    "install MetalLB 0.15.3 or newer",
                ) from None
            entries.clear()
            return False
        self.pools = found
        self.is_there = bool(entries or self.target.intents)
        track(self.ledger, found, self.target.intents)
        for ref, manifest in found.items():
            if ref.resource == ADDRESS_POOL and is_ours(manifest, entries.get(str(ref))):
                self.live[ref.name] = self._addresses(manifest, self.target.remembered)
        return True

    def _addresses(self, manifest: Manifest, otherwise: IPSet = _NOTHING) -> IPSet:
        try:
            return pool_addresses(manifest)
        except ValueError as wrong:
            note = f"IPAddressPool {manifest['metadata']['name']}: {wrong}"
            self.notes += [note] if note not in self.notes else []
            return otherwise  # MetalLB goes on with what it could read before

    def _hold_back(self) -> None:
        """Keep what must not be withdrawn now, and leave out what others may still announce."""
        removed = _union(self.live.values()) - _union(self.wanted.values())
        if removed and (reason := self._reason_to_hold(removed)):
            what = ", ".join(written(removed))
            for name, addresses in self.live.items():
                if kept := addresses & removed:
                    self.wanted[name] = self.wanted.get(name, IPSet()) | kept
                    error = f"{what} is not withdrawn: {reason}"
                    self.ledger.fail(_pool_name(name), error, self._drift(name))
        for other, theirs in self.target.withheld:
            for name, addresses in self.wanted.items():
                if shared := addresses & theirs - self.live.get(name, IPSet()):
                    self.wanted[name] = addresses - shared
                    what = ", ".join(written(shared))
                    error = f"{other} may still announce {what}"
                    self.ledger.fail(_pool_name(name), error, self._drift(name))

    def _drift(self, name: str) -> Drift | None:
        """Who changed the addresses of a pool of ours, which gets others than were asked for."""
        if name not in self.live:
            return None
        return taken(self.pools[Ref(ADDRESS_POOL, NAMESPACE, name)], "spec.addresses")

    def _reason_to_hold(self, removed: IPSet) -> str:
        """Why addresses are not withdrawn although nothing asks for them; empty to withdraw."""
        if self.ledger.wish.force_withdraw:
            return ""
        if not self.target.is_whole and removed - self.target.released:
            return f"{UNCLEAR}, so what is wanted is not clear; mend that"
        users = users_of(self.cluster.list(SERVICE), removed)
        if not users:
            return ""
        more = f" and {len(users) - 1} more" if len(users) > 1 else ""
        return (
            f"Service {users[0].service} uses {users[0].address}{more};"
            " delete it, or --force-withdraw"
        )

    def _clashing(self) -> frozenset[Ref]:
        """Pools that would overlap those of others: not applied, unless they only shrink."""
        foreign = {
            ref.name: self._addresses(manifest)
            for ref, manifest in self.pools.items()
            if ref.resource == ADDRESS_POOL and ref.name not in {**self.live, **self.wanted}
        }
        blocked: list[Ref] = []
        for name, message in overlaps(self.wanted, foreign):
            self.ledger.fail(_pool_name(name), f"{message}; remove it there")
            if self.wanted[name] - self.live.get(name, IPSet()):
                blocked.append(Ref(ADDRESS_POOL, NAMESPACE, name))
        return frozenset(blocked)

    def _adjusted(self) -> list[Intent]:
        """The intents with the addresses that are wanted by now; a pool of none is no pool."""
        asked = self.target.wanted()
        found: list[Intent] = []
        for item in self.target.intents:
            if item.ref.resource == ADDRESS_POOL:
                addresses = self.wanted[item.ref.name]
                changed = addresses != asked[item.ref.name]
                if addresses:
                    found.append(with_addresses(item, addresses) if changed else item)
            elif any(self.wanted.values()):
                found.append(item)
        return found

    def _shrink(self) -> None:
        """First take from our pools what other pools of ours shall get, and let MetalLB see it."""
        intents = {
            item.ref.name: item for item in self.intents if item.ref.resource == ADDRESS_POOL
        }
        gave = False
        for name, keeps in giving(self.live, self.wanted):
            ref = Ref(ADDRESS_POOL, NAMESPACE, name)
            if name not in intents:
                continue  # it is pruned before others grow
            if keeps:
                self.ledger.bring(with_addresses(intents[name], keeps), self.pools[ref])
            elif str(ref) in self.ledger.entries:  # a pool of no addresses is no pool
                self.ledger.prune(ref, self.pools.pop(ref))
            gave = True
        if gave and not self.ledger.wish.dry_run:
            self.error = confirm(self.cluster, self.cluster.now(), self.notes)
            self.pools |= listed(self.cluster.list(ADDRESS_POOL, NAMESPACE), ADDRESS_POOL)

    def _prune(self, resource: Resource) -> None:
        """Take away objects of ours that nothing asks for, but a pool that has to stay."""
        wanted = frozenset(item.ref for item in self.intents)
        for name in sorted(self.ledger.entries):
            ref = parse_ref(name)
            is_kept = ref.resource == ADDRESS_POOL and self.wanted.get(ref.name)
            if ref.resource != resource or ref in wanted or is_kept:
                continue
            if ref.resource == ADVERTISEMENT and any(self.wanted.values()):
                continue  # a pool that stays is announced as before
            if self.ledger.entries[name].orphan_since is None:
                self.ledger.prune(ref, self.pools.get(ref))
                if name not in self.ledger.entries:
                    self.pools.pop(ref, None)

    def _announced(self) -> IPSet:
        found: list[IPSet] = []
        before = self.target.remembered
        for ref, manifest in self.pools.items():
            if ref.resource != ADDRESS_POOL:
                continue
            if is_ours(manifest, self.ledger.entries.get(str(ref))):
                found.append(self._addresses(manifest, before))
            else:  # what was announced by us still is, also when somebody took our label off
                found.append(self._addresses(manifest) & before)
        return _union(found)


def _damage(enrolment: Enrolment) -> Iterable[str]:
    if enrolment.inventory.damaged:
        count = len(enrolment.inventory.damaged)
        yield f"{count} lines of the inventory cannot be read; what they name is left alone"


def _union(sets: Iterable[IPSet]) -> IPSet:
    return IPSet.of(item for found in sets for item in found)


def _pool_name(name: str) -> str:
    return str(Ref(ADDRESS_POOL, NAMESPACE, name))
