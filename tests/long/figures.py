"""What a process holds, sample by sample, and whether that grows."""

import os
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import NamedTuple


class Held(NamedTuple):
    """What a process holds at an instant.

    Attributes:
        minute: Since the run began.
        rss: KiB.
        files: Below its folder for temporary files.
        cache: KiB below its cache, which holds the mirror of the remote.
    """

    minute: float
    rss: float
    threads: float
    descriptors: float
    files: float
    cache: float


_PORTION = 10
TITLES = ("minute", "RSS MiB", "threads", "descriptors", "temp files", "cache MiB")


def held(process: int, minute: float, temporary: Path, cache: Path) -> Held:
    """Look at a process, by what Linux tells of it."""
    here = Path("/proc") / str(process)
    lines = (here / "status").read_text(encoding="ascii").splitlines()
    told = dict(line.split(":", 1) for line in lines)
    opened = sum(1 for _ in (here / "fd").iterdir())
    files = sum(len(names) + len(folders) for _, folders, names in os.walk(temporary))
    kib = sum(_size(Path(at, name)) for at, _, names in os.walk(cache) for name in names)
    rss, threads = (float(told[name].split()[0]) for name in ("VmRSS", "Threads"))
    return Held(minute, rss, threads, opened, files, kib / 1024)


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return 0  # git removed it meanwhile


def slope(points: Sequence[tuple[float, float]]) -> float:
    """How much the second figure grows with each of the first: the median of all pairs (Theil, Sen).

    A look at a bad moment changes nothing, as it does to a line of least squares.
    """
    pairs = combinations(points, 2)
    slopes = [
        (one[1] - other[1]) / (one[0] - other[0]) for other, one in pairs if one[0] != other[0]
    ]
    return median(slopes) if slopes else 0.0


def second_half(samples: Sequence[Held]) -> Sequence[Held]:
    """The samples of the second half of the time."""
    middle = (samples[0].minute + samples[-1].minute) / 2
    return [sample for sample in samples if sample.minute >= middle]


def floors(samples: Sequence[Held]) -> list[Held]:
    """The least of each figure in portions of ten samples: what a round opens for a moment is none."""
    portions = [samples[at : at + _PORTION] for at in range(0, len(samples), _PORTION)]
    return [Held(*(min(values) for values in zip(*portion, strict=True))) for portion in portions]


def grown(samples: Sequence[Held]) -> dict[str, float]:
    """By how much each figure grows in an hour, judged by the floors of the second half."""
    late = floors(second_half(samples))
    return {
        name: 60 * slope([(sample.minute, getattr(sample, name)) for sample in late])
        for name in Held._fields[1:]
    }


def leaks(samples: Sequence[Held]) -> list[str]:
    """What is not flat: it would be a tenth more after some hours.

    Memory may move by a MiB and a fiftieth of itself in an hour, as allocators have it; threads,
    descriptors and files by one.
    """
    late, growing = second_half(samples), grown(samples)
    rss = sum(sample.rss for sample in late) / len(late)
    most = {"rss": 1024 + rss / 50, "threads": 1.0, "descriptors": 1.0, "files": 1.0}
    return [f"{name}: {growing[name]:+.2f} an hour" for name in most if growing[name] > most[name]]


def table(samples: Sequence[Held], rows: int = 13) -> str:
    """Some of the samples as Markdown, with a bar for the memory; the slopes last."""
    step = max(1, (len(samples) - 1) // max(rows - 1, 1))
    top = max(sample.rss for sample in samples)
    lines = [f"| {' | '.join(TITLES)} |  |", f"| {'---: | ' * len(TITLES)}--- |"]
    for sample in samples[::step]:
        bar = "▇" * round(20 * sample.rss / top)
        lines.append(f"| {' | '.join(_cells(sample))} | {bar} |")
    hourly = Held(0, *grown(samples).values())
    lines.append(f"| slope/h | {' | '.join(_cells(hourly, sign='+')[1:])} | second half |")
    return "\n".join(lines) + "\n"


def _cells(sample: Held, sign: str = "") -> list[str]:
    scaled = sample._replace(rss=sample.rss / 1024, cache=sample.cache / 1024)
    return [f"{value:{sign}.1f}" for value in scaled]
