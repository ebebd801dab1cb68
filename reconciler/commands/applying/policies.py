"""The admission policies of a cluster: installed, renewed, or removed.

They are installed when something is there to lock. Those that are there are renewed before
anything else is written: they may name the account that applied before.
"""

from collections.abc import Callable
from typing import TypeVar

from reconciler.clusters.difference import differing, drift
from reconciler.clusters.intent import MANAGER, Intent, intent
from reconciler.clusters.inventory import NAME, Entry
from reconciler.clusters.outcome import Outcome, Result
from reconciler.clusters.policies import OWNED, intruders, policies
from reconciler.clusters.resources import BINDING, CONFIG_MAP, POLICY, WHO_AM_I, parse_ref
from reconciler.clusters.steps import is_ours
from reconciler.commands.applying.enrolment import Enrolment
from reconciler.commands.applying.ledger import Ledger, listed
from reconciler.model.resource import Manifest, Ref
from reconciler.ports import (
    ClusterError,
    NoSuchKindError,
    NoSuchObjectError,
    RejectedError,
    UnreachableError,
)

T = TypeVar("T")
_POLL_SECONDS = 0.1
_POLLS = 100


def locked(ledger: Ledger, enrolment: Enrolment, notes: list[str], run: Callable[[], T]) -> T:
    """Do the work in a cluster with the policies that are wished for.

    Without a word on policies they stay as they are, as long as there is something to lock.

    Args:
        ledger: The account of what is done.
        enrolment: The cluster.
        notes: Gets what a person should know.
        run: The work.
    """
    lock = _Lock(ledger, enrolment, notes)
    if ledger.wish.policies is not None:
        lock.attempt(lock.begin)
    lock.remember()
    result = run()
    lock.attempt(lock.end)
    return result


class _Lock:
    """The policies of one cluster while it is worked on."""

    def __init__(self, ledger: Ledger, enrolment: Enrolment, notes: list[str]) -> None:
        self.ledger = ledger
        self.enrolment = enrolment
        self.notes = notes
        self.live: dict[Ref, Manifest] = {}
        self.known: dict[str, Entry] = {}
        self.is_done = ledger.wish.policies is None

    def attempt(self, step: Callable[[], None]) -> None:
        """Take a step. Policies that cannot be written keep nothing else from being applied."""
        try:
            step()
        except NoSuchKindError:
            self.is_done = True
            for name in [name for name in self.ledger.entries if _is_policy(name)]:
                self.ledger.entries.pop(name)
            if self.ledger.wish.policies:
                self.notes.append("no admission policies: they need Kubernetes 1.31 or newer")
        except UnreachableError:
            raise
        except ClusterError as failed:
            self.is_done = True
            self.ledger.fail(str(Ref(POLICY, "", OWNED)), str(failed))

    def remember(self) -> None:
        """Keep in mind which policies are there."""
        entries = self.ledger.entries
        self.known = {name: entries[name] for name in entries if _is_policy(name)}

    def begin(self) -> None:
        """Renew or remove the policies that are there, before anything else is written."""
        self._read()
        if self.ledger.wish.policies and not self.live:
            return
        self.is_done = True
        count = len(self.ledger.outcomes)
        if self.ledger.wish.policies:
            self._bring()
        else:
            self._remove()
        done = [item.result for item in self.ledger.outcomes[count:]]
        if not self.ledger.wish.dry_run and any(item is not Result.UNCHANGED for item in done):
            self._await()

    def end(self) -> None:
        """Install the policies where something of ours is; leave none where nothing is."""
        # Where MetalLB is gone, all that was there is forgotten; the policies are still there.
        self.ledger.entries.update(self.known)
        is_needed = any(not _is_policy(name) for name in self.ledger.entries)
        if self.ledger.wish.dry_run:
            is_needed = is_needed or self.ledger.is_changed
        if is_needed and not self.is_done:
            self._bring()
        elif self.ledger.entries and not is_needed:
            self._read()
            self._remove()

    def _read(self) -> None:
        wanted = [intent(manifest).ref for manifest in policies("")]
        found: dict[Ref, Manifest] = {}
        for resource in (POLICY, BINDING):
            found |= listed(self.ledger.cluster.list(resource), resource)
        self.live = {ref: found[ref] for ref in wanted if ref in found}

    def _bring(self) -> None:
        refused = ""
        for manifest in policies(self._writer(), self.ledger.wish.break_glass):
            item = intent(manifest)
            if item.ref.resource == BINDING and item.ref.name == refused:
                continue  # it would put somebody else's policy in force
            live = self.live.get(item.ref)
            known = self.ledger.entries.get(str(item.ref))
            if live is not None and is_ours(live, known) and intruders(live):
                self._replace(item, live)
            else:
                self.ledger.bring(item, live)
            if self.ledger.outcomes[-1].result is Result.FAILED:
                refused = item.ref.name

    def _replace(self, item: Intent, live: Manifest) -> None:
        """Make an object anew that others have a part in."""
        found = drift(live, differing(item.body or {}, live) or ("spec",))
        mended = Outcome(str(item.ref), Result.CONFIGURED, found)
        if not self.ledger.wish.dry_run:
            self.ledger.cluster.delete(item.ref, live["metadata"]["uid"])
            self.ledger.bring(item, None)
            made = self.ledger.outcomes.pop()
            mended = mended if made.result is Result.CREATED else made
        self.ledger.outcomes.append(mended)

    def _writer(self) -> str:
        """The user name that the server knows us by."""
        asked = {"apiVersion": WHO_AM_I.api_version, "kind": WHO_AM_I.kind}
        told = self.ledger.cluster.create(asked)
        name: str = ((told.get("status") or {}).get("userInfo") or {}).get("username") or ""
        if not name:
            raise ClusterError("the server does not say who it takes us for")
        return name

    def _remove(self) -> None:
        entries = self.ledger.entries
        for ref, manifest in self.live.items():
            if is_ours(manifest, entries.get(str(ref))):
                entries.setdefault(str(ref), Entry(manifest["metadata"]["uid"], "-"))
        there = [parse_ref(name) for name in sorted(entries) if _is_policy(name)]
        # Bindings first: a policy without one does nothing.
        for ref in sorted(there, key=lambda item: item.resource != BINDING):
            self.ledger.prune(ref, self.live.get(ref))

    def _await(self) -> None:
        """Wait until the server goes by the new policies, when the old ones refuse us.

        A patch of nothing writes nothing, and is judged as any write.
        """
        if not self.enrolment.config_maps:
            return
        ref = Ref(CONFIG_MAP, self.enrolment.namespace, NAME)
        for _ in range(_POLLS):
            try:
                self.ledger.cluster.merge(ref, {}, MANAGER)
            except NoSuchObjectError:
                return
            except RejectedError:
                self.ledger.cluster.pause(_POLL_SECONDS)
            else:
                return
        self.notes.append("the server does not go by the new admission policies yet")


def _is_policy(name: str) -> bool:
    return name.startswith(f"{POLICY.group}/")
