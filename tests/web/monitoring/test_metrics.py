"""`/metrics`: access by token, and site-wide numbers whose cost is independent of the number of gradings."""

import os
import subprocess
import sys
import urllib.request
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from autograder.courses.models import User
from autograder.lti.models import Context, Deployment, LineItem, OutgoingScore, Registration
from autograder.submissions import counters
from autograder.submissions.counters import Increment
from autograder.submissions.models import Kind, Work, Worker
from autograder.submissions.work import queue
from autograder.web.monitoring import dependencies
from tests.cast import Cast
from tests.conftest import EXERCISES
from tests.servers import free_port, wait_for
from tests.web.conftest import browser_of

pytestmark = pytest.mark.django_db
TOKEN = "a-token-for-prometheus"
Labels = dict[str, str]


@pytest.fixture(autouse=True)
def token(settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN
    dependencies.forget()


def scrape(**headers: str) -> str:
    response = Client().get("/metrics", headers=headers or {"Authorization": f"Bearer {TOKEN}"})
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/plain; version=0.0.4")
    return response.content.decode()


def value(name: str, **labels: str) -> float | None:
    for family in text_string_to_metric_families(scrape()):
        for sample in family.samples:
            if sample.name == name and sample.labels == labels:
                return float(sample.value)
    return None


# -- access


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer ", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN, "Bearer ä"])
def test_without_the_token_there_is_no_such_page(given: str) -> None:
    assert Client().get("/metrics", headers={"Authorization": given}).status_code == 404


def test_without_a_token_set_no_token_is_right(settings: Settings) -> None:
    settings.METRICS_TOKEN = ""
    for given in ("Bearer ", "Bearer"):
        assert Client().get("/metrics", headers={"Authorization": given}).status_code == 404


def test_the_staff_of_the_site_may_read_and_owners_of_courses_may_not(cast: Cast) -> None:
    assert browser_of(User.objects.create_superuser("root")).get("/metrics").status_code == 200
    assert browser_of(cast.owner).get("/metrics").status_code == 404


# -- content


def test_the_queue_by_lane_with_the_age_of_the_oldest(cast: Cast) -> None:
    cast.hands_in("ada")
    cast.hands_in("ben")
    cast.hands_in("ben", kind=Kind.RUN)
    Work.objects.filter(lane=1).update(queued_at=timezone.now() - timedelta(minutes=5))
    assert queue.claim("box") is not None
    assert value("gradus_queue_waiting", lane="run") == 0
    assert value("gradus_queue_running", lane="run") == 1
    assert value("gradus_queue_waiting", lane="submit") == 2
    assert (value("gradus_queue_oldest_seconds", lane="submit") or 0) >= 300
    assert value("gradus_queue_oldest_seconds", lane="regrade") == 0


def test_times_are_histograms_that_add_up() -> None:
    now = timezone.now()
    for seconds in (0.04, 0.4, 4.0, 4000.0):
        counters.count_verdict(1, "passed", None, queued_at=now, claimed_at=now - timedelta(seconds=seconds))
    name = "gradus_claim_to_verdict_seconds"
    assert value(f"{name}_bucket", lane="submit", le="0.3") == 1 or value(f"{name}_bucket", lane="submit", le="0.05") == 1
    assert value(f"{name}_bucket", lane="submit", le="1800") == 3
    assert value(f"{name}_bucket", lane="submit", le="+Inf") == value(f"{name}_count", lane="submit") == 4
    assert (value(f"{name}_sum", lane="submit") or 0) >= 4004.44


def test_what_was_counted_has_labels() -> None:
    counted = [Increment(counters.VERDICTS, "submit error timeout-cpu", 2), Increment(counters.RETRIES, "silent")]
    counters.add([*counted, Increment(counters.ZYGOTE_DEATHS, "torch", 3)])
    assert value("gradus_verdicts_total", lane="submit", verdict="error", reason="timeout-cpu") == 2
    assert value("gradus_retries_total", cause="silent") == 1
    assert value("gradus_zygote_deaths_total", profile="torch") == 3


def test_what_never_happened_is_zero_so_that_the_first_time_is_seen() -> None:
    assert value("gradus_internal_errors_total", cause="error") == 0
    assert value("gradus_retries_total", cause="error") == 0
    assert value("gradus_lms_refused_total", what="registration") == 0


def test_a_refused_launch_is_counted() -> None:
    Client().post("/lti/login/", {"iss": "https://nobody.example"})
    assert value("gradus_lms_refused_total", what="launch") == 1


def worker(name: str, *, seen: timedelta = timedelta(0), **given: object) -> None:
    now = timezone.now()
    Worker.objects.create(**({"name": name, "version": "1.0", "started_at": now, "seen_at": now - seen} | given))


def test_workers_and_the_layers_that_hold_in_all_of_them() -> None:
    worker("a", layers={"seccomp": True, "user": True})
    worker("b", layers={"seccomp": False, "user": True}, trouble="seccomp is missing")
    worker("c", version="0.9")  # of a version that does not report layers
    worker("d", seen=timedelta(hours=1), layers={"user": False})
    assert value("gradus_workers_alive", version="1.0") == 2
    assert value("gradus_workers_alive", version="0.9") == 1
    assert value("gradus_workers_idle") == 1
    assert value("gradus_workers_silent") == 1
    assert value("gradus_sandbox_layer", layer="seccomp") == 0
    assert value("gradus_sandbox_layer", layer="user") == 1


def test_no_worker_is_a_zero_and_not_a_gap() -> None:
    from autograder import __version__

    assert value("gradus_workers_alive", version=__version__) == 0


def test_requests_are_timed_by_view_and_never_by_address(cast: Cast) -> None:
    Client().get(f"/c/{cast.course.slug}/")
    Client().get("/join/a-secret-token/")
    text = scrape()
    assert 'gradus_request_seconds_count{method="GET",status="302",view="home"}' in text
    assert "a-secret-token" not in text
    assert cast.course.slug not in text


def test_a_method_that_nobody_knows_is_no_series_of_its_own() -> None:
    Client().generic("BREW", "/help/")
    assert 'method="other"' in scrape()
    assert "BREW" not in scrape()


def test_scores_that_an_lms_does_not_have_yet(cast: Cast) -> None:
    assert value("gradus_lms_scores", state="waiting") == 0
    assert value("gradus_lms_scores_oldest_seconds") == 0
    registration = Registration.objects.create(name="School", issuer="https://lms.test", client_id="1")
    deployment = Deployment.objects.create(registration=registration, deployment_id="1")
    context = Context.objects.create(deployment=deployment, context_id="1", course=cast.course)
    column = LineItem.objects.create(context=context, assignment=cast.assignment, url="https://lms.test/1")
    now = timezone.now()
    for name, state, minutes in (("ada", "waiting", 5), ("ben", "sending", 3), ("cy", "failed", 90), ("di", "sent", 90)):
        OutgoingScore.objects.create(
            line_item=column, membership=cast.membership(name), maximum=10, activity="Completed", grading="FullyGraded",
            state=state, try_at=now, changed_at=now - timedelta(minutes=minutes),
        )  # fmt: skip
    assert value("gradus_lms_scores", state="waiting") == 2
    assert value("gradus_lms_scores", state="failed") == 1
    assert 300 <= (value("gradus_lms_scores_oldest_seconds") or 0) < 600
    Registration.objects.update(active=False)
    assert value("gradus_lms_scores", state="waiting") == 0


# -- cost and outages


def test_it_asks_as_often_whatever_was_graded(cast: Cast) -> None:
    def asked() -> int:
        dependencies.forget()  # otherwise the result would depend on the elapsed time
        with CaptureQueriesContext(connection) as queries:
            scrape()
        return len(queries)

    before = asked()
    for name in ("ada", "ben", "cy"):
        cast.hands_in(name)
        worker(name)
        counters.add([Increment(counters.VERDICTS, "submit passed passed")])
    assert asked() == before == 7


def test_without_the_database_it_says_so_and_nothing_else_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependencies, "_database", lambda: "unavailable (OperationalError)")
    dependencies.forget()
    assert value("gradus_part_ready", part="database") == 0
    assert value("gradus_queue_waiting", lane="submit") is None
    assert value("gradus_part_ready", part="broker") == 1


