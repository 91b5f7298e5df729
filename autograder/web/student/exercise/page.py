"""The exercise page: statement, editor, and the result of the selected submission."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from autograder.courses.models import Assignment, Membership
from autograder.courses.selectors import is_staff_of
from autograder.gradebook.grades.frozen import frozen_since
from autograder.gradebook.grades.scores import Score
from autograder.judge.files import FileSet
from autograder.library import units as unit_pages
from autograder.library.pages import Page, page_of
from autograder.submissions.comments import comments_on
from autograder.submissions.handing_in import run_limit
from autograder.submissions.handing_in.answers import MAX_TEXT, parts_of
from autograder.submissions.handing_in.attempts import Allowance, allowance_of
from autograder.submissions.handing_in.drafts import MAX_SOURCE_BYTES, draft_of
from autograder.web import timestamps
from autograder.web.access import (
    SignedIn,
    ViewedSubmission,
    assignment_in,
    members_only,
    number_in,
    submission_for,
    submissions_for_pages,
)
from autograder.web.results.frozen_grade import frozen_note
from autograder.web.results.scratch import ScratchCell
from autograder.web.results.source_listing import SourceListing, listing_of
from autograder.web.results.status import SubmissionStatus, status_of
from autograder.web.student.assignment_progress import CourseStep, scores_in, steps_of, units_of
from autograder.web.student.exercise.confirmation import Question, late_notice
from autograder.web.student.history.submissions import submission_rows
from autograder.web.student.solutions import may_see_solutions

RECENT = 5


@dataclass(frozen=True)
class EditorContents:
    """The initial content of the editor. `number` is that of the draft, 0 if there is none."""

    source: str
    number: int
    saved: str
    file_name: str
    files: FileSet | None = None

    @property
    def given(self) -> list[tuple[str, str]]:
        """The read-only files, with their text."""
        return [(path, content.decode()) for path, content in self.files.given.items()] if self.files else []


@cache_control(private=True, no_cache=True)  # not `no-store`: the browser could not restore typed text
@members_only
@require_safe
def exercise(request: SignedIn, membership: Membership, assignment: str) -> HttpResponse:
    wanted = assignment_in(membership, assignment)
    return show(request, membership, wanted)


def show(
    request: SignedIn,
    membership: Membership,
    assignment: Assignment,
    *,
    refused: str = "",
    typed: str | None = None,
    question: Question | None = None,
    cell: ScratchCell | None = None,
) -> HttpResponse:
    """Render the page. An error or a question is shown together with the typed code. `cell` is the scratch cell, if it has
    other content than its example.
    """
    allowance = allowance_of(assignment, membership, timezone.now())
    steps = steps_of(membership)
    step = next(step for step in steps if step.assignment.pk == assignment.pk)
    if allowance.not_yet and not is_staff_of(membership):
        context = {"membership": membership, "course": membership.course, "step": step}
        return render(request, "web/student/exercise/not_open_yet.html", context, status=409 if refused else 200)
    chosen = chosen_submission(request, membership, assignment, scores_in(steps))
    page = page_of(assignment.exercise_version)
    editor = editor_contents(membership, assignment, page, typed, _own_status(chosen, membership))
    return render(
        request,
        "web/student/exercise/exercise.html",
        result_context(membership, assignment, steps)
        | {
            "membership": membership,
            "step": step,
            "previous": neighbouring_step(step, steps, -1),
            "following": neighbouring_step(step, steps, 1),
            "unit_page": unit_pages.slugs_of([step.curriculum_unit]).get(step.curriculum_unit),
            "unit": next(unit for unit in units_of(steps) if any(s.assignment.pk == assignment.pk for s in unit.steps)),
            "page": page,
            "editor": editor,
            "cell": cell or ScratchCell(page.calls),
            "status": chosen,
            "listing": _source_with_comments(request, chosen),
            "refused": refused,
            "question": question,
            "here": "course",
            "largest": MAX_SOURCE_BYTES,
            "parts": parts_of(assignment, membership),
            "longest_answer": MAX_TEXT,
            "once": new_submission_key(),
        }
        | limits_context(membership, assignment, allowance, steps),
        status=409 if refused else 200,
    )


def result_context(membership: Membership, assignment: Assignment, steps: Sequence[CourseStep]) -> dict[str, object]:
    """Context for the surroundings of the result: the history, and the next step after this one."""
    step = next(step for step in steps if step.assignment.pk == assignment.pk)
    rows = submission_rows(membership, assignment, step, newest=RECENT + 1)
    return {
        "course": membership.course,
        "assignment": assignment,
        "after": next_step(step, steps),
        "frozen_note": "" if step.held else frozen_note(step.score, assignment),
        "rows": rows[:RECENT],
        "more": max(0, len(rows) - RECENT),
        "solutions": may_see_solutions(membership, assignment, timezone.now()),
    }


def live_context(membership: Membership, assignment: Assignment) -> dict[str, object]:
    """The same context for partial updates, with the buttons, because limits may have changed."""
    allowance = allowance_of(assignment, membership, timezone.now())
    steps = steps_of(membership)
    return result_context(membership, assignment, steps) | limits_context(membership, assignment, allowance, steps)


def limits_context(
    membership: Membership, assignment: Assignment, allowance: Allowance, steps: Sequence[CourseStep] | None = None
) -> dict[str, object]:
    """Dates and limits for the head of the page and the buttons."""
    return {
        "allowance": allowance,
        "late_notice": late_notice(membership, assignment, allowance, None if steps is None else scores_in(steps)),
        "marked_by_hand": assignment if assignment.points_by_hand else None,
        "frozen": frozen_since(membership.course_id) is not None if steps is None else any(s.score.fixed for s in steps),
        "runs_a_minute": run_limit.RUNS,
        "zone": timestamps.zone_name(timezone.get_current_timezone()),
    }


def editor_contents(
    membership: Membership, assignment: Assignment, page: Page, typed: str | None, latest: SubmissionStatus | None
) -> EditorContents:
    """The initial code: the draft, else the selected submission if it is the student's own, else the starter."""
    draft = draft_of(assignment, membership)
    if draft is not None:
        source, number, saved = draft.source, draft.number, f"Draft saved {timezone.localtime(draft.saved_at):%H:%M}"
    elif latest is not None:
        source, number, saved = latest.source, 0, "Your last submission"
    else:
        source, number, saved = page.starter, 0, "Starter code, unchanged"
    file_name = assignment.slug if page.files else page.file_of(assignment.slug)
    return EditorContents(source if typed is None else typed, number, saved, file_name, page.files)


