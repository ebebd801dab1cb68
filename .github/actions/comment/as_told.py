"""After a merge: whether reconcile did what the comment of the pull request had said.

The status of its head has the digest that people saw, and beside which commit. Whoever reads no
statuses is told so: nothing of what reconcile does depends on it.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from forge import Forge, WrongError

MOST_NAMED = 5
"""So many commits that came in between are named."""
_SAID = re.compile(r"(sha256:[0-9a-f]{64})(?: beside ([0-9a-f]{12}))?", re.ASCII)
_SIGNS = ("✅", "⚠️")
_RIGHTS = "pull-requests: read and statuses: read"


class Said(NamedTuple):
    """What the status of a head says: the digest of the plan, and the commit that it was beside."""

    number: int
    digest: str
    beside: str


def said(forge: Forge, commit: str, branch: str, status: str) -> Said | None:
    """What was said of the pull request that a commit merged; None where nobody said anything.

    Raises:
        WrongError: The forge does not tell.
    """
    pulls = forge.all_of(f"/commits/{commit}/pulls")
    merged = [it for it in pulls if _is_of(it, commit, branch)]
    if not merged:
        return None
    number, head = int(merged[0]["number"]), str(merged[0]["head"]["sha"])
    for it in forge.all_of(f"/commits/{head}/statuses"):  # the newest first
        if it["context"] == status:
            found = _SAID.search(str(it["description"]))
            return Said(number, found[1], found[2] or "") if found else None
    return None


def _is_of(pull: dict[str, Any], commit: str, branch: str) -> bool:
    return (pull["merge_commit_sha"], pull["base"]["ref"]) == (commit, branch)


def sentence(said: Said, digest: str, between: list[str] | None) -> str:
    """One line, in words of our own but for subjects of commits, which stand in code.

    Args:
        said: What people saw.
        digest: Of the plan that was carried out.
        between: Subjects of what came to the branch after it; None where that is not known.
    """
    if said.digest == digest:
        return f"✅ As told: #{said.number} was shown {digest}, and that is what was done."
    why = "what came in between is not known here: fetch-depth: 0 brings it"
    if between is not None:
        named = ", ".join(f"`{it}`" for it in between[:MOST_NAMED])
        more = f" and {len(between) - MOST_NAMED} more" if len(between) > MOST_NAMED else ""
        why = f"in between came {named}{more}" if between else "no commit came in between: a date"
        why += "" if between else " passed, or a cluster told something"
    return f"⚠️ Not as told: #{said.number} was shown {said.digest}, done was {digest}; {why}."


def came_between(beside: str, commit: str) -> list[str] | None:
    """Subjects of what the branch got between two commits, the newest first; None if not known."""
    if not beside:
        return None
    line = ["git", "log", "--first-parent", "--format=%h %s", f"{beside}..{commit}^1", "--"]
    done = subprocess.run(line, capture_output=True, check=False)  # noqa: S603 - no shell
    if done.returncode != 0:
        return None
    # A subject may hold what Python takes for the end of a line, and Git does not.
    return [_plain(it) for it in done.stdout.decode("utf-8", "replace").split("\n") if it]


def _plain(subject: str) -> str:
    """A subject as it stands in code: printable, short, and no end of it."""
    return "".join(it for it in subject if it.isprintable() and it not in "`|<>")[:80]


def as_told(job: dict[str, str], result: Path) -> str:
    """What is told of a reconcile; empty where nobody was told anything of it."""
    try:
        told = json.loads(result.read_text("utf-8"))
        commit, digest = str(told["base"]), str(told["plan"]["digest"])
        status = " ".join(filter(None, [job["STATUS"], job.get("IPAM_ROOT", "").strip("/")]))
        found = said(Forge(job), commit, job["BRANCH"], status)
    except WrongError as wrong:
        return f"Whether that is what the comment said is not looked at ({_RIGHTS}): {wrong}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""  # there was no plan, or the forge tells of things that are none
    if found is None:
        return ""
    return sentence(found, digest, came_between(found.beside, commit))


def main(path: str) -> int:
    """Print the line, and add it to the summary of the job, but for why there is none."""
    job = dict(os.environ)
    if line := as_told(job, Path(path)):
        sys.stdout.write(f"{line}\n")
    if line.startswith(_SIGNS):
        with Path(job["GITHUB_STEP_SUMMARY"]).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
    return 0
