"""`make bench`: all tables; with `--write`, into docs/performance.md between their marks.

`--plans` measures all that needs no cluster alone. What needs what `make envtest` builds:
`--clusters` measures apply alone, `--watching` a daemon and `verify`; behind it names of parts may
stand: `growth`, `hub`, `200`, `1000`, `verify`.
"""

import sys
import tempfile
from pathlib import Path

from benchmarks.apply import cluster_tables
from benchmarks.measure import machine, markdown
from benchmarks.parts import allocator_rows, schema_rows, yaml_rows
from benchmarks.past import past_rows
from benchmarks.watching import watching_tables
from benchmarks.whole import commit_rows, crowded_rows, plan_rows, start_rows

DOCUMENT = Path(__file__).parent.parent / "docs" / "performance.md"
_PLANS = "<!-- figures: make bench -->\n"
_CLUSTERS = "<!-- figures of clusters: make envtest bench -->\n"
_WATCHING = "<!-- figures of watching: make envtest bench -->\n"
_END = "<!-- end of figures -->\n"


def main() -> None:
    is_all = not {"--plans", "--clusters", "--watching"} & set(sys.argv)
    if is_all or "--plans" in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            rows = [
                *yaml_rows(),
                *schema_rows(),
                *allocator_rows(),
                *start_rows(),
                *plan_rows(Path(folder)),
                *crowded_rows(Path(folder)),
                *commit_rows(Path(folder)),
                *past_rows(Path(folder)),
            ]
        _tell(_PLANS, markdown(rows))
    if is_all or "--clusters" in sys.argv:
        _tell(_CLUSTERS, cluster_tables())
    if is_all or "--watching" in sys.argv:
        parts = [word for word in sys.argv[1:] if not word.startswith("--")]
        _tell(_WATCHING, watching_tables(*parts))


def _tell(begin: str, table: str) -> None:
    text = f"{machine()}\n\n{table}"
    print(text)
    if "--write" in sys.argv:
        old = DOCUMENT.read_text(encoding="utf-8")
        head, _, rest = old.partition(begin)
        _, _, tail = rest.partition(_END)
        DOCUMENT.write_text(f"{head}{begin}\n{text}\n{_END}{tail}", encoding="utf-8")


main()
