"""Changed certificate and secret files are read again, and errors are reported."""

from pathlib import Path

import pytest

from reconciler.daemon.http import Certificate, read_secret
from reconciler.model.errors import UsageError
from tests.daemon.http.test_server import certified


def test_a_half_written_pair_leaves_the_one_before_and_says_so_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    certified(tmp_path, "one", 1)
    certificate = Certificate(tmp_path / "tls.crt", tmp_path / "tls.key")
    first = certificate.context()
    (tmp_path / "tls.key").write_text("half")
    assert certificate.context() is first
    assert certificate.context() is first
    assert "tls.key" in certificate.problem
    assert [item.levelname for item in caplog.records] == ["WARNING"]
    certified(tmp_path, "two", 3)
    assert certificate.context() is not first
    assert certificate.problem == ""


def test_a_secret_is_read_at_each_call_without_its_line_break(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("0123456789abcdef\n")
    assert read_secret(path) == b"0123456789abcdef"
    path.write_text("another-0123456789")
    assert read_secret(path) == b"another-0123456789"
    path.unlink()
    with pytest.raises(UsageError, match=r"--hook-secret-file .*No such file"):
        read_secret(path)


@pytest.mark.parametrize("text", ["", "\n", "short", "x" * 5_000])
def test_what_is_no_secret_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text(text)
    with pytest.raises(UsageError, match="characters, must have 16 to 4096") as failed:
        read_secret(path)
    assert "openssl rand" in failed.value.hint
