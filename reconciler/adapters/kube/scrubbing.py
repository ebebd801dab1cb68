"""Our own secrets taken out of what a server says: it may repeat them, plainly or in base64.

They are found by their value, before anything is read of an answer: what comes behind this may be
shown to anybody.
"""

import binascii
import json
import re
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Iterator
from functools import lru_cache

from reconciler.adapters.kube.parsing import parsed

SHORTEST = 8
"""Characters; less is no secret, and would be found in any word."""

_GONE = b"***"
# Letters that secrets are made of, as escapes that a server has no cause to write.
_ESCAPED = re.compile(
    rb"\\(?:/|u00(?:2[b-f]|3[0-9d]|[46][1-9a-f]|5[0-9af]|7[0-9ae]))", re.IGNORECASE
)
_SIMPLE = re.compile(r"[A-Za-z0-9+/=_.~-]*")


class Scrubber:
    """Takes all secrets out that a server was ever asked with: it may repeat an older one."""

    def __init__(self) -> None:
        self._authorizations: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Nothing of it is fit to be shown."""
        return "Scrubber()"

    def clean(self, body: bytes, authorization: str) -> bytes:
        """An answer without them; `authorization` is what it was asked with."""
        if authorization not in self._authorizations:
            self._authorizations = (*self._authorizations, authorization)
        for each in self._authorizations:
            body = scrubbed(body, each)
        return body


def scrubbed(body: bytes, authorization: str) -> bytes:
    """An answer without the secret that it was asked with.

    Args:
        body: JSON, or anything else.
        authorization: The header's value.
    """
    forms, is_simple = _known(authorization)
    if not forms:
        return body
    if _ESCAPED.search(body) if is_simple else b"\\" in body:
        body = _plain(body)
    for form in forms:
        if form in body:
            body = body.replace(form, _GONE)
    return body


def _plain(body: bytes) -> bytes:
    """JSON without escapes that a text can do without; what nobody reads, as it is."""
    try:
        return json.dumps(parsed(body), ensure_ascii=False).encode()
    except ValueError:
        return body


@lru_cache(maxsize=1024)
def _known(authorization: str) -> tuple[tuple[bytes, ...], bool]:
    """All forms of the secrets of a header, the longest first; and whether JSON escapes none of them."""
    secrets = [text for text in _secrets(authorization) if len(text) >= SHORTEST]
    forms = {form for text in secrets for form in _forms(text.encode())}
    quoted = {json.dumps(text, ensure_ascii=False)[1:-1].encode() for text in secrets}
    is_simple = all(_SIMPLE.fullmatch(text) for text in secrets)
    return tuple(sorted(forms | quoted, key=lambda form: (-len(form), form))), is_simple


def _secrets(authorization: str) -> Iterator[str]:
    scheme, _, value = authorization.rpartition(" ")
    yield value
    if scheme.lower() == "basic":
        try:
            both = b64decode(value).decode()
        except (binascii.Error, ValueError):
            return
        yield both
        yield both.partition(":")[2]


def _forms(secret: bytes) -> Iterator[bytes]:
    """A secret, and what base64 makes of it wherever it begins in what was encoded."""
    yield secret
    for before in range(3):
        first, last = -(-before * 8 // 6), (before + len(secret)) * 8 // 6
        for encode in (b64encode, urlsafe_b64encode):
            yield encode(b"\0" * before + secret)[first:last]
