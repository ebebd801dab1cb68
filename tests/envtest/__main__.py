"""`make envtest`: build the binaries for tests with real API servers, once."""

import sys
import time
from pathlib import Path

from tests.envtest.assets import cache_folder
from tests.envtest.build import BuildError, build, build_tools


def main() -> int:
    folder = cache_folder()
    start = time.monotonic()

    def tell(line: str) -> None:
        print(line, flush=True)  # noqa: T201 - a command

    try:
        build_tools(tell)
        made = build(folder, tell)
    except BuildError as failed:
        print(f"envtest: {failed}", file=sys.stderr)  # noqa: T201 - a command
        return 1
    size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    said = f"built in {time.monotonic() - start:.0f} s" if made else "there already"
    print(f"{folder}: {said}, {size / 1e6:.0f} MB")  # noqa: T201 - a command
    return 0


sys.exit(main())
