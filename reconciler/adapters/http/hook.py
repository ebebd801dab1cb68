"""Who may ring: a forge proves that it knows the secret, by a signature or by saying it.

What it tells is not read. All that is believed is that something moved, which anybody could find
out by asking the remote; so a call that is sent again does no harm.
"""

import hmac
from collections.abc import Mapping
from hashlib import sha256

# GitHub (Bitbucket, Gitea, Forgejo); Gitea's and Forgejo's own; and for scripts.
_PREFIXED = ("x-hub-signature-256", "x-hub-signature")
_PLAIN = ("x-gitea-signature", "x-forgejo-signature", "x-signature-256")
_TOLD = "x-gitlab-token"
_PREFIX = "sha256="


def is_signed(secret: bytes, headers: Mapping[str, str], body: bytes) -> bool:
    """Whether a call was made by somebody who knows the secret.

    Each header that may prove it is looked at, in a time that does not depend on the secret.

    Args:
        secret: With an empty one nothing is proven.
        headers: By their names in lower case.
        body: The bytes that were signed.
    """
    signature = hmac.new(secret, body, sha256).hexdigest()
    proofs = [_same(headers[name], _PREFIX + signature) for name in _PREFIXED if name in headers]
    proofs += [_same(headers[name], signature) for name in _PLAIN if name in headers]
    if _TOLD in headers:
        proofs.append(_same(headers[_TOLD], secret.decode("latin-1")))
    return bool(secret) and any(proofs)


def _same(told: str, known: str) -> bool:
    """Equal texts. Their hashes are compared, so that no length shows either."""
    first, second = (sha256(text.encode("latin-1", "replace")).digest() for text in (told, known))
    return hmac.compare_digest(first, second)
