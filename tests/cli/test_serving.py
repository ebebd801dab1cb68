"""`reconcile --watch --listen`: a real daemon tells what it did, and a call of the hook is looked at."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import urllib3

from reconciler.cli import run
from tests.cli.running import environment
from tests.envtest.processes import free_port, until
from tests.world import SMALL, commit, git, repository, tenant, write

Asked = Callable[..., urllib3.BaseHTTPResponse | None]
SECRET = "0123456789abcdef"


@contextmanager
def running(log: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A daemon, until the end of the block."""
    with log.open("wb") as out:
        command = [sys.executable, "-m", "reconciler", *words]
        daemon = subprocess.Popen(command, env=environment(), stdout=out, stderr=out)
    try:
        yield daemon
    finally:
        daemon.send_signal(signal.SIGTERM)
        daemon.wait(60)


def test_a_daemon_tells_what_it_did_and_looks_when_it_is_rung(tmp_path: Path) -> None:
    source = repository(tmp_path / "source", SMALL)
    remote = tmp_path / "remote.git"
    git(tmp_path, "clone", "-q", "--bare", str(source), str(remote))
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    port, pool = free_port(), urllib3.PoolManager(retries=False)
    words = ["reconcile", "--watch", "--remote", f"file://{remote}", "--interval", "1h"]
    words += ["--listen", f"127.0.0.1:{port}", "--hook-secret-file", str(secret)]

    def asked(path: str, method: str = "GET") -> urllib3.BaseHTTPResponse | None:
        url = f"http://127.0.0.1:{port}{path}"
        try:
            return pool.request(method, url, headers={"X-Gitlab-Token": SECRET})
        except urllib3.exceptions.HTTPError:
            return None

    def counts(line: str) -> bool:
        answered = asked("/metrics")
        return answered is not None and line in answered.data.decode().splitlines()

    with running(tmp_path / "log", *words) as daemon:
        log = tmp_path / "log"
        first = 'gitops_ipam_rounds_total{result="ok"} 1.0'
        until(lambda: counts(first), "the first round is told", by=daemon, log=log)
        assert counts('gitops_ipam_commits_total{result="published"} 1.0')
        assert asked("/readyz").data == b"ready\n"  # type: ignore[union-attr]
        git(source, "pull", "-q", str(remote), "main")
        assert_report(asked, source, tmp_path)
        write(source, {"tenants/more.yaml": tenant("more")})
        commit(source)
        git(source, "push", "-q", str(remote), "HEAD:main")
        assert asked("/hook", "POST").status == 202  # type: ignore[union-attr]
        second = 'gitops_ipam_commits_total{result="published"} 2.0'
        until(lambda: counts(second), "the push is reconciled at once", by=daemon, log=log)
    assert daemon.returncode == 0
    assert SECRET not in log.read_text(encoding="utf-8")


def assert_report(asked: Asked, source: Path, folder: Path) -> None:
    """What is served is what `report` writes of the revision."""
    told: list[bytes] = []

    def is_told() -> bool:
        answered = asked("/report")
        told.extend([answered.data] if answered is not None and answered.status == 200 else [])
        return bool(told)

    until(is_told, "the page is made")
    assert run(["report", "--repo", str(source), "--out", str(folder / "report.html")]) == 0
    assert told[0] == (folder / "report.html").read_bytes()
