"""Test data of the service: a course, an instructor, and students who submit."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Model
from django.utils import timezone

from autograder.courses.models import Assignment, Course, Membership, Role, User
from autograder.judge import pack
from autograder.library.models import Exercise, ExerciseVersion, UnitPage, VersionPage
from autograder.library.versions import load_folders
from autograder.submissions.handing_in.intake import submit
from autograder.submissions.models import Kind, Submission
from tests.conftest import EXERCISES

_written: dict[str, tuple[dict[str, Any], ...]] = {}  # by exercise: the columns of its version, its page and its unit


def version_of(slug: str) -> ExerciseVersion:
    """Return the version that `exercise load` creates for an exercise. Its rows are cached and inserted again for each
    test, because loading a folder takes longer than most tests.
    """
    if slug not in _written:
        (loaded,) = load_folders([pack.find(EXERCISES, slug)])
        version = loaded.version
        page = VersionPage.objects.get(version=version)
        unit = UnitPage.objects.get(title=version.unit)
        _written[slug] = columns(version, "exercise", "loaded_at"), columns(page, "version"), columns(unit)
        return version
    about, shown, unit_shown = _written[slug]
    exercise, _ = Exercise.objects.get_or_create(slug=slug)
    version, new = ExerciseVersion.objects.get_or_create(exercise=exercise, hash=about["hash"], defaults=about)
    if new:
        VersionPage.objects.create(version=version, **shown)
        UnitPage.objects.get_or_create(title=version.unit, defaults=unit_shown)
    return version


def columns(row: Model, *but: str) -> dict[str, Any]:
    fields = [field for field in row._meta.concrete_fields if not field.primary_key and field.name not in but]
    return {field.attname: getattr(row, field.attname) for field in fields}


def source_of(slug: str, name: str = "solution") -> bytes:
    return (pack.find(EXERCISES, slug) / f"{name}.py").read_bytes()


@dataclass
class Cast:
    """`Cast("value-engine")`: a course with one assignment. `cast.student("ada")` gets or creates a student."""

    exercise: str = "value-engine"
    slug: str = "autodiff"
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.course = Course.objects.create(slug=self.slug, title=self.slug.capitalize())
        self.owner = User.objects.create_user(f"{self.slug}-grace")
        self.staff = Membership.objects.create(course=self.course, user=self.owner, role=Role.OWNER)
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
