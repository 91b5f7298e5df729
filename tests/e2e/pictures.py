"""`python -m tests.e2e.pictures`: creates the half-finished course of the README and the changes to the demo course that
the instructor guide shows.

Prints sessions for a student of the former and the owner of the latter.
"""

import json
import os
from typing import Any

SLUG = "autodiff"
TITLE = "Automatic differentiation"
STUDENT = ("ada", "Ada", "Brandt")
UNITS = {
    "A scalar engine": ("value-accumulate", "value-topo", "value-unary", "value-engine", "value-deep"),
    "Vector-Jacobian products": ("vjp-elementwise", "vjp-matmul", "vjp-unbroadcast"),
    "Your own functions": ("fn-cubic", "fn-ste"),
    "Reading the graph": ("graph-build", "count-paths", "topo-grad-fn"),
}
PASSED = ("value-accumulate", "value-topo", "value-unary")
PICTURED = "value-engine"
DEMO = "demo"
TEACHER = "grace"
REGRADED = "fn-cubic"
NEWER = (("Values", "1", "0.5"), ("torch.autograd.gradcheck", "1", "2"), ("torch.autograd.gradgradcheck", "1.5", "1"))
UNKNOWN = 3  # demo students without an LMS ID


def main() -> None:
    import django

    django.setup()
    from autograder.courses.models import Course, Membership, User
    from autograder.submissions.handing_in.intake import submit
    from tests.cast import source_of
    from tests.e2e.course import signed_in

    course = Course.objects.create(slug=SLUG, title=TITLE, time_zone="Europe/Berlin")
    login, first, last = STUDENT
    user = User.objects.create(username=login, first_name=first, last_name=last, time_zone="Europe/Berlin")
    Membership.objects.create(course=course, user=user)
    _assign(course)
    for slug in PASSED:
        submit(user=user, course=course, assignment=slug, source=source_of(slug))
    _change_demo()
    print(json.dumps({"student": signed_in(user), "teacher": signed_in(User.objects.get(username=TEACHER))}))


def _change_demo() -> None:
    """Make its people ordinary ones, because those of a demo cannot sign in to a site that is none. Remove LMS IDs, for a
    warning before an export, and load a newer version to regrade with.
    """
    from autograder.courses.models import Membership, Role, User
    from autograder.gradebook.demo.people import DOMAIN, PREFIX
    from tests.conftest import EXERCISES
    from tests.e2e.classroom import load_newer_version

    for user in User.objects.filter(username__startswith=PREFIX):
        user.username, user.email = user.username.removeprefix(PREFIX), user.email.replace(DOMAIN, "example.edu")
        user.save()
    students = Membership.objects.filter(course__slug=DEMO, role=Role.STUDENT).order_by("user__last_name")
    Membership.objects.filter(pk__in=list(students.values_list("pk", flat=True)[:UNKNOWN])).update(lms_id="")
    load_newer_version(EXERCISES / "custom-functions" / REGRADED, NEWER)


def _assign(course: Any) -> None:
    """Assign the units, each due a week after the previous one."""
    from autograder.courses.models import Assignment, ShowHidden
    from autograder.courses.selectors import version_of_exercise
    from tests.cast import ahead

    tasks = [(week, unit, slug) for week, (unit, slugs) in enumerate(UNITS.items()) for slug in slugs]
    for position, (week, unit, slug) in enumerate(tasks):
        version = version_of_exercise(slug)
        Assignment.objects.create(
            course=course, slug=slug, title=version.title, version=version, points=10, position=position, unit=unit,
            due_at=ahead(days=5 + 7 * week), opens_at=ahead(days=2) if week == 3 else None, attempt_limit=8,
            show_hidden=ShowHidden.ALWAYS,
        )  # fmt: skip


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
    main()
