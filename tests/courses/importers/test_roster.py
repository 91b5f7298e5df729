"""Roster import: the preview of every row, and what an import may never change."""

import pytest

from autograder.courses.errors import Refused
from autograder.courses.importers.roster import RosterPreview, roster_import, roster_preview, with_owners_of_emails
from autograder.courses.importers.rows import RowStatus
from autograder.courses.models import AuditEntry, Course, Membership, Role, User
from autograder.courses.rights import OPERATOR
from autograder.courses.tables.csv_reader import decoded
from tests.cast import Cast

pytestmark = pytest.mark.django_db
HEADER = "login,email,name,section,role,lms_id,sis_id\n"


@pytest.fixture
def course() -> Course:
    return Course.objects.create(slug="autodiff", title="Autodiff")


def read(text: str, course: Course) -> RosterPreview:
    return roster_preview(text.encode(), course)


def statuses(text: str, course: Course) -> list[tuple[int, str, str]]:
    return [(row.line, str(row.status), row.message) for row in read(text, course).rows]


def why(row: str, course: Course) -> str:
    """Return the reason why a single row is rejected."""
    ((_, fate, words),) = statuses(HEADER + row, course)
    assert fate == "bad"
    return words


def imported(text: str, course: Course, only_good: bool = False) -> RosterPreview:
    return roster_import(preview=read(text, course), by=OPERATOR, only_good=only_good)


# -- imported rows


def test_a_roster_makes_accounts_members_and_sections(course: Course) -> None:
    imported(HEADER + "ada,ada@example.org,Ada Lovelace,Monday,,L1,S1\nben,ben@example.org,,Monday,assistant,,\n", course)
    ada, ben = course.memberships.select_related("user", "section").order_by("user__username")
    assert (ada.user.get_full_name(), ada.user.email, ada.role) == ("Ada Lovelace", "ada@example.org", Role.STUDENT)
    assert (ada.section, ada.lms_id, ada.sis_id) == (course.sections.get(name="Monday"), "L1", "S1")
    assert (ben.role, ben.section) == (Role.ASSISTANT, ada.section)
    assert not ada.user.has_usable_password()
    assert AuditEntry.objects.filter(action="roster-imported").get().details == {
        "new": 2,
        "known": 0,
        "changed": 0,
        "bad": 0,
    }


def test_reading_stores_nothing(course: Course) -> None:
    preview = read(HEADER + "ada,,,Monday,,,\n", course)
    assert preview.counts[RowStatus.NEW] == 1
    assert not User.objects.exists()
    assert not course.sections.exists()


@pytest.mark.parametrize(
    "text",
    [
        "Login;E-Mail;EMAIL;First Name;LAST_NAME\nada;x;ada@example.org;Ada;Lovelace\n",
        "login,email,name\r\nada,ada@example.org,Ada Lovelace\r\n",
        '\ufeffname,login,email\n"Lovelace, Ada",ada,ada@example.org\n',
        "login , email , name\n\nada , ada@example.org , Ada  Lovelace\n,,\n",
    ],
    ids=["semicolons-and-capitals", "windows", "bom-and-a-comma-name", "spaces-and-blank-lines"],
)
def test_rosters_as_programs_write_them(course: Course, text: str) -> None:
    imported(text, course)
    user = User.objects.get()
    assert (user.username, user.email, user.first_name, user.last_name) == ("ada", "ada@example.org", "Ada", "Lovelace")


def test_columns_that_are_not_ours_are_ignored_but_named(course: Course) -> None:
    assert read("login,Shoe Size,\nada,38,\n", course).ignored == ("Shoe Size", "(no name)")


def test_importing_again_changes_nothing(course: Course) -> None:
    text = HEADER + "ada,ada@example.org,Ada,Monday,student,L1,S1\n"
    imported(text, course)
    entries = AuditEntry.objects.count()
    assert [row.status for row in imported(text, course).rows] == [RowStatus.UNCHANGED]
    assert AuditEntry.objects.count() == entries + 1


def test_what_changes_is_told_and_an_empty_cell_changes_nothing(course: Course) -> None:
    imported(HEADER + "ada,,,Monday,,L1,S1\n", course)
    text = HEADER + "ada,,,Thursday,assistant,,\n"
    assert statuses(text, course) == [(2, "changed", "section Monday → Thursday; role student → assistant")]
    imported(text, course)
    ada = course.memberships.get()
    assert (ada.section and ada.section.name, ada.role, ada.lms_id, ada.sis_id) == ("Thursday", "assistant", "L1", "S1")


def test_somebody_who_left_comes_back(course: Course) -> None:
    imported(HEADER + "ada,,,Monday,,L1,\n", course)
    course.memberships.update(removed_at="2026-01-01T00:00Z")
    text = HEADER + "ada,,,,,,\n"
    assert statuses(text, course) == [(2, "changed", "will be restored")]
    imported(text, course)
    ada = course.memberships.get()
    assert (ada.removed_at, ada.section and ada.section.name, ada.lms_id) == (None, "Monday", "L1")


# -- forbidden changes


