"""A line of the log: the same fields for people and machines, and nothing in it that anybody wrote."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError

from autograder.observability import ids
from autograder.observability.logs import Style, configuration, formatter

SECRET = "ada lovelace"


class Log:
    """A logger whose lines are caught as the site would write them."""

    def __init__(self, style: Style, name: str = "gradus.test") -> None:
        self.out = io.StringIO()
        self.handler = logging.StreamHandler(self.out)
        self.handler.setFormatter(formatter(style))
        self.logger = logging.getLogger(name)
        self.logger.addHandler(self.handler)

    def line(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out.getvalue())
        return found


@pytest.fixture
def log() -> Iterator[Log]:
    made = Log("json")
    yield made
    made.logger.removeHandler(made.handler)


def test_a_line_says_when_how_bad_who_and_what(log: Log) -> None:
    log.logger.warning("work %s goes back", 7, extra={"cause": "silent"})
    line = log.line()
    assert (line["level"], line["event"], line["cause"], line["logger"]) == (
        "warning",
        "work 7 goes back",
        "silent",
        "gradus.test",
    )
    assert line["timestamp"].endswith("Z")
    assert ":" in line["process"]


def test_what_is_bound_stands_in_every_line_inside(log: Log) -> None:
    with ids.bound(request="watched-0001", work=7, submission=None):
        log.logger.warning("inside")
    assert (log.line()["request"], log.line()["work"]) == ("watched-0001", 7)
    assert "submission" not in log.line()
    assert ids.current() == ""


def test_only_fields_of_ours_are_written(log: Log) -> None:
    log.logger.warning("broken", extra={"request_object": SECRET, "user": SECRET})
    assert SECRET not in log.out.getvalue()


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("mail to ada.l+x@example.org bounced", "mail to …@… bounced"),
        ("redis://user:pw@broker:6379/0 is away", "redis://…@broker:6379/0 is away"),
        ("GET /path?token=abc took long", "GET /path?… took long"),
        ("is it up? yes", "is it up? yes"),
    ],
)
def test_what_others_write_is_cleaned(log: Log, written: str, read: str) -> None:
    log.logger.warning(written)
    assert log.line()["event"] == read


def test_djangos_lines_lose_the_path() -> None:
    log = Log("json", "django.request")
    try:
        log.logger.error("Internal Server Error: %s", "/join/secret-token/")
        assert log.line()["event"] == "Internal Server Error"
    finally:
        log.logger.removeHandler(log.handler)


def raised(error: Exception, cause: Exception | None = None) -> Exception:
    try:
        raise error from cause
    except Exception as caught:
        return caught


def test_an_exception_is_told_by_kind_and_place_and_not_by_its_words(log: Log) -> None:
    log.logger.error("it broke", exc_info=raised(IntegrityError(f"Key (name)=({SECRET}) exists"), KeyError(SECRET)))
    told = log.line()["exception"]
    assert told[0] == "django.db.utils.IntegrityError"
    assert "KeyError" in told
    assert any("test_logs.py" in line and line.endswith(" raised") for line in told)
    assert SECRET not in log.out.getvalue()


def test_what_speaks_of_machines_alone_is_told_in_its_words(log: Log) -> None:
    log.logger.error("it broke", exc_info=raised(OperationalError("connection to server at db failed")))
    assert log.line()["exception"][0] == "django.db.utils.OperationalError: connection to server at db failed"


def test_people_get_a_line_of_the_same_fields() -> None:
    log = Log("text")
    try:
        with ids.bound(request="watched-0001"):
            log.logger.error("it broke", exc_info=raised(IntegrityError(SECRET)))
    finally:
        log.logger.removeHandler(log.handler)
    text = log.out.getvalue()
    assert "it broke" in text
    assert "watched-0001" in text
    assert "django.db.utils.IntegrityError" in text
    assert SECRET not in text


def test_lines_of_uvicorn_for_requests_are_left_out() -> None:
    """They repeat the query, and know no id."""
    assert configuration("json", "INFO")["loggers"]["uvicorn.access"] == {
        "level": "CRITICAL",
        "handlers": [],
        "propagate": False,
    }


@pytest.mark.parametrize("given", ["a" * 8, "a" * 64, "0af7651916cd43dd-8448.eb_1"])
def test_a_well_formed_id_is_kept(given: str) -> None:
    assert ids.id_of(given) == given


@pytest.mark.parametrize(
    "given", ["", "a" * 7, "a" * 65, "-aaaaaaaa", "aaaa aaaa", "aaaaaaaa\n", "ääääääää", "aaaa@aaaa.org"]
)
def test_any_other_is_replaced_by_one_of_ours(given: str) -> None:
    assert ids.id_of(given) != given
    assert ids.id_of(ids.id_of(given)) != ids.id_of("")
