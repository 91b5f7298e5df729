"""News on the course home: recent changes by others to a student's work, and assignments that opened."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Max
from django.utils import timezone

from autograder.courses.models import Extension, Membership
from autograder.gradebook.models import Marking, Override, RegradeRequest
from autograder.judge.files import place_of
from autograder.submissions.models import Comment, Grading
from autograder.web import timestamps
from autograder.web.student.assignment_progress import CourseStep

NEW = timedelta(days=7)


@dataclass(frozen=True)
class NewsItem:
    at: datetime
    title: str
    words: str
    slug: str  # empty if there is no exercise to open
    submission: int | None = None  # the submission to open
    anchor: str = "comments"  # the anchor on its page


def news_of(membership: Membership, steps: Sequence[CourseStep]) -> list[NewsItem]:
    """Recent changes by others to the member's work, and assignments that opened."""
    since, now = timezone.now() - NEW, timezone.now()
    by_id = {step.assignment.pk: step for step in steps}
    found = []
    regraded = Grading.objects.filter(
        current=True, why=Grading.Why.REGRADE, graded_at__gt=since, submission__membership=membership
    )
    for assignment_id, at in regraded.values_list("submission__assignment_id").annotate(Max("graded_at")).order_by():
        if assignment_id in by_id:
            found.append(_news(by_id[assignment_id], at, "was graded again."))
    for override in Override.objects.filter(membership=membership, made_at__gt=since, undone_at=None):
        if override.assignment_id in by_id:
            words = f"has a score set by your instructor: {override.reason}"
            found.append(_news(by_id[override.assignment_id], override.made_at, words))
    for step in steps:
        excuse = step.score.excuse
        if excuse is not None and excuse.made_at > since:
            found.append(_news(step, excuse.made_at, f"does not count toward your total; you are excused: {excuse.reason}"))
    for extension in Extension.objects.filter(membership=membership, granted_at__gt=since):
        if extension.assignment_id in by_id:
            found.append(_news(by_id[extension.assignment_id], extension.granted_at, _granted(extension)))
    found += _comments(membership, since, by_id)
    found += _answers(membership, since, by_id)
    found += _marked(membership, since, steps)
    for step in steps:
        if step.terms.opens_at and since < step.terms.opens_at <= now:
            found.append(_news(step, step.terms.opens_at, "is open."))
    return sorted(found, key=lambda news: news.at, reverse=True)[:6]


def _comments(membership: Membership, since: datetime, by_id: dict[int, CourseStep]) -> list[NewsItem]:
    """The latest comment on each submission, and the number of new ones."""
    written = Comment.objects.filter(submission__membership=membership, made_at__gt=since, removed_at=None)
    latest: dict[int, Comment] = {}
    counts: Counter[int] = Counter()
    for comment in written.select_related("author", "submission").defer("submission__source", "text").order_by("id"):
        latest[comment.submission_id] = comment
        counts[comment.submission_id] += 1
    found = []
    for number, comment in latest.items():
        step = by_id.get(comment.submission.assignment_id)
        if step is not None:
            by = comment.author.display_name
            where = "" if comment.line is None else f" on {place_of(bytes(comment.submission.source), comment.line)}"
            several = f"has {counts[number]} new comments, the latest by {by}{where}."
            words = f"has a comment by {by}{where}." if counts[number] == 1 else several
            found.append(NewsItem(comment.made_at, step.assignment.title, words, step.assignment.slug, number))
    return found


def _answers(membership: Membership, since: datetime, by_id: dict[int, CourseStep]) -> list[NewsItem]:
    """Answers to regrade requests, except for exercises that were removed since."""
    answered = RegradeRequest.objects.filter(submission__membership=membership, ended_at__gt=since)
    answered = answered.exclude(answered_by=None).select_related("answered_by", "submission").defer("submission__source")
    found = []
    for request in answered:
        step = by_id.get(request.submission.assignment_id)
        if step is not None and request.ended_at and request.answered_by:
            by = request.answered_by.display_name
            words = f"has an answer to your regrade request, by {by}: {request.get_state_display().lower()}."
            at = (request.ended_at, step.assignment.title, words, step.assignment.slug, request.submission_id)
            found.append(NewsItem(*at, anchor="requests"))
    return found


def _marked(membership: Membership, since: datetime, steps: Sequence[CourseStep]) -> list[NewsItem]:
    """Submissions that got manual points."""
    by_id = {step.assignment.pk: step for step in steps if step.assignment.points_by_hand}
    if not by_id:
        return []
    made = Marking.objects.filter(replaced_at=None, made_at__gt=since, submission__membership=membership)
    rows = made.filter(submission__assignment__in=list(by_id)).values_list(
        "submission__assignment_id", "submission_id", "made_at"
    )
    return [
        NewsItem(at, step.assignment.title, "has new points given by hand.", step.assignment.slug, number, anchor="marks")
        for assignment, number, at in rows
        for step in [by_id[assignment]]
    ]


def _granted(extension: Extension) -> str:
    if extension.due_at is not None:
        return f"is now due {timestamps.date_and_time(extension.due_at)} for you: you have an extension."
    if extension.closes_at is not None:
        return f"stays open for you until {timestamps.date_and_time(extension.closes_at)}."
    more = extension.extra_attempts
    return "allows you one more submission." if more == 1 else f"allows you {more} more submissions."


def _news(step: CourseStep, at: datetime, words: str) -> NewsItem:
    return NewsItem(at, step.assignment.title, words, "" if step.outside else step.assignment.slug)
