"""Limits hold over several web processes that are asked at the same moment, on both databases."""

from autograder.web.guesses import BOTH
from tests.submissions.test_claims_at_once import Site, site  # noqa: F401 - a fixture, and its type

PROCESSES = 4


def test_together_they_let_no_more_through_than_one_would(site: Site) -> None:  # noqa: F811
    site.ask("from autograder.web.models import Pace; print(Pace.objects.all().delete())")
    assert sum(site.at_once("ask", [(10, 15)] * PROCESSES)) == 15


def test_a_hundred_guesses_at_once_are_a_hundred_guesses(site: Site) -> None:  # noqa: F811
    site.ask("from autograder.web.models import Guess; print(Guess.objects.all().delete())")
    assert sum(site.at_once("guess", [("ada", 5)] * PROCESSES)) == BOTH.free
