from pathlib import Path

import pytest

from reconciler.documents import shipped


def test_a_wheel_carries_what_ships_inside_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "shipped" / "schemas"
    inside.mkdir(parents=True)
    monkeypatch.setattr(shipped, "_home", lambda _: tmp_path)
    assert shipped.folder("schemas") == inside


def test_a_checkout_has_it_at_the_top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "reconciler"
    (tmp_path / "schemas").mkdir()
    package.mkdir()
    monkeypatch.setattr(shipped, "_home", lambda _: package)
    assert shipped.folder("schemas").is_dir()


def test_a_crd_of_a_package_is_named_with_the_package() -> None:
    name = "butler.butlerlabs.dev_networkpools.yaml"
    (own,) = shipped.crd_files(name).items()
    beside = shipped.crd_files(f"reconciler:../schemas/crds/{name}")
    assert own[0] == name
    assert beside == {name: own[1]}
