"""When a certificate expires: as much of X.509 as that takes (RFC 5280 §4.1)."""

import ssl
from datetime import UTC, datetime

_END = "-----END CERTIFICATE-----"
_BEGIN = "-----BEGIN CERTIFICATE-----"
_UTC_TIME = 0x17
_VERSION = 0xA0


def expiry(pem: bytes) -> int | None:
    """When the first certificate of a file expires, in seconds since 1970; None if it is unclear.

    The standard library tells it only of certificates of authorities, or after a handshake.
    """
    text = pem.decode("ascii", "replace")
    start, end = text.find(_BEGIN), text.find(_END)
    if start < 0 or end < start:
        return None
    try:
        return _not_after(ssl.PEM_cert_to_DER_cert(text[start : end + len(_END)]))
    except (ValueError, IndexError):
        return None


def _not_after(der: bytes) -> int:
    _, certificate, _ = _item(der)
    _, signed, _ = _item(certificate)
    tag, _, rest = _item(signed)
    # The version is there in all but the oldest; then serial number, algorithm, issuer, validity.
    for _skipped in range(3 if tag == _VERSION else 2):
        _, _, rest = _item(rest)
    _, validity, _ = _item(rest)
    _, _, after = _item(validity)
    tag, value, _ = _item(after)
    form = "%y%m%d%H%M%SZ" if tag == _UTC_TIME else "%Y%m%d%H%M%SZ"
    return int(datetime.strptime(value.decode("ascii"), form).replace(tzinfo=UTC).timestamp())


def _item(der: bytes) -> tuple[int, bytes, bytes]:
    """Tag and content of the first element, and what follows it."""
    length, start = der[1], 2
    if length & 0x80:
        start += length & 0x7F
        length = int.from_bytes(der[2:start], "big")
    return der[0], der[start : start + length], der[start + length :]
