"""Rules and dashboards of `deploy/monitoring/`, as the chart carries them: it reads no other folder."""

from collections.abc import Mapping

import yaml

from tests.chart.rendering import CHART, DEPLOY

FOLDER = CHART / "files" / "monitoring"
SOURCE = DEPLOY / "monitoring"


def wanted() -> Mapping[str, bytes]:
    """The files that have to be there, by name."""
    found = {path.name: path.read_bytes() for path in sorted(SOURCE.glob("*.json"))}
    for path in sorted(SOURCE.glob("*.yaml")):
        documents = list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
        if any("groups" in it or it.get("kind") == "PrometheusRule" for it in documents):
            found[path.name] = path.read_bytes()
    return found


def write() -> None:
    """Regenerate the folder."""
    for path in FOLDER.glob("*"):
        path.unlink()
    for name, data in wanted().items():
        FOLDER.mkdir(parents=True, exist_ok=True)
        (FOLDER / name).write_bytes(data)
