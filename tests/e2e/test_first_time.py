"""From the front page to a passed exercise, as a new user."""

import re

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Visit
from tests.e2e.course import PASSWORD, SLUG, TITLE
from tests.e2e.exercise_page import ExercisePage, source


def sign_in(page: Page, login: str, password: str = PASSWORD) -> None:
    page.get_by_label("Username or email").fill(login)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def test_from_signing_in_to_a_passed_exercise(visit: Visit, student: str) -> None:
    page = visit(None)
    page.goto("/")
    page.get_by_role("link", name="Sign in").first.click()
    sign_in(page, student)
    expect(page.get_by_role("heading", level=1, name=TITLE)).to_be_visible()

    page.get_by_role("link", name="Start step 1").click()
    expect(page.get_by_role("heading", level=1, name="A scalar engine")).to_be_visible()
    expect(page.locator("#task")).to_have_attribute("open", "")
    expect(page.locator("#result")).to_contain_text("not run yet")
    desk = ExercisePage(page, SLUG)
    desk.put(source("value-engine", "wrong/missing-upstream"))
    desk.send("run")
    expect(desk.heading).to_contain_text(re.compile(r"\d of \d public checks pass; \d hidden checks run when you submit"))

    desk.put(source("value-engine"))
    desk.send("submit")
    expect(desk.heading).to_have_text(re.compile(r"All \d+ checks pass, including the \d+ hidden ones; 10 of 10 points"))
    expect(page.locator("#result .score")).to_contain_text("10of 10 points")
    page.get_by_role("link", name=TITLE).click()
    expect(page.get_by_role("img", name=re.compile("1 of 15 steps passed"))).to_be_visible()
    expect(page.get_by_role("link", name="Start step 2")).to_be_visible()


def test_a_wrong_password_is_told_and_the_name_stays(visit: Visit, student: str) -> None:
    page = visit(None)
    page.goto(f"/c/{SLUG}/engine/")
    sign_in(page, student, "not it")
    expect(page.get_by_role("alert")).to_have_text("Wrong username or password. Both are case-sensitive.")
    expect(page.get_by_label("Username or email")).to_have_value(student)
    sign_in(page, student)
    expect(page.get_by_role("heading", level=1, name="A scalar engine")).to_be_visible()


def test_somebody_in_no_course_is_told_what_will_be_here(visit: Visit) -> None:
    page = visit("nobody")
    page.goto("/")
    expect(page.get_by_text("You are not in any courses yet")).to_be_visible()
