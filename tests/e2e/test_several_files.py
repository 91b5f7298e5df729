"""An exercise of several files in the browser: tabs, drafts, uploads, results that lead to the right file."""

import io
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from autograder.judge import files
from tests.browser import Watch
from tests.e2e.conftest import Visit
from tests.e2e.course import SLUG
from tests.e2e.exercise_page import ExercisePage
from tests.several_files import CHAIN, write

ENGINE, OPS = (str(CHAIN[f"solution/chain/{name}.py"]) for name in ("engine", "ops"))
SOLUTION = {"chain/engine.py": ENGINE.encode(), "chain/ops.py": OPS.encode()}
RAISES = "def double(n):\n    return missing\n"


@pytest.fixture
def desk(page: Page) -> ExercisePage:
    return ExercisePage(page, SLUG).open("chain")


def tab(page: Page, name: str) -> Locator:
    return page.get_by_role("tab", name=name)


def put(desk: ExercisePage, name: str, text: str) -> None:
    """Replace one file in its tab."""
    tab(desk.page, name).click()
    desk.editor.click()
    desk.page.keyboard.press("Control+a")
    desk.page.keyboard.insert_text(text)


def archive(sent: dict[str, bytes], name: str = "mine.zip") -> FilePayload:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        for path, content in sent.items():
            made.writestr(path, content)
    return {"name": name, "mimeType": "application/zip", "buffer": data.getvalue()}


def chooser(page: Page, label: str) -> Locator:
    return page.get_by_label(label)


def test_every_file_has_a_tab_and_given_ones_cannot_be_edited(desk: ExercisePage) -> None:
    expect(desk.page.get_by_role("tab")).to_have_text(["chain/engine.py", "chain/ops.py", "chain/shape.py read-only"])
    expect(tab(desk.page, "engine")).to_have_attribute("aria-selected", "true")
    before = desk.text
    tab(desk.page, "shape").click()
    expect(desk.editor).to_contain_text("PREFIX")
    desk.page.keyboard.type("edited")
    expect(desk.editor).not_to_contain_text("edited")
    assert desk.text == before
    tab(desk.page, "shape").press("ArrowLeft")
    expect(tab(desk.page, "ops")).to_be_focused()
    expect(desk.editor).to_contain_text("def double")


def test_files_are_written_saved_and_submitted_together(desk: ExercisePage) -> None:
    put(desk, "engine", ENGINE)
    put(desk, "ops", OPS)
    desk.until_saved()
    desk.page.reload()
    assert files.split(desk.text.encode()) == SOLUTION
    tab(desk.page, "ops").click()
    expect(desk.editor).to_contain_text("return 2 * n")
    desk.send("submit")
    expect(desk.heading).to_have_text(re.compile("All 2 checks pass"))
    desk.page.reload()
    expect(desk.page.locator("[data-changed-note]")).to_be_hidden()
    desk.type("# more\n")
    expect(desk.page.locator("[data-changed-note]")).to_be_visible()


def test_a_file_of_ones_own_is_added_submitted_and_removed(desk: ExercisePage) -> None:
    name = desk.page.get_by_label("A file of your own")
    name.fill("elsewhere.py")
    name.press("Enter")
    assert name.evaluate("input => input.validationMessage") == "Name your file like parts/*.py."
    name.fill("parts/helpers.py")
    name.press("Enter")
    expect(tab(desk.page, "helpers")).to_have_attribute("aria-selected", "true")
    put(desk, "helpers", "def twice(n):\n    return 2 * n\n")
    put(desk, "ops", "from parts.helpers import twice\n\n\ndef double(n):\n    return twice(n)\n")
    put(desk, "engine", ENGINE)
    desk.until_saved()
    desk.page.reload()
    expect(tab(desk.page, "helpers")).to_be_visible()
    desk.send("submit")
    expect(desk.heading).to_have_text(re.compile("All 2 checks pass"))
    tab(desk.page, "helpers").click()
    desk.page.get_by_role("button", name="Remove parts/helpers.py").click()
    expect(tab(desk.page, "helpers")).to_have_count(0)
    assert "parts/helpers.py" not in files.split(desk.text.encode())


