"""A lost password in the browser: an instructor creates a link, and the student uses it on a phone without JavaScript."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import clean, violations
from tests.e2e.conftest import Visit
from tests.e2e.course import SLUG, TITLE
from tests.e2e.exercise_page import says

SIZES = ({"width": 1440, "height": 900}, {"width": 390, "height": 844})
OVERHANG = "document.documentElement.scrollWidth - innerWidth"
NEW = "every gradient flows back"


def fits(page: Page, axe: str) -> None:
    clean(violations(page, axe))
    assert page.evaluate(OVERHANG) <= 0


@pytest.mark.parametrize("size", SIZES, ids=("wide", "phone"))
def test_a_link_from_an_instructor_leads_back_in(visit: Visit, student: str, axe: str, size: dict[str, int]) -> None:
    owner = visit("grace", viewport=size)
    owner.goto(f"/t/{SLUG}/people/?q={student}")
    owner.get_by_role("link", name=student).first.click()
    expect(owner.get_by_role("button", name="Create reset link")).to_be_visible()
    fits(owner, axe)
    owner.get_by_label("Last name").fill("Noether")
    owner.get_by_role("button", name="Save account").click()
    says(owner, "The account was saved.")
    owner.get_by_role("button", name="Create reset link").click()
    expect(owner.get_by_text("The reset link (shown only once):")).to_be_visible()
    fits(owner, axe)

    new = visit(None, viewport=size)
    new.goto(owner.get_by_label("The reset link").input_value())
    new.get_by_label("New password", exact=True).fill("short")
    new.get_by_label("New password again").fill("short")
    new.get_by_role("button", name="Set password and sign in").click()
    expect(new.get_by_role("alert")).to_contain_text("at least 10 characters")
    fits(new, axe)
    new.get_by_label("New password", exact=True).fill(NEW)
    new.get_by_label("New password again").fill(NEW)
    new.get_by_role("button", name="Set password and sign in").click()
    expect(new.get_by_role("heading", level=1, name=TITLE)).to_be_visible()
    expect(new.get_by_text(f"An instructor of {TITLE} created a reset link for your account")).to_be_visible()
    new.goto("/account/")
    expect(new.get_by_text("last name: none → Noether")).to_be_visible()
    fits(new, axe)


def test_it_works_without_scripts(visit: Visit, student: str) -> None:
    owner = visit("grace", java_script_enabled=False)
    owner.goto(f"/t/{SLUG}/people/?q={student}")
    owner.get_by_role("link", name=student).first.click()
    owner.get_by_role("button", name="Create reset link").click()
    new = visit(None, java_script_enabled=False)
    new.goto(owner.get_by_label("The reset link").input_value())
    new.get_by_label("New password", exact=True).fill(NEW)
    new.get_by_label("New password again").fill(NEW)
    new.get_by_role("button", name="Set password and sign in").click()
    expect(new.get_by_role("heading", level=1, name=TITLE)).to_be_visible()


def test_without_mail_the_sign_in_page_says_whom_to_ask(visit: Visit, axe: str) -> None:
    page = visit(None)
    page.goto("/sign-in/")
    page.get_by_role("link", name="Forgot password?").click()
    expect(page.get_by_text("Ask an instructor of your course for a password reset link")).to_be_visible()
    fits(page, axe)
