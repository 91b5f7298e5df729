"""How every process of the site writes its log: lines for people, or JSON for a machine, with the same fields in both.

A line says when, how bad, who (logger, process), what (event), and for which request, work and submission. What a line must
never say is taken out by `redaction`.
"""

import os
import socket
import sys
from typing import Any, Literal

import structlog
from structlog.typing import Processor

from autograder.observability.redaction import Event, harmless, told

Style = Literal["text", "json"]
FIELDS = (  # what a line may say besides: numbers and words of ours
    *("work", "submission", "lane", "verdict", "reason", "tries", "seconds", "worker", "cause", "exercise"),
    *("method", "route", "status", "milliseconds", "signed_in"),
)
_HOST = socket.gethostname()


def configuration(style: Style, level: str) -> dict[str, Any]:
    """For `logging.config.dictConfig`. Celery and uvicorn write through it, too; uvicorn's own lines for requests are left
    out: they hold queries and no id, and `web.watch.requests` writes better ones."""
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
        processors=[told, harmless, structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_written(style)],
    )


def _written(style: Style) -> tuple[Processor, ...]:
    if style == "json":
        return _with_process, structlog.processors.JSONRenderer(sort_keys=False, ensure_ascii=False)
    return _on_lines, structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0, pad_level=False)


def _with_process(_: object, __: str, event: Event) -> Event:
    first = {name: event.pop(name) for name in ("timestamp", "level", "event")}
    return {**first, **event, "process": f"{_HOST}:{os.getpid()}"}


def _on_lines(_: object, __: str, event: Event) -> Event:
    """For people: kinds and places of an exception below the line that tells of it."""
    if "exception" in event:
        event["exception"] = "\n".join(event["exception"])
    return event
