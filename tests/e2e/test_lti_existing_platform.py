"""The whole way with an LMS that others wrote, in a browser: connect a course, add an exercise, solve it, and see the grade.

The LMS and Gradus are two sites.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import patient
from tests.e2e.exercise_page import ExercisePage, source
from tests.lti.existing_platform import ExistingPlatform
from tests.lti.existing_platform_classes import Person, Tool
from tests.servers import wait_for
from tests.site import Site

EXERCISE = "fn-cubic"
DESK, PHONE = (1440, 900), (390, 844)
Visit = Callable[[Person, tuple[int, int]], Page]


@pytest.fixture
def platform(site: Site) -> Iterator[ExistingPlatform]:
    tool = site.url.replace("127.0.0.1", "localhost")  # another name than that of the LMS, so that they are two sites
    with ExistingPlatform() as started:
        started.tool = Tool(f"{tool}/lti/login/", f"{tool}/lti/launch/", f"{site.url}/lti/jwks/")
        values = {"name": "Another LMS", "deployment_id": "1", **started.copied_values}
        site.python("-m", "tests.e2e.lti_registration", json.dumps(values))
        yield started
    assert started.errors == []


def opened(course: Page, title: str) -> Page:
    """Open a link of the LMS in a window."""
    with course.expect_popup() as popup:
        course.get_by_role("link", name=title).click()
    return popup.value


@pytest.fixture
def visit(browser: Browser, platform: ExistingPlatform) -> Iterator[Visit]:
    """`visit(person, DESK)` opens the course of the LMS in a browser of that person."""
    with ExitStack() as contexts:

        def visited(person: Person, size: tuple[int, int]) -> Page:
            width, height = size
            context = contexts.enter_context(browser.new_context(viewport={"width": width, "height": height}))
            page = patient(context).new_page()
            page.goto(platform.course_url(person))
            return page

        yield visited


def test_from_an_empty_course_to_a_grade_in_the_lms(platform: ExistingPlatform, visit: Visit) -> None:
    grace = platform.add_person("grace", "Grace Hopper", "Instructor")
    ada = platform.add_person("ada", "Ada Lovelace")
    platform.add_link("Start")

    lms = visit(grace, DESK)
    window = opened(lms, "Start")
    expect(window.get_by_role("heading", name="Connect Autodiff 101")).to_be_visible()
    window.get_by_role("button", name="Connect").click()
    expect(window.get_by_role("heading", level=1)).to_contain_text("Autodiff 101")

    window = opened(lms, "Add content")
    window.locator(f"input[value={EXERCISE}]").check()
    window.get_by_role("button", name="Preview").first.click()
    window.get_by_role("button", name="Add 1 link").click()
    expect(window.get_by_role("heading", name="Links added: 1")).to_be_visible()
    title = platform.course.links["link-2"].title

    window = opened(visit(ada, PHONE), title)
    expect(window).to_have_url(re.compile(f"^{platform.tool.launch_url.removesuffix('lti/launch/')}c/.*/{EXERCISE}/$"))
    desk = ExercisePage(window, "")
    desk.put(source(EXERCISE))
    desk.button("submit").click()
    expect(desk.heading).to_contain_text("10 of 10")
    wait_for(lambda: score_of(platform, ada) == (10, 10), "the score does not arrive in the LMS")


def score_of(platform: ExistingPlatform, person: Person) -> tuple[float, float] | None:
    """Return the last final score of a person, and its maximum."""
    scores = platform.course.scores.get("item-1", {}).get(person.sub, [])
    final = [score for score in scores if score["gradingProgress"] == "FullyGraded"]
    return (final[-1]["scoreGiven"], final[-1]["scoreMaximum"]) if final else None
