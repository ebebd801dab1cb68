from types import SimpleNamespace

import pytest

from reconciler import families as package
from reconciler.documents.document import Kind
from reconciler.families import families
from reconciler.families._family import Family
from reconciler.families.butler import FAMILY


def test_families_are_found_by_scanning_the_folder() -> None:
    assert [family.name for family in families()] == ["butler"]
    assert families() is families()


def test_two_families_that_read_one_kind_fail_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = Kind("butler.butlerlabs.dev/v1alpha1", "Team", "x.json", None)
    other = Family("other", (kind,), FAMILY.judge, FAMILY.read, FAMILY.project)
    names = [SimpleNamespace(name=name) for name in ("_family", "butler", "other")]
    modules = {"butler": FAMILY, "other": other}
    monkeypatch.setattr(package, "iter_modules", lambda path: names)
    monkeypatch.setattr(
        package,
        "import_module",
        lambda name: SimpleNamespace(FAMILY=modules[name.rpartition(".")[2]]),
    )
    with pytest.raises(ValueError, match="butler and other both read Team"):
        families.__wrapped__()
