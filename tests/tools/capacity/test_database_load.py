"""The number of database statements per step, on which the capacity estimate is based."""

from collections.abc import Callable, Iterator

import msgspec
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from autograder.judge.report import Report
from autograder.submissions.grader import Grader, store
from autograder.submissions.messages import events
from autograder.submissions.models import Grading
from autograder.submissions.scratch import queue as scratch_queue
from autograder.submissions.work import queue
from autograder.submissions.work.leases import Claim
from autograder.submissions.work.work_item import work_item_of
from autograder.web import rate_limits
from tests.cast import Cast
from tests.servers import redis_server
from tools.capacity.database_load import POLLS, TRANSACTIONS

pytestmark = pytest.mark.django_db
REPORT = Report(*("value-engine", "0" * 16, "passed", None, "", 10.0, 10.0, 0.1, 1, (), "", "python", "none", "test"))


@pytest.fixture(autouse=True)
def over_redis(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As on a large site: events are published in Redis instead of rows. Random sweeps are disabled, because queries are
    counted.
    """
    monkeypatch.setattr(rate_limits, "SWEPT", 1 << 40)
    with redis_server() as server:
        settings.BROKER_URL = server.url
        events._redis.cache_clear()
        yield
    events._redis.cache_clear()


def statements(step: Callable[[], object]) -> int:
    """Count the statements, without those for transactions."""
    with CaptureQueriesContext(connection) as asked:
        step()
    return sum(not query["sql"].startswith(("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT")) for query in asked)


def test_the_steps_of_a_grading_cost_what_the_table_says(cast: Cast, grader: Grader, client: Client) -> None:
    found, claims = dict[str, int](), list[Claim | None]()
    ada = cast.membership("ada")
    client.force_login(ada.user)
    desk = reverse("submit", args=(cast.course.slug, cast.assignment.slug))
    press = {"kind": "submit", "source": "x = 1"}
    client.post(desk, press | {"source": "x = 0"}, headers={"HX-Request": "true"})
    queue.gradings.finish(first) if (first := queue.claim("box:1")) else None
    found["hand in"] = statements(lambda: client.post(desk, press, headers={"HX-Request": "true"}))
    found["claim"] = statements(lambda: claims.append(queue.claim("box:1")))
    (claim,) = claims
    assert claim is not None
    wanted = work_item_of(claim)
    found["claim"] += statements(lambda: work_item_of(claim))
    found["renew"] = statements(lambda: queue.gradings.renew(claim))
    found["finish"] = statements(lambda: store(wanted, REPORT, "box:1"))
    grading = Grading.objects.get(submission__membership=ada)
    found["explain"] = statements(
        lambda: Grading.objects.filter(pk=grading.pk).update(explained_at=timezone.now(), traces=[], diagnosis=[])
    )
    found["claim of nothing"] = statements(lambda: queue.claim("box:1")) + statements(scratch_queue.waits)
    grader._record_heartbeat()
    found["sign of life"] = (
        statements(grader._record_heartbeat) + statements(queue.gradings.reap) + statements(scratch_queue.runs.reap)
    )
    assert found == {name: transaction.statements for name, transaction in TRANSACTIONS.items() if name != "poll"}


def test_a_page_that_looks_again_costs_what_the_table_says(cast: Cast, client: Client) -> None:
    """A poll after the verdict, the most expensive one."""
    submission = cast.hands_in("ada")
    claim = queue.claim("box:1")
    assert claim is not None
    assert store(work_item_of(claim), REPORT, "box:1")
    Grading.objects.update(explained_at=timezone.now(), report=msgspec.to_builtins(REPORT))
    client.force_login(cast.student("ada"))
    address = reverse("outcome", args=(submission.pk,))
    client.get(address)
    assert statements(lambda: client.get(address)) == TRANSACTIONS["poll"].statements
    assert POLLS == 3, "after running, graded and explained"
