"""The scratch cell: running one's own calls by mouse and keyboard, on a desktop and a phone."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import Watch
from tests.e2e.axe import clean, violations
from tests.e2e.conftest import Visit
from tests.e2e.course import SLUG
from tests.e2e.exercise_page import PASTE, ExercisePage, source

WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
LONG = "print('wide ' * 60)\n'x' * 500"


def opened(page: Page) -> Locator:
    """The editor of the cell, after opening its section."""
    page.get_by_text("Try your own input").click()
    return page.locator("#scratch .cm-editor").get_by_role("textbox", name="Calls to run")


def put(editor: Locator, calls: str) -> None:
    editor.click()
    editor.page.keyboard.press("Control+a")
    editor.evaluate(PASTE, calls)


def result(page: Page) -> Locator:
    return page.locator("#scratch-result")


def test_the_example_runs_beside_the_code_by_key_and_the_focus_stays(desk: ExercisePage) -> None:
    desk.open("engine").put(source("value-engine"))
    cell = opened(desk.page)
    expect(cell).to_contain_text("a, b = Value(2.0), Value(3.0)")
    cell.click()
    desk.page.keyboard.press("Control+Enter")
    expect(result(desk.page)).to_contain_text("(4.0, 9.0)")
    expect(desk.page.get_by_role("status").filter(has_text="Output of your calls")).to_have_count(1)
    expect(cell).to_be_focused()
    expect(desk.outcome).to_contain_text("not run yet")  # nothing was graded
    put(cell, "print('a')\nValue(3.0).data")
    desk.page.get_by_role("button", name="Run calls").click()
    expect(result(desk.page).locator("pre")).to_have_text(["a", "3.0"])
    expect(cell).to_be_focused()
    desk.page.reload()
    expect(opened(desk.page)).to_contain_text("Value(3.0).data")


def test_an_exception_leads_to_its_lines_in_both_editors(desk: ExercisePage) -> None:
    desk.open("engine").put("class Value:\n    def __init__(self, data):\n        self.data = data.missing\n")
    cell = opened(desk.page)
    put(cell, "x = 1\nValue(x)")
    desk.page.get_by_role("button", name="Run calls").click()
    expect(result(desk.page)).to_contain_text("AttributeError: 'int' object has no attribute 'missing'")
    result(desk.page).get_by_role("link", name="Line 3 of your code").click()
    expect(desk.editor).to_be_focused()
    expect(desk.page.locator(".cm-marked.here")).to_have_text(re.compile("data.missing"))
    result(desk.page).get_by_role("link", name="Line 2 of the calls").click()
    expect(cell).to_be_focused()
    expect(desk.page.locator("#scratch .cm-marked.here")).to_have_text("Value(x)")


def test_what_is_refused_is_said_beside_the_cell(desk: ExercisePage, watch: Watch) -> None:
    watch.expects("status of 422", "Status Error Code 422")
    desk.open("engine")
    put(opened(desk.page), " ")
    desk.page.get_by_role("button", name="Run calls").click()
    expect(desk.page.locator("#scratch .notes")).to_contain_text("There is nothing to run.")


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_what_the_calls_give_is_in_sight(visit: Visit, student: str, size: dict[str, int]) -> None:
    desk = ExercisePage(visit(student, viewport=size), SLUG).open("engine")
    desk.put(source("value-engine"))
    opened(desk.page)
    desk.page.get_by_role("button", name="Run calls").click()
    expect(result(desk.page).locator("pre")).to_have_text("(4.0, 9.0)")
    expect(result(desk.page).locator("pre")).to_be_in_viewport(ratio=1)
    where = result(desk.page).locator("pre").bounding_box()
    above = desk.button("submit").bounding_box() if size is PHONE else None
    assert where is not None and (above is None or where["y"] + where["height"] <= above["y"]), "the buttons cover it"


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_it_fits_in_light_and_dark_and_axe_finds_nothing(visit: Visit, student: str, axe: str, size: dict[str, int]) -> None:
    desk = ExercisePage(visit(student, viewport=size), SLUG).open("engine")
    cell = opened(desk.page)
    for calls, answer in ((LONG, "wide"), ("def f():\n    return missing_name_that_is_long\nf()", "NameError")):
        put(cell, calls)
        desk.page.get_by_role("button", name="Run calls").click()
        expect(result(desk.page)).to_contain_text(answer)
        cell.evaluate("cell => cell.scrollIntoView({ block: 'center' })")  # so that the bars of a phone do not cover it
        clean(violations(desk.page, axe))
        wide = desk.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"the page scrolls sideways by {wide} px"


def test_without_scripts_it_is_a_form(visit: Visit, student: str) -> None:
    page = visit(student, java_script_enabled=False)
    page.goto(f"/c/{SLUG}/engine/")
    page.locator("#source").fill(source("value-engine"))
    page.get_by_text("Try your own input").click()
    page.locator("#calls").fill("Value(2.0).data + 40")
    page.get_by_role("button", name="Run calls").click()
    expect(page).to_have_url(re.compile(r"/scratch/\?run=\d+"))
    expect(result(page)).to_contain_text("42.0", timeout=20_000)  # through a page reload
    expect(page.locator("#calls")).to_have_value("Value(2.0).data + 40")
    expect(page.locator("#source")).to_have_value(source("value-engine"))
