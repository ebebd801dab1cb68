"""Outputs of a step, from what ipam told as JSON: `python -I outputs.py CODE FILE`, on stdout.

A value stands on one line. Only words of the program's own are taken: digests, commits, booleans,
and the name of a team, which has the form of a name.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

_TEAM = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)


def outputs(code: str, told: dict[str, Any]) -> dict[str, object]:
    """Name to value.

    Args:
        code: The exit code of ipam.
        told: Its result: of `check`, `plan` or `reconcile`; empty where it failed before it had any.
    """
    plan = told.get("plan", told)
    found: dict[str, object] = {"exit-code": code}
    if "digest" in plan:
        found |= {"digest": plan["digest"], "changed": str(plan["changed"]).lower()}
    if told.get("kind") == "Check":
        team = (told.get("withinContract") or {}).get("team") or ""
        is_within = code == "0" and _TEAM.fullmatch(team) is not None
        found |= {"within-contract": str(is_within).lower(), "team": team if is_within else ""}
    if told.get("kind") == "ReconcileResult":
        found["commit"] = told["commit"] or ""
        found["proposed"] = (told["proposed"] or {}).get("state", "")
    return found


def _told(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


if __name__ == "__main__":
    for name, value in outputs(sys.argv[1], _told(Path(sys.argv[2]))).items():
        sys.stdout.write(f"{name}={value}\n")