def test_an_exception_leads_to_its_file(desk: ExercisePage) -> None:
    put(desk, "ops", RAISES)
    put(desk, "engine", ENGINE)
    desk.send("run")
    line = desk.outcome.get_by_role("link", name="chain/ops.py, line 2").first
    expect(desk.outcome.get_by_role("link", name="chain/engine.py, line 9").first).to_be_visible()
    line.click()
    expect(tab(desk.page, "ops")).to_have_attribute("aria-selected", "true")
    expect(desk.page.locator(".cm-line.cm-marked").first).to_contain_text("return missing")
    tab(desk.page, "engine").click()
    expect(desk.page.locator(".cm-line.cm-stopped")).to_have_count(0)


def test_an_archive_fills_the_tabs_and_what_is_not_used_is_said(desk: ExercisePage) -> None:
    sent = {f"homework/{path}": content for path, content in SOLUTION.items()} | {"homework/notes.py": b""}
    chooser(desk.page, "Upload files or a zip").set_input_files(files=[archive(sent)])
    expect(desk.notes).to_contain_text("The editor contains the files that you chose. Not used: homework/notes.py.")
    assert files.split(desk.text.encode()) == SOLUTION
    expect(desk.editor).to_contain_text("return words.say")
    desk.notes.get_by_role("button", name="Undo").click()
    assert files.split(desk.text.encode()) != SOLUTION


def test_a_folder_fills_the_tabs(desk: ExercisePage, tmp_path: Path) -> None:
    folder = write(tmp_path / "homework", {path: content.decode() for path, content in SOLUTION.items()})
    chooser(desk.page, "Upload a folder").set_input_files(folder)
    expect(desk.notes).to_contain_text("The editor contains the files that you chose.")
    assert files.split(desk.text.encode()) == SOLUTION


def test_one_file_replaces_one_tab(desk: ExercisePage) -> None:
    before = files.split(desk.text.encode())
    upload: FilePayload = {"name": "ops.py", "mimeType": "text/x-python", "buffer": OPS.encode()}
    chooser(desk.page, "Upload files or a zip").set_input_files(files=[upload])
    expect(desk.notes).to_contain_text("The editor contains the files that you chose.")
    assert files.split(desk.text.encode()) == before | {"chain/ops.py": OPS.encode()}


def test_what_is_no_archive_leaves_the_editor_as_it_is(desk: ExercisePage, watch: Watch) -> None:
    watch.expects("status of 422")
    before = desk.text
    broken: FilePayload = {"name": "mine.zip", "mimeType": "application/zip", "buffer": b"no zip"}
    chooser(desk.page, "Upload files or a zip").set_input_files(files=[broken])
    expect(desk.notes).to_contain_text("mine.zip cannot be read as a zip archive.")
    expect(desk.notes).to_contain_text("Nothing in the editor was changed.")
    assert desk.text == before


def test_the_download_is_an_archive_of_what_is_in_the_editor(desk: ExercisePage) -> None:
    put(desk, "ops", OPS)
    with desk.page.expect_download() as started:
        desk.page.get_by_role("link", name="Download", exact=True).click()
    assert started.value.suggested_filename == "chain.zip"
    with zipfile.ZipFile(started.value.path()) as made:
        assert made.read("chain/ops.py") == OPS.encode()
        assert made.namelist() == ["chain/shape.py", "chain/engine.py", "chain/ops.py"]


def test_without_scripts_all_files_are_one_text(visit: Visit, student: str) -> None:
    page = visit(student, java_script_enabled=False)
    page.goto(f"/c/{SLUG}/chain/")
    html = page.content()  # locators do not see what is in <noscript>
    assert "The text contains 2 files. Keep the heading line above each of them." in html
    assert "chain/shape.py, read-only" in html
    page.locator("input[name=file]").set_input_files(files=[archive(SOLUTION)])
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#result h2")).to_have_text(re.compile("All 2 checks pass"))
