from pathlib import Path

import pytest

from reconciler.apply.render import MARKER, left_ranges, render, rendered
from reconciler.model.errors import UsageError
from tests.planning.outcome import without
from tests.world import SMALL, evaluation_of, reconciled

DONE = evaluation_of(reconciled(SMALL))
OBJECTS = [
    "management/IPAllocation/butler-system.team-a-one-lb.yaml",
    "management/NetworkPool/butler-system.edge.yaml",
    "management/kustomization.yaml",
    "team-a.one/IPAddressPool/metallb-system.default-pool.yaml",
    "team-a.one/L2Advertisement/metallb-system.default.yaml",
    "team-a.one/kustomization.yaml",
]


def files_below(folder: Path) -> list[str]:
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and "/crds/" not in str(path)
    )


def test_a_folder_a_cluster_with_a_kustomization_that_lists_its_files() -> None:
    files = rendered(DONE)
    assert [path for path in sorted(files) if "/crds/" not in path] == OBJECTS
    assert files["team-a.one/kustomization.yaml"] == (
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n"
        "  - IPAddressPool/metallb-system.default-pool.yaml\n"
        "  - L2Advertisement/metallb-system.default.yaml\n"
    )
    assert files["team-a.one/IPAddressPool/metallb-system.default-pool.yaml"] == (
        "apiVersion: metallb.io/v1beta1\nkind: IPAddressPool\nmetadata:\n  name: default-pool\n"
        "  namespace: metallb-system\nspec:\n  addresses:\n    - 10.40.0.0-10.40.0.7\n"
    )


def test_the_record_is_rendered_byte_for_byte_as_it_is_committed() -> None:
    files = reconciled(SMALL)
    (record,) = (data for path, data in files.items() if path.startswith("allocations/"))
    assert rendered(DONE)[OBJECTS[0]].encode() == record


def test_what_was_rendered_before_goes_and_what_others_put_beside_stays(tmp_path: Path) -> None:
    render(DONE, tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main")
    (tmp_path / "notes.md").write_text("x")
    gone = evaluation_of(reconciled(without(reconciled(SMALL), "tenants/one.yaml")))
    render(gone, tmp_path)
    others = [".git/HEAD", "notes.md"]
    assert files_below(tmp_path) == sorted([MARKER, *OBJECTS[:3], *others])


def test_a_file_of_somebody_else_is_not_written_over(tmp_path: Path) -> None:
    gone = evaluation_of(reconciled(without(reconciled(SMALL), "tenants/one.yaml")))
    render(gone, tmp_path)
    path = tmp_path / next(path for path in OBJECTS if path.startswith("team-a.one/"))
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    with pytest.raises(UsageError, match="was not written by ipam render"):
        render(DONE, tmp_path)
    assert path.read_text() == "mine"


def test_a_marker_names_nothing_outside_its_folder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    render(DONE, out)
    (tmp_path / "precious").write_text("x")
    with (out / MARKER).open("a") as marker:
        marker.write("../precious\n/etc/hostname\nteam/../../precious\n")
    render(DONE, out)
    assert (tmp_path / "precious").read_text() == "x"


def test_files_of_somebody_else_are_never_removed(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(UsageError, match="contains files that ipam render did not write"):
        render(DONE, tmp_path)
    assert files_below(tmp_path) == ["mine.txt"]


def test_a_run_that_was_cut_off_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    render(DONE, tmp_path)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "mkdir", full)
        with pytest.raises(OSError, match="No space"):
            render(DONE, tmp_path)
    render(DONE, tmp_path)
    assert files_below(tmp_path) == sorted([MARKER, *OBJECTS])


def test_ranges_that_leave_a_cluster_are_told_for_nobody_asks_it() -> None:
    assert list(left_ranges(DONE)) == []
    files = {path: text for path, text in reconciled(SMALL).items() if "tenants/" not in path}
    (note,) = left_ranges(evaluation_of(reconciled(files)))
    what = "10.40.0.0-10.40.0.7 is removed from team-a/one"
    assert note == f"{what}; not checked: whether team-a/one uses it"
