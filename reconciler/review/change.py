"""A change and its base: files, Settings, documents, and plans of both sides."""

from collections.abc import Iterable
from functools import cached_property

from msgspec.structs import replace

from reconciler.commands.by_hand import as_reconciled
from reconciler.commands.reading.files import reader_of
from reconciler.commands.reading.overrides import overrides_beside
from reconciler.commands.reading.reader import EvaluationOptions, evaluate_source
from reconciler.commands.reading.settings import read_own_settings
from reconciler.commands.reconcile_commits import newest, settings_at
from reconciler.documents.suffix import is_yaml
from reconciler.evaluate import Evaluation, held_releases
from reconciler.families import role_of
from reconciler.findings import Finding
from reconciler.gathering import Described, described
from reconciler.model.cause import Cause
from reconciler.model.contract import Contract
from reconciler.model.key import Key
from reconciler.model.settings import PATH, Settings
from reconciler.ownership import contracts_of
from reconciler.ports import Changed, Entry, Repository, Source
from reconciler.review.causes import causes
from reconciler.review.merging import changed_since
from reconciler.review.pools import judged_by_base, with_sizes_of_base
from reconciler.review.settings import loosened


class Change:
    """A change and its base. Each side is read and planned when a check needs it.

    Attributes:
        repository: The repository that has both.
        name: The name of the base.
        base: The files of the base.
        head: The files of the merge result.
        proposed: The revision that reconcile proposes, or None.
    """

    def __init__(
        self,
        repository: Repository,
        base: str,
        head: Source,
        proposed: str | None = None,
    ) -> None:
        self.repository, self.name, self.head = repository, base, head
        self.base = repository.source(base)
        self.proposed = proposed

    @cached_property
    def _judging(self) -> tuple[Settings, tuple[Finding, ...]]:
        """The Settings that judge the change, and the findings about them.

        They are the Settings of the base. If the Settings of the last reconcile commit are
        stricter, those count, as they will after the merge.
        """
        repository, revision = self.repository, self.base.revision()
        settings = read_own_settings(self.base).settings
        last = newest(repository, revision.id) if revision is not None else ""
        earlier = settings_at(repository.source(last)) if last else None
        if earlier is None:
            return settings, ()
        return settings.held_to(earlier), tuple(loosened(settings, earlier, last[:12]))

    @property
    def base_settings(self) -> Settings:
        """The Settings of the base, as strict as those of the last reconcile commit."""
        return self._judging[0]

    @property
    def loosened(self) -> tuple[Finding, ...]:
        """Findings about Settings of the base that are looser than those of the last commit."""
        return self._judging[1]

    @cached_property
    def own_settings(self) -> Settings:
        """The Settings of the change."""
        return read_own_settings(self.head, self.base_settings).settings

    @cached_property
    def settings(self) -> Settings:
        """The Settings of the base with the folders of the change."""
        own = self.own_settings
        return replace(
            self.base_settings, sources=own.sources, records=own.records, observed=own.observed
        )

    @cached_property
    def _changed(self) -> tuple[list[Changed], bool]:
        folders = dict.fromkeys([*self.own_settings.sources, *self.base_settings.folders])
        both = replace(self.settings, sources=tuple(folders))
        return changed_since(self.repository, self.base, self.head, both)

    @property
    def files(self) -> list[Changed]:
        """The files of both sides that differ."""
        return self._changed[0]

    @property
    def is_contained(self) -> bool:
        """The change contains all commits of the base."""
        return self._changed[1]

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths of the files that differ."""
        return frozenset(it.path for it in self.files)

    @cached_property
    def _described(self) -> tuple[Described, Described]:
        """The content of the files that differ, on each side by its own source folders."""
        judging = self.base_settings
        old = replace(self.settings, sources=judging.sources, observed=judging.observed)
        return (
            _described(self.base, old, [it.old for it in self.files]),
            _described(self.head, self.settings, [it.new for it in self.files]),
        )

    @cached_property
    def before(self) -> Described:
        """The content that the files which differ have in the base.

        A file that is broken there counts with its last readable version. A pool that never could
        be read is judged by the Settings of the base.
        """
        found, now = self._described
        if not found.unread:
            return found
        base = evaluate_source(self.base)
        last_good = (it for it in base.tree.last_good.documents if it.unread in found.unread)
        documents = {it.identity: it for it in last_good}
        counting = {key: base.state.pools[key] for key in now.pools if key in base.state.pools}
        judging = self.base_settings
        never = {
            key: replace(pool, gate=judging.gate, thresholds=judging.thresholds)
            for key, pool in now.pools.items()
            if key not in counting
            and (key in base.state.frozen or pool.source.path in found.unread)
        }
        return replace(
            found,
            documents={**documents, **found.documents},
            pools={**never, **counting, **found.pools},
        )

    @property
    def after(self) -> Described:
        """The content that the files which differ have in the merge result."""
        return self._described[1]

    @cached_property
    def base_plan(self) -> Evaluation:
        """The plan of the base: the changes that reconcile would commit without the change."""
        return as_reconciled(self.base, self.repository)

    @cached_property
    def is_base_reconciled(self) -> bool:
        """Whether reconcile has planned the source files of the base."""
        revision, settings = self.base.revision(), self.base_settings
        made = newest(self.repository, revision.id) if revision is not None else ""
        if revision is None or not made or made == revision.id:
            return made != ""
        return not self.repository.changed(made, revision.id, settings.sources, settings.limits)[0]

    @cached_property
    def contracts(self) -> tuple[Contract, ...]:
        """The contracts of the teams of the base, if the change may alter one; else none."""
        sides = self._described
        documents = (it for side in sides for it in side.documents.values())
        is_touched = any(role_of(it.kind) == "team" for it in documents)
        if is_touched or PATH in self.paths or any(side.unread for side in sides):
            return contracts_of(self.base_plan.documents)
        return ()

    @cached_property
    def result(self) -> Evaluation:
        """The plan of the merge result, judged by the Settings, pools, and contracts of the base."""
        overrides = overrides_beside(self.base, self.head)
        options = EvaluationOptions(self.settings, overrides, contracts=self.contracts)
        evaluation = evaluate_source(self.head, options)
        evaluation = judged_by_base(self.before.pools, evaluation)
        return with_sizes_of_base(self.before.pools, evaluation)

    @cached_property
    def held_by_base(self) -> frozenset[Key]:
        """The claims whose release the plan of the base holds back already."""
        if self.result.brake is None:
            return frozenset()
        return frozenset(it.claim for it in held_releases(self.base_plan))

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """The cause of each decision that is shown."""
        return causes(self)


def _described(source: Source, settings: Settings, entries: Iterable[Entry | None]) -> Described:
    """Return the content of the entries that are plain YAML files in a source folder."""
    folders = tuple(f"{folder}/" for folder in settings.folders)
    there = [
        entry
        for entry in entries
        if entry is not None
        and entry.is_file
        and is_yaml(entry.path)
        and entry.path.startswith(folders)
    ]
    return described(reader_of(source, settings).sources(there), settings)
