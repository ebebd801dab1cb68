"""The Settings of a revision, read before all else because they name the folders."""

from typing import NamedTuple

from reconciler.documents.load import has_error
from reconciler.findings import Finding, Location, error
from reconciler.model.settings import Settings
from reconciler.ports import Source
from reconciler.settings import PATH, read_settings


class OwnSettings(NamedTuple):
    """The Settings of a revision.

    Attributes:
        settings: Those that count: of a file that cannot be read, as it last could be.
        findings: What is wrong with the file.
        is_broken: The file cannot be read any more, or is gone: nothing may follow from it.
    """

    settings: Settings
    findings: tuple[Finding, ...]
    is_broken: bool = False


def read_own_settings(source: Source) -> OwnSettings:
    """The Settings that a source itself holds."""
    entries = source.entries([PATH])
    if entries:
        settings, findings = read_settings(source.read(entries)[0])
        if not has_error(findings):
            return OwnSettings(settings, findings)
    else:
        settings, findings = Settings(), ()
    before = _settings_before(source)
    if before is None:
        return OwnSettings(settings, findings)
    if not entries:
        message = f"{PATH} was there before: nothing is given, released or expired without it"
        hint = f"git log -p -- {PATH}; for all defaults keep kind Settings with an empty spec"
        findings = (error("settings-gone", Location(PATH), message, hint),)
    return OwnSettings(before, findings, is_broken=True)


def _settings_before(source: Source) -> Settings | None:
    """The newest earlier Settings that can be read; None when there never were any."""
    for step in source.past([PATH]):
        old = next((item.old for item in step.changed if item.path == PATH), None)
        if old is None:
            break
        settings, findings = read_settings(source.read([old])[0])
        if not has_error(findings):
            return settings
    return None
