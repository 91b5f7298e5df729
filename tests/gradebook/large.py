"""Creates a course with a thousand students, sixty assignments and several gradings each, within seconds.

For measurements, sources and reports have realistic sizes and compress as badly as real ones, because the cost of
skipping rows depends on their size.
"""

import json
import random
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import connection
from django.utils import timezone

from autograder.courses.models import Assignment, Course, Membership, Section, User
from tests.cast import version_of

SOURCE, REPORT = 1_500, 4_000  # bytes


def large_course(students: int = 1_000, assignments: int = 60, gradings: int = 2, real_sizes: bool = False) -> Course:
    course = Course.objects.create(slug="large", title="Large")
    version, now = version_of("value-engine"), timezone.now()
    section = Section.objects.create(course=course, name="Monday")
    users = User.objects.bulk_create(
        User(username=f"s{n:04}", email=f"s{n:04}@example.org", first_name="Zoë", last_name=f"O'Hara {n}")
        for n in range(students)
    )
    Membership.objects.bulk_create(
        Membership(course=course, user=user, section=section, lms_id=str(5000 + n), sis_id=f"S-{n:04}")
        for n, user in enumerate(users)
    )
    Assignment.objects.bulk_create(
        Assignment(
            course=course, version=version, slug=f"a{n}", title=f"Exercise {n}", unit=f"Unit {n // 10}", position=n,
            points=Decimal(10), due_at=now - timedelta(hours=1), policy="best", late_share=Decimal("0.5"),
        )
        for n in range(assignments)
    )  # fmt: skip
    for n in range(gradings):
        _handed_in_and_graded(course, now - timedelta(hours=12 * n), real_sizes)
    return course


def _handed_in_and_graded(course: Course, at: datetime, real_sizes: bool) -> None:
    """Insert a graded submission for every student and assignment with SQL, inside the database."""
    everybody = "FROM courses_membership m, courses_assignment a WHERE m.course_id = %s AND a.course_id = m.course_id"
    new = "FROM submissions_submission s LEFT JOIN submissions_work w ON w.submission_id = s.id WHERE w.id IS NULL"
    source, report = (_letters(size if real_sizes else 0) for size in (SOURCE, REPORT))
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO submissions_submission (assignment_id, membership_id, kind, source, submitted_at, once) "
            f"SELECT a.id, m.id, 'submit', %s, %s, '' {everybody}",
            [source.encode(), at, course.pk],
        )
        cursor.execute(
            "INSERT INTO submissions_work (submission_id, version_id, course_id, membership_id, lane, turn, place, state, "
            "queued_at, ended_at, tries, worker, token, trouble) SELECT s.id, (SELECT max(id) FROM library_exerciseversion), "
            f"%s, s.membership_id, 1, 0, 0, 'done', s.submitted_at, s.submitted_at, 1, '', '', '' {new}",
            [course.pk],
        )
        cursor.execute(
            "INSERT INTO submissions_grading (submission_id, work_id, version_id, current, why, seed, verdict, score, max_score, "
            "seconds, judge_version, libraries, report, diagnosis, traces, worker, graded_at) SELECT s.id, w.id, w.version_id, %s, "
            "'first', 1, 'partial', (s.id %% 97) / 9.7, 10, 0.1, '', '{}', %s, '[]', '[]', '', s.submitted_at "
            "FROM submissions_submission s JOIN submissions_work w ON w.submission_id = s.id "
            "LEFT JOIN submissions_grading g ON g.work_id = w.id WHERE g.id IS NULL",
            [True, json.dumps({"message": report})],
        )


def _letters(count: int) -> str:
    return "".join(random.Random(count).choices("abcdefghijklmnopqrstuvwxyz0123456789 _", k=count))
