"""Settings and Overrides of a repository."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from reconciler.documents.document import Document, Documents, Kind
from reconciler.documents.findings import (
    Finding,
    Location,
    article_list,
    cut_off,
    error,
    has_error,
    info,
    meant,
    plural,
    shown,
    warning,
)
from reconciler.documents.load import Kinds, load
from reconciler.documents.text import is_yaml
from reconciler.families import families, family_of
from reconciler.families.fields import judge_names, stated_thresholds
from reconciler.families.plain.kinds import TARGET
from reconciler.model.instant import DAY, format_instant, parse_duration, parse_end, parse_instant
from reconciler.model.key import Key
from reconciler.model.objects import API_VERSION
from reconciler.model.pool import Thresholds, Tier
from reconciler.model.settings import (
    OVERRIDES,
    PATH,
    SETTINGS_SCOPE,
    Elastic,
    Intake,
    Limits,
    Override,
    OverrideKind,
    Overrides,
    Settings,
)

_UNITS = {"": 1, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}
SETTINGS = Kind(API_VERSION, "Settings", "own/Settings.json", None)


def read_settings(data: bytes | None) -> tuple[Settings, tuple[Finding, ...]]:
    """Return Settings and findings; defaults for None, and for unreadable fields."""
    if data is None:
        return Settings(), ()
    # A change and its base are read several times, and usually have the same Settings.
    return _known(data) if type(data) is bytes else _settings(data)


def _settings(data: bytes) -> tuple[Settings, tuple[Finding, ...]]:
    loaded = load(PATH, data, Kinds([SETTINGS]), lambda it: [*judge_names(it)])
    if not loaded.documents:
        return Settings(), loaded.findings
    settings, found = _read(loaded.documents[0])
    for other in loaded.documents[1:]:
        message, hint = f"{PATH} contains a second Settings document", "remove this document"
        found.append(error("document-duplicate", other.at(), message, hint))
    return settings, (*loaded.findings, *found)


_known = lru_cache(maxsize=8)(_settings)


def check_targets(documents: Documents) -> Iterator[Finding]:
    """Yield findings for ClusterTargets with the uid of another cluster."""
    names: dict[str, str] = {}
    for item in documents.of(TARGET):
        uid = item.spec.get("uid")
        if uid and (other := names.setdefault(uid, item.name)) != item.name:
            message = f"spec.uid is {uid}, which is already the uid of ClusterTarget {other}"
            hint = "set it to the uid of the namespace kube-system of this cluster, or remove it"
            yield error("field-value", item.at("spec", "uid"), message, hint)


def _read(document: Document) -> tuple[Settings, list[Finding]]:
    spec, default = document.spec, Settings()
    found: list[Finding] = []
    gate = spec.get("gate", default.gate)
    brakes: dict[str, Any] = spec.get("brakes") or {}
    committer: dict[str, Any] = spec.get("committer") or {}
    kinds: dict[str, list[str]] = spec.get("kinds") or {}
    metallb: dict[str, str] = spec.get("metallb") or {}
    apply: dict[str, str] = spec.get("apply") or {}
    name, email = default.committer
    settings = Settings(
        sources=tuple(spec.get("sources", default.sources)),
        records=spec.get("records", default.records),
        thresholds=stated_thresholds(document, Thresholds(), found) or Thresholds(),
        gate=None if gate == "never" else Tier(gate),
        retention=parse_duration(spec["retention"]) if "retention" in spec else default.retention,
        overlap_is_error=spec.get("poolOverlap") == "error",
        implicit_is_error=spec.get("providerImplicit") == "error",
        max_release_percent=brakes.get("maxReleasePercent", default.max_release_percent),
        applies_documents=apply.get("documents") == "all",
        inventory_namespace=apply.get("inventoryNamespace", default.inventory_namespace),
        limits=_limits(spec.get("limits") or {}, default.limits),
        min_records=brakes.get("minRecords", default.min_records),
        address_spaces=tuple(spec["addressSpaces"]) if "addressSpaces" in spec else None,
        kinds=tuple((folder, tuple(kinds[folder])) for folder in sorted(kinds)),
        committer=(committer.get("name", name), committer.get("email", email)),
        docs_url=spec.get("docsUrl", default.docs_url),
        skips_ci=(spec.get("commit") or {}).get("skipCi", default.skips_ci),
        observed=spec.get("observed", default.observed),
        elastic=_elastic(spec.get("elastic") or {}, default.elastic),
        intake=tuple(
            Intake(it["kind"], tuple(it.get("namespaces", ("*",)))) for it in spec.get("intake", ())
        ),
        pool_name=metallb.get("poolName", default.pool_name),
        advertisement=metallb.get("advertisement", default.advertisement),
        branch=spec.get("branch", default.branch),
        location=document.at(),
    )
    found += _shared_folders(document, settings)
    found += _unknown_kinds(document, settings)
    return settings, found


def _elastic(spec: Mapping[str, Any], default: Elastic) -> Elastic:
    names = {"pendingAfter": "pending_after", "shrinkAfter": "shrink_after"}
    names["retention"] = "retention"
    read = {to: parse_duration(spec[name]) for name, to in names.items() if name in spec}
    return replace(default, max_growth=spec.get("maxGrowth", default.max_growth), **read)


def _limits(spec: Mapping[str, Any], default: Limits) -> Limits:
    files, text = spec.get("files", default.files), spec.get("bytes")
    if text is None:
        return Limits(files, default.bytes)
    number = text.rstrip("KMGi")
    return Limits(files, int(number) * _UNITS[text[len(number) :]])


def _shared_folders(document: Document, settings: Settings) -> Iterator[Finding]:
    written = {"records": settings.records, "observed": settings.observed}
    for folder in (*settings.sources, *written.values()):
        if _share(folder, OVERRIDES):
            message = f"folder {folder} overlaps {OVERRIDES}, which is for Overrides only"
            hint = "choose another folder"
            yield error("field-value", document.at("spec"), message, hint)
            break
    sources = [(f"source {name}", name) for name in settings.sources]
    for field, others in (
        ("records", sources),
        ("observed", [*sources, ("spec.records", settings.records)]),
    ):
        title = next((title for title, other in others if _share(written[field], other)), "")
        if title:
            message = f"spec.{field} is {written[field]}, which overlaps {title}"
            hint = "choose a folder that no other setting names"
            yield error("field-value", document.at("spec", field), message, hint)


def _share(one: str, other: str) -> bool:
    return within(one, other) or within(other, one)


def _unknown_kinds(document: Document, settings: Settings) -> Iterator[Finding]:
    known = sorted({it.name for one in families() for it in one.kinds})
    for folder, kinds in settings.kinds:
        if not any(within(folder, source) for source in settings.sources):
            place = document.at("spec", "kinds", folder, key=True)
            message = f"spec.kinds: {shown(folder)} is not in a source folder"
            hint = f"choose a folder in {article_list(settings.sources)}"
            yield error("field-value", place, message, hint)
        for index, kind in enumerate(kinds):
            if kind not in known:
                place = document.at("spec", "kinds", folder, index)
                yield _unknown_kind(place, f"unknown kind {shown(kind)}", kind, known)
    known = sorted(it.kind for family in families() for it in family.objects.intake)
    for index, item in enumerate(settings.intake):
        if item.kind not in known:
            message = f"spec.intake: {shown(item.kind)} is not a kind that intake supports"
            place = document.at("spec", "intake", index, "kind")
            yield _unknown_kind(place, message, item.kind, known)


def _unknown_kind(place: Location, message: str, kind: str, known: list[str]) -> Finding:
    return error(
        "kind-unknown", place, message, meant(kind, known) or f"use one of: {', '.join(known)}"
    )


def within(path: str, folder: str) -> bool:
    """Return whether a path is a folder, or is below it."""
    return path == folder or path.startswith(f"{folder}/")


OVERRIDE = Kind(API_VERSION, "Override", "own/Override.json", None)
HOME = f"{OVERRIDES}/<date>-<slug>.yaml"

LONGEST_DAYS = 92
"""The maximum duration of an Override: a quarter. For longer exceptions, change Settings."""

_FILE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})-[a-z0-9]+(?:-[a-z0-9]+)*\.yaml", re.ASCII)
# A folder, which ends with a slash, or a YAML file.
_PATH = re.compile(
    r"[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)*(?:/|\.ya?ml)", re.ASCII
)
_SCOPES = {
    OverrideKind.RECORD: "the path of a record, a claim, or a folder that ends with /",
    OverrideKind.GATE: f"a pool, or {SETTINGS_SCOPE}",
    OverrideKind.MOVE: "a claim",
    OverrideKind.SHRINK: "a pool",
}
_AS = "as in ipam plan -o json: family/kind/namespace/name, and for a claim /slot"


class EarlierOverrides(Struct, frozen=True):
    """Overrides before a change (`is_base`: the base), and a time that has certainly passed.

    If `is_cut`, the clone lacks the earlier revision, so no Override is effective.
    """

    files: Mapping[str, bytes]
    clock: int
    is_cut: bool = False
    is_base: bool = False


def is_override(path: str) -> bool:
    """Return whether a path is in the Overrides folder, or is at its path."""
    return path == OVERRIDES or (path.startswith(f"{OVERRIDES}/") and is_yaml(path))


def overrides_of(files: Mapping[str, bytes], before: EarlierOverrides) -> Overrides:
    """Return the Overrides of a tree, from the bytes of the files of their folder by path."""
    counting: list[Override] = []
    coming: list[Override] = []
    found: list[Finding] = []
    for path in sorted(files):
        override, wrong = read_override(path, files[path])
        found += wrong
        if override is None:
            continue
        if override.expires <= before.clock:
            message = (
                f"this Override expired at {format_instant(override.expires)}, so it has no effect"
            )
            found.append(warning("override-expired", override.location, message, "delete the file"))
            continue
        found += _long(override)
        if before.is_cut:
            why = "this clone is too shallow to determine whether this Override was merged before, so it has no effect"
            found.append(cut_off(override.location, why))
        elif before.files.get(path) == files[path]:
            counting.append(override)
        else:
            coming.append(override)
            found.append(_added(override, is_base=before.is_base))
    return Overrides(tuple(counting), tuple(found), tuple(coming))


def as_findings(overrides: Overrides, pools: Iterable[Key]) -> Iterator[Finding]:
    """Yield findings for effective and unused Overrides, after all rules were checked."""
    scopes = {SETTINGS_SCOPE, *(str(key) for key in pools)}
    for item in overrides.used():
        message = f"this Override permits {item.lets_pass}: {shown(item.reason)}"
        yield info("override-used", item.location, message)
    for item, lack in overrides.short():
        wanted, resting = lack.wanted, lack.resting
        rest = f" ({resting} in retention)" if resting else ""
        message = f"this Override permits {plural(item.releases, 'release')}, but this plan needs {wanted}{rest}"
        yield warning("override-short", item.location, message, f"set spec.releases to {wanted}")
    for item in overrides.unused():
        message = f"this Override, which permits {item.lets_pass}, has no effect in this revision"
        is_of_pool = item.kind in (OverrideKind.GATE, OverrideKind.SHRINK)
        if is_of_pool and item.scope not in scopes:
            message += f"; pool {shown(item.scope)} does not exist"
        until = format_instant(item.expires)
        hint = f"delete the file after its change is merged; otherwise, the Override expires at {until}"
        yield warning("override-unused", item.location, message, hint)


def read_override(path: str, data: bytes) -> tuple[Override | None, list[Finding]]:
    """Return the Override of a file, or None, with findings."""
    loaded = load(path, data, Kinds([OVERRIDE]), lambda it: [*judge_names(it)])
    found = [*loaded.findings, *_misplaced(path, loaded.documents)]
    for other in loaded.documents[1:]:
        message = "the file contains a second Override"
        found.append(
            error(
                "override-misplaced", other.at(), message, f"move it to a file of its own: {HOME}"
            )
        )
    if has_error(found):
        return None, found
    override, wrong = _override(loaded.documents[0])
    return override, [*found, *wrong]


def _misplaced(path: str, documents: Iterable[Document]) -> Iterator[Finding]:
    name = path.removeprefix(f"{OVERRIDES}/")
    named = _FILE.fullmatch(name)
    if named is None or parse_instant(f"{named.group(1)}T00:00:00Z") is None:
        message = f"{shown(path)} is not a valid path of an Override"
        hint = f"rename it to {HOME}, for example {OVERRIDES}/2026-02-15-vlan40-full.yaml"
        yield error("override-misplaced", Location(path, 1, 1), message, hint)
        return
    stem = name.removesuffix(".yaml")
    for document in documents:
        if document.name != stem:
            message = f"metadata.name is {shown(document.name)}, expected the name of {shown(path)}"
            place = document.at("metadata", "name")
            yield error("override-misplaced", place, message, f"set metadata.name to {stem}")


def _override(document: Document) -> tuple[Override | None, list[Finding]]:
    spec, kind = document.spec, OverrideKind(document.spec["kind"])
    found = list(_bad_scope(document, kind))
    if not spec["reason"].strip():
        place = document.at("spec", "reason")
        found.append(
            error("field-value", place, "spec.reason is empty", "write why the exception is needed")
        )
    expires = parse_end(spec["expires"])
    if expires is None:
        message = f"spec.expires is {shown(spec['expires'])}, which is not a valid time"
        hint = "write it as RFC 3339 in UTC, for example 2026-02-20T12:00:00Z"
        found.append(error("field-value", document.at("spec", "expires"), message, hint))
    if found or expires is None:
        return None, found
    scope, releases = spec.get("scope", ""), spec.get("releases", 0)
    place = document.at()
    return Override(kind, scope, spec["reason"], expires, releases, document.path, place), []


def _bad_scope(document: Document, kind: OverrideKind) -> Iterator[Finding]:
    is_brake = kind is OverrideKind.BRAKE
    wanted, other = ("releases", "scope") if is_brake else ("scope", "releases")
    if other in document.spec:
        message = f"spec.{other} is not a field of an Override of kind {kind}"
        hint = f"remove it, and set spec.{wanted}"
        yield error("field-value", document.at("spec", other, key=True), message, hint)
    if wanted not in document.spec:
        what = "the expected number of releases" if is_brake else f"{_SCOPES[kind]}, {_AS}"
        message = f"spec.{wanted} is missing, but required for kind {kind}"
        yield error("field-required", document.at("spec"), message, f"set it to {what}")
    elif not is_brake:
        scope, place = document.spec["scope"], document.at("spec", "scope")
        key = Key.parse(scope)
        family = family_of(key.family) if key is not None else None
        if not is_scope(kind, scope):
            message = f"spec.scope is {shown(scope)}, expected {_SCOPES[kind]}"
            yield error("field-value", place, message, f"write the scope {_AS}")
        elif kind is OverrideKind.MOVE and family is not None and family.relocate is None:
            message = f"spec.scope is {shown(scope)}, which cannot move (one address each)"
            hint = "merge an Override of kind record for it instead, then delete its record"
            yield error("field-value", place, message, hint)


def is_scope(kind: OverrideKind, text: str) -> bool:
    """Return whether a text is a valid scope of an Override of a kind."""
    key = Key.parse(text)
    is_claim, is_pool = key is not None and key.slot != "", key is not None and key.slot == ""
    match kind:
        case OverrideKind.RECORD:
            return is_claim or _PATH.fullmatch(text) is not None
        case OverrideKind.GATE:
            return is_pool or text == SETTINGS_SCOPE
        case OverrideKind.MOVE:
            return is_claim
    return is_pool


def _added(item: Override, *, is_base: bool) -> Finding:
    when = "once merged" if is_base else "from the next commit that is not a reconcile commit"
    until = format_instant(item.expires)
    message = f"this Override permits {item.lets_pass} until {until}, {when}: {shown(item.reason)}"
    hint = "commit the Override separately, or add a commit: git commit --allow-empty"
    hint = "merge the Override before the change that needs it" if is_base else hint
    return info("override-added", item.location, message, hint)


def _long(item: Override) -> Iterator[Finding]:
    begins = parse_instant(f"{item.path.removeprefix(f'{OVERRIDES}/')[:10]}T00:00:00Z")
    if begins is not None and item.expires - begins > LONGEST_DAYS * DAY:
        days = (item.expires - begins) // DAY
        message = f"spec.expires is {days} days after the date in the name, must be at most {LONGEST_DAYS}"
        hint = "set an earlier time; to extend it later, add a new Override"
        yield warning("override-long", item.location, message, hint)
