"""A real site, web and worker: one id and one trace lead from the request to the verdict, and no line says what it must not."""

import json
import shutil
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.servers import wait_for
from tests.site import Site, running_site
from tests.watch.collector import Collector, Span, collecting

pytestmark = pytest.mark.slow
ID = "watched-from-afar-0001"
MARK = "a_word_of_the_students"
TOKEN = "metrics-are-for-me"
SOURCE = f"# {MARK}\nraise RuntimeError('{MARK}')\n"
HAND_IN = "/c/backprop/engine/hand-in/"


class Stays(urllib.request.HTTPRedirectHandler):
    """One request is one request: a redirect is an answer like others."""

    def redirect_request(self, *_: Any) -> None:
        return None


@dataclass
class Watched:
    site: Site
    collector: Collector
    people: dict[str, str]

    def ask(
        self, path: str, login: str = "", form: dict[str, str] | None = None, given: str = "", **headers: str
    ) -> tuple[int, str, Any]:
        csrf = "c" * 32
        cookies = f"csrftoken={csrf}" + (f"; sessionid={self.people[login]}" if login else "")
        headers |= {"X-Request-ID": given} if given else {}
        body = urllib.parse.urlencode(form).encode() if form is not None else None
        request = urllib.request.Request(self.site.url + path, body, {"Cookie": cookies, "X-CSRFToken": csrf, **headers})
        try:
            with urllib.request.build_opener(Stays).open(request, timeout=300) as answer:
                return answer.status, answer.read().decode(), answer.headers
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(), error.headers

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.site.log.read_text().splitlines()]

    def of(self, request: str) -> list[dict[str, Any]]:
        """What one `grep` shows."""
        return [line for line in self.lines() if line.get("request") == request]

    def metric(self, series: str) -> float:
        _, text, _ = self.ask("/metrics", Authorization=f"Bearer {TOKEN}")
        return next((float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(series + " ")), -1.0)


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    with collecting() as collector:
        settings = {
            "GRADUS_LOG": "json",
            "GRADUS_METRICS_TOKEN": TOKEN,
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "OTEL_BSP_SCHEDULE_DELAY": "200",
        }
        with running_site(tmp_path_factory.mktemp("watched"), **settings) as site:
            people = dict(json.loads(site.python("-m", "tests.e2e.course")))
            watched = Watched(site, collector, people)
            _hand_in(watched)
            yield watched


def _hand_in(watched: Watched) -> None:
    """One request with an id of its own, and its verdict."""
    form = {"kind": "submit", "source": SOURCE, "once": "1"}
    status, _, headers = watched.ask(HAND_IN + "?password=hunter2", "student-000", form, given=ID)
    assert (status, headers["X-Request-ID"]) == (302, ID)
    wait_for(lambda: any(line["event"] == "graded" for line in watched.of(ID)), "no verdict in the log")


def test_one_search_shows_the_whole_way(watched: Watched) -> None:
    found = watched.of(ID)
    events = [line["event"] for line in found]
    for earlier, later in (("handed in", "answered"), ("handed in", "claimed"), ("claimed", "graded")):
        assert events.index(earlier) < events.index(later)
    by = {line["event"]: line for line in found}
    assert by["answered"]["route"] == "c/<slug:course>/<slug:assignment>/hand-in/"
    assert by["answered"]["status"] == 302
    assert (by["graded"]["verdict"], by["graded"]["reason"]) == ("error", "exception")
    assert by["graded"]["submission"] == by["handed in"]["submission"]
    assert by["graded"]["work"] == by["claimed"]["work"] == by["handed in"]["work"]
    assert by["answered"]["process"] != by["graded"]["process"]


def test_an_id_that_cannot_stand_in_a_log_is_replaced(watched: Watched) -> None:
    for given in ("short", "x" * 65, "two words in it", '{"json": "in json"}', "semi;colon;colon"):
        _, _, headers = watched.ask("/help/", given=given)
        assert headers["X-Request-ID"] != given
        assert len(headers["X-Request-ID"]) == 16


def test_no_line_says_what_it_must_not(watched: Watched) -> None:
    watched.ask("/join/a-secret-invitation/", "student-000")
    watched.ask("/sign-in/?next=/&token=a-secret-query", form={"username": "student-000", "password": "a-secret-password"})
    wait_for(lambda: any(line.get("route") == "sign-in/" for line in watched.lines()), "no line for signing in")
    text = watched.site.log.read_text()
    for secret in (MARK, "hunter2", "a-secret", "student-000", "Bearer", TOKEN, watched.people["student-000"]):
        assert secret not in text, secret


def test_every_process_writes_json(watched: Watched) -> None:
    lines = watched.lines()
    assert all({"timestamp", "level", "event", "process"} <= line.keys() for line in lines)
    loggers = {line.get("logger", "").partition(".")[0] for line in lines}
    assert {"gradus", "uvicorn"} <= loggers


def test_one_trace_leads_from_the_request_to_the_verdict(watched: Watched) -> None:
    def trace() -> list[Span]:
        spans = watched.collector.spans()
        roots = {span.trace for span in spans if span.attributes.get("gradus.id") == ID}
        return [span for span in spans if span.trace in roots]

    names = {"request", "submit", "work", "claim", "grade", "session", "finish"}
    wait_for(lambda: names <= {span.name for span in trace()}, "the trace is not whole")
    by = {span.name: span for span in trace()}
    of = {"submit": "request", "work": "submit", "claim": "work", "grade": "work", "session": "grade", "finish": "work"}
    assert {name: by[parent].id for name, parent in of.items()} == {name: by[name].parent for name in of}
    assert all(span.begun <= span.ended for span in trace())
    assert MARK not in str(trace())


def test_the_verdict_is_counted(watched: Watched) -> None:
    assert watched.metric('gradus_verdicts_total{lane="submit",reason="exception",verdict="error"}') == 1
    _, text, _ = watched.ask("/metrics", Authorization=f"Bearer {TOKEN}")
    verdicts = [line for line in text.splitlines() if line.startswith('gradus_verdicts_total{lane="submit"')]
    of_all = sum(float(line.rpartition(" ")[2]) for line in verdicts)  # the course had some before
    assert watched.metric('gradus_claim_to_verdict_seconds_count{lane="submit"}') == of_all
    assert watched.metric('gradus_sandbox_layer{layer="seccomp"}') == 1
    assert watched.metric('gradus_part_ready{part="database"}') == 1


def test_the_site_is_ready(watched: Watched) -> None:
    status, text, _ = watched.ask("/readyz")
    assert (status, json.loads(text)) == (200, {"database": "ok", "schema": "ok", "broker": "ok"})
    assert watched.ask("/healthz")[0] == 200


def test_a_broker_that_is_gone_is_named_and_comes_back(watched: Watched) -> None:
    folder = Path(watched.site.environment["GRADUS_DATA"]) / "broker" / "messages"
    aside = folder.with_name("aside")
    folder.rename(aside)
    wait_for(lambda: watched.ask("/readyz")[0] == 503, "it is still ready")
    told = json.loads(watched.ask("/readyz")[1])
    shutil.rmtree(folder, ignore_errors=True)  # whoever rang meanwhile may have made it anew
    aside.rename(folder)
    assert told["broker"].startswith("its folder does not exist")
    assert told["database"] == "ok"
    wait_for(lambda: watched.ask("/readyz")[0] == 200, "it is not ready again")
    assert watched.lines()  # in JSON, whatever was written meanwhile
