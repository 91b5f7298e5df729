"""Adding one person: an existing account, or an email address that gets a new one."""

import pytest

from autograder.courses.errors import AtField, Refused
from autograder.courses.models import AuditEntry, Membership, Role, Section, User
from autograder.courses.people.members import AddedMember, member_add, member_add_by_login, member_remove, member_role_update
from autograder.courses.rights import OPERATOR
from tests.cast import Cast
from tests.courses.builders import last_entry, new_course

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return Cast()


def added(cast: Cast, login: str, by: Membership | None = None, role: str = Role.STUDENT, name: str = "") -> AddedMember:
    return member_add_by_login(course=cast.course, login=login, by=by or cast.staff, role=role, section=None, name=name)


def refusal(cast: Cast, login: str, **given: str) -> tuple[str, str]:
    before = User.objects.count()
    with pytest.raises(AtField) as refused:
        added(cast, login, **given)  # type: ignore[arg-type]
    assert User.objects.count() == before
    return refused.value.field, refused.value.message


@pytest.mark.parametrize("said", ["ada", "ADA", " ada ", "Ada.L@Example.edu"])
def test_somebody_with_an_account_is_added_by_login_or_address(cast: Cast, said: str) -> None:
    user = User.objects.create_user("ada", "ada.l@example.edu", first_name="Ada")
    found = added(cast, said, name="Another Name")
    assert (found.membership.user, found.new_account) == (user, False)
    user.refresh_from_db()
    assert user.get_full_name() == "Ada", "the account keeps its name"


def test_an_unknown_address_gets_an_account_without_a_password(cast: Cast) -> None:
    found = added(cast, "Ada.L@Example.edu", name="Lovelace, Ada")
    user = found.membership.user
    assert (user.username, user.email) == ("ada.l@example.edu", "Ada.L@example.edu")
    assert (user.first_name, user.last_name) == ("Ada", "Lovelace")
    assert (found.new_account, user.has_usable_password(), user.registered_by_link) == (True, False, False)
    actions = AuditEntry.objects.filter(membership=found.membership).values_list("action", "actor")
    assert set(actions) == {("member-added", cast.owner.pk), ("account-created", cast.owner.pk)}


@pytest.mark.parametrize(
    ("said", "given", "field", "words"),
    [
        ("nobody", {}, "login", "There is no account 'nobody'. Enter an email address to create one."),
        ("ada@", {}, "login", "'ada@' is not an email address"),
        ("ada@example.edu", {"name": "=1+1"}, "name", "spreadsheets would treat it as a formula"),
        ("o'hara@example.edu", {}, "login", "can contain only letters"),
    ],
)
def test_what_cannot_be_an_account_is_refused_at_its_field(
    cast: Cast, said: str, given: dict[str, str], field: str, words: str
) -> None:
    where, told = refusal(cast, said, **given)
    assert (where, words in told) == (field, True), told


def test_an_address_that_is_another_ones_login_is_theirs(cast: Cast) -> None:
    user = User.objects.create_user("ada@example.edu")
    User.objects.create_user("lovelace", "ada@example.edu")
    assert added(cast, "ada@example.edu").membership.user == user, "as when they sign in"


def test_a_member_is_not_added_again(cast: Cast) -> None:
    added(cast, "ada@example.edu")
    assert refusal(cast, "ADA@example.edu")[1] == "ada@example.edu is already a member of Autodiff."


@pytest.mark.parametrize("role", [Role.STUDENT, Role.ASSISTANT])
def test_who_does_not_instruct_adds_nobody(cast: Cast, role: Role) -> None:
    ann = added(cast, "ann@example.edu", role=role).membership
    with pytest.raises(Refused, match="You may not change who is in this course"):
        added(cast, "ada@example.edu", by=ann)
    assert not User.objects.filter(username="ada@example.edu").exists()


def test_an_instructor_adds_no_owner_and_brings_none_back(cast: Cast) -> None:
    ines = added(cast, "ines@example.edu", role=Role.INSTRUCTOR).membership
    with pytest.raises(Refused, match="You may not manage this course"):
        added(cast, "ada@example.edu", by=ines, role=Role.OWNER)
    second = added(cast, "olga@example.edu", role=Role.OWNER).membership
    member_remove(membership=second, by=cast.staff)
    with pytest.raises(Refused, match="You may not manage this course"):
        added(cast, "olga@example.edu", by=ines)
    assert added(cast, "ada@example.edu", by=ines).new_account


def test_a_member_is_added_once() -> None:
    course, ada = new_course(), User.objects.create_user("ada")
    member_add(course=course, user=ada, by=OPERATOR)
    with pytest.raises(Refused, match="ada is already a member of Autodiff"):
        member_add(course=course, user=ada, by=OPERATOR)


def test_whoever_is_removed_and_comes_back_finds_the_old_work() -> None:
    cast = Cast()
    handed_in = cast.hands_in("ada")
    member_remove(membership=cast.membership("ada"), by=cast.staff)
    with pytest.raises(Refused, match="not a member"):
        cast.hands_in("ada")
    back = member_add(course=cast.course, user=cast.student("ada"), by=cast.staff)
    assert list(back.submissions.all()) == [handed_in]
    assert last_entry().action == "member-back"


def test_a_section_of_another_course() -> None:
    course, other = new_course(), new_course(slug="other")
    section = Section.objects.create(course=other, name="Monday")
    with pytest.raises(Refused, match="'Monday' does not belong to Autodiff"):
        member_add(course=course, user=User.objects.create_user("ada"), section=section, by=OPERATOR)


def test_a_role_changes_and_both_are_written_down() -> None:
    cast = Cast()
    member_role_update(membership=cast.membership("ada"), role=Role.ASSISTANT, by=cast.staff)
    assert cast.membership("ada").role == Role.ASSISTANT
    assert last_entry().details == {"before": "student", "after": "assistant"}


def test_a_role_that_there_is_not() -> None:
    cast = Cast()
    with pytest.raises(Refused, match=r"no role 'dean'. The roles are: student, assistant, instructor, owner"):
        member_role_update(membership=cast.membership("ada"), role="dean", by=cast.staff)


def test_a_course_keeps_an_owner() -> None:
    cast = Cast()
    owner = Membership.objects.get(user=cast.owner)
    with pytest.raises(Refused, match="the only owner of Autodiff"):
        member_role_update(membership=owner, role=Role.STUDENT, by=cast.staff)
    with pytest.raises(Refused, match="the only owner of Autodiff"):
        member_remove(membership=owner, by=cast.staff)
    member_role_update(membership=cast.membership("ada"), role=Role.OWNER, by=cast.staff)
    member_remove(membership=owner, by=cast.staff)


def test_who_was_removed_has_no_role_to_change() -> None:
    cast = Cast()
    member_remove(membership=cast.membership("ada"), by=OPERATOR)
    with pytest.raises(Refused, match="no longer a member of Autodiff"):
        member_role_update(membership=Membership.objects.get(user__username="ada"), role=Role.ASSISTANT, by=OPERATOR)
