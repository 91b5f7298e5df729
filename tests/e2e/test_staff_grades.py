"""Changing grades in the browser: extensions for one and several students, setting and undoing a score, concurrent
changes.
"""

from playwright.sync_api import Locator, Page, expect

from tests.e2e.classroom import SLUG, UNTOUCHED
from tests.e2e.conftest import Visit
from tests.e2e.exercise_page import says

GRADEBOOK = f"/t/{SLUG}/gradebook/"


def opened(page: Page, name: str) -> None:
    """Open the grades of a student through the gradebook."""
    page.goto(GRADEBOOK)
    page.get_by_role("link", name=name).click()
    page.get_by_role("link", name=f"All exercises of {name}").click()


def decide(page: Page) -> None:
    page.get_by_role("link", name=f"Change {UNTOUCHED}").click()
    expect(page.locator("#decide")).to_contain_text(UNTOUCHED)


def part(page: Page, heading: str) -> Locator:
    return page.locator("#decide form").filter(has=page.get_by_role("button", name=heading, exact=True))


def changes(page: Page) -> Locator:
    return page.get_by_role("list", name="Changes, newest first").get_by_role("listitem")


def test_more_time_for_one_and_then_for_a_section(visit: Visit) -> None:
    page = visit("ines")
    opened(page, "Young, Cyrus")
    decide(page)
    form = part(page, "Grant")
    form.get_by_label("Due", exact=True).fill("2037-03-08T23:59")
    form.get_by_label("Reason", exact=True).fill("Ill for two days.")
    form.get_by_role("button", name="Grant").click()
    says(page, f"{UNTOUCHED}: extension granted.")
    row = page.get_by_role("row").filter(has_text=UNTOUCHED)
    expect(row).to_contain_text("Sun 8 Mar 2037, 23:59")
    expect(row).to_contain_text("extended by Ines Moreira: Ill for two days.")
    expect(changes(page).first).to_contain_text(f"Ines Moreira, {UNTOUCHED}: extension granted, due Sun 8 Mar 2037, 23:59")

    page.goto(GRADEBOOK)
    page.get_by_role("link", name="Extend", exact=True).click()
    page.get_by_label("Exercise", exact=True).select_option(UNTOUCHED)
    page.get_by_label("Due", exact=True).fill("2037-03-01T12:00")
    page.get_by_label("Reason", exact=True).fill("The network was down.")
    page.get_by_label("All students in section").select_option("Thursday")
    page.get_by_label("Lovelace, Ada (Monday)").check()
    page.get_by_role("button", name="Grant extensions").click()
    says(page, f"{UNTOUCHED}: extension granted to")
    table = page.get_by_role("table", name="grades by unit")
    for name, until in (("Dee, Zoë", "until 1 Mar"), ("Lovelace, Ada", "until 1 Mar"), ("Young, Cyrus", "until 8 Mar")):
        expect(table.get_by_role("row").filter(has_text=name)).to_contain_text(until)
    expect(table.get_by_role("row").filter(has_text="O'Hara, Ben")).not_to_contain_text("until")


def test_a_score_is_set_and_taken_back_and_both_stand_in_the_trail(visit: Visit) -> None:
    page = visit("ines")
    opened(page, "Dee, Zoë")
    decide(page)
    form = part(page, "Set")
    form.get_by_label("Points", exact=True).fill("7.5")
    form.get_by_role("button", name="Set").click()
    assert form.get_by_label("Reason", exact=True).evaluate("field => field.validity.valueMissing"), "no score without one"
    form.get_by_label("Reason", exact=True).fill("Explained it at the board.")
    form.get_by_role("button", name="Set").click()
    says(page, f"{UNTOUCHED}: 7.5 points set by hand.")
    row = page.get_by_role("row").filter(has_text=UNTOUCHED)
    expect(row).to_contain_text("◆ set Set by Ines Moreira: Explained it at the board.")
    expect(changes(page).first).to_contain_text("none → 7.50 points. Explained it at the board.")

    page.get_by_role("button", name="Undo: let the computed points count").click()
    says(page, f"{UNTOUCHED}: the computed score counts again.")
    expect(row).to_contain_text("Not graded.")
    expect(changes(page).nth(0)).to_contain_text("score set by hand undone")
    expect(changes(page).nth(1)).to_contain_text("set by hand")


def test_who_decides_second_is_told_what_stands(visit: Visit) -> None:
    first, second = visit("ines"), visit("ivo")
    opened(first, "O'Hara, Ben")
    decide(first)
    second.goto(first.url)
    for page, points in ((first, "6"), (second, "9")):
        form = part(page, "Set")
        form.get_by_label("Points", exact=True).fill(points)
        form.get_by_label("Reason", exact=True).fill("Oral exam.")
        form.get_by_role("button", name="Set").click()
    told = second.get_by_role("alert")
    expect(told).to_contain_text("Ines Moreira")
    expect(told).to_contain_text("The points that you entered (9) are still in the form.")
    first.reload()
    expect(first.get_by_role("row").filter(has_text=UNTOUCHED)).to_contain_text("Set by Ines Moreira")

    part(second, "Set").get_by_role("button", name="Set").click()
    expect(second.get_by_role("row").filter(has_text=UNTOUCHED)).to_contain_text("Set by Ivo Horvat: Oral exam.")
