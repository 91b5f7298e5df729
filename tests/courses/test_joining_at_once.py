"""Concurrent joins and roster imports, on both databases."""

from tests.submissions.test_claims_at_once import Site, site  # noqa: F401 - a fixture, and its type

FILL = """
from django.core.management import call_command
call_command("flush", interactive=False, verbosity=0)
from autograder.courses.people.invitations import invitation_create
from autograder.courses.models import Course, Membership, Role, User
course = Course.objects.create(slug="autodiff", title="Autodiff")
grace = Membership.objects.create(course=course, user=User.objects.create_user("grace"), role=Role.OWNER)
for n in range(4):
    User.objects.create_user(f"user{n}")
print(invitation_create(course=course, by=grace, uses=%d, is_open=True).token)
"""
STORED = """
from autograder.courses.models import Invitation, Membership, User
print(Membership.objects.count() - 1, Invitation.objects.get().uses_left, User.objects.filter(registered_by_link=True).count())
"""
ACCOUNTS = """
from autograder.courses.models import User
print(User.objects.filter(username__startswith="new").count())
"""


def test_the_last_use_goes_to_one_person(site: Site) -> None:  # noqa: F811
    token = site.ask(FILL % 2)
    told = site.at_once("accept", [(token, f"user{n}") for n in range(4)])
    assert sum(one.startswith("user") for one in told) == 2
    assert sum("has reached its maximum number of uses" in one for one in told) == 2
    assert site.ask(STORED) == "2 0 0"


def test_the_last_use_is_one_persons_also_when_accounts_are_created(site: Site) -> None:  # noqa: F811
    """The loser of the race does not get an account either."""
    token = site.ask(FILL % 1)
    told = site.at_once("register", [(token, f"ada{n}@example.edu") for n in range(3)])
    assert sum(one.startswith("ada") for one in told) == 1, told
    assert site.ask(STORED) == "1 0 1"


def test_somebody_who_presses_twice_is_one_member_and_takes_one_use(site: Site) -> None:  # noqa: F811
    token = site.ask(FILL % 3)
    assert site.at_once("accept", [(token, "user1")] * 3) == ["user1"] * 3
    assert site.ask(STORED) == "1 2 0"


def test_an_address_that_is_registered_twice_is_one_account(site: Site) -> None:  # noqa: F811
    token = site.ask(FILL % 3)
    told = sorted(site.at_once("register", [(token, "ada@example.edu"), (token, "ADA@example.edu")]))
    assert told == ["An account with this email address already exists. Sign in instead.", "ada@example.edu"]
    assert site.ask(STORED) == "1 2 1"


def test_a_list_that_is_imported_twice_makes_every_account_once(site: Site) -> None:  # noqa: F811
    site.ask(FILL % 3)
    people = "".join(f"new{n},new{n}@example.edu\n" for n in range(40))
    told = site.at_once("import_roster", [(f"login,email\n{people}",)] * 3)
    assert all(one.endswith(" new") for one in told), told
    assert site.ask(ACCOUNTS) == "40"
