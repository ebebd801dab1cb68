"""The lines of a CODEOWNERS file that follow from what teams say of themselves."""

import re
from collections.abc import Sequence

from reconciler.findings import few
from reconciler.model.contract import Contract
from reconciler.ports import UsageError

_HEAD = """\
# Whose folder is whose, by the documents of teams; ipam schema --codeowners writes it. The last match wins.
"""
# What forges read in a path as more than a path is in none of ours.
_PLACE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)*", re.ASCII)


def codeowners_text(contracts: Sequence[Contract], place: str) -> str:
    """A line for each folder, an inner one below the one around it.

    Args:
        contracts: What teams say.
        place: The folder of the repository that is the root; empty for the top.

    Raises:
        UsageError: A team has folders and nobody to review them, or no team has any. Of an inner
            folder without a line the team around it would be asked.
    """
    if place and _PLACE.fullmatch(place) is None:
        hint = "name the root by letters, digits, -, _ and ."
        raise UsageError("the root has a name that no CODEOWNERS file can hold", hint)
    lacking = [it.team for it in contracts if it.folders and not it.owners]
    if lacking:
        hint = 'gitops-ipam.dev/owners: "@acme/payments"'
        raise UsageError(f"nobody reviews the folders of {few(lacking)}", hint)
    owners: dict[str, set[str]] = {}
    for contract in contracts:
        for folder in contract.folders:
            owners.setdefault(folder, set()).update(contract.owners)
    if not owners:
        hint = "say in its Team which are: gitops-ipam.dev/folders: tenants/payments"
        raise UsageError("no team has folders of its own", hint)
    top = f"/{place}/" if place else "/"
    lines = [f"{top}{folder} {' '.join(sorted(owners[folder]))}\n" for folder in sorted(owners)]
    return "".join([_HEAD, *lines])
