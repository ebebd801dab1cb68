"""Twenty honest clusters, and one beside them that says as much as it may."""

import gc
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.apply_many import (
    corpus,
    kubeconfig,
    last_answers,
    name_of,
    served,
)
from reconciler.adapters.kube.clusters import KubeClusters
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.outcome import State
from reconciler.commands.applying.fleet import apply_fleet
from reconciler.evaluate import Evaluation
from reconciler.model.cluster import MANAGEMENT

HONEST = 20
ROUNDS = 15
MOST = 1.10


def hostile_table() -> str:
    """When all honest clusters are done, without the hostile one and with it, in turn.

    Without it, its kubeconfig is one that nobody can use: that costs nothing, and the tree is the same.
    """
    evaluation = corpus(HONEST + 1)
    with (
        tempfile.TemporaryDirectory() as folder,
        served() as port,
        served("benchmarks.hostile_cluster") as hostile,
    ):
        run = partial(_seconds, evaluation, Path(folder), port)
        run("")
        runs = [(run(""), run(f"http://127.0.0.1:{hostile}")) for _ in range(ROUNDS)]
        honest, beside = zip(*runs, strict=True)
    alone, together = median(honest), median(beside)
    is_met = "yes" if together <= MOST * alone else "no"
    cells = (f"{alone:.2f} s", f"{together:.2f} s", f"{together / alone:.2f}", f"<= {MOST:g}")
    lines = [
        "| nothing to do | alone | beside a hostile one | ratio | target | met |",
        "| --- | ---: | ---: | ---: | --- | --- |",
        f"| {HONEST} clusters, until the last is done | {' | '.join([*cells, is_met])} |",
    ]
    return "\n".join(lines) + "\n"


def _seconds(evaluation: Evaluation, folder: Path, port: int, other: str) -> float:
    """Seconds until all honest clusters are done, when one more is said to be elsewhere."""
    urls = {
        name_of(number): f"http://127.0.0.1:{port}/{name_of(number)}" for number in range(HONEST)
    }
    urls |= {name_of(HONEST): other, MANAGEMENT: f"http://127.0.0.1:{port}/{MANAGEMENT}"}
    paths = {name: kubeconfig(folder, name, url) for name, url in urls.items()}
    home = paths.pop(MANAGEMENT)
    clusters = KubeClusters(home, clusters={f"team-a/{name}": path for name, path in paths.items()})
    gc.collect()  # what the run before left behind is not this one's
    start = time.monotonic()
    applied = apply_fleet(evaluation, clusters, ApplyOptions(), lambda _old, _new: True)
    states = [item.state for item in applied]
    assert states == [State.APPLIED] * (HONEST + 1) + [State.FAILED], applied
    return max(last_answers(port, start))
