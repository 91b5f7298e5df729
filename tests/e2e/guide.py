"""Follows the numbered steps of docs/instructor.md in a browser, using only their text.

**Bold** is a link, a button, a checkbox, something that opens, or a field; `code` after a field is its value; *italics* is text
that the page then shows.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

STEP = re.compile(r"^\d+\. (.+)$", re.MULTILINE)
WORD = re.compile(
    r"\*\*(?P<name>[^*]+)\*\*"
    r"(?:: `(?P<value>[^`]+)`|: the password of `(?P<whose>[^`]+)`| in the row of \*(?P<row>[^*]+)\*"
    r"|(?P<heads_row> in the matrix)| downloads `(?P<file>[^`]+)`)?"
    r"|\*(?P<says>[^*]+)\*"
)
SLOW = 60_000  # milliseconds: a grading may have to wait for others


def steps(text: str) -> Iterator[tuple[str, str]]:
    """Yield each numbered step with the title of its section."""
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, rest = section.partition("\n")
        for step in STEP.findall(rest):
            yield title, step


@dataclass
class Reader:
    """`told` has values from the operator, for fields without a value in the guide."""

    page: Page
    files: Path
    told: Mapping[str, str] = field(default_factory=dict)
    form: Locator | None = None  # the form that was filled in last

    def follow(self, step: str) -> None:
        for word in WORD.finditer(step):
            try:
                self.take(word)
            except Exception as error:
                error.add_note(f"{self.page.url}, at {word[0]!r} of: {step}")
                raise

    def take(self, word: re.Match[str]) -> None:
        if says := word["says"]:
            expect(self.page.get_by_text(says).locator("visible=true").first).to_be_visible(timeout=SLOW)
        elif value := word["value"] or self.told.get(word["name"], ""):
            self.fill(word["name"], value)
        elif whose := word["whose"]:
            self.fill(word["name"], self.password_of(whose))
        else:
            row = word["name"] if word["heads_row"] else word["row"]
            self.press(word["name"], row, word["file"])

    def fill(self, name: str, value: str) -> None:
        there = self.one(self.page.get_by_label(name, exact=True), name)
        kind = there.evaluate("field => field.type")
        if kind == "file":
            there.set_input_files(self.files / value)
        elif kind == "select-one":
            there.select_option(label=value)
        else:
            there.fill(value.replace(" ", "T") if kind == "datetime-local" else value)
        self.form = self.page.locator("form").filter(has=there)

    def press(self, name: str, row: str | None, file: str | None) -> None:
        there = self.one(self.named(name, row), name)
        if file:
            with self.page.expect_download() as download:
                there.click()
            assert download.value.suggested_filename == file
            download.value.save_as(self.files / file)
        elif there.evaluate("it => it.type") == "checkbox":
            there.check()
        else:
            there.click()

    def named(self, name: str, row: str | None) -> Locator:
        """Find an element by name. In a row, the visible text is used, because the accessible name also contains the row."""
        main = self.page.get_by_role("main")
        if row:
            return main.get_by_role("row").filter(has_text=row).get_by_role("link", name=name)
        heard = re.compile(rf"^{re.escape(name)}(\s+Ctrl\b.*)?$")  # optionally with the keyboard shortcut
        ticked, pressed = main.get_by_role("checkbox", name=heard), main.get_by_role("button", name=heard)
        opened = main.locator("summary").filter(has_text=re.compile(rf"^\s*{re.escape(name)}\s"))
        there = ticked.or_(pressed).or_(main.get_by_role("link", name=heard)).or_(opened)
        return there.or_(self.page.get_by_role("navigation").get_by_role("link", name=heard))

    def one(self, found: Locator, name: str) -> Locator:
        """If several elements have the name, prefer the one in the current form, else the first in the content of the
        page.
        """
        found.first.wait_for()
        if found.count() > 1 and self.form is not None and (here := self.form.locator(found)).count() == 1:
            return here
        places = found.evaluate_all("all => all.map(one => one.href ?? one.type)")
        assert len(set(places)) == 1, f"several things are called {name}: {places}"
        return found.first

    def password_of(self, login: str) -> str:
        (path,) = self.files.glob("*-first-passwords.csv")
        with path.open(encoding="utf-8-sig") as file:
            return next(row["password"] for row in csv.DictReader(file) if row["login"] == login)
