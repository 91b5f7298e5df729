"""The player finds the first wrong step of a backward pass."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.exercise_page import ExercisePage, source

OVERWRITES = source("value-engine", "wrong/overwrites-instead-of-accumulating")


@pytest.fixture
def player(desk: ExercisePage) -> Locator:
    """The player of the first failing check, opened."""
    desk.open("shown").put(OVERWRITES)
    desk.send("submit")
    found = desk.page.locator("details[open] .player").first
    expect(found).to_be_visible()
    expect(found.locator("[data-script]").first).to_be_visible()  # its script has initialized it
    return found


def at(player: Locator) -> str:
    return player.locator("[data-at]").inner_text()


def test_the_diagnosis_leads_to_the_first_wrong_node(player: Locator, page: Page) -> None:
    diagnosis = page.locator("details[open] .diag").first
    expect(diagnosis).to_contain_text("exactly")
    link = diagnosis.get_by_role("link", name=re.compile(r"See where it goes wrong: step \d+"))
    step = link.inner_text().rpartition(" ")[2]
    player.get_by_role("link", name="To the start").click()
    expect(player.locator("[data-at]")).to_have_text("1")
    link.click()
    expect(player.locator("[data-at]")).to_have_text(step)
    expect(player.locator(".flagt:visible").first).to_have_text("✕ first wrong")
    expect(player.locator("[data-chain] .why")).not_to_be_empty()
    expect(player.locator(".transcript li[aria-current=step]")).to_have_class("wrong")


def test_a_step_marks_the_line_that_made_it(player: Locator, page: Page) -> None:
    player.locator(".tofirst").click()
    line = player.locator("[data-chain] a[data-line]")
    number = int(str(line.get_attribute("data-line")))
    line.click()
    assert OVERWRITES.splitlines()[number - 1].strip() in page.locator(".cm-marked").first.inner_text()


def test_keys_step_through_the_pass(player: Locator, page: Page) -> None:
    player.locator("[data-do=start]").focus()
    last = player.locator(".ribbon a").count()
    for key, step in (("Home", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last)):
        page.keyboard.press(key)
        expect(player.locator("[data-at]")).to_have_text(str(step))
    page.keyboard.press("w")
    expect(player.locator(".ribbon a[aria-current=step]")).to_contain_text("wrong")
    before = player.locator("details.transcript").get_attribute("open")
    page.keyboard.press("t")
    assert player.locator("details.transcript").get_attribute("open") != before
    page.keyboard.press("s")
    expect(player.locator(".view.yours")).to_be_visible()


def test_play_goes_to_the_end_by_itself(player: Locator, page: Page) -> None:
    player.locator("[data-do=start]").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    expect(player.locator("[data-at]")).to_have_text(str(player.locator(".ribbon a").count()))


def test_the_transcript_tells_every_step(player: Locator) -> None:
    lines = player.locator(".transcript li")
    assert lines.count() == player.locator(".ribbon a").count()
    assert all(text.strip() for text in lines.all_inner_texts())


def test_a_step_has_an_address(player: Locator, desk: ExercisePage) -> None:
    player.locator(".ribbon a").nth(2).click()
    address = desk.page.url
    assert "#" in address
    desk.page.goto("/help/")
    desk.page.goto(address)
    expect(desk.page.locator("details[open] .player [data-at]").first).to_have_text("3")
