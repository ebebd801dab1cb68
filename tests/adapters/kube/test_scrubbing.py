"""Our own secrets are taken out of what a server says, however it says them."""

import json
from base64 import b64encode, urlsafe_b64encode

from hypothesis import given
from hypothesis import strategies as st

from reconciler.adapters.kube.scrubbing import SHORTEST, Scrubber, scrubbed

LETTERS = st.characters(min_codepoint=0x21, max_codepoint=0x7E)
secrets = st.text(LETTERS, min_size=SHORTEST, max_size=40)
around = st.text(st.characters(codec="utf-8"), max_size=8)


def read(body: bytes) -> str:
    """What is read; a secret in the middle of an escape leaves nothing that could be."""
    try:
        text: str = json.loads(body)["a"]
    except ValueError:
        return ""
    return text


@given(secrets, around, around)
def test_a_secret_is_not_found_in_what_is_read(secret: str, before: str, after: str) -> None:
    for is_ascii in (False, True):
        said = {"a": f"{before}{secret}{after}"}
        body = json.dumps(said, ensure_ascii=is_ascii).encode()
        assert secret not in read(scrubbed(body, f"Bearer {secret}"))


@given(secrets, around, st.data())
def test_escapes_hide_no_secret(secret: str, before: str, drawn: st.DataObject) -> None:
    escaped = "".join(
        f"\\u{ord(char):04x}" if drawn.draw(st.booleans()) else json.dumps(char)[1:-1]
        for char in secret
    )
    body = f'{{"a": {json.dumps(before)[:-1]}{escaped}"}}'.encode()
    assert secret not in read(scrubbed(body, f"Bearer {secret}"))


@given(secrets, st.binary(max_size=5), st.binary(max_size=5))
def test_base64_hides_no_secret(secret: str, before: bytes, after: bytes) -> None:
    for encode in (b64encode, urlsafe_b64encode):
        body = encode(before + secret.encode() + after)
        assert b"***" in scrubbed(body, f"Bearer {secret}")


def test_of_a_password_all_forms_are_taken_out() -> None:
    value = b64encode(b"person:pass-word-1").decode()
    body = json.dumps({"a": value, "b": "pass-word-1", "c": "person:pass-word-1"}).encode()
    assert json.loads(scrubbed(body, f"Basic {value}")) == {"a": "***", "b": "***", "c": "***"}
    assert scrubbed(b"pass-word-1", "Basic no-base64!") == b"pass-word-1"


def test_what_holds_no_secret_stays_byte_for_byte() -> None:
    body = b'{"a": "\\u003c\\u0026", "b": "token"}'
    assert scrubbed(body, "Bearer token-of-mine") == body
    assert scrubbed(body, "Bearer token") == body  # less than eight letters is no secret
    assert scrubbed(body, "") == body


def test_a_secret_that_was_renewed_is_still_one() -> None:
    scrubber = Scrubber()
    scrubber.clean(b"", "Bearer first-of-all")
    assert scrubber.clean(b"first-of-all second-one", "Bearer second-one") == b"*** ***"
    assert "first" not in repr(scrubber)


def test_what_is_no_json_is_looked_through_as_it_is() -> None:
    body = b"<html>\\/ token-of-mine"
    assert scrubbed(body, "Bearer token-of-mine") == b"<html>\\/ ***"
    deep = b"[" * 100_000 + b'"\\u0074"'
    assert scrubbed(deep, "Bearer token-of-mine") == deep
