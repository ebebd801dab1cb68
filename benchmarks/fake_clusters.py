"""Many clusters behind one port, each below a path of its own, that answer after 5 ms.

Just enough of an API server for an apply: objects are kept, lists are whole, nothing is checked.
`python -m benchmarks.fake_clusters` prints its port and serves until it is killed.
"""

import asyncio
import json
import time
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote, urlsplit

ANSWER_SECONDS = 0.005
_STORE: dict[str, dict[str, dict[str, Any]]] = {}
_LAST: dict[str, float] = {}


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            first, *lines = head.decode().split("\r\n")
            method, target, _ = first.split(" ")
            headers = {key.lower(): value for key, _, value in (x.partition(": ") for x in lines)}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            if headers.get("content-type", "").startswith("application/merge"):
                method = "MERGE"
            await asyncio.sleep(ANSWER_SECONDS)
            status, answer = _answer(method, target, json.loads(body or b"{}"))
            data = json.dumps(answer).encode()
            writer.write(
                b"HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                % (status, HTTPStatus(status).phrase.encode(), len(data), data)
            )
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _answer(method: str, target: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    steps = [unquote(step) for step in urlsplit(target).path.split("/")[1:]]
    if steps == ["last"]:
        return 200, dict(_LAST)
    if steps[1:] == ["version"]:
        return 200, {"gitVersion": "v1.36.3", "major": "1", "minor": "36"}
    cluster, rest = steps[0], steps[3:] if steps[1] == "api" else steps[4:]
    objects = _STORE.setdefault(cluster, {})
    _LAST[cluster] = time.monotonic()
    if rest[0] == "namespaces" and len(rest) > 2:
        rest = [rest[2], rest[1], *rest[3:]]
    elif len(rest) > 1:
        rest = [rest[0], "", *rest[1:]]
    if method == "GET" and len(rest) < 3:
        start = "/".join(rest) + "/"
        return 200, {"items": [objects[key] for key in objects if key.startswith(start)]}
    return _object(method, objects, rest, body, is_status=rest[3:] == ["status"], of=cluster)


def _object(
    method: str,
    objects: dict[str, dict[str, Any]],
    rest: list[str],
    body: dict[str, Any],
    *,
    is_status: bool,
    of: str,
) -> tuple[int, dict[str, Any]]:
    if method == "POST":
        rest = [*rest, *([""] if len(rest) == 1 else []), body["metadata"].get("name", "review")]
    key = "/".join(rest[:3])
    if key == "namespaces//kube-system":
        return 200, {"metadata": {"name": "kube-system", "uid": of, "resourceVersion": "1"}}
    if method in ("GET", "MERGE") and key not in objects:
        return 404, _missing(rest)
    if method == "GET":
        return 200, objects[key]
    found = objects.setdefault(key, _new(f"{of}-{key}"))
    _merge(found, {"status": body["status"]} if is_status else body)
    return 200, found


def _missing(rest: list[str]) -> dict[str, Any]:
    details = {"kind": rest[0], "name": rest[2]}
    return {"kind": "Status", "reason": "NotFound", "code": 404, "details": details}


def _new(uid: str) -> dict[str, Any]:
    managers = [{"manager": "gitops-ipam", "operation": "Apply"}]
    own = {"uid": uid, "resourceVersion": "1", "generation": 1}
    return {"metadata": {**own, "managedFields": managers}}


def _merge(target: dict[str, Any], patch: dict[str, Any]) -> None:
    for key, value in patch.items():
        if isinstance(value, dict):
            _merge(target.setdefault(key, {}), value)
        elif value is None:
            target.pop(key, None)
        else:
            target[key] = value


async def main() -> None:
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
