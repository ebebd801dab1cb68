"""Many clusters behind one port, each below a path of its own, that answer after 5 ms.

Just enough of an API server for an apply and for a watch: objects are kept, lists are whole, nothing
is checked. `python -m benchmarks.fake_clusters [CERTIFICATE KEY]` prints its port and serves until
it is killed, with TLS if it has a certificate.
"""

import asyncio
import json
import ssl
import sys
import time
from copy import deepcopy
from email.utils import formatdate
from http import HTTPStatus
from itertools import count
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

ANSWER_SECONDS = 0.005
_STORE: dict[str, dict[str, dict[str, Any]]] = {}
_LAST: dict[str, float] = {}
_WRITES: dict[str, int] = {}
_EYES: dict[tuple[str, str], list[asyncio.Queue[bytes]]] = {}
_VERSION = count(2)


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
            if "watch=1" in target:
                await _watch(reader, writer, target)
                return
            status, answer = _answer(method, target, json.loads(body or b"{}"))
            data = json.dumps(answer).encode()
            writer.write(
                b"HTTP/1.1 %d %s\r\nDate: %s\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n%s"
                % (status, HTTPStatus(status).phrase.encode(), _date(), len(data), data)
            )
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
        pass
    finally:
        writer.close()


def _date() -> bytes:
    return formatdate(usegmt=True).encode()


async def _watch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: str) -> None:
    """Tell all changes from now on; those between a list and its watch are told, too."""
    cluster, rest = _asked(target)
    since = int(parse_qs(urlsplit(target).query)["resourceVersion"][0])
    start = "/".join(rest) + "/"
    queue: asyncio.Queue[bytes] = asyncio.Queue()
    for key, found in _STORE.get(cluster, {}).items():
        if key.startswith(start) and int(found["metadata"]["resourceVersion"]) > since:
            queue.put_nowait(_line("MODIFIED", found))
    eyes = _EYES.setdefault((cluster, rest[0]), [])
    eyes.append(queue)
    writer.write(
        b"HTTP/1.1 200 OK\r\nDate: %s\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n" % _date()
    )
    gone = asyncio.create_task(reader.read())
    try:
        while not gone.done():
            news = asyncio.create_task(queue.get())
            await asyncio.wait((news, gone), return_when=asyncio.FIRST_COMPLETED)
            if not news.done():
                news.cancel()
                break
            writer.write(b"%x\r\n%s\r\n" % (len(news.result()), news.result()))
            await writer.drain()
    finally:
        eyes.remove(queue)
        gone.cancel()


def _line(became: str, found: dict[str, Any]) -> bytes:
    return json.dumps({"type": became, "object": found}).encode() + b"\n"


def _asked(target: str) -> tuple[str, list[str]]:
    """The cluster, and kind, namespace, name and the rest of a path."""
    steps = [unquote(step) for step in urlsplit(target).path.split("/")[1:]]
    cluster, rest = steps[0], steps[3:] if steps[1] == "api" else steps[4:]
    if rest[0] == "namespaces" and len(rest) > 2:
        rest = [rest[2], rest[1], *rest[3:]]
    elif len(rest) > 1:
        rest = [rest[0], "", *rest[1:]]
    return cluster, rest


def _answer(method: str, target: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    steps = [unquote(step) for step in urlsplit(target).path.split("/")[1:]]
    if steps == ["last"]:
        return 200, dict(_LAST)
    if steps == ["writes"]:
        return 200, dict(_WRITES)
    if steps[1:] == ["version"]:
        return 200, {"gitVersion": "v1.36.3", "major": "1", "minor": "36"}
    cluster, rest = _asked(target)
    objects = _STORE.setdefault(cluster, {})
    _LAST[cluster] = time.monotonic()
    if method == "GET" and len(rest) < 3:
        start = "/".join(rest) + "/"
        items = [objects[key] for key in objects if key.startswith(start)]
        return 200, {"metadata": {"resourceVersion": str(next(_VERSION))}, "items": items}
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
    _WRITES[of] = _WRITES.get(of, 0) + 1
    is_new = key not in objects
    found = objects.setdefault(key, _new(f"{of}-{key}"))
    before = deepcopy(found)
    _merge(found, {"status": body["status"]} if is_status else body)
    if is_new or found != before:
        found["metadata"]["resourceVersion"] = str(next(_VERSION))
        for queue in _EYES.get((of, rest[0]), ()):
            queue.put_nowait(_line("ADDED" if is_new else "MODIFIED", found))
    return 200, found


def _missing(rest: list[str]) -> dict[str, Any]:
    details = {"kind": rest[0], "name": rest[2]}
    return {"kind": "Status", "reason": "NotFound", "code": 404, "details": details}


def _new(uid: str) -> dict[str, Any]:
    managers = [{"manager": "gitops-ipam", "operation": "Apply"}]
    own: dict[str, object] = {"uid": uid, "resourceVersion": "1", "generation": 1}
    own["creationTimestamp"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
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
    context = None
    if len(sys.argv) > 1:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*sys.argv[1:3])
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, backlog=512, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
