"""An apply in a process of its own, which tells how much memory it took."""

import json
import resource
import sys
from pathlib import Path

from reconciler.adapters.kube.clusters import KubeClusters
from reconciler.clusters.options import ApplyOptions
from reconciler.commands.applying.fleet import apply_fleet
from tests.applying.site import evaluated, world
from tests.fake_clusters import is_in

# Far above what is allowed: it keeps the machine from being taken down when a bound is gone.
CEILING = 3 * 1024 * 1024 * 1024


def main(folder: Path) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (CEILING, CEILING))
    clusters = KubeClusters(folder / "management.kubeconfig")
    applied = apply_fleet(evaluated(world("web", "shop")), clusters, ApplyOptions(), is_in)
    # What getrusage tells of a child begins with the peak of its parent.
    told = Path("/proc/self/status").read_text(encoding="ascii")
    (peak,) = [line.split()[1] for line in told.splitlines() if line.startswith("VmHWM")]
    states = {item.cluster: item.state.value for item in applied}
    errors = {item.cluster: item.error for item in applied}
    sys.stdout.write(json.dumps({"peak": int(peak) * 1024, "states": states, "errors": errors}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
