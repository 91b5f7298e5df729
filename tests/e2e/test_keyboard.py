"""Everything can be done with the keyboard alone."""

import re

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Visit
from tests.e2e.course import PASSWORD, SLUG
from tests.e2e.exercise_page import ExercisePage

MOST_STOPS = 60


def tab_to(page: Page, words: str) -> None:
    """Press Tab until the element with this name has the focus. The focus must always be visible."""
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        name, outlined = page.evaluate(
            """() => {
                const at = document.activeElement
                const ring = (element) => element && getComputedStyle(element).outlineStyle !== "none"
                const name = at.getAttribute("aria-label") || at.labels?.[0]?.textContent || at.textContent
                return [name.trim(), ring(at) || ring(at.closest("label")) || at.closest(".cm-editor") !== null]
            }"""
        )
        assert outlined, f"the focus on {name!r} cannot be seen"
        if name.startswith(words):
            return
    raise AssertionError(f"{words} is not reached by Tab")


def test_sign_in_run_and_read(visit: Visit, student: str) -> None:
    page = visit(None)
    page.goto(f"/c/{SLUG}/engine/")
    expect(page.get_by_label("Username or email")).to_be_focused()
    page.keyboard.type(student)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    desk = ExercisePage(page, SLUG)
    expect(desk.editor).to_be_visible()
    tab_to(page, "Your code")
    page.keyboard.press("Control+a")
    page.keyboard.type("x = 1")
    desk.forget()
    page.keyboard.press("Control+Enter")
    desk.verdict()
    expect(desk.heading).to_have_text("The code did not run")
    expect(desk.editor).to_be_focused()


def test_the_skip_link_leads_past_the_head(page: Page) -> None:
    page.goto(f"/c/{SLUG}/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#main$"))


def test_tab_indents_and_escape_leaves_the_editor(desk: ExercisePage) -> None:
    desk.open("engine").put("x = 1")
    page = desk.page
    page.keyboard.press("Home")
    page.keyboard.press("Tab")
    assert desk.text == "    x = 1"
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(desk.button("run")).to_be_focused()


def test_a_failed_check_is_opened_and_closed_by_keys(desk: ExercisePage) -> None:
    desk.open("engine").put("class Value:\n    def __init__(self, data):\n        self.data, self.grad = data, 0.0\n")
    desk.forget()
    desk.page.keyboard.press("Control+Shift+Enter")
    desk.verdict()
    expect(desk.heading).to_have_text(re.compile("check"))
    first = desk.page.locator("details[open] > summary.check").first
    first.focus()
    desk.page.keyboard.press("Enter")
    expect(desk.page.locator("details > summary.check").first.locator("xpath=..")).not_to_have_attribute("open", "")
