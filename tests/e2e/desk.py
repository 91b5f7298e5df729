"""The exercise page in a student's hands."""

from dataclasses import dataclass

from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.conftest import EXERCISES

PASTE = """(editor, text) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData("text/plain", text)
    editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))
}"""


def says(page: Page, words: str) -> None:
    """The page, of what was just done."""
    expect(page.get_by_role("status").filter(has_text=words)).to_be_visible()


def source(exercise: str, name: str = "solution") -> str:
    (folder,) = EXERCISES.glob(f"*/{exercise}")
    return (folder / f"{name}.py").read_text()


@dataclass
class Desk:
    page: Page
    course: str

    def open(self, assignment: str, **asked: object) -> "Desk":
        query = "&".join(f"{name}={value}" for name, value in asked.items())
        self.page.goto(f"/c/{self.course}/{assignment}/" + (f"?{query}" if query else ""))
        return self

    @property
    def editor(self) -> Locator:
        """Once its script runs: until then a plain text field of the same name stands in its place."""
        return self.page.locator(".cm-editor").get_by_role("textbox", name="Your code")

    @property
    def text(self) -> str:
        """What would be sent."""
        return self.page.locator("#source").input_value()

    @property
    def outcome(self) -> Locator:
        return self.page.locator("#outcome")

    @property
    def heading(self) -> Locator:
        return self.page.locator("#result h2")

    @property
    def saved(self) -> Locator:
        return self.page.locator("[data-draft-state]")

    @property
    def notes(self) -> Locator:
        return self.page.locator("form .notes")

    def button(self, name: str) -> Locator:
        return self.page.locator(f"#send-{name}")

    def put(self, text: str) -> None:
        """All of the text at once, as somebody pastes it."""
        self.editor.click()
        self.page.keyboard.press("Control+a")
        self.editor.evaluate(PASTE, text)
        assert self.text == text

    def type(self, words: str) -> None:
        """At the end of what is there."""
        self.editor.click()
        self.page.keyboard.press("Control+End")
        self.page.keyboard.type(words)

    def until_saved(self) -> None:
        """The server has it, so this browser keeps no copy."""
        self.page.wait_for_function("() => !Object.keys(localStorage).some((key) => key.startsWith('gradus:draft:'))")

    def upload(self, text: str, name: str = "mine.py") -> None:
        file: FilePayload = {"name": name, "mimeType": "text/x-python", "buffer": text.encode()}
        self.page.locator("input[type=file]").set_input_files(files=[file])

    def send(self, kind: str) -> None:
        """Press, and wait for the verdict."""
        self.forget()
        self.button(kind).click()
        self.verdict()

    def forget(self) -> None:
        """Mark the outcome that is there: `verdict` waits for another."""
        self.outcome.evaluate("outcome => { outcome.dataset.old = '' }")

    def verdict(self) -> None:
        """Wait for an outcome to which nothing more is to come."""
        expect(self.page.locator("#outcome:not([data-old], [data-events])")).to_be_visible()
