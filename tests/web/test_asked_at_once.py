"""Rate limits and throttles hold for concurrent requests to several web processes, on both databases."""

from autograder.web.accounts.login_throttle import BOTH
from tests.submissions.test_claims_at_once import Site, site  # noqa: F401 - a fixture, and its type

PROCESSES = 4


def test_together_they_let_no_more_through_than_one_would(site: Site) -> None:  # noqa: F811
    site.ask("from autograder.web.models import Pace; print(Pace.objects.all().delete())")
    assert sum(site.at_once("ask", [(10, 15)] * PROCESSES)) == 15


def test_concurrent_guesses_are_all_counted(site: Site) -> None:  # noqa: F811
    site.ask("from autograder.web.models import Guess; print(Guess.objects.all().delete())")
    assert sum(site.at_once("guess", [("ada", 5)] * PROCESSES)) == BOTH.free


def test_concurrent_correct_sign_ins_all_succeed(site: Site) -> None:  # noqa: F811
    site.ask("from autograder.web.models import Guess; print(Guess.objects.all().delete())")
    assert site.at_once("sign_in", [("ada", 0.3)] * (BOTH.free + 3)) == [True] * (BOTH.free + 3)


PEOPLE = """
from django.core.management import call_command
call_command("flush", interactive=False, verbosity=0)
from autograder.courses.models import Course, Membership, User
from autograder.courses.accounts.reset_links import reset_link_mail
course = Course.objects.create(slug="c", title="C")
for n in range(4):
    Membership.objects.create(course=course, user=User.objects.create_user(f"student-{n}"))
print(reset_link_mail(user=User.objects.get(username="student-0")).token)
"""


def test_a_reset_link_works_once_however_many_use_it(site: Site) -> None:  # noqa: F811
    token = site.ask(PEOPLE)
    assert sum(site.at_once("reset", [(token, f"the gradient {n} flows") for n in range(PROCESSES)])) == 1


def test_an_address_goes_to_one_account_however_many_get_it(site: Site) -> None:  # noqa: F811
    site.ask(PEOPLE)
    assert sum(site.at_once("correct", [(f"student-{n}", "ada@example.org") for n in range(PROCESSES)])) == 1
