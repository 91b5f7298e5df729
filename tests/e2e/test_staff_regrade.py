"""Regrading in the browser: start, progress, preview, and each possible decision."""

import re

from playwright.sync_api import Page, expect

from tests.e2e.axe import clean, violations
from tests.e2e.classroom import REGRADED, SLUG
from tests.e2e.conftest import Visit
from tests.e2e.exercise_page import says

REGRADES = f"/t/{SLUG}/regrades/"


def preview(page: Page, reason: str) -> None:
    """Start a regrade with the newer version and wait until everything is graded. Two checks have different points in it."""
    page.get_by_role("link", name="Grade again").click()
    page.get_by_label("Assignment", exact=True).select_option(REGRADED)
    version = page.get_by_label("Version of the exercise", exact=True)
    version.select_option(version.locator("option").filter(has_text="value-engine").first.get_attribute("value"))
    page.get_by_label("Reason", exact=True).fill(reason)
    page.get_by_role("button", name="Start preview").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(", preview")
    expect(page.get_by_role("heading", name="Effect on grades")).to_be_visible()


def test_a_preview_is_followed_looked_at_thrown_away_and_in_the_end_applied(visit: Visit, axe: str) -> None:
    page = visit("ines")
    page.goto(f"/t/{SLUG}/gradebook/")
    page.get_by_role("link", name="Regrades").click()
    preview(page, "One check counted too little.")
    facts = page.locator(".facts")
    expect(facts).to_contain_text(re.compile(r"1\s*stay as they are.*▲ 1\s*gain.*▼ 1\s*lose", re.DOTALL))
    expect(page.get_by_text("3 of 3 submissions graded again. No grade has changed yet.")).to_be_visible()
    drawn = page.get_by_role("img", name=re.compile("Number of grades in each range, before and after"))
    assert "10 or more: 1, 1" in (drawn.get_attribute("aria-label") or "")
    rows = page.get_by_role("table", name="Grades that would change, largest loss first").get_by_role("row")
    expect(rows.nth(1)).to_contain_text(re.compile(r"Ada Lovelace.*6.*5.*▼ −1", re.DOTALL))
    expect(rows.nth(2)).to_contain_text(re.compile(r"Ben O'Hara.*4.*5.*▲ \+1", re.DOTALL))
    expect(rows.nth(1)).to_contain_text("“The upstream gradient is propagated” is worth 2, not 1")
    clean(violations(page, axe))
    page.get_by_role("button", name="Discard").click()
    says(page, "The preview was discarded. No grade changed.")
    expect(page.get_by_role("heading", name="Discarded")).to_be_visible()

    page.goto(REGRADES)
    preview(page, "One check counted too little, again.")
    page.get_by_role("button", name="Apply the 1 gain, keep the rest").click()
    says(page, "The regrade was applied: 1 grade changed.")
    made = page.get_by_role("table", name="Grades that changed").get_by_role("row")
    expect(made).to_have_count(2)
    expect(made.nth(1)).to_contain_text(re.compile("ben", re.IGNORECASE))
    clean(violations(page, axe))
    page.goto(REGRADES)
    states = page.get_by_role("table", name="Regrades, newest first")
    expect(states).to_contain_text(re.compile("applied.*discarded", re.DOTALL))
    clean(violations(page, axe))


def test_the_progress_of_a_regrade_is_seen_without_reloading(visit: Visit) -> None:
    """The polled part ends with a reload of the whole page. Workers are slower than the first poll."""
    page = visit("ines")
    page.goto(f"{REGRADES}new/")
    page.get_by_label("Reason", exact=True).fill("All of it once more.")
    page.get_by_role("button", name="Start preview").click()
    expect(
        page.get_by_role("progressbar", name="Graded again").or_(page.get_by_role("button", name="Discard"))
    ).not_to_have_count(0)
    expect(page.get_by_role("heading", name="Effect on grades")).to_be_visible()
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_role("heading", name="Discarded")).to_be_visible()
