"""The image has a pinned base, does not run as root, and ssh works for any user."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.caches import ROOT
from tests.image.containerfile import image, of

NAMED = ROOT / "deploy" / "named.sh"


def test_the_base_is_named_by_digest_and_the_user_by_number() -> None:
    (base,) = of("FROM")
    assert re.fullmatch(r"python:3\.\d+-slim@sha256:[0-9a-f]{64}", base)
    assert of("USER") == ["65532:65532"]
    assert of("ENTRYPOINT") == ['["ipam"]']
    verbs = [step.verb for step in image()]
    assert verbs.index("USER") > max(at for at, verb in enumerate(verbs) if verb == "RUN")


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Install `named.sh` as ssh, next to programs that print their arguments."""
    folder = tmp_path / "bin"
    folder.mkdir()
    shell = NAMED.read_text(encoding="utf-8").replace("/usr/bin/$", f"{tmp_path}/real-$")
    assert shell.count(f"{tmp_path}/real-$") == 1
    shell = shell.replace("folder=/tmp/", f"folder={tmp_path}/")
    (folder / "ssh").write_text(shell, encoding="utf-8")
    told = '#!/bin/sh\necho "$@" "${LD_PRELOAD-none}"; cat "${NSS_WRAPPER_PASSWD-/dev/null}"\n'
    (tmp_path / "real-ssh").write_text(told, encoding="utf-8")
    (folder / "getent").write_text('#!/bin/sh\n[ "$3$2" != "$UNKNOWN" ]\n', encoding="utf-8")
    (folder / "mkdir").symlink_to(shutil.which("mkdir") or "")
    for path in (*folder.iterdir(), tmp_path / "real-ssh"):
        path.chmod(0o755)
    return folder


def ssh(programs: Path, unknown: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "UNKNOWN": unknown}
    command = [str(programs / "ssh"), "-p", "22", "a b"]
    # Ignore messages of the loader about a library that is missing here.
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_a_user_that_has_a_name_gets_ssh_as_it_is(programs: Path) -> None:
    assert ssh(programs, "").stdout == "-p 22 a b none\n"


def test_a_user_without_a_name_gets_one(programs: Path) -> None:
    uid, gid = os.getuid(), os.getgid()
    named = f"ipam:x:{uid}:{gid}::/tmp:/usr/sbin/nologin\n"
    for _ in range(2):
        assert ssh(programs, str(uid)).stdout == f"-p 22 a b libnss_wrapper.so\n{named}"
    folder = programs.parent / f".ipam-{uid}"
    assert [path.name for path in folder.iterdir()] == ["passwd"]
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_name_that_somebody_else_may_write_is_not_believed(programs: Path) -> None:
    uid = os.getuid()
    (programs.parent / "theirs").mkdir()
    (programs.parent / f".ipam-{uid}").symlink_to("theirs")
    done = ssh(programs, str(uid))
    assert (done.returncode, done.stdout) == (255, "")
    assert f".ipam-{uid} is no folder of user {uid}, so ssh has no name" in done.stderr
