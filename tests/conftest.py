"""What all tests share: no network but the loopback, and Hypothesis profiles."""

import os

import pytest
from hypothesis import HealthCheck, settings

from tests.envtest import assets

pytest_plugins = ("tests.envtest.fixtures",)
assets.find()  # before a test gives itself another cache folder

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("nightly", deadline=None, max_examples=5_000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_configure(config: pytest.Config) -> None:
    # Known without xdist, too: coverage is measured in one process.
    config.addinivalue_line("markers", "xdist_group(name): tests that one process runs")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with real API servers run in one process: the servers are started once."""
    for item in items:
        if "fleet" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("clusters"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="Write goldens anew.")


@pytest.fixture(autouse=True)
def _no_ambient_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """No variable of the person who runs the tests decides their outcome."""
    for name in list(os.environ):
        if name.startswith(("IPAM_", "GIT_")) or name in ("KUBECONFIG", "NO_COLOR", "FORCE_COLOR"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
