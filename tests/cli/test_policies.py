"""The options on admission policies: as files, and what they refuse."""

from pathlib import Path

import yaml

from reconciler.apply.policies import policies
from tests.cli.running import Capture, ipam
from tests.world import SMALL, reconciled, repository

FILES = [
    f"{kind}/{name}.yaml"
    for kind in ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
    for name in ("gitops-ipam-owned", "gitops-ipam-pools")
]


def test_policies_are_rendered_for_every_cluster_and_read_back_as_they_are(
    capsys: Capture, tmp_path: Path
) -> None:
    repo, out = repository(tmp_path / "repo", reconciled(SMALL)), tmp_path / "out"
    words = ("--policies", "--reconciler", "system:flux", "--break-glass", 'a"b', "--out", out)
    assert ipam(capsys, "render", "--repo", repo, *words).code == 0
    for cluster in ("management", "team-a.one"):
        listed = yaml.safe_load((out / cluster / "kustomization.yaml").read_text())
        assert [name for name in listed["resources"] if name in FILES] == FILES
        assert listed["labels"] == [{"pairs": {"gitops-ipam.dev/managed-by": "gitops-ipam"}}]
        found = [yaml.safe_load((out / cluster / name).read_text()) for name in FILES]
        for manifest in policies("system:flux", ['a"b']):
            assert manifest in found
    assert ipam(capsys, "render", "--repo", repo, "--out", out).code == 0
    assert not any((out / "management" / name).exists() for name in FILES)
    assert "labels" not in (out / "management" / "kustomization.yaml").read_text()
