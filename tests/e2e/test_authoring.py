"""An instructor writes an exercise from a function, tries it as a student, publishes it and assigns it."""

import re

from playwright.sync_api import Page, expect

from tests.browser import Watch
from tests.e2e.axe import clean, violations
from tests.e2e.classroom import SLUG
from tests.e2e.conftest import Visit
from tests.e2e.exercise_page import ExercisePage

DRAFTS = f"/t/{SLUG}/drafts/"
FUNCTION = "def row_norms(x):\n    return np.sqrt((x * x).sum(axis=1))"
UPSTREAM_MISSING = (
    "import numpy as np\n\n\ndef row_norms_vjp(g, x):\n    return (x / np.sqrt((x * x).sum(axis=1, keepdims=True)),)\n"
)


def begun(page: Page, slug: str) -> None:
    page.goto(DRAFTS)
    form = page.get_by_role("form", name="From a function")
    form.get_by_label("Function", exact=True).fill(FUNCTION)
    form.get_by_label("Shapes of the inputs").fill("x: n, m")
    form.get_by_label("Title").fill("Norms of rows")
    form.get_by_label("Name in addresses").fill(slug)
    form.get_by_role("button", name="Make the draft").click()
    expect(page.get_by_role("heading", name="Norms of rows")).to_be_visible()


def typed(page: Page, text: str) -> None:
    """Put a text at the end of the open file, as an author types it."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(text)
    expect(page.locator("[data-saved]")).to_contain_text("saved ")


def test_from_a_function_to_an_assigned_exercise(visit: Visit, watch: Watch, axe: str) -> None:
    page = visit("ines")
    begun(page, "row-norms")
    expect(page.locator("#proof")).to_contain_text("no findings")
    expect(page.locator("#proof")).to_contain_text(re.compile(r"(\d+) of \1 mutants killed"))
    clean(violations(page, axe))

    page.get_by_role("button", name="Try as a student").click()
    desk = ExercisePage(page, "")
    desk.put(UPSTREAM_MISSING)
    desk.button("submit").click()
    expect(page.locator("#result")).to_have_attribute("data-verdict", re.compile("failed|partial"))
    page.get_by_role("link", name="Back to the draft").click()

    page.get_by_role("link", name="Publish…").click()
    page.get_by_label("What is new").fill("The first version.")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Version 1 of Norms of rows is published.")).to_be_visible()
    clean(violations(page, axe))

    page.goto(f"/t/{SLUG}/assign/")
    page.get_by_label("Search").fill("Norms of rows")
    page.get_by_label("Norms of rows").check()
    page.get_by_role("button", name="Assign 1 exercise").click()
    expect(page.get_by_text("is assigned")).to_be_visible()


def test_a_survivor_is_killed_by_one_click(visit: Visit, watch: Watch) -> None:
    page = visit("ines")
    begun(page, "row-norms-weak")
    expect(page.locator("#proof")).to_contain_text("no findings")
    page.get_by_role("navigation", name="Files of the exercise").get_by_role("link", name="checks.py").click()
    text = page.locator(".cm-content").inner_text()
    assert "expect_vjp" in text
    weak = page.evaluate("() => document.querySelector('textarea[data-editor]').value")
    head, hidden, rest = weak.partition('@check("Other shapes')
    body, variety, end = rest.partition("@variety")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    emptied = re.sub(r"-> None:\n(?:    .*\n)+", "-> None:\n    pass\n", body, count=1)
    page.keyboard.insert_text(head.replace("TRUTH, [case", "TRUTH, [case") + hidden + emptied + variety + end)
    expect(page.locator("[data-saved]")).to_contain_text("saved ")
    add = page.get_by_role("button", name="Add this question to").first
    expect(add).to_be_visible()
    add.click()
    expect(page.get_by_text("The question was added to the last hidden check.")).to_be_visible()
    expect(page.locator(".cm-content")).to_contain_text("expect_answer")


def test_two_authors_see_each_other_and_lose_nothing(visit: Visit, watch: Watch) -> None:
    watch.expects("409")  # the answer that says that somebody else was faster
    one, other = visit("ines"), visit("ivo")
    begun(one, "row-norms-two")
    one.get_by_role("navigation", name="Files of the exercise").get_by_role("link", name="solution.py").click()
    other.goto(one.url)
    expect(other.locator("#others")).to_contain_text("Ines")
    typed(one, "\n# by one")
    other.locator(".cm-content").click()
    other.keyboard.press("Control+Home")
    other.keyboard.insert_text("# at the top\n")
    expect(other.locator(".cm-content")).to_contain_text("# by one")
    expect(other.locator("[data-saved]")).to_contain_text("saved ")
    typed(one, " alone")
    expect(one.locator(".cm-content")).to_contain_text("# at the top")
    other.locator(".cm-content").click()
    other.keyboard.press("Control+End")
    other.keyboard.insert_text(" or the other")
    expect(other.get_by_text("has changed solution.py since you opened it")).to_be_visible()
    other.get_by_role("button", name="Take theirs").click()
    expect(other.locator(".cm-content")).to_contain_text("# by one alone")
    other.locator(".cm-content").click()
    other.keyboard.press("Control+Z")
    expect(other.locator(".cm-content")).to_contain_text("# by one or the other")
    other.keyboard.press("Control+Y")
    expect(other.locator("[data-saved]")).to_contain_text("saved ")
    other.reload()
    expect(other.locator(".cm-content")).to_contain_text("# by one alone")
    expect(other.locator(".cm-content")).not_to_contain_text("or the other")
