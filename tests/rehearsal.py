"""`python -m tests.rehearsal [embedded|servers]...`: the first hour of a new instructor and two new students, in Chromium.

The real `manage.py up` starts with an empty database and data folder. An instructor sets up a course and gets to the
first grade, one student solves the first exercise on a desktop and one on a phone, and a wrong solution for each mistake
of one exercise of each unit is submitted. On servers, nobody uses a phone, and only the first exercise is submitted wrong:
the rest does not depend on database and broker. Asserted is what a user would notice: the verdict
is visible, nothing is cut off or scrolls sideways, the console has no messages, no result needed the polling fallback,
every mistake is explained, and no process ended by itself. A contact sheet of all screens is written to `.cache/rehearsal`.
"""

import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, expect

from tests.browser import Watch, chromium, patient
from tests.conftest import EXERCISES
from tests.e2e.exercise_page import ExercisePage
from tests.e2e.guide import Reader
from tests.servers import postgres_server, redis_server
from tests.site import ROOT, Site, running_site
from tests.suite import CACHE

KINDS = {"embedded": "SQLite and a folder", "servers": "PostgreSQL and Redis"}
OUT = ROOT / ".cache" / "rehearsal"
DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
LOGIN, PASSWORD = "emmy", "the gradient flows back"
COURSE = "autodiff"
FIRST, WRONG = "value-engine", "overwrites-instead-of-accumulating"
EACH_UNIT = (FIRST, "accumulate-bug", "fn-cubic", "vjp-unbroadcast", "hvp", "topo-grad-fn", "vjp-softmax-lse")
WRONG_OF = {"embedded": EACH_UNIT, "servers": (FIRST,)}
SIZES_OF = {"embedded": (DESK, PHONE), "servers": (DESK,)}
AT_ONCE = 10  # submissions per student: the site limits the rate per minute
STUDENTS = 16
# hash of an empty string: taking a screenshot inserts an empty style element, which the policy rejects
EMPTY_STYLE = "sha256-47DEQpj8HBSa"
VERDICT = "#outcome:not([data-old]) #result[data-verdict]:not([data-verdict=queued], [data-verdict=running])"
IN_SIGHT = """() => {
    const { top, bottom } = document.getElementById("result").getBoundingClientRect()
    return top >= 0 && bottom <= window.innerHeight
}"""
MISFITS = """() => {
    const found = [], wide = document.documentElement.scrollWidth - window.innerWidth
    if (wide > 0) found.push(`the page scrolls sideways by ${wide}`)
    for (const element of document.querySelectorAll("h1, h2, h3, p, li, td, th, label, button, a.btn, dt, dd, .verdict, svg text")) {
        const { width, height, left, right } = element.getBoundingClientRect()
        const style = getComputedStyle(element)
        if (!width || !height || style.visibility === "hidden" || element.closest(".cm-editor, .katex, .sr")) continue
        const cut = ["hidden", "clip"].includes(style.overflowX) && element.scrollWidth > element.clientWidth + 1
        const meant = style.textOverflow === "ellipsis" || element.querySelector(".sr")
        if (cut && !meant) found.push(`cut: ${element.textContent.trim().slice(0, 60)}`)
    }
    return found
}"""


@dataclass
class Rehearsal:
    """Collects screens and `defects`, that is, what a user would have noticed."""

    site: Site
    browser: Browser
    folder: Path  # for the screens
    watch: Watch
    defects: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # from the click to the verdict
    screens: list[Path] = field(default_factory=list)

    def visit(self, size: dict[str, int]) -> Page:
        context = patient(self.browser.new_context(base_url=self.site.url, viewport=size))  # type: ignore[arg-type]
        self.watch.over(context)
        page = context.new_page()
        page.goto("/")
        return page

    def look(self, page: Page, what: str) -> None:
        """Take a screenshot, and record content that does not fit."""
        page.wait_for_load_state("load")
        self.defects += [f"{what}: {misfit}" for misfit in page.evaluate(MISFITS)]
        path = self.folder / f"{len(self.screens) + 1:02}-{what.replace(' ', '-')}.png"
        page.screenshot(path=path)
        self.screens.append(path)

    def press(self, desk: ExercisePage, kind: str, what: str = "") -> None:
        """Press Run or Submit, and check that the verdict is visible without scrolling."""
        desk.page.locator("#outcome:not([data-events])").wait_for()
        desk.forget()
        verdict = desk.page.locator(VERDICT)
        begun = time.monotonic()
        desk.button(kind).click()
        expect(verdict).to_be_visible()
        self.seconds.append(time.monotonic() - begun)
        desk.verdict()
        if not what:
            return
        try:
            desk.page.wait_for_function(IN_SIGHT, timeout=5_000)
        except Exception:
            self.defects.append(f"{what}: the verdict is not in sight")
        if not desk.editor.evaluate("editor => editor === document.activeElement"):
            self.defects.append(f"{what}: the cursor left the code")
        self.look(desk.page, what)

    def leave(self, page: Page) -> None:
        """Close the browser context, after checking that no result needed the polling fallback."""
        if found := page.evaluate("document.body.dataset.fallbacks"):
            self.defects.append(f"{page.url}: {found} results were found by fallback")
        page.context.close()


