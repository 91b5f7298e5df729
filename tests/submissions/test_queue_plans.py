"""Every query of the queue uses the index made for it, whatever the statistics of the table say."""

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from autograder.submissions.models import Submission, Work
from autograder.submissions.work import queue
from tests.cast import Cast

pytestmark = pytest.mark.django_db
STUDENTS, WAITING = 40, 2000
SORTS = ("Sort", "TEMP B-TREE")
WHOLE = ("Seq Scan", "SCAN submissions_work")


def fill(cast: Cast, count: int) -> list[Work]:
    who = [cast.membership(f"student-{n}") for n in range(STUDENTS)]
    handed_in = Submission.objects.bulk_create(
        Submission(assignment=cast.assignment, membership=who[n % STUDENTS], source=b"x", submitted_at=timezone.now())
        for n in range(count)
    )
    return Work.objects.bulk_create(
        Work(submission=one, version=cast.assignment.version, course=cast.course, membership=one.membership, lane=1,
             turn=n // STUDENTS, place=n, queued_at=one.submitted_at)
        for n, one in enumerate(handed_in)
    )  # fmt: skip


@pytest.fixture(params=["with nobody waiting", "with all waiting", "never"])
def waiting(request: pytest.FixtureRequest, cast: Cast) -> Cast:
    """A long queue. The parameter says in which state the database last collected statistics."""
    fill(cast, STUDENTS * 10)
    Work.objects.update(state=Work.State.DONE, ended_at=timezone.now())
    if request.param == "with nobody waiting":
        take_stock()
    fill(cast, WAITING)
    if request.param == "with all waiting":
        take_stock()
    return cast


def take_stock() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE submissions_work")


def plans(action: Callable[[], object]) -> list[str]:
    """Return the query plan of every statement on the work table."""
    with CaptureQueriesContext(connection) as asked:
        action()
    statements = [one["sql"] for one in asked if re.match(r"\s*(SELECT|UPDATE)\b.*\bsubmissions_work\b", one["sql"], re.S)]
    assert statements
    return [plan_of(statement) for statement in statements]


def plan_of(statement: str) -> str:
    word = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
    with connection.cursor() as cursor:
        cursor.execute(f"{word} {statement}".replace("%", "%%"), None)
        return "\n".join(str(row[-1]) for row in cursor.fetchall())


def reads_little(plan: str) -> bool:
    return not any(word in plan for word in (*SORTS, *WHOLE))


def test_a_claim_reads_the_head_of_the_queue(waiting: Cast) -> None:
    (plan,) = plans(lambda: queue.claim("w"))
    assert "the_queue" in plan and reads_little(plan), plan


def test_to_renew_and_to_finish_read_one_row(waiting: Cast) -> None:
    claim = queue.claim("w")
    assert claim is not None
    for plan in plans(lambda: queue.gradings.renew(claim) and queue.gradings.finish(claim)):
        assert "pkey" in plan or "PRIMARY KEY" in plan, plan


def test_who_hands_in_reads_the_head_of_the_queue_the_end_of_the_course_and_the_own_work(waiting: Cast) -> None:
    found = plans(lambda: waiting.hands_in("student-3"))
    for index in ("the_queue", "queue_of_a_course", "waiting_of_a_student"):
        assert any(index in plan for plan in found), "\n\n".join(found)
    assert all(reads_little(plan) for plan in found), found


def test_what_died_is_looked_for_among_the_leases(cast: Cast) -> None:
    fill(cast, WAITING)
    queue.claim("w")
    take_stock()
    (plan,) = plans(queue.gradings.reap)
    assert "leases" in plan and "Seq Scan on submissions_work" not in plan, plan
