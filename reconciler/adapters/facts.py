"""A disposable cache in plain files: texts by key, a file a table, each proven by its checksum.

It never decides anything: a file that is damaged, cut off or of another version of the program is
not there. Each is written beside its place and moved there, so that runs which read and write at
once, in threads or processes, see a whole one. Deleting it costs time only.
"""

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from reconciler.adapters import cache
from reconciler.ports import Facts

_SUM = 64
# What was not asked for is kept as long as it is no more than so many times what was.
_SLACK = 3
_LEAST = 8


class FileFacts:
    """Facts of one repository."""

    def __init__(self, folder: Path, repository: str, program: str) -> None:
        """Open the cache of a repository; `program` names the code that made the facts."""
        name = sha256(os.fsencode(f"{repository}\n{program}")).hexdigest()[:32]
        self._cache = folder
        self._folder = folder / "facts" / name
        self._asked: dict[str, dict[str, None]] = {}

    def known(self, table: str, keys: Sequence[str]) -> dict[str, str]:
        """Those of the texts that are known."""
        known = self._read(table)
        self._asked.setdefault(table, {}).update(dict.fromkeys(keys))
        return {key: str(known[key], "utf-8") for key in keys if key in known}

    def note(self, table: str, rows: Mapping[str, str]) -> None:
        """Keep texts for later."""
        if not rows:
            return
        known = self._read(table)
        mine = {**self._asked.get(table, {}), **dict.fromkeys(rows)}
        others = [key for key in known if key not in mine]
        if len(others) > max(_LEAST, _SLACK * len(mine)):
            known = {key: text for key, text in known.items() if key in mine}
        # The newest last: what was not asked for is dropped from the front one day.
        kept = {key: text for key, text in known.items() if key not in rows}
        self._write(table, {**kept, **{key: text.encode() for key, text in rows.items()}})

    def _read(self, table: str) -> dict[str, memoryview]:
        """The texts of a table, as views of one block: there are megabytes, and nothing is copied."""
        try:
            data = (self._folder / table).read_bytes()
        except OSError:
            return {}
        body = memoryview(data)[_SUM:]
        if sha256(body).hexdigest().encode() != data[:_SUM]:
            return {}
        at = data.index(b"\n", _SUM) + 1
        found: dict[str, memoryview] = {}
        for key, size in json.loads(data[_SUM:at]):
            found[key] = memoryview(data)[at : at + size]
            at += size
        return found

    def _write(self, table: str, rows: Mapping[str, bytes | memoryview]) -> None:
        from tempfile import NamedTemporaryFile  # 2 ms, and many runs note nothing

        index = json.dumps([[key, len(text)] for key, text in rows.items()]).encode()
        body = b"".join([index, b"\n", *rows.values()])
        try:
            for folder in (self._cache, self._cache / "facts", self._folder):
                cache.make(folder)
            with NamedTemporaryFile(dir=self._folder, delete=False) as file:
                file.write(sha256(body).hexdigest().encode() + body)
            Path(file.name).replace(self._folder / table)
        except OSError:  # full, read-only, gone: the next run takes longer
            return


class FreshFacts:
    """Facts of this run, which writes none: what it read itself, and what others say if it may ask."""

    def __init__(self, others: Facts | None = None) -> None:
        """Know nothing but what is noted, and what `others` know, which are read and never written."""
        self._others = others
        self._tables: dict[str, dict[str, str]] = {}

    def known(self, table: str, keys: Sequence[str]) -> dict[str, str]:
        """Those of the texts that were noted, or that others know."""
        mine = self._tables.get(table, {})
        more = [key for key in keys if key not in mine]
        theirs = self._others.known(table, more) if self._others is not None and more else {}
        return theirs | {key: mine[key] for key in keys if key in mine}

    def note(self, table: str, rows: Mapping[str, str]) -> None:
        """Keep texts until this run ends."""
        self._tables.setdefault(table, {}).update(rows)
