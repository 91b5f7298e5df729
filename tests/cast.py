"""The people of the service's tests: a course, an instructor, and students who hand things in."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from autograder.courses.models import Assignment, Course, Membership, Role, User
from autograder.judge import pack
from autograder.library.models import ExerciseVersion
from autograder.library.versions import load_folders
from autograder.submissions.intake import submit
from autograder.submissions.models import Kind, Submission
from tests.conftest import EXERCISES


def version_of(slug: str) -> ExerciseVersion:
    (loaded,) = load_folders([pack.find(EXERCISES, slug)])
    return loaded.version


def source_of(slug: str, name: str = "solution") -> bytes:
    return (pack.find(EXERCISES, slug) / f"{name}.py").read_bytes()


@dataclass
class Cast:
    """`Cast("value-engine")`: a course with one assignment; `cast.student("ada")` makes or finds a student."""

    exercise: str = "value-engine"
    slug: str = "autodiff"
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.course = Course.objects.create(slug=self.slug, title=self.slug.capitalize())
        self.owner = User.objects.create_user(f"{self.slug}-grace")
        Membership.objects.create(course=self.course, user=self.owner, role=Role.OWNER)
        self.assignment = self.assign(self.exercise, **self.settings)

    def assign(self, exercise: str, **settings: Any) -> Assignment:
        given = {"title": exercise, "points": 10, "slug": exercise} | settings
        return Assignment.objects.create(course=self.course, version=version_of(exercise), **given)

    def student(self, name: str) -> User:
        user, _ = User.objects.get_or_create(username=name)
        Membership.objects.get_or_create(course=self.course, user=user)
        return user

    def membership(self, name: str) -> Membership:
        return Membership.objects.get(course=self.course, user=self.student(name))

    def hands_in(self, name: str, source: bytes | None = None, kind: Kind = Kind.SUBMIT) -> Submission:
        source = source_of(self.exercise) if source is None else source
        return submit(user=self.student(name), course=self.course, assignment=self.assignment.slug, source=source, kind=kind)


def ago(**units: float) -> datetime:
    return timezone.now() - timedelta(**units)


def ahead(**units: float) -> datetime:
    return timezone.now() + timedelta(**units)
