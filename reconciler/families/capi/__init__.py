"""Cluster API: in-cluster IP pools, IPAddressClaims, and the virtual addresses of Clusters."""

from typing import TYPE_CHECKING

from reconciler.families._family import Family, Projection, ProjectionInput, Reader, reading_any
from reconciler.families._record_form import referring_whole
from reconciler.families.capi.kinds import (
    ADDRESS,
    GLOBAL_POOL,
    KINDS,
    NAME,
    OWNERS,
    POOL,
    SLOTS,
)

if TYPE_CHECKING:
    from reconciler.documents.document import Document
    from reconciler.families._mending import Mending
    from reconciler.families._metering import Metering
    from reconciler.families._objects import Objects
    from reconciler.findings import Finding
    from reconciler.model.settings import Settings


def _judge(document: "Document", settings: "Settings") -> "list[Finding]":
    from reconciler.families.capi.judging import judge

    return judge(document, settings)


def _reader() -> Reader:
    from reconciler.families.capi.reading import read

    return read


def _project(given: ProjectionInput) -> tuple[Projection, ...]:
    from reconciler.families.capi.projecting import project

    return project(given)


def _objects() -> "Objects":
    from reconciler.families.capi.objects import OBJECTS

    return OBJECTS


def _metering() -> "Metering":
    from reconciler.families.capi.metering import METERING

    return METERING


def _mending() -> "Mending":
    from reconciler.families.capi.mending import MENDING

    return MENDING


FAMILY = Family(
    name=NAME,
    kinds=KINDS,
    pool_kinds=(GLOBAL_POOL.kind, POOL.kind),
    slots=SLOTS,
    grows=(),
    judge=_judge,
    read=reading_any(KINDS, _reader),
    project=_project,
    record=referring_whole(NAME, OWNERS, ADDRESS),
    load_objects=_objects,
    load_metering=_metering,
    load_mending=_mending,
)
