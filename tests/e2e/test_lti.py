"""From a course of an LMS into Gradus and back, in a browser. The LMS and Gradus are two sites."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import patient
from tests.lti.platform import CANVAS, Context, Flavour, Platform, User
from tests.site import Site


@dataclass
class School:
    """An LMS with a course, its instructor and a student, registered with the site."""

    platform: Platform
    context: Context
    instructor: User
    student: User
    tool: str  # the address of Gradus: under another name than the LMS, so that they are two sites


def school(site: Site, flavour: Flavour, name: str) -> Iterator[School]:
    tool = site.url.replace("127.0.0.1", "localhost")
    with Platform(flavour) as platform:
        found = platform.register_tool(
            login_url=f"{tool}/lti/login/",
            redirect_uris=[f"{tool}/lti/launch/"],
            key_set_url=f"{site.url}/lti/jwks/",
        )
        values = {
            "name": name, "product": "canvas", "issuer": found.issuer, "client_id": found.client_id,
            "auth_url": found.auth_url, "token_url": found.token_url, "key_set_url": found.key_set_url,
            "deployment_id": found.deployment_id,
        }  # fmt: skip
        site.python("-m", "tests.e2e.lti_registration", json.dumps(values))
        context = platform.add_context("Autodiff 101", label=f"AD-{name}")
        instructor, student = platform.add_user("Grace", "Hopper"), platform.add_user("Ada", "Lovelace")
        platform.enrol(context, instructor, "Instructor")
        platform.enrol(context, student, "Learner")
        yield School(platform, context, instructor, student, tool)


@pytest.fixture(scope="module")
def canvas(site: Site) -> Iterator[School]:
    yield from school(site, CANVAS, "canvas")


@pytest.fixture
def window(browser: Browser) -> Iterator[BrowserContext]:
    with patient(browser.new_context(viewport={"width": 1440, "height": 900})) as context:
        yield context


def connected(canvas: School, window: BrowserContext) -> Page:
    """The page of the instructor after opening a link for the first time, and creating the course."""
    link = canvas.platform.add_link(canvas.context, "Start")
    page = window.new_page()
    page.goto(canvas.platform.launch_url(link, canvas.instructor))
    page.wait_for_url(re.compile(rf"^{canvas.tool}/(t|lti/connect)/"))
    if page.get_by_role("heading", name="Connect Autodiff 101").count():
        page.get_by_role("button", name="Connect").click()
    expect(page).to_have_url(re.compile(rf"^{canvas.tool}/t/"))
    return page


def test_an_instructor_connects_a_course_and_a_student_arrives(
    canvas: School, browser: Browser, window: BrowserContext
) -> None:
    page = connected(canvas, window)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Autodiff 101")
    with patient(browser.new_context(viewport={"width": 390, "height": 844})) as phone:
        student = phone.new_page()
        link = canvas.platform.add_link(canvas.context, "The course")
        student.goto(canvas.platform.launch_url(link, canvas.student))
        expect(student).to_have_url(re.compile(rf"^{canvas.tool}/c/"))
        expect(student.get_by_role("heading", level=1)).to_contain_text("Autodiff 101")


def test_in_a_frame_the_session_lives_in_the_frame(canvas: School, window: BrowserContext) -> None:
    connected(canvas, window)
    link = canvas.platform.add_link(canvas.context, "In a frame")
    page = window.new_page()
    page.goto(canvas.platform.launch_url(link, canvas.student, frame=True))
    frame = page.frame_locator("iframe[name=tool]")
    expect(frame.get_by_role("heading", level=1)).to_contain_text("Autodiff 101")
    frame.get_by_role("link", name="Grades").first.click()
    expect(frame.get_by_role("heading", level=1)).to_contain_text("grades", ignore_case=True)


def test_a_frame_without_cookies_opens_a_window(canvas: School, browser: Browser, window: BrowserContext) -> None:
    connected(canvas, window)
    link = canvas.platform.add_link(canvas.context, "Without cookies")
    with patient(browser.new_context()) as strict:
        page = strict.new_page()
        canvas.platform.slow("/auth", 5)
        with page.expect_request(re.compile(r"/auth\?")):
            page.goto(canvas.platform.launch_url(link, canvas.student, frame=True), wait_until="commit")
        strict.clear_cookies(domain="localhost")
        with strict.expect_page() as opened:
            page.frame_locator("iframe[name=tool]").get_by_role(
                "button", name="Open in a new window as Ada Lovelace"
            ).click()
        expect(opened.value.get_by_role("heading", level=1)).to_contain_text("Autodiff 101")
