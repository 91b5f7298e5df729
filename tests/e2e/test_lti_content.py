"""An instructor adds exercises to a course of an LMS, and reads its members, in a browser. The LMS and Gradus are two sites."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, FrameLocator, Page, ViewportSize, expect

from tests.browser import patient
from tests.e2e.test_lti import School, connected, school
from tests.lti.platform import CANVAS
from tests.site import Site

PHONE: ViewportSize = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def canvas(site: Site) -> Iterator[School]:
    yield from school(site, CANVAS, "content")


@pytest.fixture
def window(browser: Browser) -> Iterator[BrowserContext]:
    with patient(browser.new_context(viewport={"width": 1440, "height": 900})) as context:
        yield context


def complaints_of(page: Page) -> list[str]:
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text) if message.type in ("error", "warning") else None)
    return found


def add(tool: Page | FrameLocator, *numbers: int) -> list[str]:
    """Choose exercises by their number, and return their titles."""
    boxes = tool.get_by_role("checkbox")
    titles = []
    for number in numbers:
        boxes.nth(number).check()
        titles.append(tool.locator(".choices label bdi").nth(number).inner_text())
    tool.get_by_role("button", name="Preview").first.click()
    expect(tool.get_by_role("heading", name=re.compile("will be added to Autodiff 101"))).to_be_visible()
    return titles


def test_exercises_are_added_in_a_frame_and_opened_by_a_student(
    canvas: School, browser: Browser, window: BrowserContext
) -> None:
    connected(canvas, window)
    page = window.new_page()
    complaints = complaints_of(page)
    page.goto(canvas.platform.deep_link_url(canvas.context, canvas.instructor, frame=True))
    frame = page.frame_locator("iframe[name=tool]")
    expect(frame.get_by_role("heading", level=1)).to_have_text("Add exercises to Autodiff 101")
    titles = add(frame, 1, 2)  # other tests load a copy of the first exercise under its title
    assert len(set(titles)) == 2
    frame.get_by_label("Points").first.fill("7")
    frame.get_by_label("Due").first.fill("2030-01-31T18:00")
    frame.get_by_role("button", name="Add 2 links").click()
    expect(frame.get_by_role("heading", name="Added content")).to_be_visible()
    assert frame.get_by_role("listitem").all_inner_texts() == titles
    assert complaints == []

    (link,) = [link for link in canvas.platform.links.values() if link.title == titles[0]]
    assert link.line_item is not None
    assert link.line_item.score_maximum == 7
    with patient(browser.new_context()) as context:
        student = context.new_page()
        student.goto(canvas.platform.launch_url(link, canvas.student, frame=True))
        heading = student.frame_locator("iframe[name=tool]").get_by_role("heading", level=1)
        expect(heading).to_contain_text(titles[0])


def test_the_same_without_scripts(canvas: School, browser: Browser, window: BrowserContext) -> None:
    connected(canvas, window)
    with patient(browser.new_context(java_script_enabled=False, viewport=PHONE)) as context:
        page = context.new_page()
        page.goto(canvas.platform.deep_link_url(canvas.context, canvas.instructor))
        while page.get_by_role("button", name="Continue").count():
            with page.expect_navigation():  # a page that has only begun to arrive has no button yet
                page.get_by_role("button", name="Continue").click()
        titles = add(page, 2)
        page.get_by_role("button", name="Add 1 link").click()
        page.get_by_role("button", name="Continue to content").click()
        expect(page.get_by_role("heading", name="Added content")).to_be_visible()
        assert page.get_by_role("listitem").all_inner_texts() == titles


def test_the_pages_fit_on_a_phone(canvas: School, browser: Browser, window: BrowserContext) -> None:
    connected(canvas, window)
    with patient(browser.new_context(viewport=PHONE)) as context:
        page = context.new_page()
        page.goto(canvas.platform.deep_link_url(canvas.context, canvas.instructor))
        expect(page.get_by_role("heading", level=1)).to_have_text("Add exercises to Autodiff 101")
        assert _fits(page)
        add(page, 3)
        assert _fits(page)
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_role("heading", name="Added content")).to_be_visible()


def test_the_members_of_the_lms_are_previewed_and_added(canvas: School, window: BrowserContext) -> None:
    canvas.platform.enrol(canvas.context, canvas.platform.add_user("Ben", "Okoro"), "Learner")
    page = connected(canvas, window)
    page.get_by_role("link", name="People").click()
    page.get_by_role("link", name="Members from the LMS").click()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="Nothing has been changed yet")).to_be_visible()
    expect(page.get_by_role("table").first).to_contain_text("Ben Okoro")
    page.set_viewport_size(PHONE)
    assert _fits(page)
    page.get_by_role("button", name="Make these changes").click()
    expect(page.get_by_role("status").first).to_contain_text("From the LMS:")
    expect(page.get_by_role("table")).to_contain_text("Okoro, Ben")


def _fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))
