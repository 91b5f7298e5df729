"""The current state of a submission and, once graded, its outcome: the data of the result page and its live part."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import msgspec
from django.utils import timezone

from autograder.courses.models import Role, ShowHidden
from autograder.courses.people.check_visibility import CheckVisibility, check_visibility_of, hidden_shown_from
from autograder.courses.people.extensions import StudentTerms, terms_of
from autograder.gradebook.grades.late_credit import Credit, credits_of
from autograder.gradebook.grades.manual_points import Rubric, rubric_of
from autograder.gradebook.grades.scores import Score
from autograder.judge.report import Report
from autograder.library.pages import page_of
from autograder.library.statements import headings_of
from autograder.observability.parts import Parts
from autograder.submissions.handing_in.file_sets import own_files
from autograder.submissions.handing_in.numbering import number_of
from autograder.submissions.messages.event_stream import EXPLANATION_SECONDS, state_of_grading
from autograder.submissions.models import UNREADABLE, Grading, Kind, Submission, Work
from autograder.submissions.selectors import place_of
from autograder.trace.model import Trace
from autograder.web import timestamps
from autograder.web.access import ViewedSubmission
from autograder.web.results import outcome as words
from autograder.web.results.changes_since import ChangesSince, changes_since
from autograder.web.results.explanation import Explanation
from autograder.web.results.outcome import Outcome, ResultContext, VerdictSummary, outcome_of
from autograder.web.results.regrade_requests import RequestWithEffect, requests_on
from autograder.web.results.visible import Visible, visible

State = Work.State
EXPLAINED_WITHIN = timedelta(seconds=EXPLANATION_SECONDS)


@dataclass(frozen=True)
class SubmissionStatus:
    """`outcome` is None before the verdict, `live` is true while more is expected, and `state` is the latest event of the
    event stream at the time of reading, see `event_stream.state_of`.
    """

    submission: Submission
    number: int | None
    summary: VerdictSummary
    live: bool
    outcome: Outcome | None = None
    seen: Visible | None = None
    done: tuple[tuple[str, bool], ...] = ()  # public checks finished so far, of a long grading
    state: str = ""
    may_request: bool = False  # viewed by the student, as a submission that counts and has not all points
    changes_since: ChangesSince | None = None
    rubric: Rubric | None = None  # if the assignment has criteria
    requests: tuple[RequestWithEffect, ...] = ()  # set for the student only

    @property
    def can_request_regrade(self) -> bool:
        """Whether the student can request a regrade. It does not depend on the results of hidden checks."""
        return self.may_request and not any(shown.request.is_open for shown in self.requests)

    @property
    def explaining(self) -> str:
        """What to say while nobody knows yet why a check failed that the viewer may see."""
        seen = self.seen.report.checks if self.seen is not None else ()
        waits = self.state == "graded" and any(check.failed for check in seen)
        return (words.EXPLAINING if self.live else words.EXPLAINED_LATER) if waits else ""

    @property
    def verdict(self) -> str:
        """For scripts that read the result from the page: `queued`, `running`, `superseded`, or the verdict."""
        if self.seen is not None:
            return self.seen.report.verdict
        return self.state or "queued"

    @property
    def source(self) -> str:
        """The graded code as the editor holds it: without files from earlier exercises."""
        files = page_of(self.submission.assignment.exercise_version).files
        return own_files(bytes(self.submission.source), files).decode("utf-8", "replace")


def status_of(
    viewed: ViewedSubmission, now: datetime | None = None, scores: Mapping[int, Score] | None = None
) -> SubmissionStatus:
    """Return the status of a submission. Pass the student's `scores` if they were already loaded."""
    now = now or timezone.now()
    submission, number = viewed.submission, number_of(viewed.submission)
    grading = Grading.objects.filter(submission=submission, current=True).first()
    if grading is not None:
        return _graded(viewed, grading, number, now, scores)
    work = Work.objects.get(submission=submission, batch=None)
    if work.state == State.FAILED:
        return SubmissionStatus(submission, number, words.internal(submission.kind, number), live=False, state="internal")
    if work.state == State.SUPERSEDED:
        return SubmissionStatus(submission, number, words.replaced(_newer(submission)), live=False, state="superseded")
    if work.state == State.RUNNING:
        done = finished_checks(viewed)
        listed = page_of(submission.assignment.exercise_version)
        total = len(listed.public if submission.kind == Kind.RUN else listed.checks)
        summary = words.running(len(done), total, submission.submitted_at)
        return SubmissionStatus(submission, number, summary, live=True, done=done, state="running")
    place = place_of(work)
    return SubmissionStatus(
        submission, number, words.waiting(place.before, place.seconds, submission.submitted_at), live=True
    )