def test_an_account_of_another_course_keeps_its_email_and_name(course: Course) -> None:
    User.objects.create_user("ada", "ada@example.org", first_name="Ada")
    text = HEADER + "ada,mallory@example.org,Mallory,,,,\n"
    assert statuses(text, course) == [(2, "new", "has an account; the account keeps its own email address")]
    imported(text, course)
    user = User.objects.get()
    assert (user.email, user.first_name) == ("ada@example.org", "Ada")


def test_an_e_mail_belongs_to_one_account(course: Course) -> None:
    """If two accounts had the same email address, neither could sign in with it."""
    User.objects.create_user("ada", "ada@example.org")
    text = HEADER + "lovelace,ADA@example.org,,,,,\n"
    words = "The email address ADA@example.org belongs to another account of this site, which has a different login."
    assert statuses(text, course) == [(2, "bad", words)]
    with pytest.raises(Refused, match="belongs to another account"):
        imported(text, course)
    found = with_owners_of_emails(read(text, course))
    assert found.owned == 0
    roster_import(preview=found, by=OPERATOR)
    assert list(course.memberships.values_list("user__username", flat=True)) == ["ada"]
    assert User.objects.filter(email__iexact="ada@example.org").count() == 1


def test_whose_e_mail_it_is_is_told_of_members_alone(course: Course) -> None:
    imported(HEADER + "ada,ada@example.org,,,,,\n", course)
    assert why("lovelace,ada@example.org,,,,,\n", course).startswith(
        "The email address ada@example.org belongs to the account ada,"
    )


def test_a_login_that_is_somebodys_email_address_is_refused(course: Course) -> None:
    """Otherwise, that login would take precedence over the owner of the address."""
    User.objects.create_user("ada", "ada@example.org")
    words = "The login ADA@example.org belongs to another account of this site, which has a different login."
    assert statuses(HEADER + "ADA@example.org,,,,,,\n", course) == [(2, "bad", words)]
    found = with_owners_of_emails(read(HEADER + "ADA@example.org,,,,,,\n", course))
    assert [row.login for row in found.rows] == ["ada"]


def test_an_e_mail_that_is_somebodys_login_is_theirs(course: Course) -> None:
    User.objects.create_user("ada@example.org")
    assert why("lovelace,Ada@example.org,,,,,\n", course).startswith(
        "The email address Ada@example.org belongs to another account"
    )


def test_an_address_is_one_persons_as_login_or_e_mail(course: Course) -> None:
    text = HEADER + "a@x.org,a@x.org,,,,,\nb,b@x.org,,,,,\nB@x.org,,,,,,\n"
    assert [(fate, words) for _, fate, words in statuses(text, course)] == [
        ("new", "will get an account"),
        ("new", "will get an account"),
        ("bad", "The login B@x.org is already on line 3."),
    ]


def test_an_account_that_was_registered_by_link_is_told_as_such(course: Course) -> None:
    User.objects.create_user("ada@x.org", "ada@x.org", registered_by_link=True)
    words = "has an account, registered by link: nobody has verified its email address"
    assert statuses("Email address\nada@x.org\n", course) == [(2, "new", words)]


def test_an_e_mail_stands_in_one_row_of_a_file(course: Course) -> None:
    text = HEADER + "a,same@example.org,,,,,\nb,Same@example.org,,,,,\nc,same@example.org,,,,,\n"
    assert [fate for _, fate, _ in statuses(text, course)] == ["new", "bad", "bad"]
    assert "The email address Same@example.org is already on line 2." in statuses(text, course)[1][2]


def test_a_login_in_capitals_is_the_same_person(course: Course) -> None:
    User.objects.create_user("ada")
    imported(HEADER + "ADA,,,,,,\n", course)
    assert [member.user.username for member in course.memberships.all()] == ["ada"]
    assert User.objects.count() == 1


def test_a_login_is_compared_as_it_is_stored(course: Course) -> None:
    text = HEADER + "ｆｉｅ,Fie@EXAMPLE.org,,,,,\n"
    imported(text, course)
    assert User.objects.get().username == "fie"
    assert statuses(text, course) == [(2, "known", "")]


def test_a_roster_makes_nobody_site_staff(course: Course) -> None:
    imported("login,is_staff,is_superuser,role\nada,1,1,instructor\n", course)
    user = User.objects.get()
    assert not user.is_staff
    assert not user.is_superuser


def test_a_roster_neither_creates_nor_demotes_an_owner() -> None:
    cast = Cast()
    cast.student("ada")
    owner = cast.owner.username
    assert "cannot change the role of an owner" in why(f"{owner},,,,student,,", cast.course)
    assert "cannot make anyone an owner" in why("ada,,,,owner,,", cast.course)
    assert "cannot make anyone an owner" in why("ben,,,,Owner,,", cast.course)
    imported(HEADER + f"{owner},,,,,,\n", cast.course)
    assert Membership.objects.get(user=cast.owner).role == Role.OWNER


