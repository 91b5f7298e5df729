"""Creates the demo course with the same services as any course. A repeated call only adds what is missing."""

import secrets
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import F, OuterRef, Subquery
from django.utils import timezone

from autograder.courses import rights
from autograder.courses.errors import Refused
from autograder.courses.importers.roster import roster_import, roster_preview
from autograder.courses.models import Assignment, Course, Extension, Membership, Role, User
from autograder.courses.people.extensions import extension_grant
from autograder.courses.selectors import owner_of, version_of_exercise
from autograder.courses.setup.assignments import assignment_create
from autograder.courses.setup.courses import course_create
from autograder.gradebook.decisions import overrides
from autograder.gradebook.demo.people import DOMAIN, OPERATOR, SLUG, VISITOR, Person, cast, roster_of
from autograder.gradebook.demo.week import TASKS, Task, week
from autograder.gradebook.grades.scores import rounded
from autograder.gradebook.models import Override
from autograder.judge import pack
from autograder.library.versions import load_folders
from autograder.submissions.grader import Grader
from autograder.submissions.handing_in import intake
from autograder.submissions.models import Grading, Kind, Lane, Submission, Work
from autograder.submissions.work import queue
from autograder.submissions.work.leases import LEASE, Claim

TITLE = "Automatic differentiation, a demo"
VERDICT_DELAY = timedelta(seconds=2)  # the delay of the verdicts of the demo week
EXTENDED = "vjp-elementwise"
UNFINISHED = (Work.State.QUEUED, Work.State.RUNNING)


def build(students: int, password: str = "") -> Course:
    """Create everything except the verdicts, in one transaction. The course starts now, and its week of submissions lies
    before that."""
    people = cast(students)
    load_folders([pack.find(settings.EXERCISES, task.exercise) for task in TASKS])
    with transaction.atomic():
        _refuse_strangers(people)
        course = Course.objects.filter(slug=SLUG).first() or _begin(people[0])
        roster_import(preview=roster_preview(roster_of(people[1:]).encode(), course), by=owner_of(course))
        assignments = [_assignment(course, task) for task in TASKS]
        _extension(course, next(assignment for assignment in assignments if assignment.slug == EXTENDED))
        if _replay(course, assignments):
            _break_once(course)
        if password:
            _operator()
            logins = [OPERATOR[0], *(person.login for person in people)]
            User.objects.filter(username__in=logins).update(password=make_password(password))
    return course


def _refuse_strangers(people: list[Person]) -> None:
    """Refuse to continue if real accounts use the demo's logins, or if a real course uses its slug."""
    logins = [OPERATOR[0], *(person.login for person in people)]
    stranger = User.objects.filter(username__in=logins).exclude(email__endswith=f"@{DOMAIN}").first()
    if stranger is not None:
        raise Refused(f"The account '{stranger}' already exists and does not belong to the demo. Nothing was created.")
    if Course.objects.filter(slug=SLUG).exclude(title=TITLE).exists():
        raise Refused(f"A course with the slug '{SLUG}' already exists and is not the demo course. Nothing was created.")


def _begin(owner: Person) -> Course:
    user = User.objects.filter(username=owner.login).first() or User.objects.create_user(
        owner.login, owner.email, None, first_name=owner.first_name, last_name=owner.last_name
    )
    return course_create(slug=SLUG, title=TITLE, by=rights.OPERATOR, owner=user)


def _assignment(course: Course, task: Task) -> Assignment:
    found = course.assignments.filter(slug=task.exercise).first()
    if found is not None:
        return found
    opens, due, closes = (course.created_at + timedelta(days=days) for days in (task.opens, task.due, task.closes))
    return assignment_create(
        course=course,
        version=version_of_exercise(task.exercise),
        by=owner_of(course),
        opens_at=opens,
        due_at=due,
        closes_at=closes,
        policy=task.policy,
        late_share=Decimal(task.late_share),
        attempt_limit=task.attempts,
        cool_down=timedelta(minutes=task.cool_down),
    )


def _extension(course: Course, assignment: Assignment) -> None:
    """Grant one student, who was ill, an extension beyond the closing date."""
    if Extension.objects.filter(assignment=assignment).exists():
        return
    ill = _students(course)[:3][-1]
    extension_grant(
        assignment=assignment,
        membership=ill,
        by=owner_of(course),
        reason="Ill for a week, with a doctor's note.",
        due_at=course.created_at + timedelta(days=2),
    )


