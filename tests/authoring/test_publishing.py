"""Publishing: only what is proved, without findings, as versions that stay; and who may assign them."""

import pytest

from autograder.authoring import drafts, publishing, trials
from autograder.authoring.models import Draft, Publication
from autograder.courses.errors import AtField, Refused
from autograder.courses.models import AuditEntry, Course, Membership, Role
from autograder.courses.setup.assignments import assignment_create
from autograder.courses.setup.courses import course_create
from autograder.library.catalogue import latest_version, latest_versions
from autograder.library.versions import files_of_version
from autograder.prove.findings import Finding
from tests.authoring.conftest import CHECKS, Team, proved

pytestmark = pytest.mark.django_db


def published(draft: Draft, team: Team, note: str = "The first one.") -> Publication:
    return publishing.publish(proved(draft), note, by=team.owner)


def changed(draft: Draft, team: Team, text: str) -> Draft:
    draft.refresh_from_db()
    file = draft.files.get(path="statement.md")
    drafts.save(draft, "statement.md", text, file.edition, by=team.owner)
    return draft


def test_a_version_has_the_files_and_the_checks_of_the_edition_that_was_proved(draft: Draft, team: Team) -> None:
    made = published(draft, team)
    assert (made.number, made.published_by, made.note) == (1, team.owner.user, "The first one.")
    assert files_of_version(made.version) == drafts.texts_of(draft)
    assert [check["title"] for check in made.version.page.checks] == [check.title for check in CHECKS]
    entry = AuditEntry.objects.get(action="draft-published")
    assert (entry.subject, entry.actor) == ("softplus", team.owner.user)


def test_what_is_not_proved_or_not_clean_is_not_published(draft: Draft, team: Team) -> None:
    for expected, prepare in (
        ("still being checked", lambda: None),
        ("1 finding is left", lambda: proved(draft, Finding("todo", "statement.md", 1, "write it"))),
        ("still being checked", lambda: changed(proved(draft), team, "Other words.")),
    ):
        prepare()
        with pytest.raises(Refused, match=expected):
            publishing.publish(Draft.objects.get(pk=draft.pk), "A note.", by=team.owner)
    with pytest.raises(AtField) as refused:
        publishing.publish(proved(draft), "  ", by=team.owner)
    assert refused.value.field == "note" and not Publication.objects.exists()


def test_versions_are_numbered_and_nothing_is_published_twice(draft: Draft, team: Team) -> None:
    first = published(draft, team)
    with pytest.raises(Refused, match="Nothing has changed"):
        published(draft, team)
    second = published(changed(draft, team, "Other words."), team, "Plainer words.")
    assert (first.number, second.number) == (1, 2)
    assert files_of_version(first.version)["statement.md"] != "Other words."
    assert latest_version("softplus", team.course.slug) == second.version


def test_an_assignment_stays_on_its_version(draft: Draft, team: Team) -> None:
    first = published(draft, team)
    assignment = assignment_create(course=team.course, version=first.version, by=team.owner)
    published(changed(draft, team, "Other words."), team)
    assignment.refresh_from_db()
    assert assignment.version == first.version


def test_a_second_reader_is_somebody_else_and_reads_this_edition(draft: Draft, team: Team) -> None:
    publishing.want_reader(draft, wanted=True, by=team.owner)
    changed(draft, team, "Other words.")
    row = proved(draft)
    with pytest.raises(Refused, match="second reader has not approved"):
        publishing.publish(row, "A note.", by=team.owner)
    with pytest.raises(Refused, match="somebody else"):
        publishing.approve(row, row.edition, by=team.owner)
    with pytest.raises(Refused, match="has changed since"):
        publishing.approve(row, row.edition - 1, by=team.instructor)
    publishing.approve(row, row.edition, by=team.instructor)
    assert publishing.publish(proved(draft), "A note.", by=team.owner).number == 1
    with pytest.raises(Refused, match="second reader"):
        published(changed(draft, team, "Newer words."), team)


def test_who_has_removed_a_file_does_not_approve_what_is_left(draft: Draft, team: Team) -> None:
    publishing.want_reader(draft, wanted=True, by=team.owner)
    file = next(file for file in draft.files.all() if file.path.startswith("wrong/"))
    drafts.remove_file(draft, file.path, file.edition, by=team.owner)
    row = proved(draft)
    with pytest.raises(Refused, match="somebody else"):
        publishing.approve(row, row.edition, by=team.owner)
    publishing.approve(row, row.edition, by=team.instructor)


def test_another_course_assigns_only_what_is_shared_and_not_withdrawn(draft: Draft, team: Team) -> None:
    version = published(draft, team).version
    other = course_create(slug="other", title="Other", by=team.owner.user, owner=team.owner.user)
    there = Membership.objects.get(course=other, user=team.owner.user)

    def offered() -> bool:
        return version in latest_versions("other")

    def assigned() -> None:
        assignment_create(course=other, version=version, by=there)

    assert version in latest_versions(team.course.slug) and not offered()
    with pytest.raises(Refused, match="does not share it"):
        assigned()
    publishing.share(draft, shared=True, by=team.owner)
    assert offered()
    assigned()
    exercise = version.exercise
    assert publishing.use_of(exercise, team.course).courses == 1
    publishing.withdraw(draft, by=team.owner)
    assert not offered() and version not in latest_versions(team.course.slug)
    assert other.assignments.get().version == version, "who has assigned it keeps it"
    publishing.bring_back(draft, by=team.owner)
    publishing.share(draft, shared=False, by=team.owner)
    assert version in latest_versions(team.course.slug) and not offered()


def test_assistants_publish_nothing(draft: Draft, team: Team) -> None:
    row = proved(draft)
    for act in (
        lambda: publishing.publish(row, "A note.", by=team.assistant),
        lambda: publishing.approve(row, row.edition, by=team.assistant),
        lambda: publishing.want_reader(row, wanted=True, by=team.assistant),
        lambda: publishing.share(row, shared=True, by=team.assistant),
        lambda: publishing.withdraw(row, by=team.assistant),
        lambda: trials.begin(row, by=team.assistant),
    ):
        with pytest.raises(Refused, match="You may not"):
            act()


def test_a_draft_is_tried_in_a_course_that_no_list_has(draft: Draft, team: Team) -> None:
    with pytest.raises(Refused, match="have not been read yet"):
        trials.begin(draft, by=team.owner)
    first = trials.begin(proved(draft), by=team.owner)
    assert first.course.trial_of == team.course and first.course != team.course
    assert Membership.objects.get(course=first.course, user=team.owner.user).role == Role.STUDENT
    assert first.version not in latest_versions(team.course.slug)
    assert trials.begin(proved(draft), by=team.owner) == first, "it is the same as long as nothing changes"
    changed(draft, team, "Other words.")
    again = trials.begin(proved(draft), by=team.instructor)
    assert again.pk == first.pk and again.version != first.version
    assert Course.objects.filter(trial_of=team.course).count() == 1
    assert not Publication.objects.exists()
