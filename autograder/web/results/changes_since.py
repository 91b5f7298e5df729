"""Changes since an earlier submission or run: the changed lines, and the checks that failed then and pass now."""

from collections.abc import Callable
from dataclasses import dataclass

from autograder.submissions.handing_in.numbering import name_of
from autograder.submissions.models import UNREADABLE, Grading, Submission
from autograder.web.results.diff import Diff, DiffLine, diff_of
from autograder.web.results.visible import Visible

FEW = 4  # maximum number of changed lines to list one by one


@dataclass(frozen=True)
class ChangesSince:
    """`older` is the latest earlier graded submission or run with a different text. `fixed` holds titles of checks."""

    older: Submission
    number: int | None
    diff: Diff
    fixed: tuple[str, ...]

    @property
    def name(self) -> str:
        return name_of(self.older, self.number)

    @property
    def changed(self) -> tuple[DiffLine, ...]:
        """Added lines of code, without blank lines and comments."""
        return tuple(line for line in self.diff.lines if line.sign == "+" and _is_code(line))

    @property
    def removed(self) -> tuple[DiffLine, ...]:
        return tuple(line for line in self.diff.lines if line.sign == "−" and _is_code(line))

    @property
    def fixing(self) -> DiffLine | None:
        """The changed line, if there is only one."""
        return self.changed[0] if len(self.changed) == 1 and len(self.removed) <= 1 else None

    @property
    def named(self) -> tuple[DiffLine, ...]:
        return self.changed if len(self.changed) <= FEW else ()


def changes_since(
    submission: Submission,
    seen: Visible,
    see: Callable[[Submission, Grading], Visible],
    number_of: Callable[[Submission], int | None],
) -> ChangesSince | None:
    """Compare with an earlier grading. `see` applies the viewer's permissions to it, so nothing hidden is compared."""
    earlier = Submission.objects.filter(assignment=submission.assignment_id, membership=submission.membership_id)
    graded = earlier.filter(pk__lt=submission.pk, gradings__current=True).exclude(source=submission.source)
    graded = graded.exclude(gradings__verdict=UNREADABLE)
    older = graded.order_by("-pk").first()
    if older is None:
        return None
    before = see(older, Grading.objects.get(submission=older, current=True))
    diff = diff_of(bytes(older.source), bytes(submission.source))
    if not diff.lines and not diff.refused:  # only line endings differ
        return None
    failed = {check.id for check in before.report.checks if check.failed}
    fixed = tuple(check.title for check in seen.report.checks if check.passed and check.id in failed)
    return ChangesSince(older, number_of(older), diff, fixed)


def _is_code(line: DiffLine) -> bool:
    text = line.text.strip()
    return bool(text) and not text.startswith("#")
