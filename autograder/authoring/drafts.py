"""Creates and changes drafts. Every service checks the right of `by` first; a change that another one has overtaken is
refused with what stands, so that nothing is lost."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.db.models.functions import Length
from django.utils import timezone

from autograder.authoring import paths
from autograder.authoring.models import Draft, DraftFile, DraftProof, Visit
from autograder.courses import audit, rights
from autograder.courses.errors import AtField, Conflict, Refused
from autograder.courses.models import Course, Membership
from autograder.courses.rights import Acting, Right
from autograder.library.models import Exercise, ExerciseVersion
from autograder.library.versions import files_of_version
from autograder.prove import from_function as from_functions
from autograder.prove import scaffold
from autograder.submissions.messages import doorbell

PRESENT = timedelta(seconds=30)  # since the page of a visitor has told that it is open
MAX_DRAFTS = 200  # of a course


def start(course: Course, template: str, slug: str, title: str, unit: str, *, by: Acting) -> Draft:
    """A draft from a template, which works as it is."""
    return create(course, slug, title, scaffold.files_of(template, title, unit), by=by)


def from_function(course: Course, source: str, shapes: str, slug: str, title: str, unit: str, *, by: Acting) -> Draft:
    """A complete first draft about the backward pass of a function. `shapes` has a line `x: n, m` for each input."""
    try:
        drafted = from_functions.files_of(source, _shapes(shapes), title, unit)
    except from_functions.Unsupported as error:
        raise AtField("source", str(error)) from error
    return create(course, slug, title, drafted.files, by=by)


def _shapes(text: str) -> dict[str, from_functions.Shape]:
    found = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, colon, shape = line.partition(":")
        try:
            found[name.strip()] = from_functions.shape_of(shape if colon else "")
        except from_functions.Unsupported as error:
            raise AtField("shapes", str(error)) from error
        if not colon:
            raise AtField("shapes", "Write a line such as x: n, m for each input.")
    return found


def copy(course: Course, version: ExerciseVersion, slug: str, title: str, *, by: Acting) -> Draft:
    """A draft with the files of a version."""
    return create(course, slug, title, files_of_version(version), version, by=by)


def create(
    course: Course,
    slug: str,
    title: str,
    files: Mapping[str, str],
    based_on: ExerciseVersion | None = None,
    *,
    by: Acting,
) -> Draft:
    """A draft with these files."""
    rights.require(by, Right.SET_UP, course)
    try:
        scaffold.valid_name(slug)
    except scaffold.BadName as error:
        raise AtField("slug", f"{str(error)[0].upper()}{str(error)[1:]}.") from error
    now = timezone.now()
    with transaction.atomic():
        Course.objects.select_for_update().get(pk=course.pk)
        mine = course.drafts.filter(slug=slug).first()
        if mine is not None:
            removed = " It was removed; restore it instead." if mine.removed_at else ""
            raise AtField("slug", f"This course has a draft {slug} already.{removed}")
        if based_on is None and Exercise.objects.filter(slug=slug).exists():
            raise AtField("slug", f"There is an exercise {slug} already. Choose another name, or copy that exercise.")
        if course.drafts.filter(removed_at=None).count() >= MAX_DRAFTS:
            raise Refused(f"A course can have {MAX_DRAFTS} drafts. Remove one that you no longer need.")
        draft = Draft.objects.create(
            course=course, slug=slug, title=title, based_on=based_on, created_by=by.user, changed_by=by.user, changed_at=now
        )
        DraftFile.objects.bulk_create(
            DraftFile(draft=draft, path=path, text=text, edition=1, changed_by=by.user, changed_at=now)
            for path, text in files.items()
        )
        audit.record("draft-created", draft, actor=by.user, course=course)
        _want_proof(draft)
    return draft


def save(draft: Draft, path: str, text: str, edition: int, *, by: Acting) -> DraftFile:
    """Store the text of a file that was read with this edition. Raises `Conflict` if somebody has changed it since."""
    rights.require(by, Right.SET_UP, draft.course)
    with transaction.atomic():
        row = _locked(draft)
        file = _file(row, path)
        if file is None:
            raise Conflict(f"{path} was removed or renamed meanwhile. Your text is still in the editor.", None)
        if file.text == text:
            return file
        _refuse_overtaken(file, edition)
        _refuse_large(row, path, text)
        return _changed(row, file, text, by)


def add(draft: Draft, path: str, text: str = "", *, by: Acting) -> DraftFile:
    rights.require(by, Right.SET_UP, draft.course)
    with transaction.atomic():
        row = _locked(draft)
        others = _paths(row)
        paths.validate(path, others)
        if len(others) >= paths.MAX_FILES:
            raise Refused(f"A draft can have {paths.MAX_FILES} files.")
        _refuse_large(row, path, text)
        return _changed(row, DraftFile(draft=row, path=path), text, by)


def rename(draft: Draft, path: str, new: str, *, by: Acting) -> DraftFile:
    rights.require(by, Right.SET_UP, draft.course)
    with transaction.atomic():
        row = _locked(draft)
        file = _removable(row, path)
        paths.validate(new, [other for other in _paths(row) if other != path])
        file.path = new
        return _changed(row, file, file.text, by)


def remove_file(draft: Draft, path: str, edition: int, *, by: Acting) -> None:
    rights.require(by, Right.SET_UP, draft.course)
    with transaction.atomic():
        row = _locked(draft)
        file = _removable(row, path)
        _refuse_overtaken(file, edition)
        file.delete()
        _next_edition(row, by)


def change_files(draft: Draft, texts: Mapping[str, str | None], *, by: Acting) -> None:
    """Replace, add and remove files, all in one edition. A text of None removes a file."""
    rights.require(by, Right.SET_UP, draft.course)
    with transaction.atomic():
        row = _locked(draft)
        others = [path for path in _paths(row) if path not in texts]
        for path, text in texts.items():
            if text is None and path in paths.REQUIRED:
                raise Refused(f"Every exercise has a file {path}.")
            if text is not None:
                paths.validate(path, others)
                others.append(path)
        if len(others) > paths.MAX_FILES:
            raise Refused(f"A draft can have {paths.MAX_FILES} files.")
        edition = _next_edition(row, by)
        row.files.filter(path__in=texts).delete()
        DraftFile.objects.bulk_create(
            DraftFile(draft=row, path=path, text=text, edition=edition, changed_by=by.user, changed_at=row.changed_at)
            for path, text in texts.items()
            if text is not None
        )
        total = row.files.aggregate(characters=Sum(Length("text")))["characters"] or 0
        if total > paths.MAX_ALL:
            raise Refused(f"The files of a draft can have {paths.MAX_ALL:,} characters together.")


def remove(draft: Draft, *, by: Acting) -> None:
    """Hide a draft. Nothing is deleted, and `restore` brings it back."""
    _set_removed(draft, "draft-removed", by, removed=True)


def restore(draft: Draft, *, by: Acting) -> None:
    _set_removed(draft, "draft-back", by, removed=False)


def _set_removed(draft: Draft, action: str, by: Acting, *, removed: bool) -> None:
    rights.require(by, Right.SET_UP, draft.course)
    with transaction.atomic():
        changed = Draft.objects.filter(pk=draft.pk, removed_at__isnull=removed)
        if changed.update(removed_at=timezone.now() if removed else None):
            audit.record(action, draft, actor=by.user, course=draft.course)


def visit(draft: Draft, path: str, *, by: Membership) -> list[Visit]:
    """Note that somebody has the draft open at a file. Returns the others who have it open."""
    rights.require(by, Right.SET_UP, draft.course)
    now = timezone.now()
    Visit.objects.update_or_create(draft=draft, user=by.user, defaults={"path": path[:200], "seen_at": now})
    others = draft.visits.filter(seen_at__gt=now - PRESENT).exclude(user=by.user)
    return list(others.select_related("user").order_by("-seen_at"))


def texts_of(draft: Draft) -> dict[str, str]:
    return dict(draft.files.order_by("path").values_list("path", "text"))


@contextmanager
def laid_out(draft: Draft) -> Iterator[Path]:
    """The files of a draft as the folder of an exercise."""
    settings.CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="draft-", dir=settings.CACHE) as scratch:
        folder = Path(scratch) / draft.slug
        for path, text in texts_of(draft).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, "utf-8")
        yield folder


def _locked(draft: Draft) -> Draft:
    """The draft, locked until the end of the transaction."""
    row = Draft.objects.select_for_update().get(pk=draft.pk)
    if row.removed_at is not None:
        raise Refused("This draft was removed. Restore it in the list of drafts first.")
    return row


def _file(draft: Draft, path: str) -> DraftFile | None:
    return draft.files.select_related("changed_by").filter(path=path).first()


def _paths(draft: Draft) -> list[str]:
    return list(draft.files.values_list("path", flat=True))


def _removable(draft: Draft, path: str) -> DraftFile:
    file = _file(draft, path)
    if file is None:
        raise Refused(f"There is no file {path}. It may have been removed or renamed meanwhile.")
    if path in paths.REQUIRED:
        raise Refused(f"Every exercise has a file {path}.")
    return file


def _refuse_overtaken(file: DraftFile, edition: int) -> None:
    if file.edition != edition:
        name = file.changed_by.display_name if file.changed_by else "Somebody"
        raise Conflict(f"{name} has changed {file.path} since you opened it.", file)


def _refuse_large(draft: Draft, path: str, text: str) -> None:
    if len(text) > paths.MAX_FILE:
        raise Refused(f"{path} is too long: at most {paths.MAX_FILE:,} characters.")
    rest = draft.files.exclude(path=path).aggregate(characters=Sum(Length("text")))["characters"] or 0
    if len(text) + rest > paths.MAX_ALL:
        raise Refused(f"The files of a draft can have {paths.MAX_ALL:,} characters together.")


def _changed(draft: Draft, file: DraftFile, text: str, by: Acting) -> DraftFile:
    file.edition = _next_edition(draft, by)
    file.text, file.changed_by, file.changed_at = text, by.user, draft.changed_at
    file.save()
    return file


def _next_edition(draft: Draft, by: Acting) -> int:
    draft.edition += 1
    draft.changed_at, draft.changed_by = timezone.now(), by.user
    draft.save(update_fields=("edition", "changed_at", "changed_by"))
    _want_proof(draft)
    return draft.edition


def _want_proof(draft: Draft) -> None:
    """The edition is proved as soon as a worker has nothing more urgent to do."""
    wanted = {"wanted": draft.edition, "wanted_at": timezone.now(), "tries": 0}
    DraftProof.objects.update_or_create(draft=draft, defaults=wanted)
    transaction.on_commit(doorbell.ring_for_proofs)
