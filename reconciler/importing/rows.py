"""A file of bytes to rows: what each says, by meaning, and where it stands."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from reconciler.findings import Finding, Location, shown
from reconciler.importing.columns import HEADERS, Columns, columns_of
from reconciler.importing.found import conflict

MOST_BYTES = 32 * 1024 * 1024
MOST_ROWS = 100_000
_DELIMITERS = ",;\t|"
_BOMS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))


class Row(NamedTuple):
    """What a row says.

    Attributes:
        values: Texts by meaning; none that are empty.
        shape: `network`, `range` or `host`, where the source tells; else empty.
    """

    place: Location
    values: Mapping[str, str]
    shape: str = ""

    def get(self, meaning: str) -> str:
        """What it says of something; empty for nothing."""
        return self.values.get(meaning, "")


class Rows(NamedTuple):
    """The rows of a file, or why they cannot be told."""

    rows: tuple[Row, ...] = ()
    conflicts: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


def wrong(path: str, message: str, hint: str, line: int = 0) -> Rows:
    """A file that cannot be read."""
    return Rows(conflicts=(conflict(Location(path, line), message, hint),))


def decoded(path: str, data: bytes) -> str | Rows:
    """The text of a file: UTF-8, or UTF-16 with its mark, as spreadsheets write it."""
    if len(data) > MOST_BYTES:
        message = f"the file has {len(data)} bytes; {MOST_BYTES} are read"
        return wrong(path, message, "split it into several files, and name all of them")
    encoding = next((name for mark, name in _BOMS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as failed:
        line = data.count(b"\n", 0, failed.start) + 1
        message = f"the file is not UTF-8 text: byte {failed.start} is {data[failed.start]:#04x}"
        return wrong(path, message, "save it as UTF-8, such as `CSV UTF-8` of a spreadsheet", line)


def table_rows(path: str, text: str, mapped: Mapping[str, str]) -> Rows:
    """The rows of a table whose first row is a header.

    Args:
        path: Of the file, for places.
        text: Of the file.
        mapped: Meanings by header, as a person says.
    """
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    try:
        header = [cell.strip() for cell in next((row for row in lines if any(row)), [])]
        if not header:
            return wrong(path, "the file is empty", "its first row is a header, such as ip,name")
        columns = columns_of(header, mapped)
        if not columns.has_addresses:
            return _without_addresses(path, header, lines.line_num)
        rows: list[Row] = []
        for cells in lines:
            if len(rows) == MOST_ROWS:
                message = f"the file has more than {MOST_ROWS:,} rows"
                hint = "split it into several files, and import one after the other"
                return wrong(path, message, hint, lines.line_num)
            if any(cell.strip() for cell in cells):
                rows.append(Row(Location(path, lines.line_num), _values(cells, columns)))
    except csv.Error as failed:
        return wrong(path, f"the row cannot be read: {failed}", "mend it", lines.line_num)
    except ValueError as failed:
        return wrong(path, str(failed), "name a column of the header: --map COLUMN=MEANING", 1)
    names = [shown(name) for name in columns.unknown if name]
    notes = (f"{path}: not read: column {', '.join(names)}",) if names else ()
    return Rows(tuple(rows), (), notes)


def _without_addresses(path: str, header: Iterable[str], line: int) -> Rows:
    names = ", ".join(shown(name) for name in header)
    message = f"no column says addresses; there are: {names}"
    known = ", ".join(HEADERS["address"][:3])
    return wrong(path, message, f"--map COLUMN=address, or a header such as {known}", line)


def _values(cells: list[str], columns: Columns) -> Mapping[str, str]:
    found = {
        meaning: next((text for at in places if (text := _cell(cells, at))), "")
        for meaning, places in columns.by_meaning.items()
    }
    return {meaning: text for meaning, text in found.items() if text}


def _cell(cells: list[str], at: int) -> str:
    return cells[at].strip() if at < len(cells) else ""


def _delimiter(text: str) -> str:
    """The mark that stands most often in the header, outside of quotes."""
    header = "".join(_unquoted(next((it for it in text.splitlines() if it.strip()), "")))
    return max(_DELIMITERS, key=lambda mark: (header.count(mark), -_DELIMITERS.index(mark)))


def _unquoted(line: str) -> Iterator[str]:
    return (part for at, part in enumerate(line.split('"')) if at % 2 == 0)
