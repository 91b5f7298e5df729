"""`make screenshots`: the pictures in the README, taken of a real site into docs/images.

The site, its course and its grading are real and start here in a folder of their own; nothing that runs is touched. Pictures
are the same in every run but for dates. They are JPEG where a PNG would be heavier than a README should carry.
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser import chromium, patient  # noqa: E402
from tests.e2e.desk import Desk, source  # noqa: E402
from tests.e2e.pictures import PICTURED, SLUG  # noqa: E402
from tests.site import Site, running_site  # noqa: E402

IMAGES = ROOT / "docs" / "images"
LARGEST = 150_000
WIDE = {"width": 1280, "height": 860}
TALL = {"width": 1280, "height": 2400}
WRONG = source(PICTURED, "wrong/overwrites-instead-of-accumulating")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="gradus-pictures-") as data, running_site(Path(data)) as site:
        student = site.python("-m", "tests.e2e.pictures").strip()
        with chromium() as browser:
            for scheme in ("light", "dark"):
                take(browser, site, student, scheme)


def take(browser: Browser, site: Site, student: str, scheme: str) -> None:
    context = patient(browser.new_context(base_url=site.url, viewport=WIDE, color_scheme=scheme, reduced_motion="reduce"))  # type: ignore[arg-type]
    context.add_cookies([{"name": "sessionid", "value": student, "url": site.url}])
    page = context.new_page()
    page.add_init_script("localStorage.setItem('gradus:hints:exercise', 'seen')")
    desk = Desk(page, SLUG).open(PICTURED)
    if scheme == "light":
        desk.put(WRONG)
        desk.send("run")
        shoot(desk.open(PICTURED).page, "exercise")
        page.goto(f"/c/{SLUG}/")
        shoot(page, "course")
        desk.open(PICTURED)
    page.set_viewport_size(TALL)  # nothing sticks to the top of the screen over what is taken
    player = page.locator("details[open] .player").first
    player.locator(".tofirst").click()
    player.locator(".transcript > summary").click()
    shoot(player, f"player-{scheme}")
    context.close()


def shoot(what: Page | Locator, name: str) -> None:
    """As PNG, or, where that is too heavy, as the best JPEG that is light enough."""
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