def _students(course: Course) -> list[Membership]:
    """The students of the cast, without those that visitors act as."""
    students = course.memberships.filter(role=Role.STUDENT, removed_at=None).exclude(user__username__startswith=VISITOR)
    return list(students.select_related("user").order_by("id"))


def _operator() -> None:
    """Create the demo's site operator. On a site that is not a demo, `account.NameOrEmail` does not let this account sign in."""
    login, first_name, last_name = OPERATOR
    names = {"first_name": first_name, "last_name": last_name, "email": f"{login}@{DOMAIN}"}
    User.objects.get_or_create(username=login, defaults=names | {"is_staff": True})


def _replay(course: Course, assignments: list[Assignment]) -> bool:
    """Submit the work of the week before the course was created, except for students who have submissions already.

    Returns whether this was the first time.
    """
    there = set(Submission.objects.filter(assignment__course=course).values_list("membership__user", flat=True))
    for attempt in week(_students(course), assignments, course.created_at):
        if attempt.user.pk not in there:
            intake.replay(
                user=attempt.user,
                course=course,
                assignment=attempt.assignment,
                source=attempt.source,
                at=attempt.at,
                kind=attempt.kind,
            )
    return not there


def _break_once(course: Course) -> None:
    """Make the first try of one submission fail with an internal error, which has no consequences: the next worker grades it."""
    work = Work.objects.filter(course=course, lane=Lane.SUBMIT, state=Work.State.QUEUED).order_by("-submission_id").first()
    if work is None:
        return
    now = timezone.now()
    work.state, work.tries, work.token = Work.State.RUNNING, 1, secrets.token_hex(16)
    work.worker, work.started_at, work.lease_until = "demo", now, now + LEASE
    work.save(update_fields=("state", "tries", "token", "worker", "started_at", "lease_until"))
    queue.log.disabled = True  # suppress the warning, because this is not a real error
    try:
        queue.gradings.give_back(Claim(work.pk, work.token), "SandboxError: the zygote ended before it answered")
    finally:
        queue.log.disabled = False


# -- grading --------------------------------------------------------------------------------------------------------------


def waiting(course: Course) -> int:
    return Work.objects.filter(course=course, state__in=UNFINISHED).count()


def grade(course: Course, advance: Callable[[int], None]) -> None:
    """Grade everything that is waiting in this process, with the same grader as a worker. Returns when nothing is left to claim."""
    grader = Grader()
    try:
        while (left := waiting(course)) and grader.work_once():
            advance(left)
    finally:
        grader.close()
    with transaction.atomic():
        _date_back(course)
        _override(course)


def _date_back(course: Course) -> None:
    """Date the verdicts back to the demo week. Pages and statistics would otherwise show one busy minute.

    The time of queueing is set to that of the verdict, so that statistics do not count a wait that did not happen.
    """
    own = Submission.objects.filter(pk=OuterRef("submission"))
    answered = Subquery(own.annotate(answered=F("submitted_at") + VERDICT_DELAY).values("answered"))
    of_the_week = {"submission__assignment__course": course, "submission__submitted_at__lt": course.created_at}
    Work.objects.filter(batch=None, state=Work.State.DONE, **of_the_week).update(
        queued_at=answered, started_at=answered, ended_at=answered
    )
    Grading.objects.filter(work__batch=None, **of_the_week).update(graded_at=answered)


def _override(course: Course) -> None:
    """Override the score of a student who was stuck and explained the solution in class."""
    if Override.objects.filter(assignment__course=course).exists():
        return
    stuck = next((m for m in _students(course) if m.submissions.exists() and not _passed(m)), None)
    if stuck is None:
        return
    assignment = stuck.submissions.order_by("submitted_at")[0].assignment
    points = rounded(assignment.points * Decimal("0.8"))
    reason = "Explained every step at the board; the last mistake was a typo."
    overrides.override(assignment=assignment, membership=stuck, points=points, reason=reason, by=owner_of(course))


def _passed(membership: Membership) -> bool:
    counted = Grading.objects.filter(submission__membership=membership, submission__kind=Kind.SUBMIT, current=True)
    return counted.filter(verdict="passed").exists()
