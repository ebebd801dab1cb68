"""Long columns in few characters: numbers of seven bits a byte, names by what they share.

No compressor is asked: two versions of one make other bytes of the same text.
"""

from base64 import b64encode
from collections.abc import Iterable
from itertools import groupby

_MOST_SHARED = 255
_TWO = 2


def packed_numbers(numbers: Iterable[int]) -> str:
    """Numbers one after the other in base64: any size, any sign, and few bytes for what repeats.

    Each is its zigzag, and below that a bit: after one that is set stands how often it is there
    once more, beyond two. All is LEB128.
    """
    found = bytearray()
    for number, alike in groupby(numbers):
        count = sum(1 for _ in alike)
        zigzag = number << 1 if number >= 0 else ((-number) << 1) - 1
        _append(found, zigzag << 1 | (count > 1))
        if count > 1:
            _append(found, count - _TWO)
    return b64encode(found).decode("ascii")


def packed_steps(numbers: Iterable[int]) -> str:
    """Numbers as `packed_numbers` has them, each by its difference to the one before."""
    return packed_numbers(_steps(numbers))


def packed_names(names: Iterable[str]) -> str:
    """Names in base64: how many bytes each shares with the one before, how many follow, those.

    Few bytes where they are sorted.
    """
    found, before = bytearray(), b""
    for name in names:
        data = name.encode()
        shared = _shared(before, data)
        found.append(shared)
        _append(found, len(data) - shared)
        found += data[shared:]
        before = data
    return b64encode(found).decode("ascii")


def _append(found: bytearray, number: int) -> None:
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)


def _steps(numbers: Iterable[int]) -> Iterable[int]:
    before = 0
    for number in numbers:
        yield number - before
        before = number


def _shared(left: bytes, right: bytes) -> int:
    """Bytes at the begin that both have."""
    most = min(len(left), len(right), _MOST_SHARED)
    if left[:most] == right[:most]:
        return most
    return next(at for at in range(most) if left[at] != right[at])
