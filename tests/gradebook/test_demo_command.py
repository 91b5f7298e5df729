"""Calling `manage.py demo`: repeatedly, with a password, and beside real users. `test_demo_course.py` tests the course it
creates.
"""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.courses.models import Course, User
from autograder.gradebook.demo import course as demo
from autograder.gradebook.demo.people import OPERATOR
from autograder.library import versions
from tests.commands import Shell
from tests.library.test_grade_command import manage

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Clear the cache of packs, because version ids repeat in each test."""
    versions.forget()
    yield
    versions.forget()


def test_a_password_is_for_the_demo_alone(db: None) -> None:
    User.objects.create_user("real", password="theirs")
    demo.build(3, "secret of nobody")
    assert User.objects.get(username="demo-01").check_password("secret of nobody")
    assert User.objects.get(username="real").check_password("theirs")


def test_the_operator_is_there_with_a_password_alone(db: None) -> None:
    demo.build(2)
    assert not User.objects.filter(is_staff=True).exists()
    demo.build(2, "secret of nobody")
    operator = User.objects.get(is_staff=True)
    assert (operator.username, operator.is_superuser, operator.check_password("secret of nobody")) == (
        OPERATOR[0],
        False,
        True,
    )
    assert not operator.memberships.exists()


# -- repeated calls


def test_somebody_real_with_a_login_of_ours_stays_out_of_it(shell: Shell) -> None:
    User.objects.create_user("demo-02", "ben@example.org")
    ended = shell("demo", "--no-grade")
    assert (ended.status, ended.error) == (
        1,
        "The account 'demo-02' already exists and does not belong to the demo. Nothing was created.",
    )
    assert not Course.objects.exists()


def test_a_course_of_that_name_that_people_learn_in_is_left_alone(shell: Shell) -> None:
    Course.objects.create(slug="demo", title="Democracy")
    assert (
        shell("demo", "--no-grade").error
        == "A course with the slug 'demo' already exists and is not the demo course. Nothing was created."
    )
    assert not User.objects.exists()


@pytest.mark.parametrize("number", ["0", "-1", "401", "many"])
def test_a_wrong_number_of_students_has_status_2(shell: Shell, number: str) -> None:
    assert shell("demo", "--students", number).status == 2


# -- the whole command


@pytest.mark.slow
def test_the_whole_demo_is_graded_for_real(tmp_path: Path) -> None:
    file = tmp_path / "gradus.sqlite3"
    ours = {"GRADUS_DATA": str(tmp_path), "DATABASE_URL": f"sqlite:///{file}"}
    assert manage("migrate", **ours).returncode == 0
    assert manage("exercise", "learn", "--quick", "value-engine").returncode == 0
    result = manage("demo", "--students", "6", **ours)
    assert result.returncode == 0, result.stderr
    assert "10 people, 13 assignments" in result.stdout
    queue = json.loads(manage("queue", "--json", **ours).stdout)
    database = sqlite3.connect(file)
    ((handed_in,),) = database.execute("SELECT count(*) FROM submissions_submission")
    assert {state: count for state, count in queue["states"].items() if count} == {"done": handed_in}
    verdicts = dict(database.execute("SELECT verdict, count(*) FROM submissions_grading WHERE current GROUP BY verdict"))
    assert sum(verdicts.values()) == handed_in
    assert verdicts["passed"] > 12
    assert verdicts["partial"] > 12
    assert "internal" not in verdicts
    ((explained,),) = database.execute("SELECT count(*) FROM submissions_grading WHERE diagnosis <> '[]'")
    assert explained > 1
    joined = "SELECT count(*) FROM submissions_grading JOIN submissions_submission s ON s.id = submission_id"
    ((odd,),) = database.execute(f"{joined} WHERE unixepoch(graded_at) - unixepoch(submitted_at) NOT BETWEEN 1 AND 3")
    assert odd == 0, "a verdict of the week was given in the week"
    ((overrides,),) = database.execute("SELECT count(*) FROM gradebook_override")
    assert overrides == 1
