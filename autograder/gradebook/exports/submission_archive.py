"""Exports all submissions of an assignment as a zip file with a manifest.

The zip is streamed: files are read a few at a time and sent on, so that memory usage does not depend on the size of the
course. `scores` determines which submission counts.
"""

import io
import re
import unicodedata
import zipfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from django.db.models import OuterRef, Q, QuerySet, Subquery

from autograder.courses import audit, rights
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Criterion, Membership, Role
from autograder.courses.people.extensions import StudentTerms, terms_of_all
from autograder.courses.rights import Acting, Operator, Right
from autograder.courses.tables.formulas import guarded
from autograder.gradebook.exports.base import csv_bytes
from autograder.gradebook.grades.manual_points import marks_where, share_of, unmarked
from autograder.gradebook.grades.scores import Score, points_for, scores_of
from autograder.judge.files import split
from autograder.library.pages import files_of
from autograder.submissions.handing_in.answers import answers_of, questions_of
from autograder.submissions.handing_in.numbering import numbered
from autograder.submissions.models import Grading, Kind, Submission

MANIFEST = "submissions.csv"
FILES_AT_ONCE = 20
MAX_NAME = 120  # bytes of a folder's name
COLUMNS = (
    "login",
    "name",
    "section",
    "submission",
    "submitted",
    "verdict",
    "points",
    "out of",
    "late by (h:mm)",
    "counts",
    "grade",
    "file",
)
NOT_IN_A_NAME = re.compile(r"[^\w.@+-]")
RESERVED = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
}  # by Windows


class Which(StrEnum):
    """Which submissions of each student are included."""

    COUNTING = "counting"
    LAST = "last"
    ALL = "all"

    @property
    def label(self) -> str:
        return {
            "counting": "The submission that counts for each student",
            "last": "The last submission of each student",
            "all": "All submissions",
        }[self.value]


@dataclass(frozen=True)
class ArchiveEntry:
    """A submission in the archive, without its content."""

    submission: int
    number: int | None
    at: datetime
    whose: Membership
    path: str
    verdict: str
    share: float | None  # of the points; None without a verdict
    late: timedelta
    score: Score  # the student's score in the assignment

    @property
    def counts(self) -> bool:
        return self.score.counted is not None and self.score.counted.submission_id == self.submission


@dataclass(frozen=True)
class SubmissionArchive:
    """The archive. `parts` can be consumed once and reads the files lazily."""

    file_name: str
    students: int
    submissions: int
    parts: Iterator[bytes]


def submissions_download(*, assignment: Assignment, by: Acting, which: Which) -> SubmissionArchive:
    """Return an archive of the submissions of all students whose work this person may see."""
    rights.require(by, Right.SEE, assignment.course)
    students = _students(assignment, by)
    entries = _entries(assignment, students, which)
    if not entries:
        raise Refused(f"There are no submissions of {assignment.title} to download yet.")
    whose = {entry.whose.pk for entry in entries}
    audit.record(
        "submissions-downloaded",
        assignment,
        actor=by.user,
        course=assignment.course,
        which=which.label.lower(),
        students=len(whose),
        submissions=len(entries),
    )
    name = f"{assignment.course.slug}-{assignment.slug}-submissions.zip"
    return SubmissionArchive(name, len(whose), len(entries), _zip(assignment, entries))


def count_of(assignment: Assignment, who: Acting) -> tuple[int, int]:
    """Return the number of students with submissions, and the number of their submissions."""
    found = _handed_in(assignment, [student.pk for student in _students(assignment, who)])
    return found.order_by().values("membership").distinct().count(), found.count()


def _students(assignment: Assignment, who: Acting) -> list[Membership]:
    if isinstance(who, Operator):
        found = assignment.course.memberships.filter(role=Role.STUDENT, removed_at=None)
    else:
        found = rights.students_of(who)
    return list(found.select_related("user", "section", "course").order_by("user__username", "pk"))


def _handed_in(assignment: Assignment, members: Collection[int]) -> QuerySet[Submission]:
    return Submission.objects.filter(assignment=assignment, membership__in=members, kind=Kind.SUBMIT)


# -- entries --------------------------------------------------------------------------------------------------------------


def _entries(assignment: Assignment, students: Sequence[Membership], which: Which) -> list[ArchiveEntry]:
    """Return the entries by student, in the order of submission."""
    scores = scores_of(assignment, students)
    terms = terms_of_all(assignment, students)
    folders = folder_names(students)
    counting = Grading.objects.filter(submission=OuterRef("pk"), current=True)
    rows = _handed_in(assignment, [student.pk for student in students]).annotate(
        verdict=Subquery(counting.values("verdict")[:1]),
        score=Subquery(counting.values("score")[:1]),
        most=Subquery(counting.values("max_score")[:1]),
    )
    hand = marks_where([assignment], Q(marking__submission__membership__in=list(folders)))
    nothing = unmarked(assignment)
    ending = ".py" if files_of(assignment.exercise_version.pk) is None else ""  # several files have a folder of their own
    numbers = numbered(_handed_in(assignment, [student.pk for student in students]))
    by_student: dict[int, list[ArchiveEntry]] = {student.pk: [] for student in students}
    known = {student.pk: student for student in students}
    columns = ("pk", "membership_id", "submitted_at", "verdict", "score", "most")
    for pk, member, at, verdict, score, most in rows.order_by("submitted_at", "pk").values_list(*columns):
        checks = None if score is None else score / most if most else 0.0
        share = None if checks is None else share_of(checks, hand.get(pk, nothing), assignment.points)
        number = numbers.get(pk)
        name = f"submission-{number}" if number else f"unreadable-{pk}"
        path = f"{folders[member]}/{at.astimezone(UTC):%Y-%m-%dT%H-%M-%SZ}_{name}{ending}"
        late = _late(terms[member], at)
        by_student[member].append(
            ArchiveEntry(pk, number, at, known[member], path, verdict or "", share, late, scores[member])
        )
    return [entry for entries in by_student.values() for entry in _chosen(entries, which)]


