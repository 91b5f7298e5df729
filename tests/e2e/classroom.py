"""The course for the staff tests: two sections, an assistant in one of them, graded submissions, and a newer version of an
exercise with different points for some checks.
"""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.servers import wait_for

SLUG = "seminar"
TITLE = "Seminar on gradients"
PEOPLE = (
    ("ines", "Ines", "Moreira", "owner", "", ""),
    ("ivo", "Ivo", "Horvat", "instructor", "", ""),
    ("ann", "Ann", "Weber", "assistant", "Monday", ""),
    ("ada", "Ada", "Lovelace", "student", "Monday", "501"),
    ("ben", "Ben", "O'Hara", "student", "Monday", "502"),
    ("cy", "Cyrus", "Young", "student", "Thursday", "503"),
    ("dee", "Zoë", "Dee", "student", "Thursday", ""),  # unknown to the LMS
)
REGRADED, EXPORTED, UNTOUCHED = "A scalar engine", "Find the overwrites", "In the right order"
HANDED_IN = (
    ("ada", "engine", "wrong/missing-upstream"),  # 6 points; 5 in the newer version
    ("ben", "engine", "wrong/overwrites-instead-of-accumulating"),  # 4 points; 5 in the newer version
    ("cy", "engine", "solution"),
    ("ada", "overwrites", "solution"),
)
NEWER = (
    ("The upstream gradient is propagated", "1", "2"),
    ("Thousands of values, at the cost of one backward pass", "2", "1"),
)


def build(password: str) -> dict[str, Any]:
    """Create the course, wait until everything is graded, and return the users by login. `newcomer` has an account but is
    in no course.
    """
    from autograder.courses.models import Course, Membership, Section, User
    from autograder.courses.selectors import member_of
    from autograder.courses.setup.assignments import assignment_create
    from tests.cast import ahead, version_of
    from tests.conftest import EXERCISES

    course = Course.objects.create(slug=SLUG, title=TITLE, term="Winter 2026", time_zone="Europe/Berlin")
    sections = {name: Section.objects.create(course=course, name=name) for name in ("Monday", "Thursday")}
    people: dict[str, Any] = {}
    for login, first, last, role, section, lms_id in PEOPLE:
        user = User.objects.create(
            username=login, first_name=first, last_name=last, email=f"{login}@example.org", password=password,
            time_zone="Europe/Berlin",
        )  # fmt: skip
        Membership.objects.create(course=course, user=user, role=role, section=sections.get(section), lms_id=lms_id)
        people[login] = user
    given = (("engine", "value-engine", REGRADED), ("overwrites", "value-accumulate", EXPORTED))
    for slug, exercise, title in (*given, ("order", "value-topo", UNTOUCHED)):
        assignment_create(
            course=course, version=version_of(exercise), by=member_of(people["ines"], course),
            slug=slug, title=title, unit="Scalar engine", due_at=ahead(days=6),
        )  # fmt: skip
    _hand_in(people, course)
    load_newer_version(EXERCISES / "scalar-engine" / "value-engine", NEWER)
    people["newcomer"] = User.objects.create(username="newcomer", password=password)
    return people


def _hand_in(people: dict[str, Any], course: Any) -> None:
    """Submit, and wait for the worker of the running site."""
    from autograder.submissions.handing_in.intake import submit
    from autograder.submissions.models import Work
    from tests.e2e.exercise_page import source

    exercises = dict(course.assignments.values_list("slug", "version__exercise__slug"))
    for login, slug, name in HANDED_IN:
        submit(user=people[login], course=course, assignment=slug, source=source(exercises[slug], name).encode())
    wait_for(lambda: not Work.objects.filter(course=course, ended_at=None).exists(), "nothing is graded")


def load_newer_version(folder: Path, changes: Sequence[tuple[str, str, str]]) -> None:
    """Load a copy of the exercise with changed points. Each change is (title of the check, old points, new points)."""
    from autograder.library.versions import load_folders

    with tempfile.TemporaryDirectory() as somewhere:
        copy = Path(shutil.copytree(folder, Path(somewhere) / folder.parent.name / folder.name))
        checks = (copy / "checks.py").read_text()
        for title, old, new in changes:
            line = f'@check("{title}", points={{}}'
            assert checks.count(line.format(old)) == 1
            checks = checks.replace(line.format(old), line.format(new))
        (copy / "checks.py").write_text(checks)
        load_folders([copy])
