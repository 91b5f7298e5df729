"""Color schemes: the system's setting, and the user's choice, which takes precedence and is remembered."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Visit
from tests.e2e.course import SLUG

GROUND = "() => getComputedStyle(document.body).backgroundColor"
PAPER = {"light": "rgb(245, 247, 246)", "dark": "rgb(15, 21, 23)"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_system_decides(visit: Visit, student: str, scheme: str) -> None:
    page = visit(student, color_scheme=scheme)
    page.goto(f"/c/{SLUG}/")
    assert page.evaluate(GROUND) == PAPER[scheme]


@pytest.mark.parametrize(("system", "chosen"), [("light", "dark"), ("dark", "light")])
def test_the_readers_choice_wins_at_once_and_is_remembered(visit: Visit, student: str, system: str, chosen: str) -> None:
    page = visit(student, color_scheme=system)
    page.goto(f"/c/{SLUG}/")
    choose(page, chosen)
    assert page.evaluate(GROUND) == PAPER[chosen]
    page.goto(f"/c/{SLUG}/grades/")
    expect(page.locator("html")).to_have_class(f"theme-{chosen}")
    assert page.evaluate(GROUND) == PAPER[chosen]
    choose(page, "auto")
    assert page.evaluate(GROUND) == PAPER[system]
    page.reload()
    assert page.evaluate(GROUND) == PAPER[system]


def choose(page: Page, theme: str) -> None:
    with page.expect_response("**/theme/"):
        page.locator(f"label:has(#theme-{theme})").click()
