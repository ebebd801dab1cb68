"""A disposable cache in one SQLite file: texts by object id, each with its checksum.

It never decides anything: a row that is damaged is not there, a file that is damaged is removed,
and another version of the program starts a new one. Deleting it costs time only.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from zlib import crc32

_TABLES = ("links", "pools", "settled", "ranges")
_SELECT = {table: f"SELECT key, text, sum FROM {table}" for table in _TABLES}  # noqa: S608 - ours
_INSERT = {table: f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)" for table in _TABLES}  # noqa: S608 - ours
_DELETE = {table: f"DELETE FROM {table}" for table in _TABLES}  # noqa: S608 - ours
# Rows that no revision uses any more are dropped when there are so many times more than in use.
_SLACK = 6
_LEAST = 20_000


class SqliteFacts:
    """Facts of one repository."""

    def __init__(self, folder: Path, repository: str, program: str) -> None:
        """Open the cache of a repository; `program` names the code that made the facts."""
        name = sha256(f"{repository}\n{program}".encode()).hexdigest()[:32]
        self._path = folder / "facts" / f"{name}.sqlite"
        self._database = self._open()

    def recall(self, table: str, keys: Sequence[str]) -> dict[str, str]:
        """Those of the texts that are known."""
        if self._database is None:
            return {}
        wanted = frozenset(keys)
        try:
            rows = self._database.execute(_SELECT[table]).fetchall()
        except sqlite3.Error:
            self._discard()
            return {}
        found = {
            key: text
            for key, text, sum_ in rows
            if key in wanted and isinstance(text, str) and sum_ == _sum(key, text)
        }
        if len(rows) > max(_LEAST, _SLACK * len(wanted)):
            self._keep_only(table, found)
        return found

    def note(self, table: str, rows: Mapping[str, str]) -> None:
        """Keep texts for later."""
        if self._database is None or not rows:
            return
        values = [(key, text, _sum(key, text)) for key, text in rows.items()]
        try:
            with self._database:
                self._database.executemany(_INSERT[table], values)
        except sqlite3.Error:
            self._discard()

    def _keep_only(self, table: str, rows: Mapping[str, str]) -> None:
        """Drop what no revision uses any more."""
        if self._database is None:
            return
        try:
            with self._database:
                self._database.execute(_DELETE[table])
        except sqlite3.Error:
            self._discard()
        self.note(table, rows)

    def _open(self) -> sqlite3.Connection | None:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return _connect(self._path)
        except sqlite3.DatabaseError:
            pass
        except OSError:
            return None
        try:
            self._path.unlink(missing_ok=True)
            return _connect(self._path)
        except (sqlite3.Error, OSError):
            return None

    def _discard(self) -> None:
        """Go on without: damaged, locked or full."""
        if self._database is not None:
            self._database.close()
        self._database = None
        try:
            self._path.unlink(missing_ok=True)
        except OSError:
            return


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=1.0)
    database.execute("PRAGMA synchronous = OFF")
    for table in _TABLES:
        database.execute(
            f"CREATE TABLE IF NOT EXISTS {table}"
            " (key TEXT PRIMARY KEY, text TEXT, sum INTEGER) WITHOUT ROWID"
        )
    return database


def _sum(key: str, text: str) -> int:
    return crc32(f"{key}\n{text}".encode())


def program_id(*folders: Path) -> str:
    """The identity of the program: names, sizes and times of its code and schemas."""
    files = [
        path for folder in folders for path in (*folder.rglob("*.py"), *folder.rglob("*.json"))
    ]
    lines = []
    for path in sorted(files):
        about = path.stat()
        lines.append(f"{path} {about.st_size} {about.st_mtime_ns}")
    return sha256("\n".join(lines).encode()).hexdigest()
