"""The content of a result page: a strip with the verdict, and the checks below it, with the most relevant one open."""

import math
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import msgspec

from autograder.courses.people.check_visibility import CheckVisibility
from autograder.courses.policies import ByHand
from autograder.explain import advice
from autograder.explain.misconceptions.numbers import numbers_of
from autograder.judge.report import CheckResult, Detail
from autograder.library.statements import Heading
from autograder.observability.parts import Parts
from autograder.submissions.models import Kind
from autograder.trace.model import Trace
from autograder.web import numbers, timestamps
from autograder.web.results.comparison import Comparison, comparison_of, on_one_line
from autograder.web.results.counts import points_of, when_hidden_run
from autograder.web.results.explanation import Explanation
from autograder.web.results.guidance import Guidance, guidance_of
from autograder.web.results.visible import Visible

RAN_OUT = ("timeout-cpu", "timeout-wall", "memory", "output", "crash", "protocol")
NOT_RUN = {
    "source": "The file has a syntax error, so no checks ran.",
    "exception": "Your code stopped while it was being loaded, so no checks ran.",
    "missing-entry-point": "Your code does not define a name that the checks need, so no checks ran.",
}

EXPLAINING = "Gradus is looking for the mistake behind these results. What it finds appears here."
EXPLAINED_LATER = "Finding the mistake takes longer than usual. Reload the page later to see it."


@dataclass(frozen=True)
class VerdictSummary:
    """The summary of the verdict."""

    state: str
    heading: str
    line: str
    points: str = ""
    of: str = ""

    @property
    def parts(self) -> tuple[str, str, str]:
        """Split the heading into the parts before, with and after its points, which are also shown in large type."""
        before, points, after = self.heading.partition(f"{self.points} {self.of}") if self.points else (self.heading, "", "")
        cut = len(before) - 2 if points else len(before)  # with the comma
        return before[:cut], before[cut:] + points, after


@dataclass(frozen=True)
class ShownCheck:
    """One check on the page. `comparison`, `explanations` and `guidance` are set only if it failed. `lost` has a sentence
    for each part that cannot be shown.
    """

    check: CheckResult
    state: str
    opened: bool = False
    inputs: tuple[tuple[str, str], ...] = ()
    comparison: Comparison | None = None
    explanations: tuple[Explanation, ...] = ()
    trace: Trace | None = None
    guidance: Guidance | None = None
    lost: tuple[str, ...] = ()
    unexplained: str = ""  # what to say of a hidden check that no known mistake explains
    program: str = ""  # the program of several lines after which the check compared
    simpler: bool = False  # the steps are those of a simpler example than the check's own inputs

    @property
    def has_more(self) -> bool:
        below = (self.trace, self.explanations, self.comparison, self.guidance, self.lost, self.unexplained)
        return bool(self.check.message or self.check.stdout or any(below))


@dataclass(frozen=True)
class Outcome:
    summary: VerdictSummary
    public: tuple[ShownCheck, ...]
    hidden: tuple[ShownCheck, ...]
    hidden_note: str
    hidden_explanations: tuple[Explanation, ...]  # explanations that are not attached to a check
    printed: str
    guidance: Guidance | None = None
    said: str = ""  # Python's message about a file that could not be run
    lost: tuple[str, ...] = ()

    @property
    def has_player(self) -> bool:
        return any(shown.trace for shown in (*self.public, *self.hidden))


@dataclass(frozen=True)
class ResultContext:
    """Facts beside the grading that the wording depends on."""

    kind: str
    number: int | None
    submitted_at: datetime
    points: float  # of the assignment
    late: str = ""
    remaining: float = 1.0  # share of the points left after the late deduction
    shown_from: datetime | None = None
    never: bool = False
    explain_hidden: bool = False
    explained: bool = True  # the search for known mistakes has ended
    exercise_kind: str = ""
    headings: tuple[Heading, ...] = ()  # of the statement
    hidden: int = 0  # number of hidden checks of the exercise; a run leaves them out
    by_hand: ByHand | None = None  # points of the submission given by hand, if the assignment has criteria


def outcome_of(visible: Visible, context: ResultContext) -> Outcome:
    summary = _summary(visible, context)
    first = _first_to_open(visible)
    public = tuple(_shown(check, visible, context, check is first) for check in visible.public)
    hidden = tuple(_shown(check, visible, context, check is first) for check in visible.hidden)
    report, parts = visible.report, Parts()
    guidance = parts.make(
        "The advice on where your code stopped",
        lambda: guidance_of(advice.of_report(report, context.exercise_kind), report.stopped, context.headings),
    )
    said = report.message if _not_run(visible) else ""
    return Outcome(
        summary,
        public,
        hidden,
        _hidden_note(visible, context),
        visible.hidden_explanations,
        report.stdout,
        guidance,
        said,
        (*visible.lost, *parts.lost),
    )