# -- bad rows


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (",ada@example.org,Ada,,,,", "The login is missing."),
        ("ada lovelace,,,,,,", "The login 'ada lovelace' can contain only letters"),
        ("ada,ada at example,,,,,", "'ada at example' is not an email address."),
        ("ada,,,,dean,,", "There is no role 'dean'. The roles are: student, assistant, instructor, owner."),
        ("ada,,=HYPERLINK(1),,,,", "The name starts with =, so spreadsheets would treat it as a formula."),
        ("ada,,,,,@1,", "The LMS ID starts with @"),
        ("-ada,,,,,,", "The login starts with -"),
        ("a\0da,,,,,,", "The login contains a control character. Delete it."),
        ("ada,,＝1,,,,", "The name starts with ＝"),
        ("ada,,Ada\x07,,,,", "The name contains a control character. Delete it."),
        ("ada,,Ada\u202elave,,,,", "The name contains a control character. Delete it."),
        ('ada,,"Ada\nLovelace",,,,', "The name contains a control character. Delete it."),
        ("ada,,,\tMonday,,,", "The section contains a control character. Delete it."),
        ("ada,,," + "x" * 101 + ",,,", "The section has 101 characters; at most 100 are allowed."),
        ("a" * 151 + ",,,,,,", "The login has 151 characters"),
        ("ada,,,", "The row has 4 columns, but the header has 7."),
        ("ada,,,,,,,,", "The row has 9 columns, but the header has 7."),
        ('ada,"Ada"x,,,,,', "The row is not valid CSV"),
        ('ada,"Ada,,,,,', "The row is not valid CSV"),
    ],
)
def test_a_bad_row_has_its_reason(course: Course, row: str, words: str) -> None:
    assert words in why(row, course)


def test_bad_rows_are_told_with_their_lines(course: Course) -> None:
    text = HEADER + '\nada,,"Ada\nL",,,,\nben,,,,,,\nBen,,,,,,\n,,,,,L1,\ncy,,,,,L2,\ndan,,,,,L2,\n'
    assert statuses(text, course) == [
        (3, "bad", "The name contains a control character. Delete it."),
        (5, "new", "will get an account"),
        (6, "bad", "The login Ben is already on line 5."),
        (7, "bad", "The login is missing."),
        (8, "new", "will get an account"),
        (9, "bad", "The LMS ID L2 is already on line 8."),
    ]


def test_an_id_of_another_member(course: Course) -> None:
    imported(HEADER + "ada,,,,,L1,\n", course)
    assert why("ben,,,,,L1,", course) == "The LMS ID L1 belongs to ada."


def test_with_a_bad_row_nothing_is_imported(course: Course) -> None:
    with pytest.raises(Refused, match=r"Nothing was imported. Line 3: The login is missing. 1 more row has a problem."):
        imported(HEADER + "ada,,,,,,\n,,Ben,,,,\n,,Cy,,,,\n", course)
    assert not User.objects.exists()
    assert not AuditEntry.objects.exists()


def test_only_the_good_rows_if_told_so(course: Course) -> None:
    imported(HEADER + "ada,,,,,,\n,,Ben,,,,\n", course, only_good=True)
    assert [user.username for user in User.objects.all()] == ["ada"]


def test_what_happened_between_reading_and_importing_counts(course: Course) -> None:
    preview = read(HEADER + "ada,,,,student,,\n", course)
    ada = User.objects.create_user("ada")
    Membership.objects.create(course=course, user=ada, role=Role.OWNER)
    with pytest.raises(Refused, match="cannot change the role of an owner"):
        roster_import(preview=preview, by=OPERATOR)


# -- files that are not rosters


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        (HEADER, "but no rows"),
        ("user,email\nada,\n", "no header with the column 'login' .other columns that are read: email"),
        ("login,Login\nada,ada\n", "the column 'login' twice"),
        ('"login\n', "The roster has an unreadable header on line 1"),
    ],
)
def test_a_file_that_is_no_roster(course: Course, text: str, words: str) -> None:
    with pytest.raises(Refused, match=words):
        read(text, course)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("login\nBj\xf6rn\n".encode("latin-1"), "not UTF-8: line 2 contains an invalid byte"),
        ("login\nada\n".encode("utf-16-le"), "is UTF-16 without a byte order mark"),
        (b"\xff\xfel\0o", "is marked as UTF-16 but cannot be decoded"),
    ],
)
def test_a_file_in_another_encoding(data: bytes, words: str) -> None:
    with pytest.raises(Refused, match=words):
        decoded(data)


def test_a_file_that_is_too_large_is_not_even_read() -> None:
    with pytest.raises(Refused, match="larger than 50 MB"):
        decoded(b"\0" * 50_000_001)


def test_a_file_in_utf16_as_spreadsheets_save_unicode_text(course: Course) -> None:
    imported(decoded("login\tname\nbjörn\tBjörn Borg\n".encode("utf-16")), course)
    assert User.objects.get().get_full_name() == "Björn Borg"


def test_a_file_with_a_byte_order_mark() -> None:
    assert decoded("\ufefflogin\nBjörn\n".encode()) == "login\nBjörn\n"
