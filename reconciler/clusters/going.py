"""When an object that has a copy in Git is gone: rules that no missing or wrong answer can fulfil.

Gone is what two complete lists lack that lie LEAST apart, or what a watch saw go on purpose; of the
cluster, the state and the CRD that are known. Much at once is held until a person says so.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from reconciler.clusters.intake_brake import counted, held, late, share
from reconciler.clusters.intake_memory import IntakeMemory, named
from reconciler.documents.document import Identity
from reconciler.findings import few
from reconciler.model.settings import Settings

LEAST = 600
"""Seconds between the two lists; and so long what went counts as gone at once."""


class Listing(NamedTuple):
    """What one list of a kind proves.

    Attributes:
        kind: `Kind.group`.
        version: Its resourceVersion.
        problem: Why it is not complete; empty when it is.
        crd: The uid of the CRD; empty when it is not established, or nobody knows.
    """

    kind: str
    version: str
    problem: str
    crd: str


class Known(NamedTuple):
    """What was known before.

    Attributes:
        named: What the trailer of the last such commit says: the cluster's uid and a
            resourceVersion; empty for none.
        allowed: How many copies a person expects to go, or None.
        is_re_enrolled: A person says that it may be another cluster, or an older state.
        used: Copies of pools whose addresses some record holds.
    """

    settings: Settings
    named: str
    memory: IntakeMemory
    allowed: int | None = None
    is_re_enrolled: bool = False
    used: Collection[Identity] = ()


class Going:
    """What goes at one look, kind by kind.

    Attributes:
        held: Why some stay that would go.
        notes: Why some that are missing are not taken for gone.
    """

    def __init__(self, known: Known, at: int, uid: str) -> None:
        self._known = known
        self._at = at
        self._uid = uid
        before, _, version = known.named.partition(" ")
        accepted, _, anew = known.memory.accepted.rpartition(" ")
        is_accepted = bool(accepted) and accepted == known.named
        self._oldest = _number(anew if is_accepted else version) if before == uid else 0
        self._newest = 0 if known.is_re_enrolled else self._oldest
        # A number that was too small catches up by itself: what a backup lacks does not.
        self._older = "" if known.is_re_enrolled else known.memory.older
        self._accepted = known.memory.accepted if is_accepted else ""
        # What is remembered of a cluster that is new to Git may come out of a backup.
        self._since = known.memory.missing if before in ("", uid) else {}
        self._crds = dict(known.memory.crds)
        self._missing: dict[Identity, int] = {}
        self._went = {
            kind: recent
            for kind, every in known.memory.went.items()
            if (recent := tuple(it for it in every if at - LEAST < it[0] <= at))
        }
        self.held: list[str] = []
        self.notes: list[str] = []

    def trailer(self) -> str:
        """What the trailer `Ipam-Observed` names: the cluster, and its newest state that was seen."""
        return f"{self._uid} {self._newest}"

    def memory(self) -> IntakeMemory:
        """What is to be remembered of this."""
        accepted = self._accepted
        if self._accepts and self._newest:
            accepted = f"{self._known.named} {self._newest}" if self._known.named else ""
        return IntakeMemory(self._missing, {}, self._crds, self._went, self._older, accepted)

    def of(
        self,
        listing: Listing,
        copies: Collection[Identity],
        missing: Iterable[Identity],
        deleted: Collection[Identity],
    ) -> list[Identity]:
        """The copies of a kind whose object is gone, in order.

        Args:
            listing: The list of the kind.
            copies: All copies of the kind.
            missing: Those whose object the list lacks.
            deleted: Those of them whose object a watch saw go on purpose.
        """
        lacking = sorted(missing)
        version = _number(listing.version)
        is_older = 0 < version < self._oldest
        if is_older and not self._accepts:
            self._older = f"{version} {self._oldest}"
        # What was remembered may come out of the backup: after it, the time begins anew.
        before = {} if is_older or self._older else self._since
        doubt = self._doubt(listing)
        if not listing.problem:
            self._newest = max(self._newest, _number(listing.version))
        if listing.crd and (not lacking or not self._crds.get(listing.kind) or self._accepts):
            self._crds[listing.kind] = listing.crd
        if doubt:
            self._missing |= {it: before[it] for it in lacking if it in before}
            if lacking:
                what = f"{len(lacking)} of {len(copies)} {listing.kind} are missing"
                self.notes.append(f"{what}, and not taken for gone: {doubt}")
            return []
        since = {it: min(before.get(it, self._at), self._at) for it in lacking}
        gone = [it for it in lacking if it in deleted or self._at - since[it] >= LEAST]
        gone = self._braked(listing.kind, self._unused(gone), copies)
        self._missing |= {it: at for it, at in since.items() if it not in gone}
        for namespace, count in sorted(counted(gone).items()):
            name = share(listing.kind, namespace)
            self._went[name] = (*self._went.get(name, ()), (self._at, count))
        return gone

    @property
    def _accepts(self) -> bool:
        return self._known.is_re_enrolled

    def _doubt(self, listing: Listing) -> str:
        """Why a list does not prove that something is gone; empty when it does."""
        if listing.problem:
            return listing.problem
        if not listing.crd:
            return "the CRD is not established, or may not be read"
        known = self._crds.get(listing.kind, "")
        if known != listing.crd and not self._accepts:
            return "the CRD is another one than before" if known else "the CRD was not known before"
        if not _number(listing.version):
            return f"resourceVersion {listing.version!r} cannot be compared"
        if self._older:
            version, _, before = self._older.partition(" ")
            state = f"resourceVersion {version}, {before} before"
            why = f"the cluster showed an older state ({state}), as from a backup"
            return f"{why}: if that is meant, --re-enrol management"
        return ""

    def _unused(self, gone: list[Identity]) -> list[Identity]:
        """Those on which no record rests: without its pool a record would be wrong."""
        used = [it for it in gone if it in self._known.used]
        if used:
            what = f"{few([named(it) for it in used])}: gone from the management cluster"
            why = "records hold addresses of it, so the copy stays until none does"
            self.held.append(f"{what}, but {why}; or make the pool anew")
        return [it for it in gone if it not in used]

    def _braked(
        self, kind: str, gone: list[Identity], copies: Collection[Identity]
    ) -> list[Identity]:
        """Those that the brake lets pass, of what went of late and now."""
        limits = (self._known.settings, self._known.allowed)
        found = held(counted(gone), counted(copies), late(self._went, kind), limits)
        if found is None:
            return gone
        self.held.append(found.why(kind))
        if found.namespace is None:
            return []
        return [it for it in gone if it[2] != found.namespace]


def _number(text: str) -> int:
    """A resourceVersion as a number; 0 for one that is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 20 else 0
