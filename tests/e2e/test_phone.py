"""390 pixels wide: no horizontal overflow, and touch targets of sufficient size."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Visit
from tests.e2e.course import SLUG, TITLE
from tests.e2e.exercise_page import ExercisePage, source

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
THUMB = 44
OVERHANG = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Records the maximum overflow in every frame, so that content which is briefly unstyled on arrival is noticed.
WIDEST = f"""() => {{
    window.widest = 0
    const look = () => {{ window.widest = Math.max(window.widest, ({OVERHANG})()); requestAnimationFrame(look) }}
    look()
}}"""


@pytest.fixture
def page(visit: Visit, student: str) -> Page:
    return visit(student, **PHONE)


@pytest.mark.parametrize("address", ["", "engine/", "engine/history/", "soon/", "grades/"])
def test_no_page_of_a_course_is_wider_than_the_screen(page: Page, address: str) -> None:
    page.goto(f"/c/{SLUG}/{address}")
    assert page.evaluate(OVERHANG) == 0


@pytest.mark.parametrize("address", ["/", "/sign-in/", "/help/", "/help/operations/"])
def test_no_page_of_a_stranger_is_wider_than_the_screen(visit: Visit, address: str) -> None:
    page = visit(None, **PHONE)
    page.goto(address)
    assert page.evaluate(OVERHANG) == 0


def test_what_is_due_stands_before_the_units(page: Page) -> None:
    page.goto(f"/c/{SLUG}/")
    tops = [page.get_by_role("heading", name=name).bounding_box() for name in ("Due soon", "1. ", "New this week")]
    heights = [box["y"] for box in tops if box]
    assert len(heights) == 3 and heights == sorted(heights)


def test_a_result_is_brought_to_the_reader(desk: ExercisePage) -> None:
    page = desk.page
    desk.open("shown").put(source("value-engine", "wrong/overwrites-instead-of-accumulating"))
    for kind in ("run", "submit"):
        box = desk.button(kind).bounding_box()
        assert box is not None and box["height"] >= THUMB and box["y"] + box["height"] <= 844
    page.evaluate("document.activeElement.blur()")
    page.evaluate(WIDEST)
    desk.send("submit")
    expect(page.locator("#result")).to_be_in_viewport()
    expect(page.locator(".player").first).to_be_visible()
    assert page.evaluate(OVERHANG) == 0
    assert page.evaluate("window.widest") == 0
    expect(page.locator(".jump a[aria-current]")).to_have_text("Result")
    page.get_by_role("navigation", name="On this page").get_by_role("link", name="Code").click()
    page.wait_for_function("() => document.querySelector('#code').getBoundingClientRect().top < 200")
    expect(page.locator(".jump a[aria-current]")).to_have_text("Code")


def test_every_submission_of_the_history_opens_without_scrolling_to_the_side(desk: ExercisePage) -> None:
    desk.open("shown").put(source("value-engine", "starter"))
    for kind in ("run", "submit"):
        desk.send(kind)
    desk.page.goto(f"/c/{SLUG}/shown/history/")
    assert desk.page.get_by_role("rowheader", name="Run 1", exact=True).count() == 1
    links = desk.page.get_by_role("table").get_by_role("link", name="Open")
    boxes = [link.bounding_box() for link in links.all()]
    assert len(boxes) >= 2 and all(box and box["x"] + box["width"] <= 390 for box in boxes)


def test_what_one_does_with_the_file_is_in_a_menu(desk: ExercisePage) -> None:
    page = desk.open("engine").page
    starter = page.get_by_role("button", name="Starter")
    expect(starter).to_be_hidden()
    page.get_by_role("button", name="File").click()
    for entry in (starter, page.get_by_text("Upload"), page.get_by_role("link", name="Download as notebook")):
        expect(entry).to_be_in_viewport(ratio=1)
        box = entry.bounding_box()
        assert box is not None and box["height"] >= THUMB
    desk.put("mine = 1\n")
    page.get_by_role("button", name="File").click()
    starter.click()
    expect(starter).to_be_hidden()
    assert desk.text == source("value-engine", "starter")


def test_the_jump_bar_is_made_for_a_thumb(desk: ExercisePage) -> None:
    desk.open("engine")
    links = desk.page.locator(".jump a")
    assert links.all_inner_texts() == ["Task", "Code", "Result", "History"]
    assert all((link.bounding_box() or {"height": 0})["height"] >= THUMB for link in links.all())


def test_the_task_begins_near_the_top(desk: ExercisePage) -> None:
    page = desk.open("engine").page
    task = page.locator("#task").bounding_box()
    assert task is not None and task["y"] <= 230
    for fact in ("Due", "your time (Berlin)", "0 submissions used", "12 runs a minute", "public checks only"):
        expect(page.locator("#facts")).to_contain_text(fact)
    for words in (TITLE, "step 1"):
        expect(page.locator(".crumbs")).to_contain_text(words)


@pytest.mark.parametrize("scripts", [True, False])
def test_the_account_opens_with_a_press(visit: Visit, student: str, scripts: bool) -> None:
    page = visit(student, **PHONE, java_script_enabled=scripts)
    page.goto(f"/c/{SLUG}/")
    expect(page.get_by_role("link", name="Account", exact=True)).to_be_hidden()
    page.get_by_role("button", name="Account and theme").click()
    expect(page.get_by_role("link", name="Account", exact=True)).to_be_visible()
    expect(page.locator("label:has(#theme-dark)")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
