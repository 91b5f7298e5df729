"""As much of HTTP as a load tool needs: a page asked for, a stream of events followed, on connections of their own."""

import asyncio
import time
from collections.abc import AsyncIterator


async def get(port: int, path: str, session: str) -> bytes:
    """The body of a page that must be there."""
    reader, writer = await _ask(port, path, session)
    try:
        answer = await reader.read()
    finally:
        writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n")[0]:
        raise RuntimeError(f"{path}: {head.decode('latin-1').splitlines()[0]}")
    return body


async def timed(port: int, path: str, session: str) -> tuple[float, float]:
    """Seconds to the first byte of a page itself, and to its last."""
    began = time.perf_counter()
    reader, writer = await _ask(port, path, session)
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in head.split(b"\r\n")[0]:
            raise RuntimeError(f"{path}: {head.decode('latin-1').splitlines()[0]}")
        await reader.readexactly(1)
        first = time.perf_counter() - began
        await reader.read()
        return first, time.perf_counter() - began
    finally:
        writer.close()


async def follow(port: int, path: str, session: str) -> AsyncIterator[str]:
    """The names of server-sent events as they arrive."""
    reader, writer = await _ask(port, path, session)
    try:
        async for line in reader:
            if line.startswith(b"event: "):
                yield line.removeprefix(b"event: ").decode().strip()
    finally:
        writer.close()


async def _ask(port: int, path: str, session: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: sessionid={session}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode())
    await writer.drain()
    return reader, writer
