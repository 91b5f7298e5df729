"""Course setup in the browser: a roster with every row status, an invitation link for a new user, and concurrent edits."""

import re

from playwright.sync_api import FilePayload, Locator, Page, Route, expect

from tests.browser import Watch
from tests.e2e.axe import clean, violations
from tests.e2e.classroom import SLUG, TITLE, UNTOUCHED
from tests.e2e.conftest import Visit
from tests.e2e.exercise_page import says

HOME = f"/t/{SLUG}"
PASSWORD = "gradients flow back"
ROSTER = """login,email,name,section,shoe size
eli,eli@example.org,"Ng, Eli",Thursday,41
ada,ada@example.org,Ada Lovelace,Monday,38
newly,not an address,Newly Made,Monday,40
"""


def choose(field: Locator, text: str, name: str = "roster.csv") -> None:
    file: FilePayload = {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    field.set_input_files(files=[file])


def test_a_roster_is_looked_at_row_by_row_before_anything_of_it_is_imported(visit: Visit) -> None:
    page = visit("ines")
    page.goto(f"{HOME}/roster/")
    choose(page.get_by_label("File"), ROSTER)
    page.get_by_role("button", name="Preview").click()
    preview = page.locator("#preview")
    expect(preview).to_contain_text("3 rows: 1 new, 0 changed, 1 unchanged, 1 cannot be imported.")
    expect(preview).to_contain_text("Ignored columns: shoe size.")
    for fate, login, words in (
        ("cannot be imported", "newly", "'not an address' is not an email address"),
        ("new", "eli", "will get an account"),
        ("unchanged", "ada", ""),
    ):
        row = page.get_by_role("table", name=f"1 {fate}", exact=True).get_by_role("row").filter(has_text=login)
        expect(row).to_contain_text(words)
    expect(page.get_by_role("button", name="Import all rows")).to_have_count(0)

    page.get_by_role("button", name="Import the valid rows").click()
    says(page, "The roster was imported: 1 new, 0 changed, 1 left out.")
    expect(page.get_by_role("row").filter(has_text="eli@example.org")).to_contain_text("Thursday")
    expect(page.get_by_text("newly")).to_have_count(0)


def test_somebody_new_comes_in_by_a_link(visit: Visit) -> None:
    page = visit("ines")
    page.goto(f"{HOME}/invite/")
    page.get_by_label("Section").select_option("Thursday")
    page.get_by_label("Number of uses").fill("1")
    page.get_by_role("button", name="Create link").click()
    link = page.get_by_label("The link").input_value()

    new = visit("newcomer")
    new.goto(link)
    expect(new.get_by_text("You have been invited to join as a student in section Thursday.")).to_be_visible()
    new.get_by_role("button", name="Join the course").click()
    expect(new.get_by_role("heading", level=1, name=TITLE)).to_be_visible()
    expect(new.get_by_role("link", name=re.compile("Start step 1"))).to_be_visible()

    page.reload()  # a reload neither shows nor creates a link
    page.goto(f"{HOME}/people/?q=newcomer")
    expect(page.get_by_role("row").filter(has_text="newcomer")).to_contain_text("Thursday")


def test_somebody_without_an_account_registers_by_a_link(visit: Visit, watch: Watch, axe: str) -> None:
    watch.expects("status of 410")
    page = visit("ines")
    page.goto(f"{HOME}/invite/")
    page.get_by_label("Number of uses").fill("1")
    page.get_by_label("Only email addresses at these domains").fill("example.edu")
    page.get_by_label("People without an account can create one").check()
    page.get_by_role("button", name="Create link").click()
    link = page.get_by_label("The link").input_value()

    new = visit(None)
    new.set_viewport_size({"width": 390, "height": 844})
    new.goto(link)
    clean(violations(new, axe))
    assert new.evaluate("document.documentElement.scrollWidth") <= 390
    new.get_by_label("Name", exact=True).fill("Noor Haddad")
    for label, text in (
        ("Email", "noor@example.org"),
        ("Password", PASSWORD),
        ("Password again", PASSWORD),
    ):
        new.get_by_label(label, exact=True).fill(text)
    new.get_by_role("button", name="Create account and join").click()
    expect(new.get_by_role("alert")).to_contain_text("Use an email address at example.edu.")
    for label, text in (("Email", "noor@example.edu"), ("Password", PASSWORD), ("Password again", PASSWORD)):
        new.get_by_label(label, exact=True).fill(text)
    new.get_by_role("button", name="Create account and join").click()
    expect(new.get_by_role("heading", level=1, name=TITLE)).to_be_visible()

    late = visit(None)
    late.goto(link)
    expect(late.get_by_text("has reached its maximum number of uses")).to_be_visible()
    page.goto(f"{HOME}/people/?q=noor")
    expect(page.get_by_role("row").filter(has_text="noor@example.edu")).to_contain_text("registered by link")


def test_who_edits_an_assignment_second_is_told_and_nothing_is_overwritten(visit: Visit, watch: Watch) -> None:
    watch.expects("status of 409")
    first, second = visit("ines"), visit("ivo")
    for page in (first, second):
        page.goto(f"{HOME}/exercises/order/settings/")
    _set(first, Points="12")
    says(first, f"The settings of {UNTOUCHED} were saved.")
    _set(second, Points="14", Submissions="9")
    told = second.locator("#conflict")
    expect(told).to_contain_text("Ines Moreira changed it")
    expect(told.get_by_role("row").filter(has_text="Points")).to_contain_text(re.compile(r"12.*14"))
    expect(second.get_by_label("Points", exact=True)).to_have_value("14")
    first.reload()
    expect(first.get_by_label("Points", exact=True)).to_have_value("12.00")

    second.get_by_role("button", name="Save my changes").click()
    says(second, f"The settings of {UNTOUCHED} were saved.")
    expect(second.get_by_label("Points", exact=True)).to_have_value("14.00")


def _set(page: Page, **fields: str) -> None:
    for name, value in fields.items():
        page.get_by_label(name, exact=True).fill(value)
    page.get_by_role("button", name="Save", exact=True).click()


def test_exercises_are_found_and_planned_before_anything_is_saved(visit: Visit) -> None:
    page = visit("ines")
    page.goto(f"{HOME}/assign/")
    whole = page.get_by_label("All of Reading the graph")
    unit = page.locator("[data-unit]").filter(has=whole)
    all_of_it = unit.locator("[name=exercises]").count()
    expect(unit.locator("summary")).to_contain_text(f"0 of {all_of_it}")
    whole.check()
    expect(page.get_by_role("button", name=f"Assign {all_of_it} exercises")).to_be_in_viewport()
    page.get_by_label("Search").fill("broadcast")
    row = page.get_by_label("Matmul, batched and broadcast")
    expect(row).to_be_visible()
    expect(page.get_by_label("All of Scalar engine")).to_be_hidden()
    expect(page.get_by_text(re.compile(r"^\d+ of \d+ exercises match\.$"))).to_be_visible()
    page.get_by_label("Search").press("Enter")
    row.check()
    expect(page.get_by_role("button", name=f"Assign {all_of_it + 1} exercises")).to_be_visible()

    page.get_by_label("Search").fill("graph")
    unit.get_by_label("Build a given graph").uncheck()
    assert whole.evaluate("box => [box.checked, box.indeterminate]") == [False, True]
    expect(unit.locator("summary")).to_contain_text(f"{all_of_it - 1} of {all_of_it}")

    page.get_by_label("One unit after the other").check()
    page.get_by_label("First unit opens").fill("2037-01-05")
    page.get_by_label("Nothing due on").fill("2037-01-16")
    plan = page.get_by_role("table", name="The dates that each unit will get")
    expect(plan.get_by_role("row", name="Reading the graph")).to_contain_text("Fri 23 Jan 2037, 23:59")
    expect(plan.get_by_role("row", name="Hand-written VJPs")).to_contain_text("Fri 23 Jan 2037, 23:59")
    expect(page.get_by_role("button", name=f"Assign {all_of_it} exercises")).to_be_visible()
    page.goto(f"{HOME}/exercises/")
    expect(page.get_by_text("Reading the graph")).to_have_count(0)


def test_a_change_waits_for_a_plan_that_is_on_its_way(visit: Visit) -> None:
    """A request that is cancelled appears as an error in the console, which fails this test."""
    page = visit("ines")
    held: list[Route] = []
    page.route("**/assign-plan/", lambda route: held.append(route))

    def asked() -> Route:
        for _ in range(600):
            if held:
                return held.pop()
            page.wait_for_timeout(50)
        raise AssertionError("no plan was asked for within 30 s")

    page.goto(f"{HOME}/assign/")
    page.get_by_label("All of Reading the graph").check()
    page.get_by_label("One unit after the other").check()
    first = asked()
    page.get_by_label("First unit opens").fill("2037-01-05")
    page.wait_for_timeout(1_000)  # three times the delay after which a change is sent
    assert not held
    first.continue_()
    asked().continue_()
    plan = page.get_by_role("table", name="The dates that each unit will get")
    expect(plan.get_by_role("row", name="Reading the graph")).to_contain_text("Mon 5 Jan 2037")


def test_exercises_are_put_into_another_order_by_keys_and_by_dragging(visit: Visit) -> None:
    page = visit("ines")
    page.goto(f"{HOME}/exercises/")

    def order() -> list[str]:
        slugs: list[str] = page.locator("[data-slug]").evaluate_all("rows => rows.map(row => row.dataset.slug)")
        return [slug for slug in slugs if slug in ("engine", "overwrites", "order")]  # other tests assign further ones

    assert order() == ["engine", "overwrites", "order"]
    page.get_by_label(f"Move {UNTOUCHED}").press("ArrowUp")
    says_saved = page.get_by_role("status").filter(has_text="The order was saved.")
    expect(says_saved).to_be_visible()
    page.reload()
    assert order() == ["engine", "order", "overwrites"]

    handle = page.get_by_label(f"Move {UNTOUCHED}")
    start, goal = handle.bounding_box(), page.locator("[data-slug=overwrites]").bounding_box()
    assert start and goal
    page.mouse.move(start["x"] + 5, start["y"] + 5)
    page.mouse.down()
    page.mouse.move(start["x"] + 5, goal["y"] + goal["height"] - 2, steps=12)
    page.mouse.up()
    expect(says_saved).to_be_visible()
    page.reload()
    assert order() == ["engine", "overwrites", "order"]


def test_what_is_typed_in_one_form_stays_while_another_is_saved(visit: Visit) -> None:
    page = visit("ines")
    page.goto(f"{HOME}/settings/")
    page.get_by_label("New section").fill("Friday")
    page.get_by_label("Term").fill("Winter 2026/27")
    page.get_by_role("button", name="Save", exact=True).first.click()
    says(page, "The course settings were saved.")
    expect(page.get_by_label("New section")).to_have_value("Friday")
    expect(page.get_by_text("What you had typed here is still here, and not saved yet.")).to_have_count(1)
    page.reload()
    expect(page.get_by_label("New section")).to_have_value("")
    page.get_by_label("Term").fill("Winter 2026")
    page.get_by_role("button", name="Save", exact=True).first.click()
    says(page, "The course settings were saved.")
