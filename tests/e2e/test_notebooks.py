"""Notebooks in the browser: an exercise is downloaded as a notebook, filled in, uploaded and graded."""

import json
import re

import pytest
from playwright.sync_api import FilePayload, Page, expect

from autograder.library.notebooks.download import parts_of
from tests.browser import Watch
from tests.e2e.conftest import Visit
from tests.e2e.course import SLUG
from tests.e2e.exercise_page import ExercisePage, source
from tests.library.notebooks.made import code, notebook

ASSIGNMENT, EXERCISE = "engine", "value-engine"


@pytest.fixture
def desk(page: Page) -> ExercisePage:
    return ExercisePage(page, SLUG).open(ASSIGNMENT)


def sent(data: bytes, name: str = "mine.ipynb") -> FilePayload:
    return {"name": name, "mimeType": "application/x-ipynb+json", "buffer": data}


def choose(desk: ExercisePage, data: bytes) -> None:
    desk.page.locator("input[type=file]").set_input_files(files=[sent(data)])


def downloaded(page: Page) -> dict[str, list[dict[str, object]]]:
    with page.expect_download() as started:
        page.get_by_role("link", name="Download as notebook").click()
    assert started.value.suggested_filename == f"{ASSIGNMENT}.ipynb"
    return dict(json.loads(started.value.path().read_text()))


def test_a_downloaded_notebook_is_filled_in_uploaded_and_graded(desk: ExercisePage) -> None:
    document = downloaded(desk.page)
    cells = [cell for cell in document["cells"] if "file" in dict(cell["metadata"]).get("gradus", {})]  # type: ignore[call-overload]
    for cell in cells:
        cell["source"] = ""
    cells[0]["source"] = "\n\n\n".join(parts_of(source(EXERCISE)))
    choose(desk, json.dumps(document).encode())
    expect(desk.notes).to_contain_text("The editor contains mine.ipynb.")
    assert desk.text.startswith("# cell 1\n")
    desk.send("submit")
    expect(desk.heading).to_have_text(re.compile("All .* checks pass"))


def test_what_became_a_comment_is_said_and_can_be_undone(desk: ExercisePage) -> None:
    before = desk.text
    choose(desk, notebook(code("%time x = 1\ny = 2")))
    expect(desk.notes).to_contain_text("The editor contains mine.ipynb. Lines that only work in a notebook")
    assert desk.text == "# cell 1\n# %time x = 1\ny = 2\n"
    desk.notes.get_by_role("button", name="Undo").click()
    assert desk.text == before


def test_a_damaged_notebook_leaves_the_editor_as_it_is(desk: ExercisePage, watch: Watch) -> None:
    watch.expects("status of 422")
    before = desk.text
    choose(desk, b"{")
    expect(desk.notes).to_contain_text("mine.ipynb is not a valid notebook.")
    expect(desk.notes).to_contain_text("Nothing in the editor was changed.")
    assert desk.text == before


def test_without_scripts_a_notebook_is_submitted_from_the_form(visit: Visit, student: str) -> None:
    page = visit(student, java_script_enabled=False)
    page.goto(f"/c/{SLUG}/{ASSIGNMENT}/")
    page.locator("input[name=file]").set_input_files(files=[sent(notebook(code(source(EXERCISE))))])
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#result h2")).to_have_text(re.compile("All .* checks pass"))
