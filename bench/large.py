"""A large course for the benchmark of the pages: forty exercises, a thousand students, ten graded submissions of each."""

from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any

COURSE = "large"
EXERCISES, STUDENTS, EACH = 40, 1000, 10


def large_course(first: int, last: int) -> list[str]:
    """Sessions of the first and the last of its students, who ask."""
    from autograder.courses.models import Course, Membership, User
    from tests.conftest import SLUGS

    course = Course.objects.create(slug=COURSE, title="A large course")
    exercises = enumerate(islice(cycle(SLUGS), EXERCISES))
    assignments = [_assign(course, number, exercise) for number, exercise in exercises]
    users = User.objects.bulk_create(User(username=f"student-{n}") for n in range(STUDENTS))
    members = Membership.objects.bulk_create(Membership(course=course, user=user) for user in users)
    _hand_in(assignments, members)
    return [session_of(user) for user in (*users[:first], *users[-last:])]


def _assign(course: Any, number: int, exercise: str) -> Any:
    from autograder.courses.models import Assignment
    from tests.cast import ahead, version_of

    return Assignment.objects.create(
        course=course, slug=f"step-{number}", title=f"{exercise} {number}", version=version_of(exercise), points=10,
        position=number, unit=f"Unit {number // 8}", due_at=ahead(days=number + 1),
    )  # fmt: skip


def _hand_in(assignments: Sequence[Any], members: Sequence[Any]) -> None:
    """As many submissions as a term leaves behind, with a report of the usual length."""
    from autograder.submissions.models import Grading, Submission, Work
    from tests.cast import ago

    at, report = ago(hours=1), _report()
    pairs = [(member, assignments[(n + k) % EXERCISES]) for n, member in enumerate(members) for k in range(EACH)]
    made = Submission.objects.bulk_create(
        (Submission(assignment=a, membership=m, source=b"x = 1\n" * 200, submitted_at=at) for m, a in pairs), batch_size=500
    )
    works = Work.objects.bulk_create(
        (Work(submission=s, version=s.assignment.version, course=s.assignment.course, membership=s.membership, lane=1,
              place=0, queued_at=at, started_at=at, ended_at=at, state=Work.State.DONE) for s in made), batch_size=500,
    )  # fmt: skip
    Grading.objects.bulk_create(
        (Grading(submission=w.submission, work=w, version=w.version, report=report, verdict="partial", score=2.0,
                 max_score=9.0, seed=1, seconds=0.05, why="first", judge_version="1", worker="bench", graded_at=at, explained_at=at,
                 current=True) for w in works), batch_size=500,
    )  # fmt: skip


def _report() -> Any:
    """Of a wrong submission to an engine."""
    import msgspec

    from autograder.judge import pack
    from autograder.judge.grade import Judge
    from autograder.library.sandboxes import backend
    from tests.cast import source_of
    from tests.conftest import EXERCISES as FOLDER

    with Judge(backend()) as judge:
        found = judge.grade(
            pack.load(pack.find(FOLDER, "value-engine")), source_of("value-engine", "wrong/missing-upstream"), 1
        )
    return msgspec.to_builtins(found)


def session_of(user: Any) -> str:
    from django.test import Client

    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


def first_assignment() -> str:
    """Of an engine exercise, which the first student has handed in."""
    from autograder.courses.models import Assignment

    found = Assignment.objects.filter(version__exercise__slug="value-engine").values_list("slug", flat=True).first()
    assert found is not None
    return found
