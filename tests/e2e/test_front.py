"""The front page for a new visitor: text, demo player and layout."""

from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from autograder.web.player.front_page import MILLISECONDS
from tests.e2e.conftest import Visit
from tests.e2e.course import SLUG

FIRST_WRONG, STEPS = 11, 12
SIZES = {"desk": (1440, 900), "tablet": (1024, 768), "phone": (390, 844)}


def at(page: Page) -> Locator:
    return page.locator(".player [data-at]")


def opened(page: Page) -> Page:
    """Open the front page with a paused clock."""
    page.clock.install(time=0)
    page.clock.pause_at(1)
    page.goto("/")
    return page


@dataclass(frozen=True)
class Box:
    """The bounding box of an element."""

    left: float
    top: float
    right: float
    bottom: float


def box(found: Locator) -> Box:
    place = found.bounding_box()
    assert place is not None
    return Box(place["x"], place["y"], place["x"] + place["width"], place["y"] + place["height"])


def test_it_plays_once_up_to_the_first_wrong_step_and_again_when_asked(visit: Visit) -> None:
    page = opened(visit(None, reduced_motion="no-preference"))
    for _ in range(2):
        for step in range(1, FIRST_WRONG + 1):
            expect(at(page)).to_have_text(str(step))
            page.clock.run_for(MILLISECONDS)
        expect(page.locator(".player .chain")).to_contain_text("instead of being added to it")
        page.clock.run_for(5 * MILLISECONDS)
        expect(at(page)).to_have_text(str(FIRST_WRONG))
        page.get_by_role("button", name="Play").click()
    assert page.url.endswith("/"), "a page that plays by itself leaves the address alone"


def test_it_waits_for_whoever_takes_a_step(visit: Visit) -> None:
    page = opened(visit(None, reduced_motion="no-preference"))
    expect(at(page)).to_have_text("1")
    page.get_by_role("link", name="Step forward").click()
    page.clock.run_for(5 * MILLISECONDS)
    expect(at(page)).to_have_text("2")
    page.get_by_role("link", name="To the end").click()
    expect(at(page)).to_have_text(str(STEPS))


def test_with_less_motion_it_stands_at_the_first_wrong_step(visit: Visit) -> None:
    page = opened(visit(None))
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.clock.run_for(5 * MILLISECONDS)
    expect(at(page)).to_have_text(str(FIRST_WRONG))


def test_without_scripts_every_step_is_a_page(visit: Visit) -> None:
    page = visit(None, java_script_enabled=False)
    page.goto("/")
    expect(at(page)).to_have_text(str(FIRST_WRONG))
    page.get_by_role("link", name="Step back").click()
    expect(at(page)).to_have_text(str(FIRST_WRONG - 1))


@pytest.mark.parametrize("size", SIZES)
def test_nothing_touches_and_the_way_in_is_in_sight(visit: Visit, size: str) -> None:
    width, height = SIZES[size]
    page = visit(None, viewport={"width": width, "height": height})
    page.goto("/")
    button, player = box(page.locator("main").get_by_role("link", name="Sign in")), box(page.locator(".player"))
    assert button.bottom < height
    assert player.left - button.right >= 16 or player.top - button.bottom >= 16
    assert page.get_by_role("heading", level=2).all_inner_texts() == [
        "Backward pass",
        "Students",
        "Instructors",
        "Operators",
    ]
    expect(page.get_by_role("button", name="Try the demo")).to_have_count(0)


@pytest.mark.parametrize("size", SIZES)
def test_the_head_ends_at_the_right_edge_for_strangers_too(visit: Visit, student: str, size: str) -> None:
    width, height = SIZES[size]
    ends = []
    for login, address in ((None, "/"), (None, "/sign-in/"), (None, "/help/"), (student, f"/c/{SLUG}/")):
        page = visit(login, viewport={"width": width, "height": height})
        page.goto(address)
        edges = [box(one).right for one in page.locator(".top :is(a, button):visible").all()]
        ends.append(round(max(edges)))
    assert len(set(ends)) == 1, ends
    assert width - ends[0] <= 24
