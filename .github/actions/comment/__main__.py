"""Status and comment of a pull request: the effect of merging it now.

A workflow of the authoritative branch runs this after a workflow of the change, and uses only the commit
of that run. Both sides are fetched as Git objects into a separate folder: nothing is checked out, and no
program of the change runs.
"""

import base64
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import as_told
from forge import Forge, WrongError

_BRANCH = re.compile(r"(?!-|.*\.\.|.*//)[\w./+@#=-]+", re.ASCII)
_SHA = re.compile(r"[0-9a-f]{40,64}")
# Variables that Git must not get: tokens, and other repositories.
_HIDDEN = re.compile(r"TOKEN$|GITHUB_TOKEN$|GIT_(?!SSL_)")
# Variables that the check gets: no token, and no options of other steps.
_PASSED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "IPAM_ROOT")
# A heading of the comment. Text from files is in code spans, so it cannot form one.
_CLUSTERS = "\n#### Objects in clusters\n"
_PROPOSED = "refs/ipam/proposed"
# Time limit to fetch another pull request, in seconds.
_OTHER_SECONDS = 20
_STATES = {0: "success", 1: "failure", 3: "failure"}
_SAYS = {0: "OK", 1: "Invalid", 3: "Blocked"}


class Head(NamedTuple):
    """A commit to check.

    Attributes:
        ref: The reference to fetch.
        pulls: Numbers of the pull requests that get a comment.
        others: Numbers of other pull requests into the branch, newest first.
    """

    sha: str
    ref: str
    pulls: tuple[int, ...]
    others: tuple[int, ...] = ()


class Answer(NamedTuple):
    """The result of the check, and the commit of the base; no comment if there is nothing to report."""

    code: int
    digest: str
    comment: str | None
    beside: str = ""


def head_of(run: dict[str, Any], branch: str, forge: Forge) -> Head | None:
    """Return the commit of a workflow run, or None if it is not to be merged into the branch anymore.

    A status applies to a commit in every branch. A pull request into another branch gets none,
    because its Settings can permit more.
    """
    sha, head_branch = str(run["head_sha"]), str(run["head_branch"])
    if not _SHA.fullmatch(sha):
        raise WrongError("the event names no commit")
    if run["event"] == "merge_group":
        is_ours = head_branch.startswith(f"gh-readonly-queue/{branch}/")
        known = is_ours and _BRANCH.fullmatch(head_branch)
        return Head(sha, f"refs/heads/{head_branch}", ()) if known else None
    if run["event"] != "pull_request":
        return None
    # The event lists no pull requests of forks. If the fork was deleted, search all.
    owner = (run.get("head_repository") or {}).get("owner", {}).get("login")
    narrowed = {"head": f"{owner}:{head_branch}"} if owner else {}
    pulls = forge.all_of("/pulls", state="open", base=branch, **narrowed)
    found = tuple(int(it["number"]) for it in pulls if _is_for(it, sha, branch))
    return Head(sha, f"refs/pull/{found[0]}/head", found) if found else None


def with_others(head: Head, branch: str, forge: Forge, most: str) -> Head:
    """Return the head with other pull requests to compare with.

    Raises:
        WrongError: The forge does not answer, or `most` is not a number.
    """
    if not most.isdecimal():
        raise WrongError("`also` must be a number")
    wanted = {"state": "open", "base": branch, "sort": "updated", "direction": "desc"}
    open_ones = forge.all_of("/pulls", **wanted) if head.pulls and int(most) else iter(())
    others = (int(it["number"]) for it in open_ones if int(it["number"]) not in head.pulls)
    return head._replace(others=tuple(islice(others, int(most))))


def _is_for(pull: dict[str, Any], sha: str, branch: str) -> bool:
    """Return whether a pull request is open and still has this head and base."""
    heads = (pull["state"], pull["head"]["sha"], pull["base"]["ref"])
    return heads == ("open", sha, branch)


