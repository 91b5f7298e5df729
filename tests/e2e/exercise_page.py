"""Page object for the exercise page."""

from dataclasses import dataclass

from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.conftest import EXERCISES

PASTE = """(editor, text) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData("text/plain", text)
    editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))
}"""


def says(page: Page, words: str) -> None:
    """Wait for a status message."""
    expect(page.get_by_role("status").filter(has_text=words)).to_be_visible()


def source(exercise: str, name: str = "solution") -> str:
    (folder,) = EXERCISES.glob(f"*/{exercise}")
    return (folder / f"{name}.py").read_text()


@dataclass
class ExercisePage:
    page: Page
    course: str

    def open(self, assignment: str, **asked: object) -> "ExercisePage":
        query = "&".join(f"{name}={value}" for name, value in asked.items())
        self.page.goto(f"/c/{self.course}/{assignment}/" + (f"?{query}" if query else ""))
        return self

    @property
    def editor(self) -> Locator:
        """The editor, once its script has loaded: before that, a text area with the same name is in its place."""
        return self.page.locator(".cm-editor").get_by_role("textbox", name="Your code")

    @property
    def text(self) -> str:
        """The code that would be submitted."""
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
        """Replace the whole text at once, as by pasting."""
        self.editor.click()
        self.page.keyboard.press("Control+a")
        self.editor.evaluate(PASTE, text)
        assert self.text == text

    def type(self, words: str) -> None:
        """Type at the end of the text."""
        self.editor.click()
        self.page.keyboard.press("Control+End")
        self.page.keyboard.type(words)

    def until_saved(self) -> None:
        """Wait until the draft is saved on the server, after which the browser keeps no copy."""
        self.page.wait_for_function("() => !Object.keys(localStorage).some((key) => key.startsWith('gradus:draft:'))")

    def upload(self, text: str, name: str = "mine.py") -> None:
        file: FilePayload = {"name": name, "mimeType": "text/x-python", "buffer": text.encode()}
        self.page.locator("input[type=file]").set_input_files(files=[file])

    def send(self, kind: str) -> None:
        """Press the button and wait for the verdict."""
        self.forget()
        self.button(kind).click()
        self.verdict()

    def forget(self) -> None:
        """Mark the current outcome as old, so that `verdict` waits for the next one."""
        self.outcome.evaluate("outcome => { outcome.dataset.old = '' }")

    def verdict(self) -> None:
        """Wait for a final outcome."""
        expect(self.page.locator("#outcome:not([data-old], [data-events])")).to_be_visible()