# -- the people -----------------------------------------------------------------------------------------------------------


def instructor(of: Rehearsal, files: Path) -> Page:
    """Sign in with the first account of an empty site and set up a course with exercises and students."""
    roster = "\n".join(["login,name,email", *(f"student-{n:02},Student {n:02},s{n}@example.org" for n in range(STUDENTS))])
    (files / "roster.csv").write_text(roster)
    page = of.visit(DESK)
    of.look(page, "front page")
    reader = Reader(page, files, {"Username or email": LOGIN, "Password": PASSWORD})

    def tick(slug: str) -> str:
        return f"**Search**: `{_title(slug)}`. Tick **{_title(slug)}**."

    for step, what in (
        ("**Sign in**. **Username or email**, **Password**, **Sign in**. *New course*", "signed in"),
        (f"**New course**. **Title**: `Automatic differentiation`, **Name in the URL**: `{COURSE}`.", "new course"),
        ("**Create course**. *was created, and you are its owner.*", "empty course"),
        ("**Exercises**, **Assign exercises**.", "assign exercises"),
        (
            f"{tick(FIRST)} **Due**: `2037-03-06 23:59`. **Assign 1 exercise**. *is assigned*",
            "one assigned",
        ),
        (
            f"**Assign exercises**. {' '.join(map(tick, EACH_UNIT[1:]))} **Due**: `2037-03-06 23:59`. "
            f"**Assign {len(EACH_UNIT) - 1} exercises**. *are assigned*",
            "assigned",
        ),
        ("**People**, **Import a roster**. **File**: `roster.csv`. **Preview**.", "roster"),
        (f"**Import all rows**. *The roster was imported: {STUDENTS} new*", "imported"),
        ("**Create first passwords** downloads `autodiff-first-passwords.csv`.", "first passwords"),
    ):
        reader.follow(step)
        of.look(page, what)
    return page


def student(of: Rehearsal, size: dict[str, int], login: str, passwords: Path) -> None:
    """Sign in and solve the first exercise."""
    where = "phone" if size is PHONE else "desk"
    page = of.visit(size)
    reader = Reader(page, passwords)
    reader.follow(f"**Sign in**. **Username or email**: `{login}`, **Password**: the password of `{login}`. **Sign in**.")
    of.look(page, f"{where} course home")
    reader.follow("**Start step 1**.")
    desk = ExercisePage(page, COURSE)
    expect(desk.editor).to_be_visible()
    of.look(page, f"{where} first exercise")
    desk.editor.click()
    of.press(desk, "run", f"{where} the starter run")
    desk.put(_source(FIRST, f"wrong/{WRONG}"))
    of.press(desk, "run", f"{where} a wrong run")
    of.press(desk, "submit", f"{where} a wrong submission")
    explained(of, page, f"{where}: {WRONG}")
    desk.put(_source(FIRST, "solution"))
    of.press(desk, "submit", f"{where} passed")
    expect(page.locator("#result")).to_have_attribute("data-verdict", "passed")
    page.get_by_role("link", name="Automatic differentiation").first.click()
    expect(page.get_by_text(f"1 of {len(EACH_UNIT)}", exact=False).first).to_be_visible()
    of.look(page, f"{where} one step done")
    of.leave(page)


def wrong_solutions(of: Rehearsal, slugs: Sequence[str], sessions: Iterator[str]) -> int:
    """Submit a wrong solution for each mistake of these exercises, check that each is explained, and return their number."""
    count = 0
    for slug in slugs:
        names = sorted(path.stem for path in (_folder(slug) / "wrong").glob("*.py") if "~" not in path.stem)
        count += len(names)
        for first in range(0, len(names), AT_ONCE):
            _submit_all(of, next(sessions), slug, names[first : first + AT_ONCE])
    return count


def _submit_all(of: Rehearsal, session: str, slug: str, names: Sequence[str]) -> None:
    page = of.visit(DESK)
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": of.site.url}])
    desk = ExercisePage(page, COURSE).open(slug)
    for name in names:
        desk.put(_source(slug, f"wrong/{name}"))
        of.press(desk, "submit")
        explained(of, page, f"{slug}: {name}")
    of.look(page, slug)
    of.leave(page)


def explained(of: Rehearsal, page: Page, what: str) -> None:
    if not page.locator("#outcome .diag:not(.unknown)").count():
        said = page.locator("#result, #outcome .said, #outcome .diag").all_inner_texts()
        of.defects.append(f"{what} is not explained; the page says: {' | '.join(' '.join(text.split()) for text in said)}")