def _shown(check: CheckResult, visible: Visible, context: ResultContext, opened: bool) -> ShownCheck:
    trace = next((trace for trace in visible.traces if trace.check == check.id), None)
    if trace is not None and check.ending == "raised" and len(trace.events) < 2:
        trace = None  # the forward pass raised: there are no steps, and the exception stands at the check
    if check.passed:
        return ShownCheck(check, "passed", opened, trace=trace)
    state = "idle" if check.ending == "unreached" else "failed"
    if check.hidden and visible.sight is not CheckVisibility.ALL:
        explained = tuple(e for e in visible.explanations if check.id in e.checks)
        say = context.explained and context.explain_hidden and not explained and not visible.report.starter
        return ShownCheck(
            check,
            state,
            opened,
            explanations=explained,
            unexplained=advice.of_hidden(check.ending, context.exercise_kind) if say else "",
        )
    detail, parts = check.detail, Parts()
    inputs = parts.make("The input of this check", lambda: _inputs(check)) or ()
    compared = opened and advice.compared_numbers(detail)
    explanations = tuple(
        msgspec.structs.replace(
            e, numbers=parts.make("The numbers of this mistake", partial(_numbers, e, check, trace)) or ""
        )
        for e in visible.explanations
        if (e.checks[0] == check.id if e.checks else compared)
    )
    known = explanations or visible.report.starter
    meant = None if known else advice.of_check(check, context.exercise_kind)
    guidance = parts.make("The advice on this check", lambda: guidance_of(meant, check.stopped, context.headings))
    comparison = parts.make("The comparison", lambda: comparison_of(detail) if detail else None)
    program = detail.note if detail and "\n" in detail.note else ""
    return ShownCheck(
        check,
        state,
        opened,
        inputs,
        comparison,
        explanations,
        trace,
        guidance,
        tuple(parts.lost),
        program=program,
        simpler=bool(trace and detail and _is_simpler(trace, detail)),
    )


def _is_simpler(trace: Trace, detail: Detail) -> bool:
    """Return whether an input of the steps has other numbers than the check's."""
    for name in trace.inputs.keys() & detail.inputs.keys():
        texts, shown = trace.inputs[name].strip("[]").split(", "), detail.inputs[name]
        try:
            numbers, own = [float(text) for text in texts], [float(text) for text in shown.values]
        except ValueError:  # the steps have an array that is too large to be written out
            continue
        if len(numbers) != len(own) or not all(map(partial(math.isclose, rel_tol=1e-5), numbers, own)):
            return True
    return False


def _inputs(check: CheckResult) -> tuple[tuple[str, str], ...]:
    inputs = check.detail.inputs if check.detail else {}
    return tuple((name, on_one_line(shown)) for name, shown in inputs.items())


def _numbers(explanation: Explanation, check: CheckResult, trace: Trace | None) -> str:
    return numbers_of(explanation.key, check, trace) if explanation.known else ""


def _first_to_open(visible: Visible) -> CheckResult | None:
    """The first failed check with content to show, public checks before hidden ones."""
    failed = [check for check in visible.report.checks if check.failed]
    explained = {check for explanation in visible.explanations for check in explanation.checks}
    seen = [check for check in failed if not check.hidden or visible.sight is CheckVisibility.ALL or check.id in explained]
    if seen:
        return next((check for check in seen if not check.hidden), seen[0])
    return None


# -- the strip ------------------------------------------------------------------------------------------------------------


def _summary(visible: Visible, context: ResultContext) -> VerdictSummary:
    report = visible.report
    if report.verdict == "internal":
        return internal(context.kind, context.number)
    if _not_run(visible):
        return _unread(visible, context)
    heading, line = _words(visible, context)
    return VerdictSummary(_state(visible, context), heading, line, *_points(visible, context))


def internal(kind: str, number: int | None) -> VerdictSummary:
    line = (
        "The problem is in Gradus, not in your code. This attempt does not count. "
        "Your instructor has been notified, and you can submit again."
    )
    return VerdictSummary("internal", "Internal error", f"{line} This was {Kind(kind).label.lower()} {number}.")


def waiting(before: int, seconds: float, at: datetime) -> VerdictSummary:
    place = "Next in line" if before == 0 else f"{_ordinal(before + 1)} in line"
    wait = "a moment" if seconds < 1.5 else f"about {_duration(seconds)}"
    line = f"You can keep typing. The result will be for your code as of {timestamps.moment(at)}."
    return VerdictSummary("waiting", f"{place}, {wait}", line)


def running(done: int, total: int, at: datetime) -> VerdictSummary:
    heading = f"Running: {done} of {total} checks done" if done else "Running"
    return VerdictSummary("waiting", heading, "You can leave this page; the result will be saved.")


def replaced(by: int | None) -> VerdictSummary:
    line = "It was not graded and did not use up a submission."
    return VerdictSummary(
        "idle", "Replaced by a newer submission", line + (f" The newer submission is number {by}." if by else "")
    )


