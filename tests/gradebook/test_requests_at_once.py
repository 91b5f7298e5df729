"""Regrade requests that are written, withdrawn and answered concurrently, on both databases."""

from tests.submissions.test_claims_at_once import Site, site  # noqa: F401 - a fixture, and its type

AT_ONCE = 4
FILL = """
from django.core.management import call_command
call_command("flush", interactive=False, verbosity=0)
from autograder.courses.models import Membership, Role
from autograder.gradebook.regrades.regrade_requests import request_add
from autograder.submissions.models import Submission
from tests.cast import Cast
from tests.gradebook.conftest import add_grading
cast = Cast()
for number in range({submissions}):
    given = cast.hands_in("ada", f"x = {{number}}".encode())
    add_grading(given, given.work.get(), 4)
for number in range({staff}):
    one = cast.membership(f"ines-{{number}}")
    one.role = Role.INSTRUCTOR
    one.save()
if {asked}:
    request_add(submission=given, by=cast.membership("ada"), text="It is right.")
print("filled")
"""
ANSWER = """
from autograder.courses.errors import Refused
from autograder.courses.models import Membership
from autograder.gradebook.models import RegradeRequest
from autograder.gradebook.regrades.regrade_requests import request_answer
by = Membership.objects.select_related("user", "course").get(user__username="ines-{number}")
found = RegradeRequest.objects.select_related("submission__membership", "submission__assignment__course").get()
try:
    request_answer(request=found, by=by, text="Look at line 3.", effect="regrade")
    print("answered")
except Refused as refused:
    print(refused.message)
"""
WITHDRAW = """
from autograder.courses.errors import Refused
from autograder.courses.models import Membership
from autograder.gradebook.models import RegradeRequest
from autograder.gradebook.regrades.regrade_requests import request_withdraw
by = Membership.objects.select_related("user", "course").get(user__username="ada")
found = RegradeRequest.objects.select_related("submission__membership", "submission__assignment__course").get()
try:
    request_withdraw(request=found, by=by)
    print("withdrawn")
except Refused as refused:
    print(refused.message)
"""
ASK = """
from autograder.courses.errors import Refused
from autograder.courses.models import Membership
from autograder.gradebook.regrades.regrade_requests import request_add
from autograder.submissions.models import Submission
by = Membership.objects.select_related("user", "course").get(user__username="ada")
made = 0
for given in Submission.objects.select_related("membership", "assignment__course"):
    try:
        request_add(submission=given, by=by, text="It is right.")
        made += 1
    except Refused:
        pass
print(made)
"""
COUNT = """
from autograder.gradebook.models import RegradeRequest
from autograder.submissions.models import Batch
print(RegradeRequest.objects.count(), Batch.objects.count(), *RegradeRequest.objects.values_list("state", flat=True))
"""


def said(site: Site, codes: list[str]) -> list[str]:  # noqa: F811
    return [text.strip().splitlines()[-1] for text in site.at_once("python", [(code,) for code in codes])]


def test_of_answers_at_once_one_counts(site: Site) -> None:  # noqa: F811
    site.ask(FILL.format(submissions=1, staff=AT_ONCE, asked=True))
    answers = said(site, [ANSWER.format(number=number) for number in range(AT_ONCE)])
    assert answers.count("answered") == 1
    assert sum("already answered this request. Nothing was changed." in text for text in answers) == AT_ONCE - 1
    assert site.ask(COUNT) == "1 1 regrade", "and one regrade was started"


def test_an_answer_and_a_withdrawal_at_once(site: Site) -> None:  # noqa: F811
    site.ask(FILL.format(submissions=1, staff=1, asked=True))
    texts = said(site, [ANSWER.format(number=0), WITHDRAW])
    assert ("answered" in texts) != ("withdrawn" in texts)
    assert site.ask(COUNT) == ("1 1 regrade" if "answered" in texts else "1 0 withdrawn")


def test_requests_at_once_do_not_pass_the_limit_of_a_day(site: Site) -> None:  # noqa: F811
    site.ask(FILL.format(submissions=6, staff=0, asked=False))
    assert sum(map(int, said(site, [ASK] * AT_ONCE))) == 3