def next_step(step: CourseStep, steps: Sequence[CourseStep]) -> CourseStep | None:
    """The next exercise that can be opened and is not passed."""
    return next((later for later in steps if later.number > step.number and later.linked and not later.finished), None)


def neighbouring_step(step: CourseStep, steps: Sequence[CourseStep], direction: int) -> CourseStep | None:
    """The nearest exercise that can be opened, before (-1) or after (1) this one."""
    ahead = [other for other in steps if other.linked and (other.number - step.number) * direction > 0]
    return min(ahead, key=lambda other: abs(other.number - step.number), default=None)


def new_submission_key() -> str:
    """A token for the next form submission, so that a double click creates only one."""
    return secrets.token_hex(16)


def _source_with_comments(request: SignedIn, chosen: SubmissionStatus | None) -> SourceListing | None:
    """The source with the comments of staff, if there are any. `?line=12` scrolls to that line."""
    comments = () if chosen is None else tuple(comments_on(chosen.submission))
    if chosen is None or not comments:
        return None
    return listing_of(chosen.submission, number_in(request.GET.get("line", "")), comments)


def _own_status(chosen: SubmissionStatus | None, membership: Membership) -> SubmissionStatus | None:
    return chosen if chosen is not None and chosen.submission.membership_id == membership.pk else None


def chosen_submission(
    request: SignedIn, membership: Membership, assignment: Assignment, scores: Mapping[int, Score]
) -> SubmissionStatus | None:
    """Return the submission named in the URL, else the member's latest, for which `scores` are already loaded."""
    named = request.GET.get("s", "")
    if named:
        number = number_in(named)
        if number is None:
            raise Http404("no such submission")
        viewed = submission_for(request.user, number)
        if viewed.submission.assignment_id != assignment.pk:
            raise Http404("a submission of another exercise")
        return status_of(viewed, scores=scores if viewed.submission.membership_id == membership.pk else None)
    own = submissions_for_pages().filter(assignment=assignment, membership=membership)
    latest = own.order_by("-id").first()
    return None if latest is None else status_of(ViewedSubmission(latest, membership), scores=scores)