def _unread(visible: Visible, context: ResultContext) -> VerdictSummary:
    """The strip of a submission of which no check ran."""
    line = NOT_RUN.get(visible.report.reason or "", NOT_RUN["exception"])
    if visible.report.reason == "source":
        free = "" if context.kind == Kind.RUN else " This did not use up a submission."
        return VerdictSummary("error", "The code did not run", f"{line}{free}")
    return VerdictSummary("error", "The code did not run", line, *_points(visible, context))


def _not_run(visible: Visible) -> bool:
    return visible.report.verdict == "error" and visible.report.reason not in RAN_OUT


def _state(visible: Visible, context: ResultContext) -> str:
    count = visible.count
    if context.kind == Kind.RUN or count.hidden_passed is None:
        best = "run" if context.kind == Kind.RUN else "held"
        return best if count.public_passed == count.public else "partial" if count.public_passed else "failed"
    if visible.report.verdict == "error":
        return "partial" if visible.report.score else "failed"
    return visible.report.verdict


def _words(visible: Visible, context: ResultContext) -> tuple[str, str]:
    """Return heading and line. The heading never says that all checks pass while some are hidden or were not run."""
    count, facts = visible.count, _facts(visible, context)
    ended = advice.of_report(visible.report)
    if ended is not None:
        counted = count.of_run(0) if context.kind == Kind.RUN else count.of_submission(" ".join(_points(visible, context)))
        return f"{ended.title}: {counted}", " ".join(filter(None, (visible.report.message, facts)))
    if context.kind == Kind.RUN:
        heading = count.of_run(context.hidden)
        return heading, visible.report.message or f"Runs earn no points. Submit to have everything graded. {facts}"
    heading = count.of_submission(" ".join(_points(visible, context)))
    if count.hidden_passed is None:
        return heading, f"{_when_shown(context)} {facts}"
    if count.public_passed == 0 and count.hidden_passed == 0:
        return heading, f"Start with the check that is expanded below. Later checks often depend on it. {facts}"
    return heading, facts


def _facts(visible: Visible, context: ResultContext) -> str:
    graded = f"graded {_how_soon(visible.report.seconds)}"
    what = "Run" if context.kind == Kind.RUN else f"Submission {context.number}"
    return " ".join(
        filter(None, (context.late, _by_hand(context), f"{what}, {timestamps.moment(context.submitted_at)}, {graded}."))
    )


def _how_soon(seconds: float) -> str:
    """A duration in whole seconds was rounded up by `visible`, so it is shown as an upper bound."""
    if seconds == round(seconds):
        return "within a second" if seconds <= 1 else f"within {seconds:.0f} seconds"
    return f"in {round(seconds * 1000)} ms" if seconds < 1 else f"in {seconds:.1f} s"


def _by_hand(context: ResultContext) -> str:
    hand = context.by_hand
    if hand is None:
        return ""
    if not hand.marked:
        return f"{numbers.points(hand.of)} of {numbers.points(context.points)} points are given by hand; not marked yet."
    return f"{numbers.points(hand.points)} of {numbers.points(hand.of)} points by hand."


def _when_shown(context: ResultContext) -> str:
    if context.never:
        return "This assignment does not show hidden results."
    if context.shown_from is None:
        return "Hidden results and your points appear when your instructor releases them."
    return f"Hidden results and your points appear after {timestamps.date_and_time(context.shown_from)}."


def _hidden_note(visible: Visible, context: ResultContext) -> str:
    if context.kind == Kind.RUN:
        return f"{when_hidden_run(context.hidden)}." if context.hidden else ""
    if not visible.count.hidden:
        return ""
    if visible.sight is CheckVisibility.ALL:
        return "Hidden checks, graded with your submission"
    later = ""
    if not context.never and context.shown_from is not None:
        later = f" Inputs and values are shown after {timestamps.date_and_time(context.shown_from)}."
    if visible.sight is CheckVisibility.TITLES:
        explained = ", and explains known mistakes" if context.explain_hidden else ""
        return f"For hidden checks, this assignment shows titles and points{explained}.{later}"
    if visible.sight is CheckVisibility.COUNT:
        named = visible.hidden_explanations or any(explanation.known for explanation in visible.explanations)
        some = visible.count.hidden_passed != visible.count.hidden
        say = some and context.explained and context.explain_hidden and not named and not visible.report.starter
        unexplained = f" {advice.of_several_hidden(context.exercise_kind)}" if say else ""
        return f"Hidden checks: {visible.count.hidden_passed} of {visible.count.hidden} pass.{unexplained}{later}"
    return f"Hidden checks: {visible.count.hidden} graded, not shown yet."


def _points(visible: Visible, context: ResultContext) -> tuple[str, str]:
    if context.kind == Kind.RUN or visible.score is None:
        return "", ""
    return points_of(visible.report.score, visible.report.max_score, context.points, context.remaining, context.by_hand)


def _ordinal(number: int) -> str:
    words = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth")
    return words[number - 1] if number <= len(words) else f"Number {number}"


def _duration(seconds: float) -> str:
    rounded = max(2, round(seconds))
    return f"{rounded} seconds" if rounded < 100 else f"{round(rounded / 60)} minutes"
