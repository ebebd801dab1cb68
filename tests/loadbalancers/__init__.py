"""Load-balancer controllers: required behavior, and a minimal example."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reconciler import loadbalancers as package
from reconciler.kube import resources

_FOLDER = str(Path(__file__).parent / "controllers")


@contextmanager
def installed() -> Iterator[None]:
    """Register the example, as if its folder were in `loadbalancers`."""
    package.__path__.append(_FOLDER)
    forget()
    try:
        yield
    finally:
        package.__path__.remove(_FOLDER)
        sys.modules.pop(f"{package.__name__}.toy", None)
        forget()


def forget() -> None:
    for module in (package, resources):
        for item in vars(module).values():
            if hasattr(item, "cache_clear"):
                item.cache_clear()
