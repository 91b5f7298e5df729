"""Imports scores from a file as one change, and undoes it as one. Scores that were changed since the import are kept."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from autograder.courses import audit, rights
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Course, Membership, User
from autograder.courses.rights import Right
from autograder.courses.selectors import owner_of
from autograder.gradebook.decisions.overrides import MAX_REASON
from autograder.gradebook.grades.frozen import refuse_if_frozen
from autograder.gradebook.grades.scores import Score, scores_of_course
from autograder.gradebook.imports.score_file import ScoreFile
from autograder.gradebook.imports.score_preview import CellStatus, ScorePreview, preview_scores
from autograder.gradebook.models import Override, ScoreImport

BATCH_SIZE = 500  # rows per statement
MAX_OWN_REASON = 300  # characters that the instructor may add; the name of the file precedes them


@dataclass(frozen=True)
class Choices:
    """The instructor's decisions about the preview."""

    replace: bool = False  # replace existing points; otherwise keep them
    above: bool = False  # accept points above the maximum of an assignment
    only_good: bool = False  # import the rest even if something cannot be imported
    reason: str = ""


class PreviewChanged(Refused):
    """The course changed since the preview. `lines` are the lines of the file that would now be treated differently."""

    def __init__(self, fresh: ScorePreview, lines: tuple[int, ...]) -> None:
        self.fresh, self.lines = fresh, lines
        shown = ", ".join(map(str, lines[:10])) + (" and others" if len(lines) > 10 else "")
        what = f"line {shown}" if len(lines) == 1 else f"lines {shown}" if lines else "the columns"
        super().__init__(
            f"The course has changed since this preview, which affects {what}. Nothing was imported. Check the preview again."
        )


@dataclass(frozen=True)
class Imported:
    preview: ScorePreview
    score_import: ScoreImport
    stored: int
    kept: int  # existing scores that differ from the file


@dataclass(frozen=True)
class Undone:
    restored: int
    changed_since: int  # and therefore not restored


@dataclass(frozen=True)
class ListedImport:
    """An import, the number of scores it stored, and how many of them are unchanged."""

    score_import: ScoreImport
    stored: int
    standing: int


@dataclass(frozen=True)
class NewScore:
    """The score to store for one student in one assignment."""

    member: Membership
    assignment: Assignment
    points: Decimal
    before: Score


def preview_import(*, course: Course, file: ScoreFile, by: rights.Acting) -> ScorePreview:
    rights.require(by, Right.OVERRIDE, course)
    with transaction.atomic():
        refuse_if_frozen(course, "No scores can be imported now")
        return preview_scores(course, file)


def import_scores(
    *,
    course: Course,
    file: ScoreFile,
    by: rights.Acting,
    choices: Choices,
    seen: Collection[Sequence[str]] | None = None,
) -> Imported:
    """Store the scores as overrides. Concurrent overrides wait, as for a freeze.

    `seen` are the judgements of the preview that the user saw: if they have changed since, `PreviewChanged` is raised and
    nothing is stored.
    """
    rights.require(by, Right.OVERRIDE, course)
    author = by.user or owner_of(course).user
    with transaction.atomic():
        refuse_if_frozen(course, "No scores can be imported now")
        fresh = preview_scores(course, file)
        _refuse_changed(fresh, seen)
        wanted = _wanted(fresh, choices)
        made = ScoreImport.objects.create(course=course, file_name=file.name, author=author)
        reason = _reason(made, course, choices.reason)
        _store(made, wanted, reason, author)
        entry = audit.record(
            "scores-imported",
            course,
            actor=by.user,
            course=course,
            file=file.name,
            scores=len(wanted),
            replaced=sum(new.before.points is not None for new in wanted),
            reason=choices.reason.strip(),
        )
        with audit.parts_of(entry):
            audit.record_all(
                "score-imported",
                ((new.member, new.assignment, _details(new.before.points, new.points, reason)) for new in wanted),
                actor=by.user,
                course=course,
            )
    kept = 0 if choices.replace else fresh.counts[CellStatus.CONFLICT]
    return Imported(fresh, made, len(wanted), kept)


def undo_import(*, score_import: ScoreImport, by: rights.Acting) -> Undone:
    """Undo an import: restore the earlier overrides, or else the computed scores."""
    course = score_import.course
    rights.require(by, Right.OVERRIDE, course)
    author, now = by.user or owner_of(course).user, timezone.now()
    with transaction.atomic():
        refuse_if_frozen(course, "No import can be undone now")
        if not ScoreImport.objects.filter(pk=score_import.pk, undone_at=None).update(undone_at=now, undone_by=author):
            raise Refused("This import has already been undone.")
        scores = list(score_import.scores.select_related("membership__user", "membership__course", "assignment__course"))
        standing = [score for score in scores if score.undone_at is None]
        if not standing:
            raise Refused("Every score from this import has changed since then. There is nothing to undo.")
        _take_back([score.pk for score in standing], author, now)
        for chunk in _chunks(_stood_before(standing)):
            Override.objects.filter(pk__in=chunk).update(undone_at=None, undone_by=None)
        members, assignments = {s.membership_id for s in standing}, {s.assignment for s in standing}
        after = scores_of_course(sorted(assignments, key=lambda assignment: assignment.pk), sorted(members))
        entry = audit.record(
            "scores-import-undone",
            course,
            actor=by.user,
            course=course,
            file=score_import.file_name,
            scores=len(standing),
            changed_since=len(scores) - len(standing),
        )
        with audit.parts_of(entry):
            audit.record_all(
                "score-import-undone",
                (
                    (s.membership, s.assignment, _details(s.points, after[s.membership_id, s.assignment_id].points))
                    for s in standing
                ),
                actor=by.user,
                course=course,
            )
    return Undone(len(standing), len(scores) - len(standing))