def fetched(
    job: dict[str, str], branch: str, head: Head, base: str = ""
) -> tuple[Path, str] | None:
    """Return a repository with both sides, and the commit of the base; None if the head changed.

    Other pull requests are fetched into the existing repository.

    Raises:
        WrongError: Git could not fetch.
    """
    folder = Path(job["RUNNER_TEMP"]) / "ipam-comment.git"
    server = job["GITHUB_SERVER_URL"]
    word = base64.b64encode(f"x-access-token:{job['TOKEN']}".encode()).decode()
    # In variables, so that neither process lists nor files show the token.
    env = {key: value for key, value in job.items() if not _HIDDEN.match(key)} | {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"http.{server}/.extraheader",
        "GIT_CONFIG_VALUE_0": f"AUTHORIZATION: basic {word}",
    }

    def git(*words: str) -> str:
        line = ["git", "-c", "core.hooksPath=/dev/null", "-C", str(folder), *words]
        seconds = _OTHER_SECONDS if head.others else None
        try:
            done = subprocess.run(  # noqa: S603 - no shell
                line, env=env, capture_output=True, text=True, check=False, timeout=seconds
            )
        except subprocess.TimeoutExpired:
            raise WrongError(f"git {words[0]} took too long") from None
        if done.returncode != 0:
            raise WrongError(f"git {words[0]} failed: {done.stderr.strip()[-300:]}")
        return done.stdout.strip()

    fetch = ("fetch", "--quiet", "--no-tags", f"{server}/{job['GITHUB_REPOSITORY']}")
    if head.others:
        for number in head.others:
            # If it was deleted or is too large, the check reports it as not compared.
            with suppress(WrongError):
                git(*fetch, f"+refs/pull/{number}/head:refs/pull/{number}/head")
        return folder, base
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    git("init", "--quiet", "--bare")
    refs = [f"+refs/heads/{branch}:refs/ipam/base", f"+{head.ref}:refs/ipam/head"]
    git(*fetch, *refs)
    if proposals := job["PROPOSALS"]:
        with suppress(WrongError):  # there is no proposal
            git(*fetch, f"+refs/heads/{proposals}:{_PROPOSED}")
    sides = git("rev-parse", "refs/ipam/base", "refs/ipam/head").split()
    return (folder, sides[0]) if sides[1] == head.sha else None


def checked(job: dict[str, str], folder: Path, base: str, head: Head) -> Answer:
    """Check the merge result of a head and its base."""
    out = Path(job["RUNNER_TEMP"]) / "ipam-comment"
    if not head.others:  # else the result without them stays until the new one exists
        shutil.rmtree(out, ignore_errors=True)
    out.mkdir(exist_ok=True)
    result, text = _result(job), out / "comment.md"
    words = [
        f"--base={base}",
        f"--rev={head.sha}",
        f"--output-file=json={result}",
        f"--output-file=markdown={text}",
    ]
    if (folder / _PROPOSED).is_file():
        words.append(f"--proposed={_PROPOSED}")
    words += [f"--also=pull/{number}/head" for number in head.others]
    ipam = f"{job['RUNNER_TEMP']}/ipam-requirements-check/bin/ipam"
    env = {key: job[key] for key in _PASSED if job.get(key)}
    # Its output contains text of files, which must not become a command of the runner.
    stop = secrets.token_hex(16)
    sys.stdout.write(f"::stop-commands::{stop}\n")
    sys.stdout.flush()
    done = subprocess.run([ipam, "check", *words], cwd=folder, env=env, check=False)  # noqa: S603 - no shell
    sys.stdout.write(f"\n::{stop}::\n")
    if not (result.is_file() and text.is_file()):
        return Answer(done.returncode, "", _unknown(job))
    told, comment = json.loads(result.read_text("utf-8")), text.read_text("utf-8")
    plan = told["plan"]
    says = plan["changed"] or plan["actions"] or told["findings"] or told["gates"]
    says = says or _CLUSTERS in comment
    return Answer(done.returncode, plan["digest"], comment if says else None, base)


def _result(job: dict[str, str]) -> Path:
    """Return the path of the result."""
    return Path(job["RUNNER_TEMP"]) / "ipam-comment" / "check.json"


def _unknown(job: dict[str, str]) -> str:
    """Return the comment for a check without a result, which replaces an older comment."""
    return f"{_marker(job)}\n### ❌ It could not be checked\n\nThe [log]({_run(job)}) says why.\n"


def _marker(job: dict[str, str]) -> str:
    """Return the first line of the comment of a root, as `ipam check` writes it."""
    return "<!-- " + " ".join(["ipam", *filter(None, [quote(_root(job))])]) + " -->"


def _root(job: dict[str, str]) -> str:
    return job.get("IPAM_ROOT", "").strip("/")


