"""After Run or Submit the verdict is visible and the editor keeps the focus, on every screen and every time."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Visit
from tests.e2e.course import SLUG
from tests.e2e.exercise_page import ExercisePage, source

WRONG = source("value-engine", "wrong/overwrites-instead-of-accumulating")
SCREENS = [(1440, 900), (1280, 720), (390, 844)]
WHOLLY_SEEN = """() => {
    const { top, bottom } = document.getElementById("result").getBoundingClientRect()
    return top >= 0 && bottom <= window.innerHeight
}"""


@pytest.fixture(params=SCREENS, ids=lambda size: f"{size[0]}x{size[1]}")
def desk(request: pytest.FixtureRequest, visit: Visit, student: str) -> ExercisePage:
    width, height = request.param
    return ExercisePage(visit(student, viewport={"width": width, "height": height}), SLUG).open("engine")


# The last event arrives during a fetch of the page, and the stream ends right after that fetch.
ENDS_EARLY = """() => {
    const Stream = window.EventSource
    window.EventSource = class extends Stream {
        constructor(...given) { super(...given); window.stream = this }
    }
    const during = (name, told) => window.addEventListener(name, ({ detail }) => {
        if (detail.requestConfig.elt.matches("[data-events]")) window.stream.dispatchEvent(new Event(told))
    })
    during("htmx:beforeRequest", "explained")
    during("htmx:afterRequest", "error")
}"""


def seen(page: Page) -> None:
    page.wait_for_function(WHOLLY_SEEN)


def test_the_verdict_is_in_sight_and_the_cursor_in_the_code(desk: ExercisePage) -> None:
    page = desk.page
    desk.put(WRONG)
    for kind, keys in (("run", "Control+Enter"), ("submit", "Control+Shift+Enter"), ("run", "")):
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        desk.forget()
        if keys:
            page.keyboard.press(keys)
        else:
            desk.button(kind).click()
        desk.verdict()
        seen(page)
        expect(desk.editor).to_be_focused()
        expect(page.locator("#result")).to_have_attribute("data-verdict", "partial")
    assert page.evaluate("document.body.dataset.fallbacks") is None, "every result was announced, none found by chance"


def test_the_task_folds_when_a_result_comes_and_one_key_opens_it(desk: ExercisePage) -> None:
    page, task = desk.page, desk.page.locator("#task")
    expect(task).to_have_attribute("open", "")
    desk.put(WRONG)
    desk.send("run")
    expect(task).not_to_have_attribute("open", "")
    page.keyboard.press("Alt+t")
    expect(task).to_have_attribute("open", "")
    expect(desk.editor).to_be_focused()
    page.keyboard.press("Alt+t")
    expect(task).not_to_have_attribute("open", "")


def test_the_head_counts_a_submission_as_soon_as_it_has_its_verdict(desk: ExercisePage) -> None:
    facts = desk.page.locator("#facts")
    expect(facts).to_contain_text("0 submissions used")
    desk.put(WRONG)
    desk.send("submit")
    expect(facts).to_contain_text("1 submission used")
    desk.put("def f(:\n")
    desk.send("submit")
    expect(desk.heading).to_have_text("The code did not run")
    expect(facts).to_contain_text("1 submission used")


def test_the_width_of_the_editor_is_chosen_and_remembered(visit: Visit, student: str) -> None:
    page = visit(student)
    ExercisePage(page, SLUG).open("engine")
    divider, editor = page.get_by_role("separator", name="Width of the editor"), page.locator(".editor-column")
    before = editor.bounding_box()
    box = divider.bounding_box()
    assert before is not None and box is not None
    page.mouse.move(box["x"] + 5, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 155, box["y"] + 100)
    page.mouse.up()
    wider = editor.bounding_box()
    assert wider is not None and wider["width"] > before["width"] + 100
    divider.focus()
    page.keyboard.press("ArrowRight")
    chosen = divider.get_attribute("aria-valuenow")
    page.reload()
    expect(divider).to_have_attribute("aria-valuenow", str(chosen))


def test_the_end_of_a_stream_does_not_put_off_what_its_last_event_asked_for(visit: Visit, student: str) -> None:
    page = visit(student)
    page.add_init_script(f"({ENDS_EARLY})()")
    desk = ExercisePage(page, SLUG).open("engine")
    desk.put(WRONG)
    for _ in range(4):
        desk.forget()
        desk.button("run").click()
        desk.verdict()
        page.locator("#outcome:not([data-events])").wait_for()
    assert page.evaluate("document.body.dataset.fallbacks") is None
