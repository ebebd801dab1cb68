"""`--metrics-file`: what one run knows, for node_exporter's textfile collector.

Gauges alone: a run that ends has no counters which others could tell a rate of.
"""

import os
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from reconciler.cli.shared.extras import require_clusters
from reconciler.cli.shared.output import tell
from reconciler.clusters.outcome import Applied
from reconciler.evaluate import Evaluation
from reconciler.ports import ExitCode, UsageError
from reconciler.report import metrics

_READABLE = 0o644
"""The collector is another user."""


def require_folder(path: Path | None) -> None:
    """Refuse a path that nothing can be written to, before anything is done.

    Raises:
        UsageError: Its folder is not there, or what writes metrics is not installed.
    """
    if path is None:
        return
    require_clusters("--metrics-file")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"--metrics-file {path}: no such folder", "make the folder first")


def write_metrics(
    path: Path,
    head: str,
    evaluation: Evaluation,
    applied: Sequence[Applied] | None,
    code: ExitCode,
) -> None:
    """Write the file whole, or leave the one before. A run is none the worse for it.

    Args:
        path: The file.
        head: The revision that the branch is at now.
        evaluation: All of it.
        applied: What became of the clusters; None when none was applied to.
        code: How the run ends.
    """
    # The library is for those who ask for it.
    from reconciler.adapters.metrics import textfile

    parts = metrics.of_run(
        head, evaluation, applied or (), time.time(), is_bug=code is ExitCode.BUG
    )
    text = textfile(metrics.catalogue(), parts)
    try:
        _replace(path, text)
    except OSError as failed:
        tell(f"ipam: --metrics-file {path}: {failed.strerror}; it was not written")


def _replace(path: Path, text: bytes) -> None:
    """Nobody ever reads half of it; the collector reads names that end with .prom alone."""
    handle, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text)
            os.fchmod(file.fileno(), _READABLE)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