def _run(job: dict[str, str]) -> str:
    return (
        f"{job['GITHUB_SERVER_URL']}/{job['GITHUB_REPOSITORY']}/actions/runs/{job['GITHUB_RUN_ID']}"
    )


def set_status(job: dict[str, str], forge: Forge, sha: str, answer: Answer) -> None:
    """Set the status of a commit, without text from files."""
    beside = f" beside {answer.beside[:12]}" if answer.beside else ""
    says = _SAYS.get(answer.code, f"could not be checked: exit code {answer.code}")
    body = {
        "state": _STATES.get(answer.code, "error"),
        "context": " ".join(filter(None, [job["STATUS"], _root(job)])),
        "description": f"{says}; {answer.digest}{beside}" if answer.digest else says,
        "target_url": _run(job),
    }
    forge.ask("POST", f"/statuses/{sha}", body)


def put_comment(job: dict[str, str], forge: Forge, number: int, text: str | None) -> None:
    """Write, update, or delete the comment. Comments of other accounts stay."""
    marker = _marker(job)
    own = [
        it
        for it in forge.all_of(f"/issues/{number}/comments")
        if (it.get("user") or {}).get("login") == job["AUTHOR"]
        and str(it["body"]).split("\n", 1)[0].rstrip() == marker
    ]
    first = next(iter(own), None)
    if text is not None and first is None:
        forge.ask("POST", f"/issues/{number}/comments", {"body": text})
    elif text is not None and first is not None and _plain(first["body"]) != _plain(text):
        forge.ask("PATCH", f"/issues/comments/{first['id']}", {"body": text})
    for it in own[0 if text is None else 1 :]:
        forge.ask("DELETE", f"/issues/comments/{it['id']}")


def _plain(text: str) -> str:
    """Return a text with the line ends with which it was sent."""
    return text.replace("\r\n", "\n").rstrip()


def report(job: dict[str, str]) -> Answer | None:
    """Check the commit of the event, and report the result; None if no pull request has the commit.

    Raises:
        WrongError: The event or the forge has no usable answer.
    """
    if job["GITHUB_EVENT_NAME"] != "workflow_run":
        raise WrongError("use this action only with `on: workflow_run`")
    event = json.loads(Path(job["GITHUB_EVENT_PATH"]).read_text("utf-8"))
    branch = job["BRANCH"] or str(event["repository"]["default_branch"])
    if not all(map(_BRANCH.fullmatch, (branch, job["PROPOSALS"] or branch))):
        raise WrongError("the name of the branch is not valid")
    forge = Forge(job)
    head = head_of(event["workflow_run"], branch, forge)
    sides = fetched(job, branch, head) if head else None
    if head is None or sides is None:
        return None
    answer = checked(job, *sides, head)
    set_status(job, forge, head.sha, answer)
    # The status does not wait for the comparison with other pull requests.
    head = with_others(head, branch, forge, job["ALSO"])
    if head.others and answer.digest and fetched(job, branch, head, sides[1]):
        answer = checked(job, *sides, head)._replace(code=answer.code)
    for number in head.pulls:
        # A push during the check has its own run. Do not overwrite its result.
        if _is_for(forge.ask("GET", f"/pulls/{number}"), head.sha, branch):
            put_comment(job, forge, number, answer.comment)
    return answer


def main() -> int:
    """Return the exit code: 0 if the result was reported, whatever it is."""
    job = dict(os.environ)
    try:
        answer = report(job)
    except (WrongError, KeyError, TypeError) as found:
        why = (
            found if isinstance(found, WrongError) else f"unexpected answer of the forge: {found!r}"
        )
        one_line = str(why).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        sys.stdout.write(f"::error title=ipam::{one_line}\n")
        return 1
    if answer is None:
        sys.stdout.write("Nothing to report: no open pull request into the branch has this head.\n")
        return 0
    # The same outputs as the action `check`, from the same program.
    script = str(Path(__file__).resolve().parents[1] / "outputs.py")
    line = [sys.executable, "-I", script, str(answer.code), str(_result(job))]
    done = subprocess.run(line, capture_output=True, text=True, check=True)  # noqa: S603 - our own
    with Path(job["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
        file.write(done.stdout)
    return 0


if __name__ == "__main__":
    # The action `reconcile` compares its result with the status.
    sys.exit(as_told.main(sys.argv[2]) if sys.argv[1:2] == ["as-told"] else main())
