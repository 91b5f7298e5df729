"""Authors try their drafts in a course of their own, which is no course to anybody else."""

import pytest

from autograder.authoring import drafts, trials
from autograder.authoring.models import Draft
from autograder.courses.accounts.access import why_not_change
from autograder.courses.errors import Refused
from autograder.courses.models import Membership, Role
from tests.authoring.conftest import Team, proved

pytestmark = pytest.mark.django_db


def test_each_trial_is_of_the_draft_as_it_is_now(team: Team, draft: Draft) -> None:
    first = trials.begin(proved(draft), by=team.owner)
    assert trials.begin(proved(draft), by=team.owner).exercise_version == first.exercise_version
    drafts.save(draft, "statement.md", "Other words.", 1, by=team.owner)
    with pytest.raises(Refused, match="not been read yet"):
        trials.begin(draft, by=team.owner)
    second = trials.begin(proved(draft), by=team.owner)
    assert second.pk == first.pk and second.exercise_version != first.exercise_version


def test_authors_share_the_course_of_trials_and_are_students_in_it(team: Team, draft: Draft) -> None:
    one, other = (trials.begin(proved(draft), by=staff) for staff in (team.owner, team.instructor))
    assert one.course == other.course and one.course.trial_of == team.course
    roles = Membership.objects.filter(course=one.course).values_list("user__username", "role")
    assert sorted(roles) == sorted((staff.user.username, Role.STUDENT) for staff in (team.owner, team.instructor))
    with pytest.raises(Refused):
        trials.begin(proved(draft), by=team.assistant)


def test_who_tried_a_draft_once_is_not_of_another_course(team: Team, draft: Draft) -> None:
    trials.begin(proved(draft), by=team.instructor)
    Membership.objects.filter(pk=team.instructor.pk).update(role=Role.STUDENT)
    team.instructor.refresh_from_db()
    assert why_not_change(team.owner, team.instructor) == ""
