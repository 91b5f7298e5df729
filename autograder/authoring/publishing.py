"""Publishes drafts as versions of an exercise, which never change, and says who may assign them.

Only what a worker has proved, without a finding, is published: the checks that it listed are stored with the version, so
nothing of the draft runs here.
"""

from dataclasses import dataclass

import msgspec
from django.db import transaction
from django.utils import timezone

from autograder.authoring import drafts
from autograder.authoring.models import Draft, DraftProof, Publication
from autograder.courses import audit, rights
from autograder.courses.errors import AtField, Refused
from autograder.courses.models import Assignment, Course
from autograder.courses.rights import Acting, Right
from autograder.judge import pack
from autograder.judge.outcome import ListedCheck
from autograder.judge.pack import PackError
from autograder.library import versions
from autograder.library.models import Exercise
from autograder.library.versions import LoadedVersion
from autograder.prove.findings import Proof

MAX_NOTE = 2000


def obstacle(draft: Draft) -> str:
    """Why a draft cannot be published now, as a sentence; empty if it can."""
    proof = DraftProof.objects.filter(draft=draft).first()
    if proof is None or proof.edition != draft.edition:
        return "It is still being checked."
    if proof.trouble or proof.found is None:
        return "It could not be checked."
    count = len(msgspec.convert(proof.found, Proof).findings)
    if count:
        return f"{count} finding{'s are' if count > 1 else ' is'} left."
    if draft.wants_reader and draft.read_edition != draft.edition:
        return "A second reader has not approved it yet."
    return ""


def publish(draft: Draft, note: str, *, by: Acting) -> Publication:
    """Publish the edition that was proved. Assignments stay on their versions until somebody moves them."""
    rights.require(by, Right.SET_UP, draft.course)
    if not note.strip():
        raise AtField("note", "Say in a sentence what is new. Colleagues see it in the list of versions.")
    if len(note) > MAX_NOTE:
        raise AtField("note", f"At most {MAX_NOTE} characters.")
    with transaction.atomic():
        row = _locked(draft)
        why = obstacle(row)
        if why:
            raise Refused(f"{row.title} cannot be published. {why}")
        exercise = _exercise(row)
        stored = stored_version(row, exercise)
        if not stored.new:
            raise Refused("Nothing has changed since this version was published.")
        number = Publication.objects.filter(version__exercise=exercise).count() + 1
        made = Publication.objects.create(
            version=stored.version, draft=row, course=row.course, number=number, note=note.strip(), published_by=by.user
        )
        audit.record("draft-published", row, actor=by.user, course=row.course, number=number, note=note.strip())
    return made


def stored_version(draft: Draft, exercise: Exercise) -> LoadedVersion:
    """The draft as a version of an exercise, with the checks that a worker has listed."""
    with drafts.laid_out(draft) as folder:
        try:
            content = pack.read(folder)
        except PackError as error:
            raise Refused(f"{draft.title} cannot be used yet: {str(error).replace(f'{folder}/', '')}") from error
        return versions.store(exercise, content, msgspec.convert(draft.proof.checks, tuple[ListedCheck, ...]))


def want_reader(draft: Draft, *, wanted: bool, by: Acting) -> None:
    """Whether somebody else has to read each edition before it is published."""
    rights.require(by, Right.SET_UP, draft.course)
    with transaction.atomic():
        row = _locked(draft)
        if row.wants_reader != wanted:
            row.wants_reader = wanted
            row.save(update_fields=("wants_reader",))
            audit.record("draft-reader", row, actor=by.user, course=row.course, wanted=wanted)


def approve(draft: Draft, edition: int, *, by: Acting) -> None:
    """Approve an edition as its second reader. Nobody approves what they have written themselves."""
    rights.require(by, Right.SET_UP, draft.course)
    with transaction.atomic():
        row = _locked(draft)
        if row.edition != edition:
            raise Refused(f"{row.title} has changed since you opened this page. Read what is new first.")
        if by.user is not None and row.changed_by_id == by.user.pk:
            raise Refused("You made the last change yourself. A second reader is somebody else.")
        row.read_edition, row.read_by = edition, by.user
        row.save(update_fields=("read_edition", "read_by"))
        audit.record("draft-approved", row, actor=by.user, course=row.course)


# -- who may assign it ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Use:
    """Where an exercise is assigned, besides in the course that wrote it."""

    courses: int
    own: tuple[Assignment, ...]


def use_of(exercise: Exercise, course: Course) -> Use:
    assigned = Assignment.objects.filter(version__exercise=exercise, removed_at=None, course__trial_of=None)
    others = assigned.exclude(course=course).values("course").distinct().count()
    own = assigned.filter(course=course).select_related("version", "course").defer("version__archive")
    return Use(others, tuple(own))


def share(draft: Draft, *, shared: bool, by: Acting) -> None:
    """Let other courses assign the exercise, or no further ones. Courses that have assigned it keep it."""
    _change(draft, by, "exercise-shared" if shared else "exercise-unshared", shared=shared)


def withdraw(draft: Draft, *, by: Acting) -> None:
    """Nobody can assign the exercise any more. Courses that have assigned it keep it, with all its results."""
    _change(draft, by, "exercise-withdrawn", withdrawn_at=timezone.now())


def bring_back(draft: Draft, *, by: Acting) -> None:
    _change(draft, by, "exercise-back", withdrawn_at=None)


def published(draft: Draft) -> Exercise | None:
    """The exercise that the draft was published as."""
    return Exercise.objects.filter(slug=draft.slug, owner=draft.course.slug).first()


def _change(draft: Draft, by: Acting, action: str, **fields: object) -> None:
    rights.require(by, Right.SET_UP, draft.course)
    with transaction.atomic():
        row = _locked(draft)
        exercise = published(row)
        if exercise is None:
            raise Refused(f"{row.title} has not been published yet.")
        Exercise.objects.filter(pk=exercise.pk).update(**fields)
        audit.record(action, row, actor=by.user, course=row.course)


def _locked(draft: Draft) -> Draft:
    return Draft.objects.select_for_update(of=("self",)).select_related("course", "proof").get(pk=draft.pk)


def _exercise(draft: Draft) -> Exercise:
    """The exercise of which the draft becomes a version: a new one, or one of this course."""
    found, _ = Exercise.objects.get_or_create(slug=draft.slug, defaults={"owner": draft.course.slug})
    if found.owner != draft.course.slug:
        raise Refused(f"There is an exercise {draft.slug} already, which is not of this course. Copy it under another name.")
    return found
