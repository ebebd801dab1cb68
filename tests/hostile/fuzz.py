"""Look for bytes that a reader neither reads nor refuses: `python -m tests.hostile.fuzz READER`.

With atheris (`pip install atheris`) what the code does with an input leads to the next one; without
it inputs are made blindly. What fails is told and kept, one input a place, and the search goes on;
a hang or too much memory ends it.
"""

import argparse
import ctypes
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from random import Random
from tempfile import mkdtemp

SEEDS = Path(__file__).parent / "seeds"
READERS = ("documents", "records", "kubeconfigs", "inventories", "addresses", "revisions")
_LONGEST = 16 * 1024
_MOST_MEMORY = 2048  # MiB
_HANGS = 60  # seconds for one input
_WHOLE = 0.3  # of all changes: anywhere in the bytes
_SPECIAL = (
    *(b"", b"0", b"-1", b"null", b"true", b"''", b"[]", b"{}", b"%", b".nan", b"1e999999999"),
    *(b"9" * 40, b'"\\ud83d"', b'"\\u2028"', b'"\\n  x: 1"', b" #", b": ", b"..", b" - "),
    *("\x0b\x85\u2028\u202e\ufeff\x00\r\t"[at].encode() for at in range(8)),
)

Mutate = Callable[[bytes, int], bytes]


class Watched:
    """A reader, and the places where it failed so far."""

    def __init__(self, read: Callable[[bytes], None], folder: Path) -> None:
        self.runs = 0
        self._read = read
        self._folder = folder
        self._known: set[str] = set()

    def __call__(self, data: bytes) -> None:
        self.runs += 1
        try:
            self._read(data)
        except Exception as failure:  # noqa: BLE001 - any failure is what is looked for
            frames = traceback.extract_tb(failure.__traceback__)
            place = f"{type(failure).__name__} {[(it.filename, it.lineno) for it in frames]}"
            if place not in self._known:
                self._known.add(place)
                path = self._folder / f"failed-{sha256(data).hexdigest()[:12]}"
                path.write_bytes(data)
                sys.stderr.write(f"\n{path}\n{traceback.format_exc()}\n")


class Mutator:
    """Changes texts line by line, with lines and words of all seeds, and bytes within lines."""

    def __init__(self, seeds: Sequence[bytes], within_line: Mutate) -> None:
        self._lines = [line for seed in seeds for line in seed.split(b"\n")] or [b""]
        self._words = [*_SPECIAL, *(word for line in self._lines for word in line.split())]
        self._within_line = within_line

    def __call__(self, data: bytes, most: int, seed: int) -> bytes:
        chance = Random(seed)
        if chance.random() < _WHOLE:
            return self._within_line(data, most)
        edits = (self._cut, self._added, self._swapped, self._said, self._worded, self._indented)
        lines = data.split(b"\n")
        for _ in range(chance.randint(1, 4)):
            chance.choice((*edits, self._spliced, self._bent))(lines, chance)
        return b"\n".join(lines)[:most]

    def _cut(self, lines: list[bytes], chance: Random) -> None:
        if len(lines) > 1:
            del lines[chance.randrange(len(lines))]

    def _added(self, lines: list[bytes], chance: Random) -> None:
        lines.insert(chance.randrange(len(lines)), chance.choice(self._lines))

    def _swapped(self, lines: list[bytes], chance: Random) -> None:
        at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]

    def _said(self, lines: list[bytes], chance: Random) -> None:
        at = chance.randrange(len(lines))
        head, colon, _ = lines[at].partition(b": ")
        lines[at] = head + (colon or b" ") + chance.choice(self._words)

    def _worded(self, lines: list[bytes], chance: Random) -> None:
        at = chance.randrange(len(lines))
        words = lines[at].split(b" ")
        words[chance.randrange(len(words))] = chance.choice(self._words)
        lines[at] = b" ".join(words)

    def _indented(self, lines: list[bytes], chance: Random) -> None:
        at = chance.randrange(len(lines))
        lines[at] = chance.choice((b"  ", b"- ", b"    ")) + lines[at].lstrip()

    def _spliced(self, lines: list[bytes], chance: Random) -> None:
        at = chance.randrange(len(lines))
        within = chance.randint(0, len(lines[at]))
        lines[at] = lines[at][:within] + chance.choice(_SPECIAL) + lines[at][within:]

    def _bent(self, lines: list[bytes], chance: Random) -> None:
        at = chance.randrange(len(lines))
        lines[at] = self._within_line(lines[at], len(lines[at]) + 16)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reader", choices=READERS)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--folder", type=Path, help="for inputs found; default: a new one")
    chosen = parser.parse_args(arguments)
    folder: Path = chosen.folder or Path(mkdtemp(prefix=f"ipam-fuzz-{chosen.reader}-"))
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    seeds = [path.read_bytes() for path in sorted((SEEDS / chosen.reader).iterdir())]
    sys.stderr.write(f"what is found: {folder}\n")
    run = _guided if find_spec("atheris") else _blind
    run(chosen.reader, seeds, folder, chosen.minutes * 60)


def _guided(reader: str, seeds: Sequence[bytes], folder: Path, seconds: float) -> None:
    import atheris

    with atheris.instrument_imports(include=["reconciler", "yaml"]):
        from tests.hostile.readers import READERS as KNOWN
    for seed in seeds:
        (folder / "corpus" / sha256(seed).hexdigest()).write_bytes(seed)
    options = {
        "max_total_time": int(seconds),
        "max_len": _LONGEST,
        "rss_limit_mb": _MOST_MEMORY,
        "timeout": _HANGS,
        "report_slow_units": 2,
        "artifact_prefix": f"{folder}/",
        "print_final_stats": 1,
    }
    told = [f"-{name}={value}" for name, value in options.items()]
    mutated = Mutator(seeds, _native())
    watched = Watched(KNOWN[reader], folder)
    atheris.Setup([reader, *told, str(folder / "corpus")], watched, custom_mutator=mutated)
    atheris.Fuzz()


def _native() -> Mutate:
    """What libFuzzer itself does to bytes. `atheris.Mutate` of 3.0 ends the process instead."""

    @cache
    def library() -> ctypes.CDLL:  # loaded too early, it does not see that there is a mutator
        found = find_spec("atheris.core_with_libfuzzer")
        assert found is not None
        return ctypes.CDLL(found.origin)

    def mutate(data: bytes, most: int) -> bytes:
        room = ctypes.create_string_buffer(data, max(len(data), most, 1))
        sizes = ctypes.c_size_t(len(data)), ctypes.c_size_t(max(len(data), most, 1))
        return room.raw[: library().LLVMFuzzerMutate(room, *sizes)]

    return mutate


def _blind(reader: str, seeds: Sequence[bytes], folder: Path, seconds: float) -> None:
    from tests.hostile.readers import READERS as KNOWN

    chance = Random(1)

    def within_line(data: bytes, most: int) -> bytes:
        at = chance.randint(0, len(data))
        return (data[:at] + chance.randbytes(chance.randint(0, 3)) + data[at + 1 :])[:most]

    mutated = Mutator(seeds, within_line)
    watched = Watched(KNOWN[reader], folder)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        data = chance.choice(seeds)
        for _ in range(chance.randint(0, 5)):
            data = mutated(data, _LONGEST, chance.getrandbits(32))
        watched(data)
    sys.stderr.write(f"{watched.runs} inputs\n")


if __name__ == "__main__":
    main()
