"""The admission policies of a cluster in its plan: installed, renewed, or removed.

They are installed when something is there to lock. Those that are there are renewed before anything
else is written: they may name the account that applied before. Policies that cannot be written keep
nothing else from being applied.
"""

from reconciler.clusters.decision import Action, is_ours
from reconciler.clusters.desired import DesiredObject, desired_object
from reconciler.clusters.inventory import Entry
from reconciler.clusters.plan import Draft
from reconciler.clusters.policies import OWNED, policies
from reconciler.clusters.progress import is_policy
from reconciler.clusters.resources import BINDING, POLICY, WHO_AM_I, parse_ref
from reconciler.clusters.snapshot import Live, Query, Snapshot, Tolerates
from reconciler.clusters.steps import Apply, AwaitPolicies, Fail, Note, Step, Try, applied, pruned
from reconciler.model.resource import Ref

_NAME = str(Ref(POLICY, "", OWNED))
_LISTS = (
    Query(POLICY, tolerates=Tolerates.REFUSAL),
    Query(BINDING, tolerates=Tolerates.REFUSAL),
)
_WRITER = Query(WHO_AM_I, tolerates=Tolerates.REFUSAL)


class Lock:
    """The policies in the plan of one cluster.

    Without a word on policies they stay as they are, as long as there is something to lock.
    """

    def __init__(self, draft: Draft, snapshot: Snapshot, inventory: Ref | None) -> None:
        """Build it.

        Args:
            draft: The plan.
            snapshot: What was read.
            inventory: The ConfigMap of the inventory, when it is there.
        """
        self._draft = draft
        self._snapshot = snapshot
        self._inventory = inventory
        self._are_wanted = draft.options.policies
        self._is_done = self._are_wanted is None

    def begin(self) -> None:
        """Renew or remove the policies that are there, before anything else is written."""
        if self._are_wanted is None:
            return
        live = self._read()
        if live is None or (self._are_wanted and not live):
            return
        self._is_done = True
        steps = self._brought(live) if self._are_wanted else self._removed(live)
        if self._inventory is not None and any(map(_is_felt, steps)):
            steps.append(AwaitPolicies(self._inventory))
        self._draft.add(Try(_NAME, tuple(steps)))

    def end(self) -> None:
        """Install the policies where something of ours is; leave none where nothing is."""
        is_needed = self._draft.progress.is_anything_ours
        if is_needed and not self._is_done:
            steps = self._brought({})
        elif self._draft.entries and not is_needed and (live := self._read()) is not None:
            steps = self._removed(live)
        else:
            return
        self._draft.add(Try(_NAME, tuple(steps), if_anything_is_ours=is_needed))

    def _read(self) -> dict[Ref, Live] | None:
        """The policies that are there; None when they cannot be told, which is said."""
        found: dict[Ref, Live] = {}
        for query in _LISTS:
            answer = self._snapshot.of(query)
            if answer.is_unknown or answer.problem:
                self._is_done = True
                self._excuse(answer.problem)
                return None
            found |= answer.objects
        wanted = [desired_object(manifest).ref for manifest in policies("")]
        return {ref: found[ref] for ref in wanted if ref in found}

    def _excuse(self, problem: str) -> None:
        """Say why there are no policies to be had."""
        if problem:
            self._draft.fail(_NAME, problem)
            return
        for name in [name for name in self._draft.entries if is_policy(name)]:
            self._draft.note(name, None)
        if self._are_wanted:
            self._draft.notes.append("no admission policies: they need Kubernetes 1.31 or newer")

    def _brought(self, live: dict[Ref, Live]) -> list[Step]:
        answer = self._snapshot.of(_WRITER)
        if answer.is_unknown:
            self._excuse("")
            return []
        said = next(iter(answer.objects.values()), None)
        writer = "" if said is None else (said.status.get("userInfo") or {}).get("username") or ""
        if not writer:
            return [Fail(_NAME, answer.problem or "the server does not say who it takes us for")]
        found: list[Step] = []
        policy: DesiredObject | None = None
        for manifest in policies(writer, self._draft.options.break_glass):
            item = desired_object(manifest)
            if item.ref.resource == POLICY:
                policy = item
            # Without its policy it would put somebody else's policy in force.
            after = policy.ref if policy is not None and item.ref != policy.ref else None
            entry = self._draft.entries.get(str(item.ref))
            adopt = self._draft.options.adopt
            found.append(applied(item, live.get(item.ref), entry, adopt=adopt, after=after))
        return found

    def _removed(self, live: dict[Ref, Live]) -> list[Step]:
        found: list[Step] = []
        entries = dict(self._draft.entries)
        for ref, item in live.items():
            name = str(ref)
            if name not in entries and is_ours(item, None):
                entries[name] = Entry(item.uid, "-")
                found.append(Note(name, entries[name]))
        there = [parse_ref(name) for name in sorted(entries) if is_policy(name)]
        # Bindings first: a policy without one does nothing.
        order = sorted(there, key=lambda item: item.resource != BINDING)
        return [*found, *(pruned(ref, live.get(ref), entries[str(ref)]) for ref in order)]


def _is_felt(step: Step) -> bool:
    """The server takes a while to go by it."""
    if isinstance(step, Apply):
        return step.decision.action is not Action.KEEP
    return not isinstance(step, Note)
