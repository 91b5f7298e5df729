"""A submission's file, line by line, with what staff wrote to its lines. Whoever sees the submission sees the comments."""

from collections import defaultdict
from dataclasses import dataclass

from django.utils.safestring import SafeString

from autograder.judge.text import neutralise
from autograder.submissions.comments import comments_on, text_lines
from autograder.submissions.models import Comment, Submission
from autograder.web.templatetags.gradus import python_lines


@dataclass(frozen=True)
class Line:
    number: int
    html: SafeString
    comments: tuple[Comment, ...]
    here: bool  # the one that the address names


@dataclass(frozen=True)
class Listing:
    submission: Submission
    lines: tuple[Line, ...]
    comments: tuple[Comment, ...]
    here: int | None


def listing_of(submission: Submission, here: int | None = None) -> Listing:
    comments = tuple(comments_on(submission))
    at: dict[int, list[Comment]] = defaultdict(list)
    for comment in comments:
        if comment.line is not None:
            at[comment.line].append(comment)
    text = "\n".join(text_lines(submission))
    coloured = python_lines(neutralise(text, 10 * len(text)))  # no letter turns the reading direction or hides another
    lines = tuple(Line(n, html, tuple(at[n]), n == here) for n, html in enumerate(coloured, 1))
    return Listing(submission, lines, comments, here if here in range(1, len(lines) + 1) else None)
