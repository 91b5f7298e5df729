"""A submission's source with the comments of staff by line. Everyone who may see the submission sees the comments."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import conditional_escape
from django.utils.safestring import SafeString

from autograder.judge.files import Place, places_of
from autograder.submissions.comments import comments_on
from autograder.submissions.models import Comment, Submission
from autograder.web.results.shown_file import ShownFile, shown_file
from autograder.web.templatetags.gradus import python_lines

MAX_COLOURED = 10_000  # characters; highlighting takes up to 8 microseconds for each


@dataclass(frozen=True)
class SourceLine:
    """A line of the whole text. Of several files, `place` names the file and counts in it; `heading` begins a file."""

    number: int
    html: SafeString
    comments: tuple[Comment, ...]
    here: bool  # the line that the URL points to
    place: Place

    @property
    def heading(self) -> str:
        return self.place.path if self.place.line == 0 else ""


@dataclass(frozen=True)
class SourceListing:
    submission: Submission
    file: ShownFile
    lines: tuple[SourceLine, ...]
    comments: tuple[Comment, ...]
    here: int | None

    @property
    def comments_below(self) -> tuple[Comment, ...]:
        """Comments on the whole file, or on lines of a long file that are not shown."""
        return tuple(comment for comment in self.comments if comment.line is None or comment.line > len(self.lines))


def listing_of(submission: Submission, here: int | None = None, comments: Sequence[Comment] | None = None) -> SourceListing:
    """Return the listing. Pass `comments` if they were already loaded."""
    comments = tuple(comments_on(submission)) if comments is None else tuple(comments)
    at: dict[int, list[Comment]] = defaultdict(list)
    for comment in comments:
        if comment.line is not None:
            at[comment.line].append(comment)
    file = shown_file(bytes(submission.source))
    place = places_of(bytes(submission.source))
    lines = tuple(SourceLine(n, html, tuple(at[n]), n == here, place(n)) for n, html in enumerate(_html_of(file), 1))
    return SourceListing(submission, file, lines, comments, here if here in range(1, len(lines) + 1) else None)


def _html_of(file: ShownFile) -> Sequence[SafeString]:
    text = "\n".join(file.lines)
    return [conditional_escape(line) for line in file.lines] if len(text) > MAX_COLOURED else python_lines(text)
