"""Grades are exported in the browser in every format, and each file is read as its target system reads it."""

from decimal import Decimal

from playwright.sync_api import FilePayload, Page, expect

from autograder.gradebook.exports import EXPORTS
from tests.e2e.classroom import EXPORTED, SLUG
from tests.e2e.conftest import Visit
from tests.gradebook.exports import readers

EXPORT = f"/t/{SLUG}/gradebook/export/"
TEMPLATE = (
    f'"Last Name","First Name","Username","{EXPORTED} [Total Pts: 10 Score] |71"\r\n'
    '"Lovelace","Ada","ada",""\r\n"O\'Hara","Ben","ben",""\r\n"Young","Cyrus","cy",""\r\n"Dee","Zoë","dee",""\r\n'
)
MOST, TEN = {EXPORTED: Decimal(10)}, Decimal(10)
EMAIL = "ada@example.org"
LOGINS = {"ada", "ben", "cy", "dee", "eli", "newcomer"}  # the last two exist only if the setup tests ran before


def of_ada(name: str, data: bytes) -> Decimal | None:
    """Return Ada's points in the one exported exercise."""
    match name:
        case "canvas":
            return readers.canvas(data, {"501", "502", "503"}, set(), set())["501", _title(data)]
        case "moodle":
            emails = {f"{login}@example.org" for login in LOGINS}
            return readers.moodle(data, "Email address", emails, MOST)[EMAIL, EXPORTED]
        case "blackboard":
            return readers.blackboard(data, {"71": EXPORTED})["ada", EXPORTED]
        case "brightspace":
            return readers.brightspace(data, "Username", MOST)["ada", EXPORTED]
        case "oneroster":
            return readers.oneroster(data)["501", EXPORTED]
        case "csv":
            header, *rest = readers.rows(data.removeprefix(b"\xef\xbb\xbf"))
        case _:
            header, *rest = next(iter(readers.xlsx(data).values()))
    (at,) = (at for at, name in enumerate(header) if name in ("overwrites", EXPORTED))
    return next(Decimal(row[at]) for row in rest if "ada" in row)


def _title(data: bytes) -> str:
    return readers.rows(data)[0][5]


def ask(page: Page, name: str, identity: str = "") -> None:
    """Request an export of one exercise, with the fields that Blackboard and OneRoster require."""
    page.get_by_label("Format", exact=True).select_option(name)
    page.get_by_label("Student identifier").select_option(identity)
    page.get_by_label(EXPORTED).check()
    if name == "blackboard":
        file: FilePayload = {"name": "gc.csv", "mimeType": "text/csv", "buffer": TEMPLATE.encode()}
        page.get_by_label("For Blackboard: the file downloaded from Blackboard").set_input_files(files=[file])
    if name == "oneroster":
        page.get_by_label("For OneRoster: sourcedId of the class").fill("c1")
        page.get_by_label("For OneRoster: sourcedId of the grading period").fill("g1")


def test_who_cannot_be_matched_is_listed_before_anything_is_downloaded(visit: Visit) -> None:
    page = visit("ines")
    page.goto(EXPORT)
    ask(page, "canvas", "lms")
    page.get_by_role("button", name="Download", exact=True).click()
    expect(page.get_by_role("heading", level=2)).to_contain_text("students cannot be matched")
    unmatched = page.get_by_role("table", name="Students who cannot be matched")
    expect(unmatched.get_by_role("row").filter(has_text="Dee, Zoë")).to_contain_text("has no LMS ID")
    expect(unmatched).not_to_contain_text("Lovelace")
    page.get_by_label("Leave out students who cannot be matched").check()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download", exact=True).click()
    data = download.value.path().read_bytes()
    assert of_ada("canvas", data) == TEN
    assert b"Dee" not in data


IDENTITIES = {"moodle": "email", "brightspace": "login", "oneroster": "lms"}


def test_every_format_is_downloaded_and_read_back(visit: Visit) -> None:
    page = visit("ines")
    page.goto(EXPORT)
    offered = page.get_by_label("Format", exact=True).locator("option").evaluate_all("all => all.map(one => one.value)")
    assert offered == list(EXPORTS)
    page.get_by_label("Leave out students who cannot be matched").check()
    for name, to in EXPORTS.items():
        ask(page, name, IDENTITIES.get(name, ""))
        with page.expect_download() as download:
            page.get_by_role("button", name="Download", exact=True).click()
        assert download.value.suggested_filename == f"{SLUG}-{name}.{to.extension}"
        assert of_ada(name, download.value.path().read_bytes()) == TEN, name
