"""`make screenshots`: takes the pictures for the README and the instructors' guide from a real site, into docs/images.

The site, its courses and their grading are real and run in a temporary folder; a running site is not affected. The pictures
are the same in every run except for dates. A PNG that is too large for a README is replaced by a JPEG.
"""

import json
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser import chromium, patient  # noqa: E402
from tests.docs.pages import read  # noqa: E402
from tests.e2e.exercise_page import ExercisePage, source  # noqa: E402
from tests.e2e.pictures import DEMO, PICTURED, REGRADED, SLUG  # noqa: E402
from tests.site import Site, running_site  # noqa: E402

IMAGES = ROOT / "docs" / "images"
LARGEST = 150_000
WIDE = {"width": 1280, "height": 860}
LOW = {"width": 1180, "height": 660}
TALL = {"width": 1280, "height": 2400}
WRONG = source(PICTURED, "wrong/overwrites-instead-of-accumulating")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="gradus-pictures-") as data, running_site(Path(data)) as site:
        site.manage("demo")
        sessions = json.loads(site.python("-m", "tests.e2e.pictures"))
        with chromium() as browser:
            for scheme in ("light", "dark"):
                take(browser, site, sessions["student"], scheme)
            show_the_staffs_pages(visit(browser, site, sessions["teacher"], "light"), Path(data))


def visit(browser: Browser, site: Site, session: str, scheme: str) -> Page:
    context = patient(browser.new_context(base_url=site.url, viewport=WIDE, color_scheme=scheme, reduced_motion="reduce"))  # type: ignore[arg-type]
    context.add_cookies([{"name": "sessionid", "value": session, "url": site.url}])
    return context.new_page()


def take(browser: Browser, site: Site, student: str, scheme: str) -> None:
    page = visit(browser, site, student, scheme)
    desk = ExercisePage(page, SLUG).open(PICTURED)
    if scheme == "light":
        desk.put(WRONG)
        desk.send("run")
        shoot(desk.open(PICTURED).page, "exercise")
        page.goto(f"/c/{SLUG}/")
        shoot(page, "course")
        desk.open(PICTURED)
    page.set_viewport_size(TALL)  # tall enough that no sticky element covers the content
    player = page.locator("details[open] .player").first
    player.locator(".tofirst").click()
    player.locator(".transcript > summary").click()
    shoot(player, f"player-{scheme}")
    page.context.close()


def show_the_staffs_pages(page: Page, folder: Path) -> None:
    """Take the pictures in the order of the guide, in the demo course, with the guide's roster."""
    home = f"/t/{DEMO}"
    (roster,) = read("instructor").blocks
    page.set_viewport_size(TALL)
    (folder / "roster.csv").write_text(roster.text)
    page.goto(f"{home}/roster/")
    page.get_by_label("File").set_input_files(folder / "roster.csv")
    page.get_by_role("button", name="Preview").click()
    shoot(page.locator("#preview"), "instructor-roster")
    page.set_viewport_size(LOW)
    page.goto(f"{home}/?sort=needs")
    shoot(page, "instructor-overview")
    page.goto(f"{home}/exercises/accumulate-bug/")
    shoot(page, "instructor-insight")
    page.goto(f"{home}/gradebook/?q=Daniel")
    page.get_by_role("link", name="Weber, Daniel").click()
    shoot(page, "instructor-gradebook")
    page.goto(f"{home}/gradebook/export/")
    page.get_by_label("Format", exact=True).select_option("canvas")
    page.get_by_label("Student identifier").select_option("lms")
    page.get_by_role("button", name="Check").click()
    shoot(page.locator("#checked"), "instructor-export")
    regrade(page, home)


def regrade(page: Page, home: str) -> None:
    page.goto(f"{home}/regrades/new/")
    page.get_by_label("Assignment", exact=True).select_option(REGRADED)
    version = page.get_by_label("Version of the exercise", exact=True)
    version.select_option(version.locator("option").filter(has_text=REGRADED).first.get_attribute("value"))
    page.get_by_label("Reason", exact=True).fill("The order of the derivatives was worth too much.")
    page.get_by_role("button", name="Start preview").click()
    page.locator("#preview").wait_for(timeout=120_000)
    page.set_viewport_size(TALL)
    shoot(page.locator("section.panel").first, "instructor-regrade")


def shoot(what: Page | Locator, name: str) -> None:
    """Save a PNG or, if that is too large, the best JPEG below the limit."""
    for old in IMAGES.glob(f"{name}.*"):
        old.unlink()
    path = IMAGES / f"{name}.png"
    what.screenshot(path=path)
    quality = 90
    while path.stat().st_size > LARGEST:
        path.unlink()
        path = IMAGES / f"{name}.jpg"
        what.screenshot(path=path, type="jpeg", quality=quality)
        quality -= 10
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
