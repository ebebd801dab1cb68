"""All example YAML of NovaEdge, with its indentation restored, from files to objects."""

from tests.families.novaedge import SEED

FILES: dict[str, str | bytes] = {
    path.relative_to(SEED).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(SEED.rglob("*.yaml"))
}
