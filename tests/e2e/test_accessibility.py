"""axe-core finds no violations on any page, in light and dark mode."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser import Watch
from tests.e2e.axe import clean, violations
from tests.e2e.conftest import Visit
from tests.e2e.course import SLUG
from tests.e2e.exercise_page import ExercisePage, source
from tests.servers import wait_for

HOME = f"/c/{SLUG}/"
OF_A_STRANGER = ("/", "/sign-in/", "/help/", "/help/instructor/")
OF_A_STUDENT = ("/time-zone/", HOME, f"{HOME}grades/", f"{HOME}engine/", f"{HOME}soon/", f"{HOME}engine/history/")


@pytest.mark.parametrize("address", OF_A_STRANGER)
def test_pages_of_a_stranger(visit: Visit, axe: str, address: str) -> None:
    page = visit(None)
    page.goto(address)
    clean(violations(page, axe))


@pytest.mark.parametrize("address", OF_A_STUDENT)
def test_pages_before_anything_is_handed_in(page: Page, axe: str, address: str) -> None:
    page.goto(address)
    clean(violations(page, axe))


def test_courses_of_somebody_in_none(visit: Visit, axe: str) -> None:
    page = visit("nobody")
    page.goto("/")
    clean(violations(page, axe))


def test_the_status_of_the_site(visit: Visit, axe: str) -> None:
    """With a warm worker, on a desktop and a phone screen."""
    page = visit("root")

    def a_worker_is_up() -> bool:
        page.goto("/status/")
        return page.get_by_role("table", name="Sandbox layers, and whether they are active").count() == 1

    wait_for(a_worker_is_up, "no worker says which layers hold")
    found = violations(page, axe)
    page.set_viewport_size({"width": 390, "height": 844})
    clean(found + violations(page, axe))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_status_of_the_site_is_read_without_scripts(visit: Visit) -> None:
    page = visit("root", java_script_enabled=False)
    page.goto("/status/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Site status")
    expect(page.get_by_role("table", name="Waiting jobs and times, by lane")).to_contain_text("Submit")
    page.get_by_role("link", name="Refresh").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Site status")


def test_a_page_that_is_not_there(page: Page, axe: str, watch: Watch) -> None:
    watch.expects("status of 404")
    page.goto("/c/nothing/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Page not found")
    clean(violations(page, axe))


def test_results_and_what_is_made_of_them(desk: ExercisePage, axe: str) -> None:
    """A failed result with a player, one that did not run, and one that passed; then history, comparison, grades and
    course home.
    """
    page, found = desk.page, []
    desk.open("shown")
    for text in (source("value-engine", "wrong/overwrites-instead-of-accumulating"), "def", source("value-engine")):
        desk.put(text)
        desk.send("submit")
        found += violations(page, axe)
    for address in later(page):
        page.goto(address)
        found += violations(page, axe)
    clean(found)


def later(page: Page) -> Iterator[str]:
    yield f"{HOME}shown/history/"
    numbers = [box.get_attribute("value") for box in page.get_by_role("checkbox").all()]
    yield f"{HOME}shown/compare/?s={numbers[0]}&s={numbers[1]}"
    yield f"{HOME}grades/"
    yield HOME


def test_a_result_with_arrays(desk: ExercisePage, axe: str) -> None:
    desk.open("cubic").put(source("fn-cubic", "wrong/missing-upstream"))
    desk.send("submit")
    clean(violations(desk.page, axe))
