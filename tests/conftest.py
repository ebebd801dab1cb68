"""What all tests share: no network but the loopback, and Hypothesis profiles."""

import os
from pathlib import Path

import pytest

from tests import caches as caches  # first of ours: from here on no bytecode is left beside them
from tests import examples
from tests.envtest import assets
from tests.page import tools

pytest_plugins = ("tests.checkout", "tests.skips", "tests.envtest.fixtures")
assets.find()  # before a test gives itself another cache folder
tools.find()

examples.register()


def pytest_configure(config: pytest.Config) -> None:
    # Known without xdist, too: coverage is measured in one process.
    config.addinivalue_line("markers", "xdist_group(name): tests that one process runs")
    config.addinivalue_line("markers", "served: tests with real API servers (by their fixtures)")
    config.addinivalue_line("markers", "page: tests of the page (by their folder)")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with real API servers of one folder run in one process: servers are started once.

    They come first, because they take longest: two processes are then done at about one time.
    """
    root = Path(__file__).parent
    real = [item for item in items if "fleet" in getattr(item, "fixturenames", ())]
    for item in real:
        folder = item.path.relative_to(root).parts[0]
        item.add_marker(pytest.mark.xdist_group(f"clusters-{folder}"))
        item.add_marker(pytest.mark.served)
    for item in items:
        if item.path.is_relative_to(root / "page"):  # a browser is started once
            item.add_marker(pytest.mark.xdist_group("page"))
            item.add_marker(pytest.mark.page)
    chosen = frozenset(map(id, real))
    items[:] = [*real, *(item for item in items if id(item) not in chosen)]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="Write goldens anew.")


@pytest.fixture(autouse=True)
def _no_ambient_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """No variable of the person who runs the tests decides their outcome."""
    for name in list(os.environ):
        # In a Pod, its own cluster would be the management cluster of tests.
        if name.startswith(("IPAM_", "GIT_", "KUBERNETES_")) or name in (
            "KUBECONFIG",
            "NO_COLOR",
            "FORCE_COLOR",
        ):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(autouse=True)
def _time_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing falls due because of the day on which tests are run; who wants that says when."""
    monkeypatch.setattr("reconciler.cli.shared.clock.now", None)
