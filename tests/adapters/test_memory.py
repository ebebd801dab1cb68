"""What a process that runs on gives back to the machine."""

import ctypes
import gc
import os
import subprocess
import sys
import weakref
from collections.abc import Iterator

import pytest

from reconciler.adapters import memory
from tests.caches import PYTHON

FREED = """
import threading
from reconciler.adapters.memory import give_back, keep_little
assert keep_little()
def work():
    parts = [bytes(900) for _ in range(60_000)]
    kept.append(parts[::600])
kept = []
for _ in range(4):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])
before = resident()
assert give_back()
print(before - resident())
"""


@pytest.fixture(autouse=True)
def everything_is_looked_at_again() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="no GNU C library")
def test_what_threads_let_go_of_goes_back_to_the_machine() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FREED],
        env={"PATH": os.environ["PATH"], **PYTHON},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) > 0


def test_with_another_c_library_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: object())
    assert (memory.keep_little(), memory.give_back()) == (False, False)

    def lacking(name: object) -> None:
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", lacking)
    assert (memory.keep_little(), memory.give_back()) == (False, False)


class Ring:
    """Something that is in a cycle: no count of references ends it."""

    def __init__(self) -> None:
        self.itself = self


class Counted(Ring):
    """A ring; how many there are is counted."""

    there = 0

    def __init__(self) -> None:
        super().__init__()
        Counted.there += 1

    def __del__(self) -> None:
        Counted.there -= 1


def test_what_a_long_round_leaves_in_cycles_is_dropped_before_there_is_much_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: object())  # the tests' own memory stays
    gc.set_threshold(100_000, 50, 100)  # as for a run that ends
    memory.keep_little()
    most = 0
    for _ in range(5 * memory.MANY):
        Counted()
        most = max(most, Counted.there)
    assert most < 1.1 * memory.MANY


def test_what_is_in_cycles_is_dropped_but_what_was_kept_is_left_until_all_is_swept() -> None:
    gc.disable()
    try:
        kept, lasting = Ring(), Ring()
        memory.give_back()
        later, known = Ring(), weakref.ref(kept)
        del kept
        memory.drop_waste()  # it is old by now, and ends none the later for that
        waste = weakref.ref(later)
        del later
        memory.drop_waste()
        assert (waste() is None, known() is None) == (True, False)
        memory.give_back()
        assert known() is None
        assert lasting.itself is lasting
    finally:
        gc.enable()
