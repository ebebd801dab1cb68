"""One revision as it was read: what a plan is made from, before anything follows from it."""

from collections.abc import Mapping

from msgspec import Struct, field

from reconciler.documents.document import Document, Identity
from reconciler.documents.load import Loaded
from reconciler.findings import Finding
from reconciler.model.contract import Contract
from reconciler.model.override import Overrides
from reconciler.model.settings import Settings
from reconciler.records.recall import Recalled


class LastGood(Struct, frozen=True):
    """What counts in the place of what is broken (`contract.md` §4.7).

    Attributes:
        files: Broken files that could be read before.
        documents: Documents as they were when they could last be read; `unread` says what stands
            in their place now.
        originals: The file that counts for each object that several files describe.
        halted: The file because of which nothing may be granted, released or expired at all; empty
            when something may.
        findings: What is told about it.
    """

    files: tuple[str, ...] = ()
    documents: tuple[Document, ...] = ()
    originals: Mapping[Identity, str] = field(default_factory=dict)
    halted: str = ""
    findings: tuple[Finding, ...] = ()


class Tree(Struct, frozen=True):
    """One revision, read: its Settings, what its source files hold, what its records state.

    Attributes:
        revision: The commit, or None for a work tree.
        clock: The revision's committer date, in seconds since 1970; or the newest date on its
            line that is not ahead.
        sources: Source files, by path.
        records: Record files, by path.
        findings: What is wrong with the tree itself, such as a symlink among the sources.
        last_good: What counts in the place of what is broken, as it was in earlier revisions.
        retained: Paths of released records that some cluster may still announce, and why; empty for
            one that no cluster was asked about.
        left: Paths of records that claims left when they moved, of which a cluster was asked: why
            it announces them still, or nothing where nobody uses them any more.
        overrides: Those of the base, which let something pass; and what is wrong with files of
            Overrides.
        contracts: What teams may ask for by the base of a change, beside what its own documents say.
        allow_release: How many releases `--allow-release` permits, or None.
        gone: Owners that are proven to be deleted: family, kind, namespace, name.
        clock_ahead: The committer date, when no clock can have shown it yet; nothing expires then.
    """

    revision: str | None
    clock: int
    settings: Settings
    sources: tuple[Loaded, ...]
    records: tuple[Recalled, ...]
    findings: tuple[Finding, ...] = ()
    last_good: LastGood = field(default_factory=LastGood)
    retained: Mapping[str, str] = field(default_factory=dict)
    left: Mapping[str, str] = field(default_factory=dict)
    clock_ahead: int | None = None
    overrides: Overrides = field(default_factory=Overrides)
    contracts: tuple[Contract, ...] = ()
    allow_release: int | None = None
    gone: frozenset[tuple[str, str, str, str]] = frozenset()

    @property
    def held_back(self) -> dict[str, str]:
        """Released records that a cluster keeps from going, and why."""
        return {path: why for path, why in self.retained.items() if why}
