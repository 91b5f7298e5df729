"""A reader of docs/instructor.md who does what its numbered steps say, with nothing but its words.

**Bold** is a link, a button, a tick or a field; `code` behind a field goes into it; *italics* is what the page then says.
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
    r"(?:: `(?P<value>[^`]+)`|: the password of `(?P<whose>[^`]+)`| in the row of \*(?P<row>[^*]+)\*| downloads `(?P<file>[^`]+)`)?"
    r"|\*(?P<says>[^*]+)\*"
)
SLOW = 60_000  # milliseconds: a grading may have to wait for others


def steps(text: str) -> Iterator[tuple[str, str]]:
    """Each numbered step with the title of its section."""
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, rest = section.partition("\n")
        for step in STEP.findall(rest):
            yield title, step


@dataclass
class Reader:
    """`told` is what the operator told: what goes into a field that the guide gives no value for."""

    page: Page
    files: Path
    told: Mapping[str, str] = field(default_factory=dict)
    form: Locator | None = None  # the one that was filled in last

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
            self.press(word["name"], word["row"], word["file"])

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
        """In a row the name is what one sees; what a screen reader hears names the row as well."""
        main = self.page.get_by_role("main")
        if row:
            return main.get_by_role("row").filter(has_text=row).get_by_role("link", name=name)
        heard = re.compile(rf"^{re.escape(name)}(\s+Ctrl\b.*)?$")  # with the keys that do the same
        ticked, pressed = main.get_by_role("checkbox", name=heard), main.get_by_role("button", name=heard)
        there = ticked.or_(pressed).or_(main.get_by_role("link", name=heard))
        return there.or_(self.page.get_by_role("navigation").get_by_role("link", name=heard))

    def one(self, found: Locator, name: str) -> Locator:
        """Where several are called so: the one of the form in hand, else the first of the page's own."""
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
