"""Request duration histogram of the web processes.

A single process counts in memory. Several processes of one uvicorn share the folder in PROMETHEUS_MULTIPROC_DIR, so
that any of them reports for all.
"""

import os

from prometheus_client import CollectorRegistry, Histogram, ProcessCollector, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

SHARED = os.environ.get("PROMETHEUS_MULTIPROC_DIR", "")
NAME = "gradus_request_seconds"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

if SHARED:
    os.makedirs(SHARED, exist_ok=True)
_own = CollectorRegistry()
_seconds = Histogram(
    NAME,
    "Time in seconds until the first byte of the response, by view, method and status.",
    ("view", "method", "status"),
    buckets=BUCKETS,
    registry=_own,
)
ProcessCollector(registry=_own)


def observe(view: str, method: str, status: int, seconds: float) -> None:
    _seconds.labels(view, method, status).observe(seconds)


def exposed() -> bytes:
    if not SHARED:
        return generate_latest(_own)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)