def test_several_processes_of_one_uvicorn_answer_for_all(tmp_path: Path) -> None:
    port = free_port()
    environment = {
        **os.environ, "GRADUS_DATA": str(tmp_path), "DATABASE_URL": f"sqlite:///{tmp_path / 'site.sqlite3'}",
        "GRADUS_METRICS_TOKEN": TOKEN, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "metrics"),
        "DJANGO_SETTINGS_MODULE": "autograder.settings",
    }  # fmt: skip
    command = [sys.executable, "-m", "uvicorn", "autograder.asgi:application", "--port", str(port), "--workers", "2"]
    web = subprocess.Popen([*command, "--log-level", "warning"], cwd=EXERCISES.parent, env=environment)

    def get(path: str, **headers: str) -> str:
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
        with urllib.request.urlopen(request, timeout=300) as answer:
            return str(answer.read().decode())

    def answers() -> bool:
        try:
            return get("/healthz") == "alive\n"
        except OSError:
            return False

    def counted() -> float:
        text = get("/metrics", Authorization=f"Bearer {TOKEN}")
        series = 'gradus_request_seconds_count{method="GET",status="200",view="help"}'
        return next((float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(series)), 0.0)

    try:
        wait_for(answers, "uvicorn does not answer")
        for _ in range(30):
            get("/help/")
        # the last one is counted after its response was sent
        wait_for(lambda: counted() == 30.0, "not every request was counted")
        assert [counted() for _ in range(6)] == [30.0] * 6
    finally:
        web.terminate()
        web.wait()
