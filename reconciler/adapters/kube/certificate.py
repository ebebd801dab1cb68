"""When a certificate expires, as its owner can tell before anybody is shown it."""

import warnings
from threading import Lock

# Which warnings are shown is a setting of the whole process.
_QUIET = Lock()


def expiry(pem: bytes) -> int | None:
    """When the first certificate of a file expires, in seconds since 1970; None if it is unclear.

    The standard library tells it only of certificates of authorities, or after a handshake.
    """
    # It takes a while to load, and who shows a token does without.
    from cryptography.x509 import InvalidVersion, load_pem_x509_certificate

    try:
        # What is odd in it otherwise, a serial number of 0, is between its issuer and the server.
        with _QUIET, warnings.catch_warnings(action="ignore"):
            return int(load_pem_x509_certificate(pem).not_valid_after_utc.timestamp())
    except (ValueError, InvalidVersion):
        return None
