"""The reader of a revision: list its tree, read and parse its files, evaluate the whole."""

from collections.abc import Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.commands.reading.files import reader_of, split
from reconciler.commands.reading.last_good import last_good
from reconciler.commands.reading.overrides import read_overrides
from reconciler.commands.reading.settings import OwnSettings, read_own_settings
from reconciler.documents.document import GroupKind
from reconciler.documents.names import clashes
from reconciler.evaluate import Evaluation, evaluate
from reconciler.families import family_of_kind
from reconciler.model.contract import Contract
from reconciler.model.override import Overrides
from reconciler.model.settings import Settings
from reconciler.observed import identity_of
from reconciler.ports import Source
from reconciler.tree import Tree


class EvaluationOptions(Struct, frozen=True):
    """Inputs of an evaluation that are not files of the revision.

    Attributes:
        settings: Settings of another revision to use instead of its own.
        overrides: The Overrides that apply; None for the Overrides of the revision.
        allow_release: How many releases `--allow-release` permits.
        retained: Released records that stay although their retention has ended, with the reason.
        left: Records that claims left when they moved, with the reason why a cluster still
            announces them; an empty reason if no cluster does.
        contracts: What teams can request according to the base of a change.
        gone: Paths of observed files whose objects are proven to be deleted.
    """

    settings: Settings | None = None
    overrides: Overrides | None = None
    allow_release: int | None = None
    retained: Mapping[str, str] = field(default_factory=dict)
    left: Mapping[str, str] = field(default_factory=dict)
    contracts: tuple[Contract, ...] = ()
    gone: tuple[str, ...] = ()


DEFAULTS = EvaluationOptions()


def evaluate_source(source: Source, options: EvaluationOptions = DEFAULTS) -> Evaluation:
    """Read a revision and evaluate it."""
    tree = read_tree(source, options.settings, overrides=options.overrides)
    tree = replace(
        tree,
        retained=options.retained,
        left=options.left,
        contracts=options.contracts,
        allow_release=options.allow_release,
        gone=_owners(tree.settings.observed, options.gone),
    )
    return evaluate(tree)


def _owners(observed: str, paths: Iterable[str]) -> frozenset[tuple[str, str, str, str]]:
    """Return the owners that observed files describe: family, kind, namespace, name."""
    named = [identity_of(observed, path) for path in paths]
    return frozenset(
        (family.name, kind, namespace, name)
        for group, kind, namespace, name in filter(None, named)
        if (family := family_of_kind(GroupKind(group, kind))) is not None
    )


def read_tree(
    source: Source,
    settings: Settings | None = None,
    own: OwnSettings | None = None,
    overrides: Overrides | None = None,
) -> Tree:
    """Read a revision.

    Args:
        source: The files of the revision.
        settings: Settings of another revision to use instead of its own (`check --base`). They
            also name the folders.
        own: The Settings of the revision, if they are already read.
        overrides: The Overrides that apply; None for the Overrides of the revision.
    """
    own = own or read_own_settings(source, settings)
    overrides = read_overrides(source) if overrides is None else overrides
    settings = settings or own.settings
    reader = reader_of(source, settings)
    sources, records = split(source.entries([*settings.folders, settings.records]), settings)
    revision = source.revision()
    loaded = reader.sources(sources)
    record_files = reader.recalled(records)
    reader.forget_others(sources, records)
    before = last_good(reader, loaded, record_files)
    twice = clashes(entry.path for entry in (*sources, *records))
    # Both files of such a pair are read. An error among the findings of the tree would prevent
    # the release of every record.
    before = replace(before, findings=(*before.findings, *twice)) if twice else before
    if own.is_broken:
        before = replace(before, halted=own.halts)
    return Tree(
        revision=revision.id if revision else None,
        clock=source.clock(),
        clock_ahead=source.clock_ahead(),
        settings=settings,
        sources=tuple(loaded),
        records=tuple(record_files),
        findings=(*own.findings, *source.findings()),
        last_good=before,
        overrides=overrides,
    )
