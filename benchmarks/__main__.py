"""`make bench`: all tables; with `--write`, into docs/performance.md between its marks."""

import sys
import tempfile
from pathlib import Path

from benchmarks.measure import machine, markdown
from benchmarks.parts import allocator_rows, schema_rows, yaml_rows
from benchmarks.whole import commit_rows, plan_rows, start_rows

DOCUMENT = Path(__file__).parent.parent / "docs" / "performance.md"
_BEGIN, _END = "<!-- figures: make bench -->\n", "<!-- end of figures -->\n"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            *yaml_rows(),
            *schema_rows(),
            *allocator_rows(),
            *start_rows(),
            *plan_rows(Path(folder)),
            *commit_rows(Path(folder)),
        ]
    text = f"{machine()}\n\n{markdown(rows)}"
    print(text)
    if "--write" in sys.argv:
        old = DOCUMENT.read_text(encoding="utf-8")
        head, _, rest = old.partition(_BEGIN)
        _, _, tail = rest.partition(_END)
        DOCUMENT.write_text(f"{head}{_BEGIN}\n{text}\n{_END}{tail}", encoding="utf-8")


main()
