"""`--listen` and its kin: what they take, and that a server comes of it."""

import json
import urllib.request
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from reconciler.cli.listening import Listening, listening_options, parse_address
from reconciler.daemon.metrics import HealthAnswer
from reconciler.model.errors import UsageError
from tests.cli.running import ipam
from tests.kube.certificates import make


@click.command()
@listening_options
def verb(listening: Listening) -> None:
    click.echo(
        json.dumps([listening.address, listening.certificate is not None, str(listening.secret)])
    )


def said(*words: str) -> object:
    done = CliRunner().invoke(verb, list(words))
    if done.exception is not None:
        raise done.exception
    return json.loads(done.output)


def test_without_them_nobody_is_listened_to() -> None:
    assert said() == [None, False, "None"]
    assert (
        Listening(None, None, None).serve(bytes, HealthAnswer, HealthAnswer, lambda: None) is None
    )


def test_they_are_gathered() -> None:
    words = ["--tls-cert", "a.pem", "--tls-key", "b.pem", "--hook-secret-file", "s"]
    assert said("--listen", "[::1]:80", *words) == [["::1", 80], True, "s"]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:8080", ("127.0.0.1", 8080)),
        ("0.0.0.0:0", ("0.0.0.0", 0)),
        (":8080", ("", 8080)),
        ("[::]:65535", ("::", 65_535)),
        ("localhost:1", ("localhost", 1)),
    ],
)
def test_an_address_is_host_and_port(text: str, address: tuple[str, int]) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize(
    "text", ["", "8080", "a:", "a:x", "a:65536", "a:-1", "a:٣", "::1:80", "[a]:80", "a:000000080"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--listen"):
        parse_address(text)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--listen", ":1", "--tls-cert", "a"], "belong together"),
        (["--listen", ":1", "--tls-key", "a"], "belong together"),
        (["--tls-cert", "a", "--tls-key", "b"], "need --listen"),
        (["--hook-secret-file", "a"], "need --listen"),
    ],
)
def test_half_of_what_belongs_together_is_refused(words: list[str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        said(*words)


def test_who_does_not_run_on_serves_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    ran = ipam(capsys, "reconcile", "--listen", "127.0.0.1:0")
    assert (ran.code, "--listen needs --watch" in ran.err) == (64, True)


def test_a_server_comes_of_them(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("0123456789abcdef")
    rung: list[int] = []
    listening = Listening(("127.0.0.1", 0), None, secret)
    server = listening.serve(
        lambda: b"frogs 1\n", HealthAnswer, HealthAnswer, lambda: rung.append(1)
    )
    assert server is not None
    try:
        url = f"http://127.0.0.1:{server.port}"
        with urllib.request.urlopen(f"{url}/metrics", timeout=30) as answered:
            assert answered.read() == b"frogs 1\n"
        headers = {"X-Gitlab-Token": "0123456789abcdef"}
        request = urllib.request.Request(f"{url}/hook", b"{}", headers)
        with urllib.request.urlopen(request, timeout=30) as answered:
            assert answered.status == 202
        assert rung == [1]
    finally:
        server.close()


def test_what_cannot_be_read_is_told_before_anybody_is_served(tmp_path: Path) -> None:
    listening = Listening(("127.0.0.1", 0), None, tmp_path / "gone")
    with pytest.raises(UsageError, match="--hook-secret-file"):
        listening.serve(bytes, HealthAnswer, HealthAnswer, lambda: None)


def test_the_certificate_is_that_of_the_files(tmp_path: Path) -> None:
    made = make(tmp_path, "one")
    found = Listening((":", 0), (made.certificate, made.key), None).open_certificate()
    assert found is not None
    assert found.expires() is not None
    assert Listening(None, None, None).open_certificate() is None
