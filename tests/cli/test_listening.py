"""`--listen` and the options that go with it."""

import pytest

from reconciler.cli.daemon import parse_address
from reconciler.model.errors import UsageError
from tests.cli.running import ipam


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:8080", ("127.0.0.1", 8080)),
        (":8080", ("", 8080)),
        ("[::]:65535", ("::", 65_535)),
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
        (["--listen", ":1", "--tls-cert", "a"], "need each other"),
        (["--tls-cert", "a", "--tls-key", "b"], "need --listen"),
        (["--hook-secret-file", "a"], "need --listen"),
        (["--listen", "127.0.0.1:0"], "--listen needs --watch"),
        (["--resync", "5m"], "--resync needs --watch"),
        (["--leader-elect"], "--leader-elect needs --watch"),
        (["--log-format", "json"], "--log-format needs --watch"),
    ],
)
def test_half_of_what_belongs_together_is_refused(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = ipam(capsys, "reconcile", *words)
    assert (ran.code, told in ran.err) == (64, True)
