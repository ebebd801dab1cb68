"""`make bench`: the table of docs/concepts/performance.md, and its runs in benchmarks/results/plans.csv.

`--million` adds the column of a million records. With the binaries of
`make envtest`, `--clusters` measures apply, and `--watching` a daemon and `verify`, or parts of them: `growth`, `hub`, `200`, `1000`, `verify`.
"""

import argparse
import tempfile
from pathlib import Path

from benchmarks.apply import cluster_tables
from benchmarks.measure import RESULTS, keep, machine
from benchmarks.plans import FILE, measure, measure_million, page
from benchmarks.watching import watching_tables

DOCUMENT = Path(__file__).parent.parent / "docs" / "concepts" / "performance.md"
_BEGIN, _END = "<!-- figures: make bench -->\n", "<!-- end of figures -->\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--clusters", action="store_true")
    parser.add_argument("--watching", nargs="*", metavar="PART")
    parser.add_argument("--folder", type=Path, help="Keep the repositories here.")
    wish = parser.parse_args()
    if wish.clusters:
        _write("clusters.md", cluster_tables())
    elif wish.watching is not None:
        _write("watching.md", watching_tables(*wish.watching))
    else:
        with tempfile.TemporaryDirectory() as folder:
            made = (measure_million if wish.million else measure)(wish.folder or Path(folder))
        head, _, rest = DOCUMENT.read_text("utf-8").partition(_BEGIN)
        text = f"{head}{_BEGIN}\n{page(keep(FILE, made))}\n{_END}{rest.partition(_END)[2]}"
        DOCUMENT.write_text(text, "utf-8")


def _write(name: str, tables: str) -> None:
    print(tables)
    (RESULTS / name).write_text(f"{machine()}\n\n{tables}", "utf-8")


main()
