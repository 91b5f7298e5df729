"""Comments of staff on a submission or on one of its lines, which the student reads next to the result.

A comment is Markdown, see `library.short_markdown`. A removed comment is hidden, but stays in the database.
"""

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from autograder.courses import audit, rights
from autograder.courses.errors import Refused
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.judge.text import neutralise
from autograder.submissions.models import Comment, Submission

MAX_TEXT = 4000
MAX_PER_SUBMISSION = 200  # per submission


def comments_on(submission: Submission) -> QuerySet[Comment]:
    """Return the visible comments in the order in which they were written."""
    return Comment.objects.filter(submission=submission, removed_at=None).select_related("author").order_by("id")


def comment_add(*, submission: Submission, by: Membership, text: str, line: int | None = None) -> Comment:
    """Add a comment to a line of the file, counted from 1, or to the whole submission."""
    rights.require(by, Right.COMMENT, submission.membership)
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise Refused("Enter a comment.")
    if len(text) > MAX_TEXT:
        raise Refused(f"The comment has {len(text):,} characters; the limit is {MAX_TEXT:,}.")
    if line is not None and not 1 <= line <= lines_of(submission):
        raise Refused(f"The file has no line {line}; it has {lines_of(submission)} lines.")
    with transaction.atomic():
        Submission.objects.select_for_update().only("pk").get(pk=submission.pk)
        if comments_on(submission).count() >= MAX_PER_SUBMISSION:
            raise Refused(f"This submission already has {MAX_PER_SUBMISSION} comments, which is the limit.")
        made = Comment.objects.create(submission=submission, line=line, text=neutralise(text, 2 * MAX_TEXT), author=by.user)
        audit.record("comment-made", submission, actor=by.user, course=by.course, comment=made.pk, line=line)
    return made


def comment_remove(*, comment: Comment, by: Membership) -> None:
    """Remove a comment. Staff may remove their own comments; with the right to set up the course, any comment."""
    rights.require(by, Right.COMMENT, comment.submission.membership)
    if comment.author_id != by.user_id:
        rights.require(by, Right.SET_UP, comment.submission.membership)
    with transaction.atomic():
        if not Comment.objects.filter(pk=comment.pk, removed_at=None).update(removed_at=timezone.now()):
            raise Refused("This comment was already deleted.")
        audit.record(
            "comment-removed", comment.submission, actor=by.user, course=by.course, comment=comment.pk, line=comment.line
        )


def lines_of(submission: Submission) -> int:
    return len(text_lines(submission))


def text_lines(submission: Submission) -> list[str]:
    """Split the file into lines as an editor counts them: the final newline does not start another line."""
    text = bytes(submission.source).decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n").split("\n")
