"""The first start of an empty site, following its front page, and of a demo, which takes one click to enter."""

import os
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import Watch, patient
from tests.e2e.axe import clean, violations
from tests.e2e.exercise_page import ExercisePage, source
from tests.servers import wait_for
from tests.site import ROOT, Site, running_site
from tests.typing_terminal import answer

pytestmark = pytest.mark.slow
PASSWORD = "one step after another"
STEP_1 = "A scalar engine: addition and multiplication"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("empty")) as started:
        yield started


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("demo"), "--demo") as started:
        yield started


@pytest.fixture
def watch() -> Iterator[Watch]:
    """Without the site of the other tests."""
    kept = Watch("")
    yield kept
    assert kept.unexpected == []


def visitor(browser: Browser, site: Site, watch: Watch, **options: bool) -> Page:
    watch.home = site.url
    context = patient(browser.new_context(base_url=site.url, reduced_motion="reduce", **options))  # type: ignore[arg-type]
    watch.over(context)
    page = context.new_page()
    page.goto("/")
    return page


def test_the_owner_of_an_empty_site_begins_as_its_front_page_says(
    browser: Browser, empty: Site, watch: Watch, axe: str
) -> None:
    page = visitor(browser, empty, watch)
    panel = page.get_by_role("region", name="This site has no accounts yet")
    clean(violations(page, axe))
    command = panel.locator("pre").first.inner_text()
    answers = {
        "Username": "grace",
        "Email": "grace@example.org",
        "First name": "Grace",
        "Last name": "Wengert",
        "Password:": PASSWORD,
        "Password (again)": PASSWORD,
    }
    elsewhere = {name: value for name, value in os.environ.items() if not name.startswith(("GRADUS_", "DATABASE_URL"))}
    assert "Superuser created successfully." in answer(["sh", "-c", command], answers, ROOT, elsewhere)

    page.reload()
    expect(panel).to_have_count(0)
    page.get_by_role("link", name="Sign in").first.click()
    page.get_by_label("Username or email").fill("grace")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Create your first course")).to_be_visible()
    page.get_by_role("link", name="New course").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("New course")


def test_one_click_leads_to_the_exercise_and_its_first_wrong_step(browser: Browser, demo: Site, watch: Watch) -> None:
    page = visitor(browser, demo, watch)
    page.get_by_role("button", name="Try the demo").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(STEP_1)
    desk = ExercisePage(page, "demo")
    desk.verdict()
    player = page.locator("details[open] .player").first
    expect(player.locator(".chain")).to_contain_text("instead of being added to it")
    desk.put(source("value-engine"))
    desk.send("submit")
    expect(desk.heading).to_have_text(re.compile(r"All \d+ checks pass"))


def test_one_click_works_without_scripts(browser: Browser, demo: Site, watch: Watch) -> None:
    page = visitor(browser, demo, watch, java_script_enabled=False)
    page.get_by_role("button", name="Try the demo").click()
    expect(page).to_have_url(re.compile(r"/c/demo/value-\w+/#verdict$"))
    expect(page.locator("#source")).to_be_visible()


def test_on_a_phone_the_demo_opens_at_its_result(browser: Browser, demo: Site, watch: Watch) -> None:
    page = visitor(browser, demo, watch)
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("link", name="Sign in with another account").click()
    page.get_by_role("button", name="Stuck student", exact=True).click()
    expect(page.locator("#result")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(
    ("button", "heading"),
    [
        ("New student", "Automatic differentiation, a demo"),
        ("Stuck student", STEP_1),
        ("Assistant", "Automatic differentiation, a demo"),
        ("Instructor", "Automatic differentiation, a demo"),
        ("Operator", "Site status"),
    ],
)
def test_everybody_of_the_demo_is_one_click_away(
    browser: Browser, demo: Site, watch: Watch, axe: str, button: str, heading: str
) -> None:
    page = visitor(browser, demo, watch)
    page.get_by_role("link", name="Sign in with another account").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    clean(violations(page, axe))
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(heading)


def test_a_bar_makes_one_somebody_else(browser: Browser, demo: Site, watch: Watch) -> None:
    page = visitor(browser, demo, watch)
    become(page, "New student")
    bar = page.get_by_role("form", name="Demo account")
    expect(bar).to_contain_text(re.compile(r"You are New Student \d+\s+\(new student\)"))
    bar.get_by_role("button", name="Operator").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Site status")
    bar.get_by_role("button", name="Student", exact=True).click()
    expect(bar).to_contain_text(re.compile(r"\(student\)"))
    expect(page).to_have_url(re.compile(r"/c/demo/value-\w+/#verdict$"))


def test_whoever_is_new_begins_with_step_1(browser: Browser, demo: Site, watch: Watch) -> None:
    page = visitor(browser, demo, watch)
    become(page, "New student")
    page.get_by_role("link", name="Start step 1").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(STEP_1)
    expect(page.locator("#facts")).to_contain_text(re.compile(r"^\s*Due "))


def test_the_staff_see_who_is_stuck_late_and_extended(browser: Browser, demo: Site, watch: Watch) -> None:
    page = visitor(browser, demo, watch)
    become(page, "Instructor")

    def all_is_graded() -> bool:
        page.reload()
        return "0 waiting" in page.locator(".stats b").all_inner_texts()

    wait_for(all_is_graded, "the week of the demo is not graded")
    expect(page.locator(".stats")).to_contain_text(re.compile(r"[1-9] stuck"))
    expect(page.locator("aside")).to_contain_text("8 attempts without a pass")
    page.get_by_role("link", name="Gradebook").click()
    expect(page.locator(".grades .late").first).to_be_visible()
    page.goto("/t/demo/people/?q=demo-03")
    page.get_by_role("row").filter(has_text="demo-03").get_by_role("link").click()
    expect(page.get_by_role("table", name="Extensions")).to_contain_text("Ill for a week")


def test_the_operator_sees_what_was_tried_again(browser: Browser, demo: Site, watch: Watch) -> None:
    page = visitor(browser, demo, watch)
    become(page, "Operator")
    row = page.get_by_role("row").filter(has_text="retried: internal error")
    expect(row.get_by_role("cell").last).to_have_text("1")


def become(page: Page, button: str) -> None:
    page.get_by_role("link", name="Sign in with another account").click()
    page.get_by_role("button", name=button, exact=True).click()
    page.wait_for_load_state()
