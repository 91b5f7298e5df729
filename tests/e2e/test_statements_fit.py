"""The statement of every exercise fits its column: no overflow, no truncation, and no horizontal scrolling of the page."""

import pytest
from playwright.sync_api import Page

from autograder.judge.pack import Pack
from autograder.library import statements
from tests.conftest import SLUGS
from tests.e2e.conftest import Visit
from tests.e2e.course import SLUG
from tests.e2e.exercise_page import ExercisePage

SHOW = """(html) => {
    const prose = document.querySelector("#task .prose")
    document.querySelector("#task").open = true
    prose.innerHTML = html
    prose.dispatchEvent(new CustomEvent("htmx:load", { bubbles: true, detail: { elt: prose } }))
}"""
MISFITS = """() => {
    const prose = document.querySelector("#task .prose"), found = []
    const scrolls = (element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX)
    const inside = (element) => {  // of the nearest box that scrolls, which may be the column itself
        let box = element.parentElement
        while (box !== prose && !scrolls(box)) box = box.parentElement
        return box
    }
    const column = prose.getBoundingClientRect()
    for (const element of prose.querySelectorAll("*")) {
        if (element.closest(".katex-mathml, .hide-tail")) continue  // clipped on purpose: for screen readers, the end of a root sign
        const { right, width, height } = element.getBoundingClientRect()
        const what = `${element.tagName} ${element.textContent.slice(0, 60)}`
        if (!width || !height) continue
        if (inside(element) === prose && right > column.right + 1) found.push(`leaves the column by ${right - column.right}: ${what}`)
        const hidden = getComputedStyle(element).overflowX === "hidden" || getComputedStyle(element).overflowX === "clip"
        if (hidden && element.scrollWidth > element.clientWidth + 1) found.push(`cut: ${what}`)
    }
    const wide = document.documentElement.scrollWidth - window.innerWidth
    if (wide > 0) found.push(`the page scrolls sideways by ${wide}`)
    return found
}"""


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_every_statement_fits_its_column(visit: Visit, student: str, packs: dict[str, Pack], width: int) -> None:
    page = visit(student, viewport={"width": width, "height": 900})
    ExercisePage(page, SLUG).open("engine")
    page.add_script_tag(url="/static/web/math.js")
    misfits = {slug: found for slug in SLUGS if (found := shown(page, packs[slug]))}
    assert misfits == {}


def shown(page: Page, exercise: Pack) -> list[str]:
    page.evaluate(SHOW, statements.html_of(exercise.statement))
    return list(page.evaluate(MISFITS))


def test_a_list_has_markers_and_a_table_has_columns(visit: Visit, student: str) -> None:
    page = visit(student)
    ExercisePage(page, SLUG).open("engine")
    page.evaluate(SHOW, statements.html_of("- one\n- two\n\n1. first\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> said\n"))
    look = "(selector) => { const s = getComputedStyle(document.querySelector('#task .prose ' + selector)); return %s }"
    assert page.evaluate(look % "s.listStyleType", "ul") == "disc"
    assert page.evaluate(look % "s.listStyleType", "ol") == "decimal"
    assert page.evaluate(look % "parseFloat(s.paddingLeft)", "td + td") >= 8
    assert page.evaluate(look % "parseFloat(s.borderLeftWidth)", "blockquote") >= 2


def test_formulas_are_read_without_scripts(visit: Visit, student: str) -> None:
    page = visit(student, java_script_enabled=False)
    ExercisePage(page, SLUG).open("engine")
    formulas = page.locator("#task .prose math")
    assert formulas.count() > 0
    assert "\\" not in page.locator("#task").inner_text()
