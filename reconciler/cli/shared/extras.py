"""What a lean installation lacks: it is said before anything is done, with the way to install it."""

from importlib.util import find_spec

from reconciler.adapters.package import with_extra
from reconciler.ports import UsageError

CLUSTERS = ("cryptography", "kubernetes", "prometheus_client")
"""Modules of the extra `clusters` of `pyproject.toml`."""


def require_clusters(what: str) -> None:
    """Refuse to begin what the extra `clusters` is needed for, where it is not installed.

    Args:
        what: That which needs it, as the beginning of a sentence.

    Raises:
        UsageError: It is not.
    """
    missing = [name for name in CLUSTERS if not _is_there(name)]
    if not missing:
        return
    source = with_extra("clusters")
    where = "" if "SOURCE" not in source else ", SOURCE being where this ipam was installed from"
    raise UsageError(
        f"{what} needs packages that are not installed: {', '.join(missing)}",
        f"pip install '{source}', or pipx install --force '{source}'{where}",
    )


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False
