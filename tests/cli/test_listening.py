"""`--listen` and its kin: what they take, and that a server comes of it."""

import json

import click
import pytest
from click.testing import CliRunner

from reconciler.cli.daemon_options import DaemonOptions, daemon, parse_address
from reconciler.model.errors import UsageError
from tests.cli.running import ipam


@click.command()
@daemon
def verb(daemon: DaemonOptions) -> None:
    click.echo(json.dumps([daemon.address, daemon.certificate is not None, str(daemon.secret)]))


def said(*words: str) -> object:
    done = CliRunner().invoke(verb, ["--watch", *words])
    if done.exception is not None:
        raise done.exception
    return json.loads(done.output)


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
