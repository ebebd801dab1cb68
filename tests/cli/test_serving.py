"""`reconcile --watch --listen`: a real daemon reports its runs, and a webhook starts one."""

from pathlib import Path

import urllib3

from reconciler.cli import run
from tests.e2e.daemon import daemon
from tests.envtest.processes import free_port, until
from tests.world import SMALL, commit, git, repository, tenant, write

SECRET = "0123456789abcdef"


def test_a_daemon_tells_what_it_did_and_looks_when_it_is_rung(tmp_path: Path) -> None:
    source, page = repository(tmp_path / "source", SMALL), tmp_path / "report.html"
    remote, secret = tmp_path / "remote.git", tmp_path / "secret"
    git(tmp_path, "clone", "-q", "--bare", str(source), str(remote))
    secret.write_text(SECRET)
    port, pool = free_port(), urllib3.PoolManager(retries=False)
    words = ["--remote", f"file://{remote}", "--interval", "1h", "--listen", f"127.0.0.1:{port}"]

    def answer(path: str, method: str = "GET") -> tuple[int, bytes]:
        url, proof = f"http://127.0.0.1:{port}{path}", {"X-Gitlab-Token": SECRET}
        try:
            answered = pool.request(method, url, headers=proof)
        except urllib3.exceptions.HTTPError:
            return 0, b""
        return answered.status, answered.data

    def counts(line: str) -> bool:
        return line in answer("/metrics")[1].decode().splitlines()

    with daemon(tmp_path, tmp_path / "cache", *words, "--hook-secret-file", str(secret)) as running:
        first = 'gitops_ipam_rounds_total{result="ok"} 1.0'
        until(lambda: counts(first), "the log shows the first round", by=running.process)
        assert counts('gitops_ipam_commits_total{result="published"} 1.0')
        assert answer("/readyz") == (200, b"ready\n")
        git(source, "pull", "-q", str(remote), "main")
        assert run(["report", "--repo", str(source), "--out", str(page)]) == 0
        until(lambda: answer("/report")[0] == 200, "the page is made", by=running.process)
        assert answer("/report")[1] == page.read_bytes()
        write(source, {"tenants/more.yaml": tenant("more")})
        commit(source)
        git(source, "push", "-q", str(remote), "HEAD:main")
        assert answer("/hook", "POST")[0] == 202
        second = 'gitops_ipam_commits_total{result="published"} 2.0'
        until(lambda: counts(second), "the push is reconciled at once", by=running.process)
        assert running.end() == 0
        assert SECRET not in running.errors() + running.printed()
