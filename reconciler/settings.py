"""Our own kinds: `ipam.yaml` to Settings, with defaults where it is silent; names of ClusterTargets."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from reconciler.documents.document import Document, Documents, Kind
from reconciler.documents.load import Kinds, load
from reconciler.families import families
from reconciler.findings import Finding, error, meant, shown
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.instant import parse_duration
from reconciler.model.marks import API_VERSION
from reconciler.model.pool import Thresholds, Tier
from reconciler.model.settings import OVERRIDES, PATH, Elastic, Intake, Limits, Settings

_UNITS = {"": 1, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}
SETTINGS = Kind(API_VERSION, "Settings", "own/Settings.json", None)
CLUSTER_TARGET = Kind(API_VERSION, "ClusterTarget", "own/ClusterTarget.json", None)


def looked_at(settings: Settings) -> list[str]:
    """The files and folders that verbs read."""
    return [PATH, OVERRIDES, *settings.folders, settings.records]


def read_settings(data: bytes | None) -> tuple[Settings, tuple[Finding, ...]]:
    """Settings of a repository.

    Args:
        data: Bytes of `ipam.yaml`, or None when there is none: then the defaults.

    Returns:
        The settings and what is wrong with them. What cannot be read has its default.
    """
    if data is None:
        return Settings(), ()
    # A change and its base are read several times, and nearly always have the same one.
    return _known(data) if type(data) is bytes else _settings(data)


def _settings(data: bytes) -> tuple[Settings, tuple[Finding, ...]]:
    loaded = load(PATH, data, Kinds([SETTINGS]))
    if not loaded.documents:
        return Settings(), loaded.findings
    settings, found = _read(loaded.documents[0])
    for other in loaded.documents[1:]:
        message, hint = "one Settings document, please", "remove it; the first one counts"
        found.append(error("document-duplicate", other.at(), message, hint))
    return settings, (*loaded.findings, *found)


_known = lru_cache(maxsize=8)(_settings)


def check_targets(documents: Documents) -> Iterator[Finding]:
    """ClusterTargets whose name is kept for another cluster. They are not applied to."""
    for document in documents.of(CLUSTER_TARGET.id):
        if document.name == MANAGEMENT:
            message = f"{document.title}: the management cluster has that name"
            yield error(
                "name-reserved", document.at("metadata", "name"), message, "give it another name"
            )


def _read(document: Document) -> tuple[Settings, list[Finding]]:
    spec = document.spec
    default = Settings()
    found: list[Finding] = []
    gate = spec.get("gate", default.gate)
    brakes: dict[str, Any] = spec.get("brakes") or {}
    committer: dict[str, Any] = spec.get("committer") or {}
    settings = Settings(
        sources=tuple(spec.get("sources", default.sources)),
        records=spec.get("records", default.records),
        thresholds=_thresholds(document, found),
        gate=None if gate == "never" else Tier(gate),
        retention=parse_duration(spec["retention"]) if "retention" in spec else default.retention,
        overlap_is_error=spec.get("poolOverlap") == "error",
        max_release_percent=brakes.get("maxReleasePercent", default.max_release_percent),
        applies_documents=(spec.get("apply") or {}).get("documents") == "all",
        limits=_limits(spec.get("limits") or {}, default.limits),
        min_records=brakes.get("minRecords", default.min_records),
        address_spaces=tuple(spec["addressSpaces"]) if "addressSpaces" in spec else None,
        kinds=tuple(
            (folder, tuple(spec["kinds"][folder])) for folder in sorted(spec.get("kinds") or {})
        ),
        committer=(
            committer.get("name", default.committer[0]),
            committer.get("email", default.committer[1]),
        ),
        skips_ci=(spec.get("commit") or {}).get("skipCi", default.skips_ci),
        observed=spec.get("observed", default.observed),
        elastic=_elastic(spec.get("elastic") or {}, default.elastic),
        intake=tuple(
            Intake(item["kind"], tuple(item.get("namespaces", ("*",))))
            for item in spec.get("intake", ())
        ),
        metallb_pool=(spec.get("metallb") or {}).get("poolName", default.metallb_pool),
        branch=spec.get("branch", default.branch),
        location=document.at(),
    )
    found += _reserved(document, settings)
    found += _unfit(document, settings)
    found += _shared(document, settings)
    found += _not_taken_in(document, settings)
    return settings, found


def _shared(document: Document, settings: Settings) -> Iterator[Finding]:
    """Folders that only reconcile writes, and that share files with others."""
    written = {"records": settings.records, "observed": settings.observed}
    sources = [(f"source {name}", name) for name in settings.sources]
    for field, folder in written.items():
        others = [*sources, *((f"spec.{it}", written[it]) for it in written if it > field)]
        for title, other in others:
            if within(other, folder) or within(folder, other):
                message = f"spec.{field}: {folder} and {title} share files"
                hint = "keep what reconcile writes apart from what people write"
                yield error("field-value", document.at("spec", field), message, hint)
                break


def _elastic(spec: Mapping[str, Any], default: Elastic) -> Elastic:
    lasting = {
        "pendingAfter": "pending_after",
        "shrinkAfter": "shrink_after",
        "retention": "retention",
    }
    read = {to: parse_duration(spec[name]) for name, to in lasting.items() if name in spec}
    return replace(default, max_growth=spec.get("maxGrowth", default.max_growth), **read)


def _reserved(document: Document, settings: Settings) -> Iterator[Finding]:
    """A folder that Overrides would be in, too."""
    for folder in (*settings.sources, settings.records, settings.observed):
        if within(folder, OVERRIDES) or within(OVERRIDES, folder):
            message = f"spec: {folder} and {OVERRIDES} share files"
            hint = f"{OVERRIDES}/ holds Overrides alone; name another folder"
            yield error("field-value", document.at("spec"), message, hint)
            return


def _unfit(document: Document, settings: Settings) -> Iterator[Finding]:
    """Folders and kinds of `spec.kinds` that are none."""
    known = sorted({CLUSTER_TARGET.name, *(it.name for one in families() for it in one.kinds)})
    for folder, kinds in settings.kinds:
        if not any(within(folder, source) for source in settings.sources):
            place = document.at("spec", "kinds", folder, key=True)
            message = f"spec.kinds: {shown(folder)} is no source folder, and in none"
            hint = f"sources: {', '.join(settings.sources)}"
            yield error("field-value", place, message, hint)
        for index, kind in enumerate(kinds):
            if kind not in known:
                place = document.at("spec", "kinds", folder, index)
                hint = meant(kind, known) or f"known: {', '.join(known)}"
                yield error("kind-unknown", place, f"unknown kind {shown(kind)}", hint)


def _not_taken_in(document: Document, settings: Settings) -> Iterator[Finding]:
    """Kinds of `spec.intake` whose objects cannot be taken in."""
    if not settings.intake:
        return
    known = sorted(it.kind for family in families() for it in family.objects.intake)
    for index, item in enumerate(settings.intake):
        if item.kind not in known:
            place = document.at("spec", "intake", index, "kind")
            hint = meant(item.kind, known) or f"known: {', '.join(known)}"
            message = f"spec.intake: {shown(item.kind)} is no kind whose objects are taken in"
            yield error("kind-unknown", place, message, hint)


def _limits(spec: Mapping[str, Any], default: Limits) -> Limits:
    text = spec.get("bytes")
    if text is None:
        return Limits(spec.get("files", default.files), default.bytes)
    number = text.rstrip("KMGi")
    return Limits(spec.get("files", default.files), int(number) * _UNITS[text[len(number) :]])


def _thresholds(document: Document, found: list[Finding]) -> Thresholds:
    values = Thresholds(**(document.spec.get("thresholds") or {}))
    if not values.warning <= values.critical <= values.exhausted:
        place = document.at("spec", "thresholds")
        message = (
            "spec.thresholds must rise from warning to exhausted, got"
            f" {values.warning}, {values.critical}, {values.exhausted}"
        )
        hint = "for example {warning: 70, critical: 85, exhausted: 95}"
        found.append(error("field-value", place, message, hint))
        return Thresholds()
    return values


def within(path: str, folder: str) -> bool:
    """The path is that of the folder, or of something in it."""
    return path == folder or path.startswith(f"{folder}/")