def _chosen(entries: Sequence[ArchiveEntry], which: Which) -> Sequence[ArchiveEntry]:
    match which:
        case Which.ALL:
            return entries
        case Which.LAST:
            return entries[-1:]
        case Which.COUNTING:
            return [entry for entry in entries if entry.counts]


def _late(terms: StudentTerms, at: datetime) -> timedelta:
    return timedelta(0) if terms.due_at is None else max(timedelta(0), at - terms.due_at)


def folder_names(students: Sequence[Membership]) -> dict[int, str]:
    """Return a safe and unique folder name for each student: no two differ only in case, and none is a path or a reserved name."""
    taken = {MANIFEST}
    names = {}
    for student in students:
        safe = _safe(student.user.username)
        name, number = safe, 2
        while _key(name) in taken:
            name, number = f"{safe}~{number}", number + 1
        taken.add(_key(name))
        names[student.pk] = name
    return names


def _safe(login: str) -> str:
    name = NOT_IN_A_NAME.sub("_", unicodedata.normalize("NFC", login))
    name = name.encode()[:MAX_NAME].decode(errors="ignore")
    if name.startswith("."):
        name = f"_{name[1:]}"
    if name.endswith("."):
        name = f"{name[:-1]}_"
    if name.partition(".")[0].lower() in RESERVED:
        name = f"_{name}"
    return name or "_"


def _key(name: str) -> str:
    """Return a key that is equal for names that some file systems treat as the same."""
    return unicodedata.normalize("NFKC", name).casefold()


# -- the zip --------------------------------------------------------------------------------------------------------------


class Sink(io.RawIOBase):
    """A stream that collects written data until it is taken."""

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        copied = bytes(data)  # type: ignore[call-overload]
        self._written.append(copied)
        return len(copied)

    def taken(self) -> bytes:
        data, self._written = b"".join(self._written), []
        return data


def _zip(assignment: Assignment, entries: Sequence[ArchiveEntry]) -> Iterator[bytes]:
    sink = Sink()
    zone = ZoneInfo(assignment.course.time_zone)
    questions = questions_of(assignment)
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        manifest = csv_bytes([COLUMNS, *(_row(entry, assignment, zone) for entry in entries)], mark=True)
        archive.writestr(_member(MANIFEST, max(entry.at for entry in entries)), manifest)
        yield sink.taken()
        for first in range(0, len(entries), FILES_AT_ONCE):
            some = entries[first : first + FILES_AT_ONCE]
            wanted = Submission.objects.filter(pk__in=[entry.submission for entry in some])
            found = {submission.pk: submission for submission in wanted}
            for entry in some:
                if entry.submission in found:  # skip submissions deleted since the list was created
                    submission = found[entry.submission]
                    files = (*_files(entry.path, bytes(submission.source)), *_answers(entry.path, submission, questions))
                    for path, content in files:
                        archive.writestr(_member(path, entry.at), content)
            yield sink.taken()
    yield sink.taken()


def _files(path: str, source: bytes) -> Iterator[tuple[str, bytes]]:
    files = {} if path.endswith(".py") else split(source)
    yield from ((f"{path}/{name}", content) for name, content in files.items())
    if not files:
        yield path, source


def _answers(path: str, submission: Submission, questions: Sequence[Criterion]) -> Iterator[tuple[str, bytes]]:
    """The answers beside the code, numbered like the questions."""
    answers = answers_of(submission) if questions else {}
    for number, question in enumerate(questions, 1):
        answer = answers.get(question.pk)
        if answer is not None and answer.says_something:
            content, ending = (answer.text.encode(), "txt") if answer.pdf is None else (bytes(answer.pdf), "pdf")
            yield f"{path.removesuffix('.py')}_answers/question-{number}.{ending}", content


def _member(path: str, at: datetime) -> zipfile.ZipInfo:
    found = zipfile.ZipInfo(path, at.astimezone(UTC).timetuple()[:6])
    found.compress_type = zipfile.ZIP_DEFLATED
    found.external_attr = 0o600 << 16  # personal data: readable by the owner only, even when unpacked
    return found


def _row(entry: ArchiveEntry, assignment: Assignment, zone: ZoneInfo) -> list[str]:
    whose = entry.whose
    cells = [
        whose.user.username,
        whose.user.get_full_name(),
        whose.section.name if whose.section else "",
        str(entry.number or ""),
        entry.at.astimezone(zone).isoformat(timespec="seconds"),
        entry.verdict or "not graded",
        "" if entry.share is None else str(points_for(entry.share, assignment.points)),
        str(points_for(1.0, assignment.points)),
        _hours(entry.late),
        "yes" if entry.counts else "no",
        _decided(entry.score),
        entry.path,
    ]
    return [guarded(cell) for cell in cells]


def _hours(late: timedelta) -> str:
    minutes = int(late.total_seconds()) // 60
    return f"{minutes // 60}:{minutes % 60:02}" if late else ""


def _decided(score: Score) -> str:
    """Return how the grade was decided. With a decision of staff, it does not follow from the submission that counts."""
    if score.excuse is not None:
        return "excused"
    return "set by hand" if score.override is not None else "computed"
