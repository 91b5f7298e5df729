"""Account lookup by name, and who may change an account."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from autograder.backup.schema import StepwiseLoader, stepwise_executor
from autograder.courses.accounts.access import require_account, why_not_change
from autograder.courses.accounts.selectors import account_named
from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry, Membership, Role, User
from autograder.courses.rights import OPERATOR
from tests.cast import Cast, ago

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return Cast()


def staff(cast: Cast, name: str, role: Role) -> Membership:
    member = cast.membership(name)
    member.role = role
    member.save()
    return member


@pytest.fixture
def ines(cast: Cast) -> Membership:
    return staff(cast, "ines", Role.INSTRUCTOR)


# -- permission to change an account


def test_an_instructor_decides_over_a_student_of_this_course_alone(cast: Cast, ines: Membership) -> None:
    assert why_not_change(ines, cast.membership("ada")) == ""
    require_account(ines, cast.membership("ada"))


@pytest.mark.parametrize("role", [Role.STUDENT, Role.ASSISTANT])
def test_without_the_right_nobody_decides(cast: Cast, role: Role) -> None:
    with pytest.raises(Refused, match="You may not change who is in this course"):
        require_account(staff(cast, "ann", role), cast.membership("ada"))


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.INSTRUCTOR, Role.OWNER])
def test_nobody_can_change_a_staff_account(cast: Cast, ines: Membership, role: Role) -> None:
    assert "is staff of a course" in why_not_change(ines, staff(cast, "mei", role))
    assert "is staff of a course" in why_not_change(ines, ines), "nor over their own"


@pytest.mark.parametrize("power", ["is_staff", "is_superuser"])
def test_nobody_decides_over_staff_of_the_site(cast: Cast, ines: Membership, power: str) -> None:
    member = cast.membership("ada")
    setattr(member.user, power, True)
    member.user.save()
    assert "staff of the site" in why_not_change(ines, member)


@pytest.mark.parametrize("role", list(Role))
def test_an_instructor_cannot_change_an_account_in_another_course(cast: Cast, ines: Membership, role: Role) -> None:
    """With the password of the account, one could sign in to the other course and see or change grades."""
    other = Cast(slug="elsewhere", exercise="value-unary")
    staff(other, "ada", role)
    assert why_not_change(ines, cast.membership("ada"))
    for own, may in ((Role.ASSISTANT, False), (Role.INSTRUCTOR, True)):
        staff(other, "ines", own)
        assert (why_not_change(ines, cast.membership("ada")) == "") == (may and role == Role.STUDENT)


def test_a_course_that_somebody_was_removed_from_counts(cast: Cast, ines: Membership) -> None:
    other = Cast(slug="elsewhere", exercise="value-unary").membership("ada")
    other.removed_at = timezone.now()
    other.save()
    assert "also belongs to a course" in why_not_change(ines, cast.membership("ada"))


def test_a_former_instructor_decides_over_nobody(cast: Cast, ines: Membership) -> None:
    ines.removed_at = timezone.now()
    ines.save()
    with pytest.raises(Refused):
        require_account(ines, cast.membership("ada"))


def test_who_was_removed_is_brought_back_first(cast: Cast, ines: Membership) -> None:
    ada = cast.membership("ada")
    ada.removed_at = timezone.now()
    ada.save()
    assert "Restore them first" in why_not_change(ines, ada)


def test_members_of_another_course_are_out_of_reach(cast: Cast, ines: Membership) -> None:
    with pytest.raises(Refused):
        require_account(ines, Cast(slug="elsewhere", exercise="value-unary").membership("mallory"))


def test_an_operator_decides_over_everybody(cast: Cast) -> None:
    require_account(OPERATOR, staff(cast, "mei", Role.OWNER))


# -- one account per email address


@pytest.mark.parametrize("name", ["ada", "ada@example.org", "ADA@Example.org"])
def test_by_login_or_address(cast: Cast, name: str) -> None:
    ada = User.objects.create_user("ada", "Ada@example.org")
    User.objects.create_user("nobody")
    assert account_named(name) == ada


@pytest.mark.parametrize("name", ["", "@", "Ada", "eve@example.org"])
def test_what_names_nobody(cast: Cast, name: str) -> None:
    User.objects.create_user("ada", "ada@example.org")
    User.objects.create_user("nobody")
    assert account_named(name) is None


def test_a_login_goes_before_an_address(cast: Cast) -> None:
    User.objects.create_user("ada", "ada@example.org")
    login = User.objects.create_user("ada@example.org")
    assert account_named("ada@example.org") == login


def test_two_accounts_never_share_an_address(cast: Cast) -> None:
    User.objects.create_user("ada", "ada@example.org")
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("lovelace", "ADA@example.org")
    for name in ("ben", "cy"):
        User.objects.create_user(name, "")


@pytest.mark.django_db(transaction=True)
def test_addresses_that_two_had_are_sorted_out_when_the_tables_change() -> None:
    """The account with the latest login keeps the address. The others keep their login and password."""
    before, after = [("courses", "0007_audit_by_key")], StepwiseLoader(connection).graph.leaf_nodes()
    course = Cast().course
    then = stepwise_executor(connection).migrate(before).apps  # type: ignore[attr-defined]
    try:
        user = then.get_model("courses", "User")
        for name, email, days, active in (
            *(("ada", "Ada@example.org", 9, True), ("lovelace", "ada@example.org", 1, True)),
            *(("gone", "ADA@example.org", 0, False), ("never", "ada@example.org", None, True)),
            *(("ben", "ben@example.org", None, True), ("cy", "", None, True), ("dan", "", None, True)),
        ):
            last = None if days is None else ago(days=days)
            user.objects.create(username=name, email=email, password=f"of {name}", last_login=last, is_active=active)
        ada = user.objects.get(username="ada").pk
        then.get_model("courses", "Membership").objects.create(course_id=course.pk, user_id=ada)
    finally:
        stepwise_executor(connection).migrate(after)
    emails = dict(User.objects.exclude(email="").values_list("username", "email"))
    assert emails == {"lovelace": "ada@example.org", "ben": "ben@example.org"}
    assert User.objects.get(username="ada").password == "of ada"
    entries = {entry.subject: entry for entry in AuditEntry.objects.filter(action="email-cleared")}
    assert set(entries) == {"ada", "gone", "never"}
    assert entries["ada"].details == {"email": "Ada@example.org", "kept_by": "lovelace"}
    assert (entries["ada"].membership.user.username, entries["ada"].course) == ("ada", course)
