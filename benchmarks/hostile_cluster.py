"""A cluster that means harm to those beside it: each of its lists is as large as may be, or never ends.

`python -m benchmarks.hostile_cluster` prints its port and serves until it is killed.
"""

import asyncio
import json
from itertools import cycle
from urllib.parse import urlsplit

_BODY = 8 * 1024 * 1024 - 1024
_HEAVY = 120 * 1024 * 1024
_HOME = json.dumps({"metadata": {"name": "kube-system", "uid": "hostile", "resourceVersion": "1"}})
_VERSION = json.dumps({"gitVersion": "v1.36.3", "major": "1", "minor": "36"})


def _page(item: str, heavy: int) -> bytes:
    """A page of one object, in which a text stands again and again; more pages follow it."""
    count = min(_BODY // (len(item) + 1), _HEAVY // heavy)
    inner = ",".join([item] * count)
    return f'{{"metadata":{{"continue":"on"}},"items":[{{"x":[{inner}]}}]}}'.encode()


# What an item takes of memory at most, as `adapters/kube/limits.py` weighs it.
_PAGES = cycle(
    [
        _page("1", 82),
        _page('"\\u0074oken"', 110),
        _page('{"a":{}}', 570),
        _page(f'"{"x" * 200}"', 300),
    ]
)


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            first, *_ = head.decode().split("\r\n")
            target = urlsplit(first.split(" ")[1])
            data = _answer(target.path, is_list="limit=" in target.query)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(data))
            if target.query.endswith("continue=") or len(data) < _BODY // 2:
                writer.write(data)
                await writer.drain()
                continue
            # A body that comes slowly, and in small pieces.
            for at in range(0, len(data), 4096):
                writer.write(data[at : at + 4096])
                await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _answer(path: str, *, is_list: bool) -> bytes:
    if path.endswith("/version"):
        return _VERSION.encode()
    if path.endswith("/namespaces/kube-system"):
        return _HOME.encode()
    return next(_PAGES) if is_list else b"{}"


async def main() -> None:
    server = await asyncio.start_server(_serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
