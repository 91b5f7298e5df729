"""Optional OpenTelemetry tracing: one trace covers request, submit, claim, grade and finish.

If it is disabled, OpenTelemetry is not imported and a span is an empty context manager. A trace passes from web to worker as
the W3C `traceparent` stored with the work. Attributes are numbers and predefined words, never text written by users.
"""

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
ON = os.environ.get("GRADUS_OTEL", "1" if os.environ.get(ENDPOINT) else "") == "1"
Attribute = str | int | float | bool
_NOTHING: AbstractContextManager[None] = nullcontext()


def now() -> int:
    """Return the start time for a span whose parent is not known yet."""
    return time.time_ns() if ON else 0


def span(name: str, *, parent: str = "", since: int = 0, **attributes: Attribute) -> AbstractContextManager[None]:
    """`with span("grade", work=7)`: a span below the current one, or below the one named by `parent`."""
    return _span(name, parent, since, attributes) if ON else _NOTHING


def traceparent() -> str:
    """Return the current span as a `traceparent` header, or an empty string."""
    if not ON:
        return ""
    from opentelemetry.propagate import inject

    carrier: dict[str, str] = {}
    inject(carrier)
    return carrier.get("traceparent", "")


@contextmanager
def _span(name: str, parent: str, since: int, attributes: dict[str, Attribute]) -> Iterator[None]:
    from opentelemetry.propagate import extract

    context = extract({"traceparent": parent}) if parent else None
    named = {f"gradus.{key}": value for key, value in attributes.items()}
    options = {"context": context, "attributes": named, "start_time": since or None, "record_exception": False}
    with _tracer().start_as_current_span(name, **options):  # type: ignore[arg-type]
        yield


@cache
def _tracer() -> "Tracer":
    """Return the tracer of this process, created with the first span. OpenTelemetry's own variables configure the exporter."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    name = os.environ.get("OTEL_SERVICE_NAME", "gradus")
    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: name}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider.get_tracer("gradus")
