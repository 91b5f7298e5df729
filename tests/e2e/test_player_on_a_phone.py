"""The player and its controls on a small screen."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.exercise_page import ExercisePage, source

# wrong in the seventh digit, so that numbers are shown with enough digits to differ
NEARLY = source("value-engine", "wrong/overwrites-instead-of-accumulating").replace("out.grad", "(out.grad * 1.0000003)")

LEAVES_ITS_BOX = """(player) => {
    const wide = (element) => element.getBoundingClientRect().width
    const found = []
    for (const term of player.querySelectorAll('.chain .term b')) {
        if (term.scrollWidth > term.clientWidth + 1) found.push(term.textContent)
    }
    for (const node of player.querySelectorAll('.graph .node')) {
        const box = node.querySelector('.box')
        if (!wide(box)) continue
        const [edge, texts] = [box.getBoundingClientRect(), node.querySelectorAll('text:not(.flagt)')]
        for (const text of texts) {
            const place = text.getBoundingClientRect()
            if (place.width && (place.left < edge.left - 1 || place.right > edge.right + 1)) found.push(text.textContent)
        }
    }
    if (document.documentElement.scrollWidth > innerWidth) found.push('the page')
    return found
}"""


@pytest.fixture
def player(desk: ExercisePage) -> Locator:
    desk.open("shown").put(NEARLY)
    desk.send("submit")
    desk.page.set_viewport_size({"width": 390, "height": 844})
    found = desk.page.locator("details[open] .player").first
    expect(found.locator("[data-script]").first).not_to_have_attribute("hidden", "")
    return found


def test_long_numbers_stay_in_their_boxes(player: Locator, page: Page) -> None:
    player.locator("[data-do=start]").click()
    page.keyboard.press("Home")
    steps = player.locator(".ribbon a").count()
    texts = ""
    for step in range(1, steps + 1):
        expect(player.locator("[data-at]")).to_have_text(str(step))
        assert player.evaluate(LEAVES_ITS_BOX) == [], step
        texts += player.locator(".chain").inner_text()
        page.keyboard.press("ArrowRight")
    assert re.search(r"\d\.\d{7}", texts), "there were long numbers"


def test_arrow_keys_step_while_the_focus_is_on_a_switch(player: Locator, page: Page) -> None:
    player.locator("[data-do=start]").click()
    player.locator("input[value=one]").focus()
    for key, step in (("ArrowRight", "2"), ("ArrowRight", "3"), ("ArrowLeft", "2")):
        page.keyboard.press(key)
        expect(player.locator("[data-at]")).to_have_text(step)
    expect(player.locator("input[value=one]")).to_be_checked()


@pytest.mark.parametrize("key", [" ", "Enter"])
def test_a_switch_is_turned_by_its_own_keys(player: Locator, page: Page, key: str) -> None:
    player.locator("input[value=one]").focus()
    page.keyboard.press(key)
    expect(player.locator("input[value=pair]")).to_be_checked()
    expect(player.locator("input[value=pair]")).to_be_focused()
    expect(player.locator(".view.yours")).to_be_visible()
    page.keyboard.press(key)
    expect(player.locator("input[value=one]")).to_be_checked()
