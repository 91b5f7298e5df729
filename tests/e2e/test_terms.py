"""Attempts, deadlines, cool-downs and hidden checks: what a page shows and what it hides."""

import re
from collections.abc import Iterator

from playwright.sync_api import Page, expect

from autograder.judge import pack
from autograder.web.results.explanation import Explanation
from tests.browser import Watch
from tests.conftest import EXERCISES
from tests.e2e.conftest import Visit
from tests.e2e.course import SLUG
from tests.e2e.exercise_page import ExercisePage, source

HIDDEN_TITLES = [check.title for check in pack.load(pack.find(EXERCISES, "value-engine")).checks if check.hidden]
WRONG = source("value-engine", "wrong/missing-upstream")
UNREADABLE = "class Value:\n    def __init__(self\n"


def told(page: Page) -> str:
    return " ".join(page.locator("#acts").inner_text().split())


def test_submissions_are_counted_down_and_then_running_is_free(desk: ExercisePage) -> None:
    desk.open("twice")
    assert "2 submissions left" in told(desk.page)
    for n, left in enumerate(("1 submission left", "All 2 submissions used; up to 12 runs a minute.")):
        desk.put(f"{WRONG}# {n}\n")
        desk.send("submit")
        assert left in told(desk.page)
    expect(desk.button("submit")).to_be_disabled()
    desk.send("run")
    expect(desk.heading).to_contain_text("public checks pass")


def test_what_python_cannot_read_uses_up_no_submission(desk: ExercisePage) -> None:
    desk.open("twice").put(UNREADABLE)
    desk.send("submit")
    expect(desk.heading).to_have_text("The code did not run")
    expect(desk.page.locator("#result")).to_contain_text("This did not use up a submission.")
    expect(desk.page.locator("#acts")).to_contain_text("2 submissions left")
    expect(desk.outcome).to_contain_text("This is not valid Python")


def test_after_a_pause_the_button_comes_back_by_itself(desk: ExercisePage) -> None:
    desk.open("slowly").put(WRONG)
    desk.send("submit")
    expect(desk.page.locator("[data-countdown]")).to_have_text(
        re.compile(r"Next submission in \d seconds?; up to 12 runs a minute\.")
    )
    expect(desk.button("submit")).to_be_disabled()
    expect(desk.button("run")).to_be_enabled()
    desk.editor.press("Control+Shift+Enter")
    expect(desk.notes).to_contain_text("Next submission in")
    expect(desk.button("submit")).to_be_enabled()
    desk.put(source("value-engine"))
    desk.send("submit")
    expect(desk.heading).to_contain_text("All")


def test_a_late_submission_says_by_how_much_and_what_it_costs(desk: ExercisePage, watch: Watch) -> None:
    watch.expects("status of 422", "Response Status Error Code 422")
    desk.open("late").put(source("value-engine"))
    expect(desk.page.locator(".facts")).to_contain_text(re.compile(r"Was due .*your time \(Berlin\)", re.DOTALL))
    desk.button("submit").click()
    expect(desk.notes).to_contain_text("The due date has passed. A submission now earns 90% credit. Submit anyway?")
    desk.forget()
    desk.notes.get_by_role("button", name="Submit anyway").click()
    desk.verdict()
    expect(desk.page.locator("#result")).to_contain_text("1 day late: 10% off.")


def test_what_is_closed_can_be_read_and_not_handed_in(desk: ExercisePage) -> None:
    desk.open("closed")
    assert "Ask your instructor if you need more time." in told(desk.page)
    expect(desk.button("run")).to_be_disabled()
    expect(desk.button("submit")).to_be_disabled()
    expect(desk.editor).to_be_visible()


def test_what_is_not_open_yet_says_when(page: Page) -> None:
    page.goto(f"/c/{SLUG}/soon/")
    expect(page.locator("main")).to_contain_text(re.compile(r"Opens .+, in 1 day"))
    expect(page.locator("#source")).to_have_count(0)
    page.goto(f"/c/{SLUG}/")
    expect(page.locator(".exs").get_by_text("Opens later")).to_be_visible()
    expect(page.get_by_role("link", name="Opens later")).to_have_count(0)


def test_results_that_are_held_back_are_nowhere_on_the_page(desk: ExercisePage) -> None:
    """Hidden titles, the count and the points are in neither the live update nor the page loaded later."""
    desk.open("held").put(WRONG)
    desk.send("submit")
    expect(desk.outcome).to_contain_text(re.compile(r"Hidden checks: \d+ graded, not shown yet\."))
    expect(desk.page.locator("#result .score")).to_have_count(0)
    live = desk.page.content()
    desk.page.reload()
    assert [title for title in HIDDEN_TITLES if title in live + desk.page.content()] == []
    desk.page.goto(f"/c/{SLUG}/grades/")
    expect(desk.page.get_by_text("Some results are not released yet and are left out of the total.")).to_be_visible()
    desk.page.goto(f"/c/{SLUG}/held/history/")
    expect(desk.page.get_by_text("hidden checks graded, not shown yet")).to_be_visible()


def test_hidden_checks_are_counted_and_no_more(desk: ExercisePage) -> None:
    desk.open("counted").put(WRONG)
    desk.send("submit")
    expect(desk.page.locator(".checks .group")).to_have_text(re.compile(r"Hidden checks: \d+ of \d+ pass\."))
    assert [title for title in HIDDEN_TITLES if title in desk.page.content()] == []


def test_hidden_checks_show_titles_and_a_known_mistake_and_nothing_that_was_in_them(desk: ExercisePage) -> None:
    desk.open("engine").put(WRONG)
    desk.send("submit")
    page = desk.page.content()
    assert [title for title in HIDDEN_TITLES if title not in page] == []
    rows = desk.page.locator(".checks .group ~ li")
    expect(rows).to_have_count(len(HIDDEN_TITLES))
    explained = rows.locator(".diag").first
    expect(explained).to_contain_text(Explanation("missing-upstream", "").heading)
    expect(rows.locator("table, .player, code, pre")).to_have_count(0)


def test_another_student_finds_nothing_under_the_address(
    visit: Visit, desk: ExercisePage, fresh: Iterator[str], watch: Watch
) -> None:
    desk.open("engine").put(WRONG)
    desk.send("run")
    desk.page.reload()
    address = desk.page.locator("#history a[href*='?s=']").get_attribute("href")
    watch.expects("status of 404")
    other = visit(next(fresh))
    answer = other.goto(str(address))
    assert answer is not None and answer.status == 404
    expect(other.get_by_role("heading", level=1)).to_have_text("Page not found")
