"""Tables below each other have aligned columns, whatever their content."""

import re

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import Visit
from tests.e2e.course import SLUG

COLUMNS = """() => [...document.querySelectorAll("table.list")].map((table) =>
    [...table.querySelectorAll("thead th")].map((head) => Math.round(head.getBoundingClientRect().left)))"""
WIDTHS = (1440, 1024, 390)


def columns(page: Page, width: int) -> list[list[int]]:
    page.wait_for_load_state()
    page.set_viewport_size({"width": width, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found: list[list[int]] = page.evaluate(COLUMNS)
    return found


@pytest.mark.parametrize("width", WIDTHS)
def test_every_unit_of_the_exercises_has_the_same_columns(visit: Visit, width: int) -> None:
    page = visit("grace")
    page.goto(f"/t/{SLUG}/exercises/")
    found = columns(page, width)
    assert len(found) > 3
    assert all(one == found[0] for one in found)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_unit_of_ones_grades_has_the_same_columns(page: Page, width: int) -> None:
    page.goto(f"/c/{SLUG}/grades/")
    found = columns(page, width)
    assert len(found) > 3
    assert all(one == found[0] for one in found)


@pytest.mark.parametrize("width", WIDTHS)
def test_all_that_stands_on_the_page_of_a_student_keeps_to_the_columns_of_the_units(visit: Visit, width: int) -> None:
    page = visit("ines")
    page.goto("/t/seminar/people/?q=lovelace")
    page.get_by_role("link", name="Lovelace, Ada").click()
    page.get_by_role("link", name=re.compile("All work by")).click()
    page.wait_for_url("**/students/*/")
    units, *others = columns(page, width)
    assert len(others) >= 1
    assert all(set(one) <= set(units) for one in others), (units, others)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_tables_of_the_status_keep_to_the_columns_of_the_queue(visit: Visit, width: int) -> None:
    page = visit("root")
    page.goto("/status/")
    found = columns(page, width)
    queue = max(found, key=len)
    numbers = [one for one in found if len(one) in (4, 5)]
    assert len(numbers) >= 2
    assert all(set(one) <= set(queue) for one in numbers), (queue, numbers)
