"""What clusters say of themselves, as far as anything else may see it: who they are, what they hold.

Whoever answers in the place of a cluster writes what it likes; it goes into the memory of others.
"""

import re

from reconciler.findings import shown

_UID = re.compile(r"[0-9A-Za-z-]{1,64}")
_REVISION = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def uid_of(text: str) -> str:
    """The identity of a cluster.

    Raises:
        ValueError: It is none.
    """
    if not _UID.fullmatch(text):
        raise ValueError(f"{shown(text)} is not the uid of a cluster")
    return text


def revision_of(text: str) -> str:
    """The id of the commit that was applied last; empty when none ever was.

    Raises:
        ValueError: It is none.
    """
    if text and not _REVISION.fullmatch(text):
        raise ValueError(f"{shown(text)} is not the id of a commit")
    return text
