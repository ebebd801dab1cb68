"""Kubernetes objects of an evaluation."""

from collections.abc import Callable, Container, Iterable, Iterator

from msgspec.structs import replace

from reconciler.documents.document import Identity
from reconciler.families import families, needs_hub
from reconciler.families.interface import DEFAULT_PORT, Projection, ProjectionInput
from reconciler.model.claim import Allocation
from reconciler.model.instant import format_instant
from reconciler.model.key import shortened
from reconciler.model.objects import MANAGEMENT, Manifest
from reconciler.planning.documents import is_observed
from reconciler.planning.evaluate import Evaluation, is_held
from reconciler.planning.rules import WRONG
from reconciler.records.changes import apart, records_after
from reconciler.records.emit import record_object


def project(evaluation: Evaluation, default_port: int = DEFAULT_PORT) -> tuple[Projection, ...]:
    """Return the objects of all clusters for the committed records, not for the plan."""
    records = apart(evaluation.state.records, evaluation.state.claims)
    given = replace(world_of(evaluation, records), default_port=default_port)
    made = [item for family in families() for item in family.project(given)]
    made += [
        Projection(MANAGEMENT, record_object(record))
        for record in records
        if needs_hub(record.claim.family)
    ]
    return tuple(_applied(made, _observed(evaluation)))


def records_then(
    evaluation: Evaluation, concerns: Callable[[Allocation], bool] | None = None
) -> tuple[Allocation, ...]:
    """Return the records after the plan, except for changes that the release limit holds back."""
    plan, state = evaluation.plan, evaluation.state
    rest = (it for it in plan.decisions if not is_held(it, evaluation))
    if concerns is not None:
        rest = (it for it in rest if it.allocation and concerns(it.allocation))
        state = replace(state, records=tuple(it for it in state.records if concerns(it)))
    folder = evaluation.tree.settings.records
    return records_after(replace(plan, decisions=tuple(rest)), state, folder)


def carried_out(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation of the tree that reconcile commits, without held-back changes."""
    plan = evaluation.plan
    held = tuple(it for it in plan.decisions if is_held(it, evaluation))
    return replace(
        evaluation,
        state=replace(evaluation.state, records=records_then(evaluation)),
        plan=replace(plan, decisions=held, before=plan.after),
        changes=(),
    )


def world_of(evaluation: Evaluation, records: tuple[Allocation, ...]) -> ProjectionInput:
    """Return the projection input of an evaluation for some records."""
    wrong = {found.location for found in evaluation.findings if found.code == WRONG}
    right = [item for item in evaluation.reading.blocked if item.source not in wrong]
    return ProjectionInput(
        documents=evaluation.documents,
        reading=replace(evaluation.reading, blocked=right),
        records=records,
        usage=evaluation.plan.before,
        clock=format_instant(evaluation.tree.clock),
        applies_documents=evaluation.tree.settings.applies_documents,
        pool_name=evaluation.tree.settings.pool_name,
        advertisement=evaluation.tree.settings.advertisement,
    )


def _observed(evaluation: Evaluation) -> frozenset[Identity]:
    tree, documents = evaluation.tree, evaluation.documents
    return frozenset(
        item.identity
        for source in tree.sources
        if is_observed(tree.settings, source.path)
        for item in source.documents
        if (there := documents.find(item.kind.id, item.namespace, item.name))
        and there.path == item.path
    )


def _applied(made: Iterable[Projection], observed: Container[Identity]) -> Iterator[Projection]:
    for item in made:
        manifest = item.manifest
        names = {it: manifest["metadata"].get(it, "") for it in ("name", "namespace")}
        group, _, _ = manifest["apiVersion"].rpartition("/")
        identity = group, manifest["kind"], names["namespace"], names["name"]
        if item.is_status_only or item.is_part or identity not in observed:
            yield item
        elif "status" in manifest:
            kept = {key: manifest[key] for key in ("apiVersion", "kind", "status")}
            kept["metadata"] = {key: value for key, value in names.items() if value}
            yield replace(item, manifest=kept, is_status_only=True)


def object_files(evaluation: Evaluation) -> dict[str, Manifest]:
    """Return the object of each file, by path. Parts of foreign objects are left out."""
    return {
        file_of(it.cluster, it.manifest): it.manifest
        for it in project(evaluation)
        if not (it.is_status_only or it.is_part)
    }


def file_of(cluster: str, manifest: Manifest) -> str:
    """Return the path of the file of an object."""
    metadata = manifest["metadata"]
    name = ".".join(metadata[key] for key in ("namespace", "name") if key in metadata)
    return f"{folder_of(cluster)}/{manifest['kind']}/{shortened(name, 250)}.yaml"


def folder_of(cluster: str) -> str:
    """Return the name of the folder of a cluster."""
    return shortened(cluster.replace("/", "."), 255)
