"""A forge by its API, for one repository: calls, and lists page by page."""

import json
from collections.abc import Iterator
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

_PAGE, _PAGES = 100, 100
_SECONDS = 30
_MOST_BYTES = 32 * 1024 * 1024


class WrongError(Exception):
    """Why nothing can be told, in words for the log."""


class _Here(HTTPRedirectHandler):
    """Nobody is sent elsewhere: the token is for this server alone."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Forge:
    """The repository, by the API of the forge."""

    def __init__(self, job: dict[str, str]) -> None:
        self._base = f"{job['GITHUB_API_URL']}/repos/{job['GITHUB_REPOSITORY']}"
        self._token = job["TOKEN"]
        self._opener = build_opener(_Here())

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """What one call answers; None where that is nothing.

        Raises:
            WrongError: It did not go well.
        """
        data = None if body is None else json.dumps(body).encode()
        headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/json",
            "User-Agent": "gitops-ipam",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        # The runner says which server that is, not a change.
        request = Request(self._base + path, data, headers, method=method)  # noqa: S310 - the runner names the server
        try:
            with self._opener.open(request, timeout=_SECONDS) as answer:
                text = answer.read(_MOST_BYTES)
            return json.loads(text) if text else None
        except HTTPError as failure:
            why = f"{method} {path} is answered with {failure.code}"
            raise WrongError(f"{why}{_advice(failure.code, path)}") from None
        except (OSError, HTTPException, ValueError) as failure:
            raise WrongError(f"{method} {path} failed: {type(failure).__name__}") from None

    def all_of(self, path: str, **asked: str) -> Iterator[Any]:
        """Each item of a list, page by page.

        Raises:
            WrongError: As a call, or there are more than anybody could want.
        """
        for page in range(1, _PAGES + 1):
            given = urlencode({**asked, "per_page": _PAGE, "page": page})
            items = self.ask("GET", f"{path}?{given}")
            yield from items
            if len(items) < _PAGE:
                return
        raise WrongError(f"GET {path} has no end after {_PAGES} pages")


def _advice(code: int, path: str) -> str:
    right = "statuses: write" if path.startswith("/statuses/") else "pull-requests: write"
    return f". Does the job have `{right}`?" if code in (401, 403, 404) else ""
