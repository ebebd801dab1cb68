"""Certificate and secret are read again when their files change, and what is wrong is told."""

import os
import shutil
from pathlib import Path

import pytest

from reconciler.daemon.http import Certificate, read_secret
from reconciler.model.errors import UsageError
from tests.kube.certificates import make


def shown(folder: Path, name: str = "shown") -> Certificate:
    """The server's certificate: files that others are copied over."""
    return Certificate(folder / f"{name}.pem", folder / f"{name}.key")


def put(folder: Path, name: str, at: int, days: int = 10) -> None:
    """Make a pair the one that is shown, at a time of its own."""
    made = make(folder, name, days)
    for source, target in ((made.certificate, "shown.pem"), (made.key, "shown.key")):
        shutil.copyfile(source, folder / target)
        os.utime(folder / target, (at, at))


def test_a_pair_that_changes_is_read_again(tmp_path: Path) -> None:
    put(tmp_path, "one", 1, days=10)
    certificate = shown(tmp_path)
    expires = certificate.expires()
    put(tmp_path, "two", 2, days=20)
    later = certificate.expires()
    assert expires is not None
    assert later is not None
    assert later - expires == pytest.approx(10 * 86_400, abs=60)


def test_a_half_written_pair_leaves_the_one_before_and_says_so_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    put(tmp_path, "one", 1)
    certificate = shown(tmp_path)
    first = certificate.context()
    (tmp_path / "shown.key").write_text("half")
    assert certificate.context() is first
    assert certificate.context() is first
    assert "shown.key" in certificate.problem
    assert [item.levelname for item in caplog.records] == ["WARNING"]
    put(tmp_path, "two", 3)
    assert certificate.context() is not first
    assert certificate.problem == ""


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        shown(tmp_path).context()


def test_a_secret_is_read_at_each_call_without_its_line_break(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("0123456789abcdef\n")
    assert read_secret(path) == b"0123456789abcdef"
    path.write_text("another-0123456789")
    assert read_secret(path) == b"another-0123456789"


@pytest.mark.parametrize("text", ["", "\n", "short", "x" * 5_000])
def test_what_is_no_secret_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text(text)
    with pytest.raises(UsageError, match="characters, must have 16 to 4096") as failed:
        read_secret(path)
    assert "openssl rand" in failed.value.hint


def test_a_secret_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--hook-secret-file .*No such file"):
        read_secret(tmp_path / "secret")