def imports_of(course: Course, at_most: int) -> list[ListedImport]:
    """Return the imports, newest first."""
    found = course.score_imports.select_related("author", "undone_by").order_by("-id")
    counted = found.annotate(stored=Count("scores"), standing=Count("scores", filter=Q(scores__undone_at=None)))
    return [ListedImport(score_import, score_import.stored, score_import.standing) for score_import in counted[:at_most]]


# -- internal -------------------------------------------------------------------------------------------------------------


def _refuse_changed(fresh: ScorePreview, seen: Collection[Sequence[str]] | None) -> None:
    if seen is None:
        return
    then, now = [tuple(row) for row in seen], fresh.judgements
    if then == list(now):
        return
    same = len(then) == len(now)
    lines = (
        tuple(row.line for row, before, after in zip(fresh.rows, then, now, strict=True) if before != after) if same else ()
    )
    raise PreviewChanged(fresh, lines)


def _wanted(preview: ScorePreview, choices: Choices) -> list[NewScore]:
    """Return the scores to store with these choices. Refuses if a decision is missing."""
    statuses = (CellStatus.NEW, CellStatus.CONFLICT) if choices.replace else (CellStatus.NEW,)
    cells = preview.cells(*statuses)
    bad = [f"Line {row.line}: {row.words}" for row in preview.bad_rows]
    bad += [f"Line {row.line}, {cell.assignment.title}: {cell.words}." for row, cell in preview.cells(CellStatus.BAD)]
    if not choices.above:
        bad += [
            f"Line {row.line}, {cell.assignment.title}: {cell.said} is more than the assignment is worth."
            for row, cell in cells
            if cell.is_above
        ]
    if bad and not choices.only_good:
        more = (
            f" There are {len(bad) - 1} more problems."
            if len(bad) > 2
            else " There is 1 more problem."
            if len(bad) > 1
            else ""
        )
        raise Refused(f"Nothing was imported. {bad[0]}{more}")
    wanted = [
        NewScore(row.member, cell.assignment, cell.points, cell.score)
        for row, cell in cells
        if row.member is not None and cell.points is not None and (choices.above or not cell.is_above)
    ]
    if not wanted:
        raise Refused("There is nothing to import: no score would change.")
    return wanted


def _reason(made: ScoreImport, course: Course, own: str) -> str:
    if len(own.strip()) > MAX_OWN_REASON:
        raise Refused(f"The reason has {len(own.strip())} characters; the limit is {MAX_OWN_REASON}.")
    day = f"{made.made_at.astimezone(ZoneInfo(course.time_zone)):%d %b %Y}".lstrip("0")
    return f"Imported from {made.file_name} on {day}. {' '.join(own.split())}".strip()[:MAX_REASON]


def _store(made: ScoreImport, wanted: Sequence[NewScore], reason: str, author: User) -> None:
    _take_back([new.before.override.pk for new in wanted if new.before.override], author, made.made_at)
    Override.objects.bulk_create(
        (
            Override(
                assignment=new.assignment,
                membership=new.member,
                points=new.points,
                reason=reason,
                author=author,
                score_import=made,
                replaced=new.before.override,
            )
            for new in wanted
        ),
        batch_size=BATCH_SIZE,
    )


def _take_back(overrides: Sequence[int], by: User, at: datetime) -> None:
    for chunk in _chunks(overrides):
        Override.objects.filter(pk__in=chunk).update(undone_at=at, undone_by=by)


def _stood_before(overrides: Iterable[Override]) -> list[int]:
    """Return the overrides that these ones replaced, skipping those of imports that have been undone in the meantime."""
    found: list[int] = []
    asked = [score.replaced_id for score in overrides if score.replaced_id]
    while asked:
        rows = [
            row for chunk in _chunks(asked) for row in Override.objects.filter(pk__in=chunk).select_related("score_import")
        ]
        back = {row.pk: bool(row.score_import and row.score_import.undone_at) for row in rows}
        found += [row.pk for row in rows if not back[row.pk]]
        asked = [row.replaced_id for row in rows if back[row.pk] and row.replaced_id]
    return found


def _chunks(keys: Sequence[int]) -> Iterable[Sequence[int]]:
    return (keys[n : n + BATCH_SIZE] for n in range(0, len(keys), BATCH_SIZE))


def _details(before: Decimal | None, after: Decimal | None, reason: str = "") -> dict[str, str | None]:
    points = {"before": None if before is None else str(before), "after": None if after is None else str(after)}
    return points | ({"reason": reason} if reason else {})
