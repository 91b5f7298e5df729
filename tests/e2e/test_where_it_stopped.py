"""Code that stopped: the result lists the lines, the editor marks the last one, and the statement opens at the relevant
section.
"""

import re

from playwright.sync_api import Locator, expect

from tests.e2e.course import SHORT
from tests.e2e.exercise_page import ExercisePage, source

RAISES = """class Value:
    def __init__(self, data):
        self.data = data
        self.grad = 0.0

    def __add__(self, other):
        return joined(self, other)

    __mul__ = __add__

    def backward(self):
        pass


def joined(a, b):
    return Value(a.data + b.missing)
"""
LOOPS = "class Value:\n    def __init__(self, data):\n        while True:\n            self.data = data\n"
UNCLOSED = "class Value:\n    def __init__(self, data):\n        self.data = (data\n        self.grad = 0.0\n"
UNKNOWN = "No known mistake explains these numbers"
WATCH_NOTES = """() => {
    const note = document.querySelector(".note.syntax")
    window.notes = []
    new MutationObserver(() => note.textContent && window.notes.push(Number(note.textContent.match(/[0-9]+/)[0])))
        .observe(note, { childList: true })
}"""


def marked(desk: ExercisePage) -> Locator:
    return desk.page.locator(".cm-line.cm-stopped")


def stack(desk: ExercisePage) -> Locator:
    """The stack lines that are shown first."""
    return desk.page.locator(".stopped-lines:visible").first


def test_an_exception_names_its_lines_and_the_editor_marks_the_last(desk: ExercisePage) -> None:
    desk.open("engine").put(RAISES)
    desk.send("run")
    expect(stack(desk).get_by_role("link")).to_have_text(["Line 7", "Line 16"])
    expect(marked(desk)).to_have_text(re.compile(r"return Value\(a\.data \+ b\.missing\)\s*AttributeError"))
    expect(desk.outcome).to_contain_text("Missing attribute")
    expect(desk.outcome).not_to_contain_text(UNKNOWN)
    stack(desk).get_by_role("link", name="Line 7").click()
    expect(desk.editor).to_be_focused()
    expect(desk.page.locator(".cm-activeLine")).to_have_text(re.compile("return joined"))


def test_the_mark_stands_while_the_code_is_the_one_that_was_run(desk: ExercisePage) -> None:
    desk.open("engine").put(RAISES)
    desk.send("run")
    expect(marked(desk)).to_have_count(1)
    desk.type("# changed")
    expect(marked(desk)).to_have_count(0)
    desk.page.keyboard.press("Control+z")
    expect(marked(desk)).to_have_count(1)
    desk.page.reload()
    expect(marked(desk)).to_have_count(1)


def test_the_folded_task_opens_at_the_place_that_explains(desk: ExercisePage) -> None:
    desk.open("engine").put(RAISES)
    desk.send("run")
    task = desk.page.locator("#task")
    expect(task).not_to_have_attribute("open", "")
    desk.outcome.get_by_role("link", name="in the task").first.click()
    heading = task.get_by_role("heading", name="What to write")
    expect(heading).to_be_focused()
    expect(heading).to_be_in_viewport()


def test_a_timeout_names_the_line_that_was_running_and_is_said_once(desk: ExercisePage) -> None:
    desk.open(SHORT).put(LOOPS)
    desk.send("run")
    expect(desk.heading).to_have_text(re.compile("time limit|in time"))
    expect(stack(desk).get_by_role("link")).to_have_text([re.compile("Line [34]")])
    expect(marked(desk)).to_have_text([re.compile("stopped here")])  # once, whichever lines of the loop the checks were at
    limit = re.compile(r"not finished after|s of CPU time")
    assert len(limit.findall(desk.outcome.inner_text())) == 1


def test_the_starter_is_told_so_and_not_that_no_mistake_is_known(desk: ExercisePage) -> None:
    desk.open("engine").put(source("value-engine", "starter") + "\n# nothing yet\n")
    desk.send("run")
    expect(desk.heading).to_have_text("Unchanged starter: 1 of 3 public checks pass")
    expect(desk.outcome).not_to_contain_text(UNKNOWN)


def test_a_file_that_is_no_python_links_to_its_line(desk: ExercisePage) -> None:
    desk.open("engine").put(UNCLOSED)
    desk.send("run")
    expect(desk.outcome).to_contain_text("SyntaxError: '(' was never closed")
    stack(desk).get_by_role("link", name="Line 3").click()
    expect(desk.page.locator(".cm-activeLine")).to_have_text(re.compile("self.data"))


def test_what_python_cannot_read_is_marked_once_the_line_is_left(desk: ExercisePage) -> None:
    desk.open("engine").put("x = 1\n")
    note = desk.page.locator(".note.syntax")
    desk.type("y = = 2")
    expect(desk.saved).to_have_text(re.compile(r"Draft saved \d\d:\d\d"))  # after the editor's own delay
    expect(note).to_be_empty()
    desk.page.keyboard.type("\nz = 3\n")
    expect(note).to_have_text(re.compile("^Line 2: Something is missing"))
    expect(desk.page.locator(".cm-syntax-error")).to_have_text("y = = 2")
    note.get_by_role("link", name="Line 2").click()
    expect(desk.page.locator(".cm-activeLine")).to_have_text(re.compile("y = = 2"))
    desk.put("z = (1,\n\n\nx = 1\n")
    expect(note).to_have_text("Line 1: This “(” is never closed.")
    desk.put("x = 1\n")
    expect(note).to_be_empty()
    expect(desk.page.locator(".cm-syntax-error")).to_have_count(0)


def test_honest_code_of_every_kind_is_not_underlined(desk: ExercisePage) -> None:
    desk.open("engine")
    for exercise in ("value-engine", "fn-cubic", "hvp", "graph-walk", "vjp-matmul", "history-leak"):
        desk.put(source(exercise))
        desk.page.locator("h1").click()
        expect(desk.saved).to_have_text(re.compile(r"Draft saved \d\d:\d\d"))
        expect(desk.page.locator(".cm-syntax-error")).to_have_count(0)


def test_a_slow_machine_marks_nothing_before_it_has_read_the_whole_file(desk: ExercisePage) -> None:
    desk.open("engine")
    desk.page.context.new_cdp_session(desk.page).send("Emulation.setCPUThrottlingRate", {"rate": 20})
    desk.page.evaluate(WATCH_NOTES)
    honest = source("value-engine") * (60_000 // len(source("value-engine")))
    desk.put(f"{honest}\ny = = 2\n\nz = 3\n")
    desk.page.locator("h1").click()
    line = len(honest.splitlines()) + 2
    expect(desk.page.locator(".note.syntax")).to_have_text(f"Line {line}: Something is missing on or before this line.")
    assert desk.page.evaluate("window.notes") == [line]
