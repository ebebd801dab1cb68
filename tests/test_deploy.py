"""The commands of docs/how-to/deploy.md work."""

import json
import os
import subprocess
from base64 import b64decode
from pathlib import Path

from tests.documentation import ROOT, blocks
from tests.envtest.servers import ApiServer

DEPLOY = ROOT / "deploy"


def test_the_page_s_commands_make_a_kubeconfig_of_the_account_of_a_tenant(
    management: ApiServer, tenants: tuple[ApiServer, ...], tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "how-to" / "deploy.md").read_text(encoding="utf-8")
    (block,) = [it for it in blocks(page) if "service-account-token" in it.text]
    tenant = tenants[0]
    management.namespace("team-a")
    rules = str(DEPLOY / "rbac-tenant.yaml")
    assert tenant.kubectl("apply", "-f", rules).returncode == 0
    _fill_token(tenant)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "kubectl").symlink_to(management.fleet.assets.binaries["kubectl"])
    (tmp_path / "deploy").symlink_to(DEPLOY)
    (tmp_path / "tenant.kubeconfig").symlink_to(tenant.kubeconfig)
    (tmp_path / "management.kubeconfig").symlink_to(management.kubeconfig)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.text],
        cwd=tmp_path,
        env={"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "web.kubeconfig").exists()
    kept = management.get("/api/v1/namespaces/team-a/secrets/web-kubeconfig")
    made = tmp_path / "made"
    made.write_bytes(b64decode(kept["data"]["value"]))
    who = tenant.kubectl("--kubeconfig", str(made), "auth", "whoami", "-o", "json")
    name = json.loads(who.stdout)["status"]["userInfo"]["username"]
    assert name == "system:serviceaccount:gitops-ipam:ipam-apply"


def _fill_token(server: ApiServer) -> None:
    """Fill the Secret like the token controller, which does not run next to an API server."""
    token = server.kubectl("-n", "gitops-ipam", "create", "token", "ipam-apply").stdout
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "kubernetes.io/service-account-token",
        "metadata": {
            "name": "ipam-apply",
            "namespace": "gitops-ipam",
            "annotations": {"kubernetes.io/service-account.name": "ipam-apply"},
        },
        "stringData": {"token": token},
    }
    done = server.kubectl("create", "-f", "-", stdin=json.dumps(secret))
    assert done.returncode == 0, done.stderr
