"""The Settings of a revision, read before all else because they name the folders."""

from collections.abc import Iterator
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from reconciler.commands.reading.last_good import MOST_VERSIONS
from reconciler.documents.suffix import is_yaml
from reconciler.findings import Finding, Location, cut_off, error, has_error
from reconciler.model.settings import OVERRIDES, PATH, Settings
from reconciler.ports import Entry, Source, Step
from reconciler.settings import read_settings


class OwnSettings(Struct, frozen=True):
    """The Settings of a revision.

    Attributes:
        settings: Those that count: of a file that cannot be read, as it last could be (the
            defaults when it never could); and where the records were left behind, with the folder
            that they are in.
        findings: What is wrong with the file.
        is_broken: The file cannot be read, is gone, or has lost the records: nothing may
            follow from it.
        halts: The file because of which that is so.
    """

    settings: Settings
    findings: tuple[Finding, ...]
    is_broken: bool = False
    halts: str = PATH


def read_own_settings(source: Source, judging: Settings | None = None) -> OwnSettings:
    """The Settings that a source itself holds, with the folder that its records are in.

    Args:
        source: Held to the limits of its Settings from now on.
        judging: Settings of its base: then to theirs.
    """
    if judging is not None:
        source.bound(judging.limits)
    own = _read_own(source)
    source.bound((judging or own.settings).limits)
    source.require(PATH, [*own.settings.folders, own.settings.records, OVERRIDES])
    barred = _barred(source, own.settings.records)
    if barred:
        return replace(own, is_broken=True, halts=barred)
    if has_records(source, own.settings.records):
        return own
    for step in islice(source.past([PATH]), MOST_VERSIONS):
        before = None if step.is_cut else _older(source, step)
        folder = before.records if before is not None else own.settings.records
        if folder not in (own.settings.records, *own.settings.folders) and _holds(source, folder):
            settings = replace(own.settings, records=folder)
            lost = left_behind(own.settings, folder)
            return OwnSettings(settings, (*own.findings, lost), is_broken=True)
        if step.is_cut:
            message = f"no record is in {own.settings.records}/, and whether some were left in"
            message += " another folder is behind the end of this clone: nothing new is given"
            cut = cut_off(Location(PATH, 1, 1), message)
            if judging is not None and judging.records == own.settings.records:
                break  # a change that leaves the folder as it is leaves nothing behind
            return OwnSettings(own.settings, (*own.findings, cut), is_broken=True)
    return own


def folder_with_records(source: Source, settings: Settings) -> str:
    """A folder that earlier Settings named, where records are left; empty when there is none."""
    now = settings.records
    inside = (folder for folder in folders_before(source) if folder != now)
    return next((folder for folder in inside if _holds(source, folder)), "")


def folders_before(source: Source) -> Iterator[str]:
    """The folders that earlier Settings named for records, the newest first."""
    for step in islice(source.past([PATH]), MOST_VERSIONS):
        if not step.is_cut and (before := _older(source, step)) is not None:
            yield before.records


def _read_own(source: Source) -> OwnSettings:
    entries = [entry for entry in source.entries([PATH]) if entry.path == PATH]
    if entries:
        settings, findings = read_settings(source.read(entries)[0])
        if not has_error(findings):
            return OwnSettings(settings, findings)
    else:
        settings, findings = Settings(), ()
    before = _settings_before(source)
    if before is None:
        return OwnSettings(settings, findings, is_broken=bool(entries))
    if not entries:
        message = f"{PATH} was there before: nothing is given, released or expired without it"
        hint = f"git log -p -- {PATH}; for all defaults keep kind Settings with an empty spec"
        findings = (error("settings-gone", Location(PATH), message, hint),)
    return OwnSettings(before, findings, is_broken=True)


def _barred(source: Source, records: str) -> str:
    """What stands in the place of the records' folder, or above it; empty when nothing does."""
    found = (item.location.path for item in source.findings())
    return next((path for path in found if f"{records}/".startswith(f"{path}/")), "")


def _settings_before(source: Source) -> Settings | None:
    """The newest earlier Settings that can be read; None when there never were any."""
    for step in source.past([PATH]):
        old = _old(step)
        if old is None:
            break
        settings, findings = read_settings(source.read([old])[0])
        if not has_error(findings):
            return settings
    return None


def _older(source: Source, step: Step) -> Settings | None:
    """The Settings before a step, those of no file if there was none; None if unreadable."""
    old = _old(step)
    settings, findings = read_settings(source.read([old])[0] if old is not None else None)
    return None if has_error(findings) else settings


def _old(step: Step) -> Entry | None:
    return next((item.old for item in step.changed if item.path == PATH), None)


def has_records(source: Source, folder: str) -> bool:
    """A record is in the folder, or a folder that may have one: a look that costs nothing."""
    inside = source.folders([folder])
    if inside is None:
        return _holds(source, folder)
    return any(item.is_folder or is_yaml(item.path) for item in inside)


def _holds(source: Source, folder: str) -> bool:
    return any(is_yaml(entry.path) for entry in source.entries([folder]))


def left_behind(settings: Settings, folder: str) -> Finding:
    """Return the finding for a records folder without records, while another folder has them."""
    message = (
        f"no record is in {settings.records}/, which spec.records names: they are in {folder}/"
    )
    hint = f"set it back to {folder}, or git mv {folder} {settings.records}"
    return error("settings-changed", settings.location, message, hint)


def left_over(settings: Settings, folder: str) -> Finding:
    """Return the finding for records that are in another folder than Settings name."""
    message = f"spec.records names {settings.records}/, but records are left in {folder}/"
    hint = f"git mv all that is left in {folder} in the same commit, or set it back to {folder}"
    return error("settings-changed", settings.location._replace(path=PATH), message, hint)
