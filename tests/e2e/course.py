"""`python -m tests.e2e.course`: creates the courses of the browser tests in the database of a running site.

Prints JSON with a session key for each login, so that tests do not have to sign in.
"""

import json
import os
import re
import shutil
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SLUG = "backprop"
TITLE = "Backprop from scratch"
PASSWORD = "the gradient flows back"
STUDENTS = 150
ENGINE = "Scalar engine"
EXERCISES = ("value-engine", "value-topo", "value-accumulate", "fn-cubic", "graph-build")  # solved by students
SHORT = "little-time"
MOVED = "moved"  # a course without exercises, of its own people
MOVED_OWNER = "maria"
MOVED_STUDENTS = [f"mover-{number}" for number in range(8)]
TEACHER = "emmy"  # may create courses, and has none


def main() -> None:
    import django

    django.setup()
    from django.contrib.auth.hashers import make_password

    from autograder.courses.models import Course, Membership, Role, User
    from tests.e2e import classroom

    course = Course.objects.create(slug=SLUG, title=TITLE, time_zone="Europe/Berlin")
    password = make_password(PASSWORD)
    people = {}
    for login, role in [("grace", Role.OWNER), *((f"student-{n:03}", Role.STUDENT) for n in range(STUDENTS))]:
        user = User.objects.create(username=login, password=password, time_zone="Europe/Berlin")
        Membership.objects.create(course=course, user=user, role=role)
        people[login] = signed_in(user)
    people["root"] = signed_in(User.objects.create_superuser("root"))
    people["nobody"] = signed_in(User.objects.create(username="nobody", password=password))
    moved = Course.objects.create(slug=MOVED, title="A course that moved in", time_zone="Europe/Berlin")
    for login, role in [(MOVED_OWNER, Role.OWNER), *((login, Role.STUDENT) for login in MOVED_STUDENTS)]:
        user = User.objects.create(username=login, password=password, time_zone="Europe/Berlin")
        Membership.objects.create(course=moved, user=user, role=role)
        people[login] = signed_in(user)
    _assign(course)
    people |= {login: signed_in(user) for login, user in classroom.build(password).items()}
    User.objects.create(username=TEACHER, password=password, is_staff=True)
    print(json.dumps(people))


def signed_in(user: Any) -> str:
    from django.test import Client

    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


def _assign(course: Any) -> None:
    """Assign one exercise several times with different settings."""
    from autograder.courses.models import Assignment, HiddenMeanwhile, ShowHidden
    from autograder.courses.selectors import version_of_exercise
    from tests.cast import ago, ahead

    given: list[tuple[str, str, str, dict[str, Any]]] = [
        ("engine", "value-engine", "A scalar engine", {"unit": ENGINE, "due_at": ahead(days=6)}),
        ("topo", "value-topo", "In the right order", {"unit": ENGINE, "due_at": ahead(days=6)}),
        ("cubic", "fn-cubic", "A cubic function", {"unit": "Custom functions", "due_at": ahead(days=13)}),
        ("graph", "graph-build", "Build the graph", {"unit": "Reading the graph", "due_at": ahead(days=20)}),
        ("twice", "value-engine", "Two tries", {"unit": "Terms", "attempt_limit": 2, "due_at": ahead(days=6)}),
        ("slowly", "value-engine", "With a pause", {"unit": "Terms", "cool_down": timedelta(seconds=6)}),
        (
            "late",
            "value-engine",
            "Late",
            {"unit": "Terms", "due_at": ago(days=1, hours=2), "late_share": "0.9", "policy": "best"},
        ),
        ("closed", "value-engine", "Closed", {"unit": "Terms", "due_at": ago(days=3), "closes_at": ago(days=2)}),
        ("soon", "value-engine", "Opens later", {"unit": "Terms", "opens_at": ahead(days=2)}),
        ("held", "value-engine", "Held back", {"unit": "Terms", "hidden_meanwhile": HiddenMeanwhile.NOTHING}),
        ("counted", "value-engine", "Counted", {"unit": "Terms", "hidden_meanwhile": HiddenMeanwhile.COUNT}),
        ("shown", "value-engine", "Shown", {"unit": "Terms", "show_hidden": ShowHidden.ALWAYS}),
        (SHORT, SHORT, "Little time", {"unit": "Terms"}),
        ("words", "words", "Words", {"unit": "Several files"}),
        ("chain", "chain", "Chain", {"unit": "Several files"}),
    ]
    _load_small_exercises()
    for position, (slug, exercise, title, terms) in enumerate(given):
        version = version_of_exercise(exercise)
        Assignment.objects.create(
            course=course, slug=slug, title=title, version=version, points=10, position=position, **terms
        )


def _load_small_exercises() -> None:
    """Load the exercise of several files, the one that a file is carried over from, and one with little time."""
    from tests.several_files import CHAIN, WORDS, write

    with TemporaryDirectory() as name:
        folders = [write(Path(name) / slug, parts) for slug, parts in (("words", WORDS), ("chain", CHAIN))]
        _load([*folders, _with_little_time("value-engine", Path(name) / SHORT)])


def _with_little_time(slug: str, folder: Path) -> Path:
    """A copy of the exercise with a CPU limit of two seconds, so that endless loops end soon."""
    from autograder.judge import pack
    from tests.conftest import EXERCISES as FOLDERS

    shutil.copytree(pack.find(FOLDERS, slug), folder)
    settings = folder / "exercise.toml"
    settings.write_text(re.sub(r"cpu_seconds = \d+", "cpu_seconds = 2", settings.read_text()))
    return folder


def _load(folders: list[Path]) -> None:
    """Load exercises and learn their mistakes: without an explanation, a page waits for minutes for one."""
    from django.conf import settings

    from autograder.explain.diagnosis import prediction
    from autograder.judge import pack
    from autograder.judge.grade import Judge
    from autograder.library.sandboxes import backend
    from autograder.library.versions import load_folders
    from autograder.prove.stored_proofs import wrong_endings

    load_folders(folders)
    with Judge(backend()) as judge:
        for folder in folders:
            prediction.known_alone(judge, pack.load(folder), settings.CACHE / "diagnosis", proved=wrong_endings)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
    main()
