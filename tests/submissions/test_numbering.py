"""One number for a submission on every page: its place among the student's own, without files that Python cannot parse."""

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection

from autograder.submissions.handing_in.numbering import number_of, numbers_of
from autograder.submissions.models import UNREADABLE, Grading, Kind, Submission
from tests.cast import Cast
from tests.gradebook.conftest import add_grading


@pytest.fixture
def cast(db: None) -> Cast:
    return Cast()


def hands_in(cast: Cast, name: str, kind: Kind = Kind.SUBMIT, *, readable: bool = True) -> Submission:
    submission = cast.hands_in(name, b"x = 1\n" if readable else b"x =\n", kind)
    add_grading(submission, submission.work.get(batch=None), 0.0, verdict="failed" if readable else UNREADABLE)
    return submission


def test_submissions_and_runs_of_each_student_and_assignment_count_from_one(cast: Cast) -> None:
    other = cast.assign("value-unary", position=1)
    first, run, bens, second = (
        hands_in(cast, name, Kind(kind))
        for name, kind in zip(("ada", "ada", "ben", "ada"), ("submit", "run", "submit", "submit"))
    )
    elsewhere = cast.hands_in("ada")
    Submission.objects.filter(pk=elsewhere.pk).update(assignment=other)
    assert numbers_of([second.pk, first.pk, run.pk, bens.pk, elsewhere.pk]) == {
        first.pk: 1, run.pk: 1, bens.pk: 1, second.pk: 2, elsewhere.pk: 1,
    }  # fmt: skip


def test_a_file_that_python_cannot_parse_has_no_number_and_takes_none(cast: Cast) -> None:
    first, broken, second = (hands_in(cast, "ada", readable=readable) for readable in (True, False, True))
    assert [number_of(submission) for submission in (first, broken, second)] == [1, None, 2]


def test_one_that_waits_has_a_number_already(cast: Cast) -> None:
    hands_in(cast, "ada")
    assert number_of(cast.hands_in("ada")) == 2


def test_no_submissions_have_no_numbers(cast: Cast) -> None:
    assert numbers_of([]) == {}


def test_what_was_graded_before_there_was_a_verdict_for_it_gets_it(cast: Cast) -> None:
    migration = import_module("autograder.submissions.migrations.0019_unreadable")
    for reason in ("source", "exception"):
        submission = cast.hands_in("ada")
        add_grading(submission, submission.work.get(batch=None), 0.0, verdict="error", report={"reason": reason})
    database = SimpleNamespace(connection=connection)
    migration.name_them(apps, database)
    assert list(Grading.objects.values_list("verdict", flat=True)) == [UNREADABLE, "error"]
    migration.as_before(apps, database)
    assert list(Grading.objects.values_list("verdict", flat=True)) == ["error", "error"]
