"""A forge on the loopback interface, with GitHub's API for pull requests, comments, and statuses."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.kube.server import Asked, Reply, serving

OURS = "github-actions[bot]"
_PAGE = 100


@dataclass
class Forge:
    """The data of the forge, and its requests.

    Attributes:
        name: Owner and name of the repository.
        moved: The head of the pull request from the second request on, or empty for the same head.
        refused: Requests with answer 403, by method and path.
    """

    name: str = "acme/addresses"
    pulls: list[dict[str, Any]] = field(default_factory=list)
    comments: list[dict[str, Any]] = field(default_factory=list)
    statuses: list[dict[str, Any]] = field(default_factory=list)
    moved: str = ""
    refused: str = ""
    calls: list[str] = field(default_factory=list)
    url: str = ""

    def pull(self, sha: str, number: int = 1, base: str = "main", owner: str = "fork") -> None:
        """Open a pull request of branch `change`."""
        head = {"sha": sha, "ref": "change", "label": f"{owner}:change"}
        self.pulls.append({"number": number, "state": "open", "head": head, "base": {"ref": base}})

    def comment(self, body: str, author: str = OURS, number: int = 1) -> None:
        """Add a comment."""
        at = 1 + max((it["id"] for it in self.comments), default=0)
        self.comments.append({"id": at, "body": body, "user": {"login": author}, "on": number})

    def bodies(self, author: str = OURS) -> list[str]:
        return [it["body"] for it in self.comments if it["user"]["login"] == author]

    def answer(self, asked: Asked) -> Reply:
        url = urlsplit(asked.path)
        path = url.path.removeprefix(f"/repos/{self.name}")
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        self.calls.append(f"{asked.method} {path}")
        if asked.headers.get("authorization") != "Bearer secret-token":
            return Reply(401, {"message": "Bad credentials"})
        if self.refused and self.calls[-1].startswith(self.refused):
            return Reply(403, {"message": "Resource not accessible by integration"})
        given = json.loads(asked.body) if asked.body else {}
        return self._answer(asked.method, path.strip("/").split("/"), query, given)

    def _answer(
        self, method: str, path: list[str], query: dict[str, str], given: dict[str, Any]
    ) -> Reply:
        match method, path:
            case "GET", ["pulls"]:
                # By creation, unless the request sorts by update.
                pulls = self.pulls[:: -1 if query.get("sort") == "updated" else 1]
                return self._page([it for it in pulls if _is_asked(it, query)], query)
            case "GET", ["pulls", number]:
                (pull,) = [it for it in self.pulls if it["number"] == int(number)]
                sha = self.moved or pull["head"]["sha"]
                return Reply(200, {**pull, "head": {**pull["head"], "sha": sha}})
            case "POST", ["issues", number, "comments"]:
                self.comment(given["body"].replace("\n", "\r\n"), number=int(number))
                return Reply(201, self.comments[-1])
            case "PATCH", ["issues", "comments", at]:
                (found,) = [it for it in self.comments if it["id"] == int(at)]
                found["body"] = given["body"]
                return Reply(200, found)
            case "DELETE", ["issues", "comments", at]:
                self.comments = [it for it in self.comments if it["id"] != int(at)]
                return Reply(204, b"")
            case "GET", [_, which, what]:
                return self._page(self._of(which, what), query)
            case "POST", ["statuses", sha]:
                self.statuses.append({"sha": sha, **given})
                return Reply(201, given)
        return Reply(404, {"message": "Not Found"})

    def _of(self, which: str, what: str) -> list[dict[str, Any]]:
        """Return comments of a pull request, or pull requests or statuses of a commit, newest first."""
        if what == "comments":
            return [it for it in self.comments if it["on"] == int(which)]
        if what == "pulls":
            return [it for it in self.pulls if it.get("merge_commit_sha") == which]
        return [it for it in self.statuses[::-1] if it["sha"] == which]

    def _page(self, items: list[dict[str, Any]], query: dict[str, str]) -> Reply:
        size, page = int(query["per_page"]), int(query["page"])
        assert size <= _PAGE
        return Reply(200, items[(page - 1) * size : page * size])


def _is_asked(pull: dict[str, Any], query: dict[str, str]) -> bool:
    asked = (query["state"], query["base"], query.get("head", pull["head"]["label"]))
    return asked == (pull["state"], pull["base"]["ref"], pull["head"]["label"])


@contextmanager
def forging() -> Iterator[Forge]:
    forge = Forge()
    with serving(forge.answer) as server:
        forge.url = server.url
        yield forge
