"""A check as variables, `NAME=value` a line: a report that later jobs of a pipeline decide by.

Only words of the program's own are in it: a number, a digest, booleans, and the name of a team,
which has the form of a name.
"""

import re
from collections.abc import Mapping
from typing import Any

_TEAM = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)


def dotenv_text(document: Mapping[str, Any]) -> str:
    """`IPAM_RESULT_…`: the exit code, the digest, whether something changes, and whose change it is.

    Args:
        document: What `check` tells as JSON.
    """
    code, plan = int(document["exitCode"]), document["plan"]
    team = str((document["withinContract"] or {}).get("team") or "")
    is_within = code == 0 and _TEAM.fullmatch(team) is not None
    told = {
        "EXIT_CODE": code,
        "DIGEST": plan["digest"],
        "CHANGED": str(plan["changed"]).lower(),
        "WITHIN_CONTRACT": str(is_within).lower(),
        "TEAM": team if is_within else "",
    }
    return "".join(f"IPAM_RESULT_{name}={value}\n" for name, value in told.items())
