"""Reading, submitting and results without JavaScript."""

import re

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.browser import Watch
from tests.e2e.conftest import Visit
from tests.e2e.course import SLUG
from tests.e2e.exercise_page import source


@pytest.fixture
def page(visit: Visit, student: str) -> Page:
    return visit(student, java_script_enabled=False)


def submit(page: Page, text: str, kind: str = "Submit") -> None:
    page.get_by_label("Your code").fill(text)
    page.get_by_role("button", name=kind).click()
    expect(page.locator("#outcome:not([data-events])")).to_be_visible()  # the page reloads itself


def test_a_task_is_read_and_an_answer_handed_in(page: Page) -> None:
    page.goto(f"/c/{SLUG}/engine/")
    expect(page.locator("#task")).to_contain_text("backward()")
    expect(page.locator("#task math").first).to_be_visible()
    submit(page, source("value-engine"))
    expect(page.locator("#result h2")).to_have_text(re.compile(r"All \d+ checks pass"))


def test_a_file_is_handed_in_as_it_is(page: Page) -> None:
    page.goto(f"/c/{SLUG}/engine/")
    file: FilePayload = {"name": "mine.py", "mimeType": "text/x-python", "buffer": source("value-engine").encode()}
    page.locator("input[type=file]").set_input_files(files=[file])
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#result h2")).to_have_text(re.compile("3 of 3 public checks pass"))


def test_steps_of_the_player_are_links(page: Page) -> None:
    page.goto(f"/c/{SLUG}/shown/")
    submit(page, source("value-engine", "wrong/overwrites-instead-of-accumulating"))
    player = page.locator("details[open] .player").first
    player.get_by_role("link", name="Step forward").click()
    expect(player.locator(".ribbon a[aria-current=step]")).to_have_count(1)
    at = int(player.locator("[data-at]").inner_text())
    player.get_by_role("link", name="Step back").click()
    expect(player.locator("[data-at]")).to_have_text(str(at - 1))
    expect(player.locator(".transcript li").first).to_be_visible()


def test_history_difference_restore_and_undo(page: Page) -> None:
    page.goto(f"/c/{SLUG}/engine/")
    submit(page, source("value-engine", "wrong/missing-upstream"))
    submit(page, source("value-engine"))
    page.get_by_role("link", name="compare or restore").click()
    expect(page.get_by_role("checkbox")).to_have_count(2)
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("li.add").first).to_be_visible()
    page.get_by_role("button", name="into the editor").first.click()
    expect(page.get_by_label("Your code")).to_have_value(source("value-engine", "wrong/missing-upstream"))
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Your code")).not_to_have_value(source("value-engine", "wrong/missing-upstream"))


def test_what_is_refused_keeps_what_was_typed(page: Page, watch: Watch) -> None:
    watch.expects("status of 409")
    page.goto(f"/c/{SLUG}/engine/")
    page.get_by_label("Your code").fill("   ")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert")).to_contain_text("The file is empty. Nothing was submitted.")


def test_grades_and_colours(page: Page) -> None:
    page.goto(f"/c/{SLUG}/grades/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Grades")
    page.get_by_label("Dark").check(force=True)
    page.get_by_role("button", name="Set").click()
    expect(page.locator("html")).to_have_class("theme-dark")
    assert page.url.endswith(f"/c/{SLUG}/grades/")


def test_the_same_code_again_is_asked_about(page: Page, watch: Watch) -> None:
    watch.expects("status of 409")
    page.goto(f"/c/{SLUG}/engine/")
    submit(page, source("value-engine"))
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert")).to_contain_text("This is the same code as submission 1. Submit anyway?")
    expect(page.get_by_label("Your code")).to_have_value(source("value-engine"))
    page.get_by_role("button", name="Submit anyway").click()
    expect(page.locator("#outcome:not([data-events])")).to_contain_text("Submission 2")
