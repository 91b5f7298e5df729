"""A collector of spans on loopback: OTLP over HTTP, kept as a list."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True)
class Span:
    name: str
    trace: str
    id: str
    parent: str
    begun: int
    ended: int
    attributes: dict[str, str]


class Collector:
    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._spans: list[Span] = []
        self._lock = threading.Lock()

    def take(self, body: bytes) -> None:
        request = ExportTraceServiceRequest.FromString(body)
        found = [
            Span(
                span.name, span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex(), span.start_time_unix_nano,
                span.end_time_unix_nano, {each.key: _text(each.value) for each in span.attributes},
            )
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]  # fmt: skip
        with self._lock:
            self._spans += found

    def spans(self) -> list[Span]:
        with self._lock:
            return list(self._spans)


def _text(value: object) -> str:
    kind = value.WhichOneof("value")  # type: ignore[attr-defined]
    return str(getattr(value, kind))


@contextmanager
def collecting() -> Iterator[Collector]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            kept.take(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kept = Collector(server.server_address[1])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()
