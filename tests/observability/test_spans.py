"""Spans are for who asks for them; for everybody else they cost nothing."""

import os
import subprocess
import sys

import pytest

from autograder.observability import spans
from tests.conftest import EXERCISES

IMPORTS = """
import sys, django
django.setup()
import autograder.asgi, autograder.submissions.grader
from autograder.observability import spans
with spans.span("request", method="GET"):
    assert spans.traceparent() == ""
print([name for name in sys.modules if name in ("opentelemetry.sdk.trace", "opentelemetry.propagate", "opentelemetry.exporter")])
"""


def said(**environment: str) -> str:
    rest = {key: value for key, value in os.environ.items() if not key.startswith("OTEL_")}
    given = rest | {"DJANGO_SETTINGS_MODULE": "autograder.settings"} | environment
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], cwd=EXERCISES.parent, env=given, capture_output=True, text=True, check=False
    )
    return done.stdout or done.stderr


def test_nothing_that_makes_spans_is_imported_when_it_is_off() -> None:
    """The client of Redis imports parts of OpenTelemetry by itself, where it is installed."""
    assert said().strip() == "[]"
    assert said(OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9", GRADUS_OTEL="0").strip() == "[]"


def test_off_all_spans_are_the_same_nothing() -> None:
    assert spans.span("a", work=1) is spans.span("b")
    assert spans.now() == 0


def test_on_a_span_says_where_it_hangs() -> None:
    assert "AssertionError" in said(
        GRADUS_OTEL="1", OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9", OTEL_BSP_EXPORT_TIMEOUT="100"
    )


@pytest.mark.parametrize("parent", ["", "nonsense", "00-zz-zz-01"])
def test_a_parent_that_is_none_is_no_trouble(parent: str) -> None:
    with spans.span("work", parent=parent):
        pass
