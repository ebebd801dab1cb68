"""Setup of all tests: markers by requirement, and no network except the loopback."""

import os
import re
from pathlib import Path

import pytest

from tests import caches as caches  # first import: keeps bytecode out of the checkout
from tests import examples
from tests.envtest import assets
from tests.page import tools

pytest_plugins = ("tests.checkout", "tests.skips", "tests.envtest.fixtures")
assets.find()  # before a test gives itself another cache folder
tools.find()

examples.register()


# Folders in which all tests have the same requirement. Elsewhere, names in the module decide.
_NEEDS = {
    **dict.fromkeys(
        ("daemon", "gitio", "kube", "bad_input", "cli", "contracts", "e2e", "forges"), "git"
    ),
    **dict.fromkeys(("hostile", "image", "monitoring", "story"), "git"),
    **dict.fromkeys(("faults", "long"), "slow"),
    "page": "page",
}
_PROCESSES = frozenset({"Repository", "Terminal", "given_out", "git", "repository", "subprocess"})
_SLOW = re.compile("kill|race")
# Of each file in these, the first test is one of `make test`.
_SAMPLED = ("daemon", "gitio", "kube", "cli")


def pytest_configure(config: pytest.Config) -> None:
    # Registered here, because a run can leave xdist out.
    config.addinivalue_line("markers", "xdist_group(name): tests that one process runs")
    for line in (
        "unit: neither processes nor servers",
        "git: Git repositories, or other processes",
        "slow: many generated histories, kills, races",
        "served: real API servers",
        "page: a browser",
        "quick: what `make test` runs: unit tests, and a sample of those with Git",
    ):
        config.addinivalue_line("markers", line)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import folders without a quick test in a quick run."""
    folder = collection_path.name if collection_path.parent == Path(__file__).parent else ""
    is_left_out = folder in _NEEDS and folder not in _SAMPLED
    return True if is_left_out and config.option.markexpr == "quick" else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by requirement.

    Tests with API servers of one folder run in one process, so that servers start once. They come
    first, because they take longest.
    """
    sampled = set()
    for item in items:
        folder, *_ = item.path.relative_to(Path(__file__).parent).parts
        needs = _need(item, folder)
        item.add_marker(needs)
        if needs == "served":
            item.add_marker(pytest.mark.xdist_group(f"clusters-{folder}"))
        if needs == "page":
            item.add_marker(pytest.mark.xdist_group("page"))
        is_sample = needs == "git" and folder in _SAMPLED and item.path not in sampled
        if is_sample:
            sampled.add(item.path)
        if needs == "unit" or is_sample:
            item.add_marker("quick")
    items.sort(key=lambda item: item.get_closest_marker("served") is None)


def _need(item: pytest.Item, folder: str) -> str:
    if "fleet" in getattr(item, "fixturenames", ()) or item.get_closest_marker("served"):
        return "served"
    if _SLOW.search(item.path.stem):
        return "slow"
    if (needs := _NEEDS.get(folder)) is not None:
        return needs
    names = vars(item.module) if isinstance(item, pytest.Function) else {}
    return "unit" if _PROCESSES.isdisjoint(names) else "git"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="Regenerate the expected outputs."
    )


@pytest.fixture(autouse=True)
def _no_ambient_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Environment variables of the user do not affect the tests."""
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
    """The current date does not affect the tests. A test that depends on time sets it."""
    monkeypatch.setattr("reconciler.cli.options.now", None)