def finished_checks(viewed: ViewedSubmission) -> tuple[tuple[str, bool], ...]:
    """The public checks finished so far. Hidden checks are not reported before the end."""
    events = viewed.submission.events.filter(name="check").order_by("id").values_list("data", flat=True)
    return tuple((str(data["title"]), bool(data["passed"])) for data in events if not data["hidden"])


def visible_to(viewed: ViewedSubmission, grading: Grading, terms: StudentTerms, now: datetime) -> Visible:
    """Apply the viewer's permissions to a stored grading. Every page must use this function."""
    report, parts = msgspec.convert(grading.report, Report), Parts()
    explanations = parts.make("The diagnosis", lambda: msgspec.convert(grading.diagnosis, tuple[Explanation, ...])) or ()
    traces = parts.make("The backward pass", lambda: msgspec.convert(grading.traces, tuple[Trace, ...])) or ()
    sight = check_visibility_of(viewed.submission.assignment, terms, staff=viewed.staff, now=now)
    if _holds(sight, viewed.submission) and state_of_grading(grading, held=True) == "graded":
        explanations, traces = (), ()
    seen = visible(report, explanations, traces, sight, explain_hidden=viewed.submission.assignment.explain_hidden)
    return replace(seen, lost=tuple(parts.lost))


def is_held(viewed: ViewedSubmission) -> bool:
    """Whether the viewer may not know how hidden checks ended, nor learn it from when something appears."""
    assignment = viewed.submission.assignment
    terms = terms_of(assignment, viewed.submission.membership)
    return _holds(check_visibility_of(assignment, terms, staff=viewed.staff, now=timezone.now()), viewed.submission)


def _holds(sight: CheckVisibility, submission: Submission) -> bool:
    return not sight.counts and submission.kind != Kind.RUN


def _graded(
    viewed: ViewedSubmission, grading: Grading, number: int | None, now: datetime, scores: Mapping[int, Score] | None
) -> SubmissionStatus:
    submission, assignment = viewed.submission, viewed.submission.assignment
    terms = terms_of(assignment, submission.membership)
    seen = visible_to(viewed, grading, terms, now)
    page = page_of(assignment.exercise_version)
    credit = credits_of([submission], submission.membership, {assignment.pk: terms}, scores)[submission.pk]
    rubric = None if grading.verdict in ("internal", UNREADABLE) else rubric_of(submission)
    state = state_of_grading(grading, held=_holds(seen.sight, submission))
    context = ResultContext(
        kind=submission.kind,
        number=number,
        submitted_at=submission.submitted_at,
        points=float(assignment.points),
        late=_late(submission, terms, credit),
        remaining=credit.remaining,
        shown_from=hidden_shown_from(assignment, terms),
        never=assignment.show_hidden == ShowHidden.NEVER,
        explain_hidden=assignment.explain_hidden,
        explained=state == "explained",
        exercise_kind=assignment.exercise_version.kind,
        headings=headings_of(page.statement),
        hidden=len(page.hidden),
        by_hand=rubric.by_hand if rubric else None,
    )
    found = outcome_of(seen, context)
    live = state == "graded" and now - grading.graded_at < EXPLAINED_WITHIN
    parts = Parts()
    changed = parts.make(
        "What changed since an earlier submission",
        lambda: changes_since(submission, seen, lambda older, grade: _seen_by(viewed, older, grade, terms, now), number_of),
    )
    found = replace(found, lost=(*found.lost, *parts.lost))
    own = submission.kind == Kind.SUBMIT and viewed.viewer.role == Role.STUDENT
    requests = requests_on(submission, knows_points=seen.sight.counts) if own else ()
    full = seen.sight.counts and seen.report.verdict == "passed" and credit.remaining >= 1 and rubric is None
    may_request = own and not full and grading.verdict != UNREADABLE
    return SubmissionStatus(
        submission,
        number,
        found.summary,
        live,
        found,
        seen,
        state=state,
        changes_since=changed,
        requests=requests,
        may_request=may_request,
        rubric=rubric,
    )


def _seen_by(viewed: ViewedSubmission, older: Submission, grading: Grading, terms: StudentTerms, now: datetime) -> Visible:
    """Another submission of the same student, with the permissions of the current viewer."""
    older.assignment = viewed.submission.assignment
    return visible_to(ViewedSubmission(older, viewed.viewer), grading, terms, now)


def _late(submission: Submission, terms: StudentTerms, credit: Credit) -> str:
    if submission.kind != Kind.SUBMIT or terms.due_at is None:
        return ""
    words = credit.words(timestamps.span(submission.submitted_at - terms.due_at))
    return f"{words[0].upper()}{words[1:]}." if words else "On time."


def _newer(submission: Submission) -> int | None:
    newer = Submission.objects.filter(
        assignment_id=submission.assignment_id, membership_id=submission.membership_id, kind=submission.kind
    )
    found = newer.filter(pk__gt=submission.pk).order_by("pk").first()
    return None if found is None else number_of(found)
