"""Scores of a whole course, compared with a straightforward implementation of the rules."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.courses.people.extensions import terms_of_student
from autograder.gradebook.grades.scores import score_of, scores_of_student
from autograder.gradebook.grades.sheet import EMPTY, sheet_of
from tests.cast import Cast
from tests.gradebook.drawn import DRAWN, Drawn, Plain, laid_out, plainly_all, thrown_away

pytestmark = pytest.mark.django_db


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(DRAWN, st.sampled_from([0, 0, 1, 3]))
def test_the_sheet_is_what_the_rules_say_of_each_one(cast: Cast, drawn: Drawn, late_days: int) -> None:
    with thrown_away():
        assignments, members = laid_out(cast, drawn, late_days)
        sheet = sheet_of(cast.course)
        for n, member in enumerate(members):
            member.course = cast.course
            own = scores_of_student(member, assignments, terms_of_student(member, assignments))
            for assignment, wanted in zip(assignments, plainly_all(drawn, n, late_days), strict=True):
                cell = sheet.cells.get((member.pk, assignment.pk), EMPTY)
                assert Plain(cell.points, cell.days_late, cell.late_days, cell.excused, cell.unmarked) == wanted
                for score in (score_of(assignment, member), own[assignment.pk]):
                    days = score.counted.lateness.days if score.counted and not score.excuse else 0
                    assert Plain(score.points, days, score.late_days, score.excuse is not None, score.unmarked) == wanted
