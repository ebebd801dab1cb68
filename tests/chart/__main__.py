"""`make manifests`: regenerate the generated files of `deploy/`."""

import sys

from tests.chart import monitoring, rights
from tests.chart.rendering import DEPLOY, PLAIN, rendered
from tests.envtest.assets import find_helm


def main() -> int:
    rights.write()
    monitoring.write()
    if isinstance(reason := find_helm(), str):
        print(reason, file=sys.stderr)  # noqa: T201 - a command
        return 1
    for name, values in PLAIN.items():
        (DEPLOY / name).write_text(rendered(values), encoding="utf-8")
    return 0


sys.exit(main())
