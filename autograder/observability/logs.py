"""Logging configuration of all processes: text for people or JSON for machines, with the same fields.

A line contains the time, level, logger, process and event, and the request, work and submission concerned. `redaction`
removes confidential data.
"""

import os
import socket
import sys
from typing import Any, Literal

import structlog
from structlog.typing import Processor

from autograder.observability.redaction import Event, harmless, without_message

Style = Literal["text", "json"]
FIELDS = (  # additional fields: numbers and predefined words
    "work",
    "submission",
    "lane",
    "verdict",
    "reason",
    "tries",
    "seconds",
    "worker",
    "cause",
    "exercise",
    "method",
    "route",
    "status",
    "milliseconds",
    "signed_in",
)
_HOST = socket.gethostname()


def configuration(style: Style, level: str) -> dict[str, Any]:
    """Return the configuration for `logging.config.dictConfig`. Celery and uvicorn use it, too.

    uvicorn's access log is disabled: it contains query strings and no request id. `web.monitoring.requests` logs requests
    instead.
    """
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"ours": {"()": formatter, "style": style}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "ours"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            "gradus": {"level": level},
            "uvicorn": {"level": level, "handlers": [], "propagate": True},
            "uvicorn.error": {"level": level},
            "uvicorn.access": {"level": "CRITICAL", "handlers": [], "propagate": False},
            "django": {"level": "WARNING", "handlers": [], "propagate": True},
            "django.request": {"level": "ERROR"},
        },
    }


def formatter(style: Style) -> structlog.stdlib.ProcessorFormatter:
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.stdlib.ExtraAdder(allow=FIELDS),
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        processors=[without_message, harmless, structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_written(style)],
    )


def _written(style: Style) -> tuple[Processor, ...]:
    if style == "json":
        return _with_process, structlog.processors.JSONRenderer(sort_keys=False, ensure_ascii=False)
    return _on_lines, structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0, pad_level=False)


def _with_process(_: object, __: str, event: Event) -> Event:
    first = {name: event.pop(name) for name in ("timestamp", "level", "event")}
    return {**first, **event, "process": f"{_HOST}:{os.getpid()}"}


def _on_lines(_: object, __: str, event: Event) -> Event:
    """For text output: put the types and locations of an exception on the lines below the event."""
    if "exception" in event:
        event["exception"] = "\n".join(event["exception"])
    return event
