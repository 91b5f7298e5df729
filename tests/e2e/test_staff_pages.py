"""Every staff page: no axe-core violations in light and dark mode, and no overflow at a width of 390 pixels."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import clean, violations
from tests.e2e.classroom import SLUG
from tests.e2e.conftest import Visit
from tests.e2e.test_phone import OVERHANG, PHONE
from tests.e2e.test_staff_setup import ROSTER, choose

HOME = f"/t/{SLUG}/"
PAGES = {
    "watching": ("", "exercises/engine/", "students/{ada}/"),
    "grades": (
        *("gradebook/", "gradebook/?open={ada}", "gradebook/{ada}/?a=engine", "gradebook/extend/", "gradebook/freeze/"),
        *("gradebook/export/?format=canvas&identity=lms", "gradebook/ids/", "regrades/new/"),
    ),
    "set-up": ("settings/", "copy/", "exercises/", "assign/", "exercises/engine/settings/"),
    "people": ("people/", "people/{ada}/", "invite/", "/t/new/"),
}


def number_of_ada(page: Page) -> str:
    page.goto(f"{HOME}people/?q=lovelace")
    where = page.get_by_role("link", name="Lovelace, Ada").get_attribute("href") or ""
    return where.rstrip("/").rpartition("/")[2]


def looked_at(page: Page, axe: str) -> list[str]:
    found = violations(page, axe)
    wide = page.viewport_size
    assert wide is not None
    page.set_viewport_size(PHONE["viewport"])  # type: ignore[arg-type]
    beside = page.evaluate(OVERHANG)
    page.set_viewport_size(wide)
    return [*found, f"{page.url}: {beside} pixels too wide for a phone"] if beside else found


@pytest.mark.parametrize("part", PAGES)
def test_pages_of_the_staff(visit: Visit, axe: str, part: str) -> None:
    page, found = visit("ines"), []
    ada = number_of_ada(page)
    for address in PAGES[part]:
        answer = page.goto(address if address.startswith("/") else HOME + address.format(ada=ada))
        assert answer is not None and answer.ok, address
        found += looked_at(page, axe)
    clean(found)


def test_a_submission_with_a_comment_under_way(visit: Visit, axe: str) -> None:
    page, found = visit("ines"), []
    page.goto(HOME)
    page.get_by_role("row").filter(has_text="Ada Lovelace").get_by_role("link").nth(1).click()
    expect(page.get_by_role("heading", name="Gradings")).to_be_visible()
    found += looked_at(page, axe)
    page.goto(f"{page.url.partition('?')[0]}?line=3")
    found += looked_at(page, axe)
    clean(found)


def test_the_file_stands_beside_the_result_and_a_comment_at_its_line(visit: Visit) -> None:
    page = visit("ines", viewport={"width": 1440, "height": 900})
    page.goto(HOME)
    page.get_by_role("row").filter(has_text="Ada Lovelace").get_by_role("link").nth(1).click()
    result = page.locator("#result").bounding_box()
    file = page.get_by_role("heading", name="The file").bounding_box()
    assert result and file and file["x"] > result["x"] + result["width"] and abs(file["y"] - result["y"]) < 60
    last = page.get_by_role("link", name="Comment on line").last
    page.goto(f"{page.url.partition('?')[0]}{last.get_attribute('href')}")
    expect(page.get_by_role("textbox", name="Comment on line")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("heading", name="The file")).not_to_be_in_viewport()
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    expect(page.get_by_role("textbox", name="Comment on line")).to_be_in_viewport()


def test_a_roster_before_it_is_imported_and_a_link_just_made(visit: Visit, axe: str) -> None:
    page = visit("ines")
    page.goto(f"{HOME}roster/")
    choose(page.get_by_label("File"), ROSTER)
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview")).to_be_visible()
    found = looked_at(page, axe)
    page.goto(f"{HOME}invite/")
    page.get_by_role("button", name="Create link").click()
    expect(page.locator("#link")).to_be_visible()
    clean([*found, *looked_at(page, axe)])


def test_on_a_phone_every_link_of_the_navigation_is_in_view(visit: Visit) -> None:
    page = visit("ines")
    page.set_viewport_size({"width": 360, "height": 780})
    page.goto(HOME)
    links = page.get_by_role("navigation", name="Seminar on gradients (Winter 2026)").get_by_role("link")
    assert links.all_inner_texts() == ["Overview", "Exercises", "Gradebook", "People", "Settings"]
    for link in links.all():
        box = link.bounding_box()
        assert box is not None
        assert box["x"] >= 0 and box["x"] + box["width"] <= 360
        assert box["height"] >= 44


def test_on_a_phone_no_row_of_a_preview_is_half_a_screen_tall(visit: Visit) -> None:
    """Rows are as wide as their text needs, and the table scrolls sideways."""
    page = visit("ines")
    page.set_viewport_size(PHONE["viewport"])  # type: ignore[arg-type]
    page.goto(f"{HOME}roster/")
    choose(page.get_by_label("File"), ROSTER)
    page.get_by_role("button", name="Preview").click()
    table = page.locator("table.preview").first
    long = " ".join(["every", "check", "that", "says", "something", "else", "now"] * 6)
    table.locator("tbody tr").first.locator("td").last.evaluate("(cell, words) => cell.textContent = words", long)
    tallest = max(row["height"] for row in (one.bounding_box() for one in table.locator("tbody tr").all()) if row)
    assert tallest < 200
