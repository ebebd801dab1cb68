"""NovaEdge: ProxyIPPool and ProxyVIP, as of its releases v1.0 to v1.6."""

from typing import TYPE_CHECKING

from reconciler.families._family import Family, Projection, ProjectionInput, Reader, reading_any
from reconciler.families.novaedge.kinds import KINDS, NAME, POOL, SLOTS, VIP
from reconciler.families.novaedge.record_form import FORM

if TYPE_CHECKING:
    from reconciler.documents.document import Document
    from reconciler.families._mending import Mending
    from reconciler.families._objects import Objects
    from reconciler.findings import Finding
    from reconciler.model.settings import Settings


def _judge(document: "Document", settings: "Settings") -> "list[Finding]":
    from reconciler.families.novaedge.reading import judge

    return judge(document, settings)


def _reader() -> Reader:
    from reconciler.families.novaedge.reading import read

    return read


def _project(given: ProjectionInput) -> tuple[Projection, ...]:
    from reconciler.families.novaedge.projecting import project

    return project(given)


def _objects() -> "Objects":
    from reconciler.families.novaedge.objects import OBJECTS

    return OBJECTS


def _mending() -> "Mending":
    from reconciler.families.novaedge.mending import MENDING

    return MENDING


FAMILY = Family(
    name=NAME,
    kinds=KINDS,
    pool_kinds=(POOL.kind,),
    slots=dict.fromkeys(SLOTS.values(), VIP.kind),
    grows=(),
    judge=_judge,
    read=reading_any(KINDS, _reader),
    project=_project,
    record=FORM,
    load_objects=_objects,
    load_mending=_mending,
)