def first_grade(of: Rehearsal, page: Page) -> None:
    """Check that the instructor sees the results of the students."""
    Reader(page, of.folder).follow("**Overview**. *Student 00*")
    of.look(page, "overview")
    page.get_by_role("navigation").get_by_role("link", name="Gradebook").click()
    expect(page.get_by_role("row").filter(has_text="00, Student")).to_contain_text("10")
    of.look(page, "gradebook")
    of.leave(page)


# -- the site -------------------------------------------------------------------------------------------------------------


@contextmanager
def site_of(kind: str, data: Path) -> Iterator[Site]:
    with ExitStack() as opened:
        environment = {"GRADUS_LOG": "json", "GRADUS_CACHE": str(CACHE)}
        if kind == "servers":
            environment["DATABASE_URL"] = opened.enter_context(postgres_server()).url
            environment["GRADUS_BROKER_URL"] = opened.enter_context(redis_server()).url
        yield opened.enter_context(running_site(data, "--workers", "2", **environment))


def rehearse(kind: str) -> bool:
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="gradus-rehearsal-", ignore_cleanup_errors=True) as name:
        data, files = Path(name) / "data", Path(name) / "files"
        screens = OUT / kind
        for folder in (data, files, screens):
            folder.mkdir(parents=True, exist_ok=True)
        for old in screens.glob("*.png"):
            old.unlink()
        with site_of(kind, data) as site, chromium() as browser:
            of = Rehearsal(site, browser, screens, Watch(site.url, expected=[EMPTY_STYLE]))
            site.learn(*WRONG_OF[kind])
            site.python("-m", "tests.rehearsal", "account")
            page = instructor(of, files)
            for number, size in enumerate(SIZES_OF[kind]):
                student(of, size, f"student-{number:02}", files)
            first_grade(of, page)
            sessions = json.loads(site.python("-m", "tests.rehearsal", "sessions"))
            count = wrong_solutions(of, WRONG_OF[kind], iter(sessions))
            of.defects += of.watch.unexpected
            log = site.log.read_text().splitlines()
            of.defects += [line for line in log if "is restarted" in line]
            if of.defects:
                of.defects += [line for line in log if '"level": "error"' in line or '"level": "warning"' in line]
            contact_sheet(of, OUT / f"{kind}.png")
    print(
        f"rehearsal on {KINDS[kind]}: {len(of.screens)} screens, {count} wrong solutions, {time.monotonic() - begun:.0f} s"
    )
    slow = sorted(of.seconds)[-1]
    print(f"  from a press to its verdict, {len(of.seconds)} times: median {median(of.seconds):.2f} s, longest {slow:.2f} s")
    print(f"  screens: {OUT / kind}.png")
    for defect in of.defects:
        print(f"  DEFECT {defect}")
    return not of.defects


def contact_sheet(of: Rehearsal, path: Path) -> None:
    figures = "".join(
        f"<figure><img src='{screen.as_uri()}'><figcaption>{screen.stem}</figcaption></figure>" for screen in of.screens
    )
    style = (
        "body{font:14px sans-serif;display:flex;flex-wrap:wrap;gap:12px;margin:12px}figure{margin:0}"
        "img{height:300px;border:1px solid #999}"
    )
    sheet = path.with_suffix(".html")
    sheet.write_text(f"<!doctype html><style>{style}</style>{figures}")
    page = of.browser.new_context(viewport={"width": 2000, "height": 1200}).new_page()
    page.goto(sheet.as_uri())
    page.screenshot(path=path, full_page=True)
    page.context.close()


def _folder(slug: str) -> Path:
    (folder,) = EXERCISES.glob(f"*/{slug}")
    return folder


def _source(slug: str, name: str) -> str:
    return (_folder(slug) / f"{name}.py").read_text()


def _title(slug: str) -> str:
    import tomllib

    return str(tomllib.loads((_folder(slug) / "exercise.toml").read_text())["title"])


# -- subcommands that run inside the site ------------------------------------------------------------------------------


def account() -> None:
    """Create the instructor's account, as an operator does."""
    from autograder.courses.models import User

    User.objects.create_user(LOGIN, password=PASSWORD, is_staff=True)


def sessions() -> None:
    """Print sessions for the students who submit the wrong solutions, so that they need no login."""
    from autograder.courses.models import User
    from tests.e2e.course import signed_in

    users = User.objects.filter(username__startswith="student-").order_by("username")[2:]
    print(json.dumps([signed_in(user) for user in users]))


def main(arguments: Sequence[str]) -> int:
    if arguments and arguments[0] in ("account", "sessions"):
        import django

        django.setup()
        {"account": account, "sessions": sessions}[arguments[0]]()
        return 0
    results = [rehearse(kind) for kind in arguments or KINDS]
    return 0 if all(results) else 1


if __name__ == "__main__":
    import os

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
    sys.exit(main(sys.argv[1:]))
