"""A family for tests only: it shows the possibilities of a family, in one folder."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reconciler import families as package
from reconciler.apply import rights, targets
from reconciler.kube import resources
from reconciler.planning import documents
from reconciler.records import emit

HERE = Path(__file__).parent
EXAMPLE = HERE / "example"
FAMILIES = HERE / "families"
STANDALONE = HERE / "standalone"
"""The family without kinds in a management cluster."""


@contextmanager
def installed(folder: Path = FAMILIES) -> Iterator[None]:
    """Register the family, as if its folder were in `families`."""
    package.__path__.append(str(folder))
    forget()
    try:
        yield
    finally:
        package.__path__.remove(str(folder))
        sys.modules.pop(f"{package.__name__}.toy", None)
        forget()


def forget() -> None:
    for module in (package, emit, targets, rights, resources, documents):
        for item in vars(module).values():
            if hasattr(item, "cache_clear"):
                item.cache_clear()
