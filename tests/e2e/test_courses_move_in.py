"""Files that were written for a published course are graded unchanged, from the unit's one press to the gradebook.

One exercise of each course: how files arrive does not depend on the exercise, and `make prove` says whether a wrong one is
told its mistake."""

import io
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, expect

from autograder.explain.misconceptions import title_of
from autograder.judge import files, pack
from autograder.judge.pack import Pack, Reworded
from tests.conftest import EXERCISES
from tests.e2e.conftest import Visit
from tests.e2e.course import MOVED, MOVED_OWNER, MOVED_STUDENTS
from tests.e2e.exercise_page import ExercisePage, says
from tests.site import Site


@dataclass(frozen=True)
class Move:
    """A unit, one of its exercises, the name under which a student has the work, and a mistake.

    Without one, only the right solution is sent: the mistakes of these exercises take long to learn.
    """

    unit: str
    slug: str
    sent: str
    mistake: str = ""


MOVES = (
    Move("Layers with a cache", "cs-affine", "layers.py", "keepdims-lost"),
    Move("Needle", "needle-walk", "hw1.zip"),
    Move("Minitorch", "mt-scalar", "module1.zip", "preorder-dfs"),
    Move("Arena: a small torch", "arena-backprop", "answers.py"),
)


def title(exercise: Pack, key: str) -> str:
    """What a report calls the mistake."""
    own = exercise.settings.messages.get(key)
    return own.title if isinstance(own, Reworded) and own.title else title_of(key)


def upload(move: Move, source: bytes, exercise: Pack) -> FilePayload:
    """The file as a student of the course has it: a module, or an archive of the package with more than is asked for."""
    if exercise.files is None or (len(exercise.files.editable) == 1 and not move.sent.endswith(".zip")):
        source = next(iter(files.split(source).values()), source)
        return {"name": move.sent, "mimeType": "text/x-python", "buffer": source}
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        for path, content in files.split(source).items():
            made.writestr(f"homework/{path}", content)
        made.writestr("homework/README.md", "My homework.")
    return {"name": move.sent, "mimeType": "application/zip", "buffer": data.getvalue()}


@pytest.fixture(scope="module")
def learned(site: Site) -> None:
    """A site learns the results of the named mistakes after it has started; these exercises first."""
    site.manage("exercise", "learn", "--quick", *(move.slug for move in MOVES if move.mistake))


@pytest.mark.usefixtures("learned")
@pytest.mark.parametrize("number", range(len(MOVES)), ids=[move.slug for move in MOVES])
def test_a_file_of_the_course_passes_and_a_wrong_one_is_told_its_mistake(visit: Visit, number: int) -> None:
    move, login = MOVES[number], MOVED_STUDENTS[number]
    staff = visit(MOVED_OWNER)
    staff.goto(f"/t/{MOVED}/assign/")
    whole = staff.get_by_role("checkbox", name=f"All of {move.unit}")
    if whole.count():  # another exercise of the unit may have assigned it before
        whole.check()
        staff.get_by_role("button", name=re.compile(r"Assign \d+ exercises")).click()
        says(staff, "exercises are assigned.")

    exercise = pack.load(pack.find(Path(EXERCISES), move.slug))
    student = visit(login)
    desk = ExercisePage(student, MOVED).open(move.slug)
    files_field = student.get_by_label("Upload files or a zip" if exercise.files else "Upload", exact=True)
    if move.mistake:
        files_field.set_input_files(files=[upload(move, exercise.wrong[move.mistake], exercise)])
        expect(desk.notes).to_contain_text("The editor contains")
        desk.send("submit")
        expect(desk.outcome).to_contain_text(title(exercise, move.mistake))

    before = desk.text
    files_field.set_input_files(files=[upload(move, exercise.solution, exercise)])
    student.wait_for_function("before => document.querySelector('#source').value !== before", arg=before)
    desk.send("submit")
    points = f"{exercise.settings.points:g}"
    expect(desk.heading).to_have_text(re.compile(rf"All \d+ checks pass.*; {points} of {points} points"))

    staff.goto(f"/t/{MOVED}/gradebook/")
    expect(staff.get_by_role("row").filter(has_text=login)).to_contain_text(f"{exercise.settings.points:.2f} of {points}")
