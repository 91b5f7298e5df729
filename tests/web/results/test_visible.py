"""On every page, students see of a hidden check only what the assignment allows at the moment."""

import re
from itertools import product
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from autograder.courses.models import HiddenMeanwhile, Role, ShowHidden
from autograder.courses.people.check_visibility import CheckVisibility
from autograder.courses.people.extensions import extension_grant
from autograder.explain.misconceptions import CATALOGUE, described
from autograder.judge.report import Counterexample, Detail, Report, Shown, StackLine, Stopped
from autograder.submissions.messages.event_stream import HELD_SECONDS
from autograder.submissions.models import Kind, Submission
from autograder.trace.model import Edge, Event, Term, Terms, Trace, TraceGraph, TraceNode
from autograder.web.results.explanation import Explanation
from autograder.web.results.visible import visible
from tests.cast import Cast, ago, ahead
from tests.web.conftest import Signed, change, checked, grade, member, page, reported

pytestmark = pytest.mark.django_db

SEED = 987654321
SECRET = "sekret"  # prefix of all data of the hidden check
PRINTED = f"{SECRET}-printed"  # never shown to anyone
TITLE = "The unspoken title"
POINTS = 3.7
MISTAKE = "A hidden factor left out"  # the explanation of the hidden check
WORDS = "A factor is left out."
VALUES = "It is 41.25 here. Its name is `hush_hush`."
STOPPED = Stopped(f"{SECRET}Error", "", (StackLine(7, f"{SECRET}_function", f"{SECRET} = 1"),))


def shown(word: str) -> Shown:
    return Shown("float", (f"{SECRET}-{word}",), names=(f"{SECRET}-{word}-name",))


def trace(check: str) -> Trace:
    def word(text: str) -> Term:
        return Term(f"{SECRET}-{text}")

    graph = TraceGraph(
        (TraceNode(f"{SECRET}-label", f"{SECRET}-op", f"{SECRET}-value", leaf=True), TraceNode("y")), (Edge(0, 1),)
    )
    terms = Terms(word("upstream"), word("local"), word("contribution"), word("old"), word("now"))
    event = Event("contribution", f"{SECRET}-says", 0, 0, 0, 0, terms, terms, True, reason=f"{SECRET}-reason")
    return Trace(check, f"{SECRET}-program", graph, (event,), graph, {f"{SECRET}-input": f"{SECRET}-in"}, 0)


def of_hidden(**more: Any) -> Report:
    """Two public checks pass. Every field of the hidden one has the marker."""
    detail = Detail(
        *(f"{SECRET}-what", {f"{SECRET}-x": shown("input")}, shown("expected"), shown("given"), (0,), f"{SECRET}-note"),
    )
    hidden = checked(
        *("hush",), hidden=True, passed=False, points=POINTS, title=TITLE,
        message=f"{SECRET}-message", detail=detail, stdout=PRINTED, ending=more.pop("ending", "failed"), stopped=STOPPED,
    )  # fmt: skip
    return reported(checked("one"), checked("two"), hidden, seed=SEED, **more)


HIDDEN_MISTAKE = Explanation("left-out-factor", f"{WORDS} {VALUES}", ("hush",), MISTAKE)
TOLD = (HIDDEN_MISTAKE, Explanation("both", "In the open. It is 41.25.", ("two", "hush")))


def handed_in(cast: Cast, report: Report) -> Submission:
    submission = cast.hands_in("ada", b"x = 1\n")
    grade(submission, report, diagnosis=[HIDDEN_MISTAKE], traces=[trace("hush")])
    return submission


def everything(cast: Cast, signed: Signed, submission: Submission, who: str = "ada") -> dict[str, str]:
    """Return every page that shows results."""
    course, slug, browser = cast.course.slug, cast.assignment.slug, signed(who)
    addresses = {
        "exercise": reverse("exercise", args=(course, slug)) + f"?s={submission.pk}&check=hush&step=1",
        "outcome": reverse("outcome", args=(submission.pk,)),
        "history": reverse("history", args=(course, slug)),
        "home": reverse("home", args=(course,)),
        "grades": reverse("grades", args=(course,)),
    }
    return {name: page(browser, address) for name, address in addresses.items()}


DUE = {"before": lambda: ahead(days=1), "after": lambda: ago(days=1)}
OPEN = {("always", "before"), ("always", "after"), ("after-due", "after")}
CASES = list(product(ShowHidden.values, DUE, HiddenMeanwhile.values, (True, False)))


@pytest.mark.parametrize(("show", "due", "meanwhile", "explain"), CASES)
def test_a_student_sees_what_the_assignment_allows(
    cast: Cast, signed: Signed, show: str, due: str, meanwhile: str, explain: bool
) -> None:
    submission = handed_in(cast, of_hidden())
    change(cast, show_hidden=show, hidden_meanwhile=meanwhile, explain_hidden=explain, due_at=DUE[due]())
    pages = everything(cast, signed, submission)
    text = "".join(pages.values())
    assert PRINTED not in text
    assert str(SEED) not in text
    if (show, due) in OPEN:
        assert f"{SECRET}-message" in pages["exercise"]
        assert VALUES in pages["outcome"]
        return
    assert SECRET not in text
    assert "41.25" not in text
    assert "hush_hush" not in text
    for name, seen in pages.items():
        explained = explain and meanwhile != "nothing" and name in ("exercise", "outcome")
        assert (MISTAKE in seen) == (WORDS in seen) == explained, name
    assert ("Explains a failed hidden check" in text) == (explain and meanwhile == "count")
    assert ('id="check-hush"' in text) == (explain and meanwhile == "titles")  # there is content to open
    assert (TITLE in text) == (meanwhile == "titles")
    assert ("3.7" in text) == (meanwhile == "titles")
    for name in ("exercise", "outcome", "history"):
        assert ("2 of 3 checks pass, 3.51 of 10 points; public: 2 of 2" in pages[name]) == (meanwhile != "nothing"), name
        assert ("2 of 2 public checks pass; 1 hidden check graded, not shown yet" in pages[name]) == (meanwhile == "nothing")
    assert ("3.51" in text) == (meanwhile != "nothing")  # 2 of 5.7, of 10 points
    assert not ("All" in text and "checks pass," in text and "included" in text)


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.INSTRUCTOR, Role.OWNER])
@pytest.mark.parametrize("meanwhile", HiddenMeanwhile.values)
@pytest.mark.parametrize("explain", [True, False])
def test_staff_see_everything_but_what_was_printed(
    cast: Cast, signed: Signed, role: Role, meanwhile: str, explain: bool
) -> None:
    submission = handed_in(cast, of_hidden())
    change(cast, show_hidden="never", hidden_meanwhile=meanwhile, explain_hidden=explain)
    member(cast, "ines", role)
    pages = everything(cast, signed, submission, "ines")
    for name in ("exercise", "outcome"):
        for word in ("message", "note", "expected", "given", "says"):
            assert f"{SECRET}-{word}" in pages[name], (name, word)
        assert f"{WORDS} {VALUES}" in pages[name]
        assert PRINTED not in pages[name]


@pytest.mark.parametrize("meanwhile", HiddenMeanwhile.values)
@pytest.mark.parametrize("explain", [True, False])
def test_as_the_student_staff_see_what_the_student_sees(cast: Cast, signed: Signed, meanwhile: str, explain: bool) -> None:
    submission = handed_in(cast, of_hidden())
    change(cast, show_hidden="never", hidden_meanwhile=meanwhile, explain_hidden=explain)
    member(cast, "ines", Role.INSTRUCTOR)
    where = reverse("submission", args=(cast.course.slug, submission.pk))
    text = page(signed("ines"), where + "?as=student")
    assert SECRET not in text
    assert "41.25" not in text
    assert (MISTAKE in text) == (explain and meanwhile != "nothing")


def test_what_opens_after_the_due_date_opens_for_each_by_her_own(cast: Cast, signed: Signed) -> None:
    submission = handed_in(cast, of_hidden())
    change(cast, show_hidden="after-due", hidden_meanwhile="count", due_at=ago(days=1))
    extension_grant(
        assignment=cast.assignment, membership=cast.membership("ada"), by=cast.staff, reason="Ill.", due_at=ahead(days=1)
    )
    assert SECRET not in "".join(everything(cast, signed, submission).values())


def test_without_a_due_date_nothing_opens_by_itself(cast: Cast, signed: Signed) -> None:
    submission = handed_in(cast, of_hidden())
    change(cast, show_hidden="after-due", hidden_meanwhile="titles", due_at=None)
    assert SECRET not in "".join(everything(cast, signed, submission).values())


NUMBERED = Detail("y", {}, Shown("float", ("31.25",)), Shown("float", ("62.5",)))
NUMBERS = "In this check, y is 62.5; 31.25 was expected."


@pytest.mark.parametrize("explain", [True, False])
@pytest.mark.parametrize("meanwhile", HiddenMeanwhile.values)
def test_the_numbers_of_a_hidden_check_are_in_no_explanation(
    cast: Cast, signed: Signed, meanwhile: str, explain: bool
) -> None:
    """The explanation covers a public check without numbers and a hidden one with numbers."""
    hush = checked("hush", hidden=True, passed=False, detail=NUMBERED)
    both = Explanation("wrong-sign", "A sign.", ("two", "hush"))
    submission = cast.hands_in("ada", b"x = 1\n")
    report = reported(checked("one"), checked("two", passed=False), hush)
    grade(submission, report, diagnosis=[both, Explanation("wrong-axis", "An axis.", ("hush",))], graded_at=ago(minutes=1))
    change(cast, show_hidden="never", hidden_meanwhile=meanwhile, explain_hidden=explain)
    text = "".join(everything(cast, signed, submission).values())
    assert "Sign error" in text
    assert not [word for word in ("In this check", "31.25", "62.5") if word in text]
    assert ("Operation along the wrong axis" in text) == (explain and meanwhile != "nothing")
    change(cast, show_hidden="always")
    text = "".join(everything(cast, signed, submission).values())
    assert "Operation along the wrong axis" in text
    assert NUMBERS in text


# -- a submission that tries to reveal its hidden inputs


@pytest.mark.parametrize("reason", ["memory", "timeout-cpu", "timeout-wall", "output", "crash", "protocol", "exception"])
@pytest.mark.parametrize("meanwhile", HiddenMeanwhile.values)
def test_how_it_ended_in_a_hidden_check_is_not_told_in_its_own_words(
    cast: Cast, signed: Signed, meanwhile: str, reason: Any
) -> None:
    """`raise MemoryError(str(x))`: the message of the error quotes a hidden input."""
    words = f"Your code exceeded the memory limit: {SECRET}"
    ended = of_hidden(verdict="error", reason=reason, message=words, ending="ended", stopped=STOPPED)
    submission = handed_in(cast, ended)
    change(cast, show_hidden="never", hidden_meanwhile=meanwhile)
    pages = everything(cast, signed, submission)
    assert SECRET not in "".join(pages.values())
    assert ("Stopped" in pages["exercise"]) == (meanwhile != "nothing")


@pytest.mark.usefixtures("still")
def test_where_nothing_is_shown_a_bad_end_looks_like_a_good_one(cast: Cast, signed: Signed) -> None:
    change(cast, show_hidden="never", hidden_meanwhile="nothing")
    good = reported(checked("one"), checked("two"), checked("hush", hidden=True, points=POINTS))
    bad = of_hidden(verdict="error", reason="memory", message=SECRET, ending="ended")
    outcomes: list[str] = []
    for report in (good, bad):
        submission = cast.hands_in("ada", b"x = 1\n")
        grade(submission, report, diagnosis=[Explanation("", "No mistake that we know of.")] if report is bad else ())
        shown = page(signed("ada"), reverse("outcome", args=(submission.pk,))).partition('<section class="verdict')[2]
        shown = shown.partition("<template data-graded-source>")[0]  # without the history below it, which grows
        shown = shown.replace(f"/s/{submission.pk}/", "/s/")
        outcomes.append(shown.replace(f"Submission {len(outcomes) + 1}", "Submission"))
    assert outcomes[0] == outcomes[1]


def test_where_nothing_is_shown_there_is_no_reason_either() -> None:
    report = of_hidden(verdict="error", reason="memory", message=SECRET, ending="ended")
    seen = visible(report, (), (), CheckVisibility.NOTHING, explain_hidden=True).report
    assert (seen.reason, seen.message, seen.verdict, seen.score) == (None, "", "partial", 0.0)


@pytest.mark.parametrize("sight", CheckVisibility)
def test_a_line_that_was_chosen_in_a_hidden_check_could_quote_it_too(sight: CheckVisibility) -> None:
    report = of_hidden(verdict="error", reason="timeout-cpu", message=SECRET, ending="ended", stopped=STOPPED)
    seen = visible(report, (), (), sight, explain_hidden=True)
    assert (seen.report.stopped == STOPPED) == (sight is CheckVisibility.ALL)
    assert {check.stopped for check in seen.hidden} <= ({STOPPED} if sight is CheckVisibility.ALL else {None})


def test_a_bad_end_in_a_public_check_is_told(cast: Cast, signed: Signed) -> None:
    change(cast, show_hidden="never", hidden_meanwhile="nothing")
    report = reported(
        *(checked("one", passed=False, ending="ended"), checked("hush", hidden=True, passed=False, ending="unreached")),
        verdict="error", reason="timeout-cpu", message="During the check “The one check”: too long.",
    )  # fmt: skip
    submission = cast.hands_in("ada", b"x = 1\n")
    grade(submission, report)
    assert "During the check “The one check”" in page(signed("ada"), reverse("outcome", args=(submission.pk,)))


# -- points while nothing is shown


@pytest.mark.parametrize("passed", [True, False])
def test_where_nothing_is_shown_the_points_are_nowhere(cast: Cast, signed: Signed, passed: bool) -> None:
    change(cast, show_hidden="never", hidden_meanwhile="nothing", points=98765)
    report = reported(checked("one"), checked("hush", hidden=True, passed=passed))
    submission = cast.hands_in("ada", b"x = 1\n")
    grade(submission, report)
    pages = everything(cast, signed, submission)
    reached = "98765" if passed else "49382"  # too long to be in a token by chance
    for name, text in pages.items():
        assert reached not in text.replace("of 98765", "").replace("/ 98765", ""), name
        assert "best" not in text.replace("the best submission counts", ""), name
    assert "0 of 1 step" in pages["home"]
    assert "not released yet" in pages["grades"]


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize(("seconds", "shown"), [(0, False), (HELD_SECONDS + 1, True)])
def test_the_pages_are_the_same_whether_hidden_checks_pass_or_not(
    cast: Cast, signed: Signed, seconds: float, shown: bool
) -> None:
    """At every moment, too: where all checks passed, there is nothing to explain, and the last event comes sooner."""
    change(cast, show_hidden="never", hidden_meanwhile="nothing")
    seen = []
    for name, passed in (("ada", True), ("ben", False)):
        submission = cast.hands_in(name, b"x = 1\n")
        grade(
            submission,
            reported(checked("two"), checked("hush", hidden=True, passed=passed)),
            traces=[trace("two")],
            graded_at=ago(seconds=seconds),
            explained_at=timezone.now() if passed else None,
        )
        pages = {
            "history": page(signed(name), reverse("history", args=(cast.course.slug, cast.assignment.slug))),
            "home": page(signed(name), reverse("home", args=(cast.course.slug,))),
            "grades": page(signed(name), reverse("grades", args=(cast.course.slug,))),
            "outcome": page(signed(name), reverse("outcome", args=(submission.pk,))),
        }
        seen.append({key: _without_person(text, name, submission.pk) for key, text in pages.items()})
    assert seen[0] == seen[1]
    assert ("step by step" in seen[0]["outcome"]) == shown
    assert ("data-events" in seen[0]["outcome"]) != shown


@pytest.mark.usefixtures("still")
def test_headers_are_the_same_whether_hidden_checks_pass_or_not(cast: Cast, signed: Signed) -> None:
    change(cast, show_hidden="never", hidden_meanwhile="nothing")
    seen = []
    for name, passed in (("ada", True), ("ben", False)):
        submission = cast.hands_in(name, b"x = 1\n")
        grade(submission, reported(checked("one"), checked("hush", hidden=True, passed=passed)))
        answer = signed(name).get(reverse("outcome", args=(submission.pk,)))
        headers = {key: value for key, value in answer.headers.items() if key != "Content-Security-Policy"}
        assert headers["Content-Length"] == str(len(answer.content))
        # Without what differs anyway: submission 10 has a longer address than submission 9.
        headers["Content-Length"] = str(len(_without_person(answer.content.decode(), name, submission.pk)))
        seen.append(headers)
    assert seen[0].keys() == seen[1].keys()
    assert {key for key in seen[0] if seen[0][key] != seen[1][key]} <= {"X-Request-ID"}


def _without_person(text: str, name: str, number: int) -> str:
    """Remove what always differs between two users: names, numbers, tokens and times."""
    text = re.sub(r'value="[A-Za-z0-9]{64}"|content="[\w-]{22}"|datetime="[^"]*"', "", text)
    return text.replace(name, "").replace(f"/s/{number}/", "").replace(f"?s={number}", "").replace(f'value="{number}"', "")


# -- the `visible` function


@pytest.mark.parametrize("explain", [True, False])
@pytest.mark.parametrize("sight", CheckVisibility)
def test_what_is_left_of_explanations_and_traces(sight: CheckVisibility, explain: bool) -> None:
    seen = visible(of_hidden(), TOLD, (trace("hush"), trace("two")), sight, explain_hidden=explain)
    left = (
        [(each.words, each.checks) for each in seen.explanations],
        [(each.words, each.checks) for each in seen.hidden_explanations],
    )
    if sight is CheckVisibility.ALL:
        assert (seen.explanations, seen.hidden_explanations) == (TOLD, ())
        assert [each.check for each in seen.traces] == ["hush", "two"]
        return
    assert [each.check for each in seen.traces] == ["two"]
    if explain and sight is CheckVisibility.TITLES:
        assert left == ([(WORDS, ("hush",)), ("In the open.", ("two", "hush"))], [])
    elif explain and sight is CheckVisibility.COUNT:
        assert left == ([("In the open.", ("two",))], [(WORDS, ())])
    else:
        assert left == ([("In the open.", ("two",))], [])


@pytest.mark.parametrize("explain", [True, False])
@pytest.mark.parametrize("ending", ["failed", "raised", "late", "ended", "unreached"])
def test_of_a_hidden_check_with_a_title_is_shown_that_it_failed_and_little_of_how(ending: str, explain: bool) -> None:
    report = reported(checked("two"), checked("hush", hidden=True, passed=False, ending=ending))
    (_, hush) = visible(report, (), (), CheckVisibility.TITLES, explain_hidden=explain).report.checks
    assert hush.ending == (ending if ending == "unreached" or (ending == "raised" and explain) else "failed")


@pytest.mark.parametrize("sight", [CheckVisibility.TITLES, CheckVisibility.COUNT, CheckVisibility.NOTHING])
def test_where_no_mistake_is_known_no_values_of_a_hidden_check_are_told(sight: CheckVisibility) -> None:
    """Such an explanation names no checks: it is about all that failed."""
    report = reported(checked("two", passed=False), checked("hush", hidden=True, passed=False))
    told = (Explanation("", "No known mistake explains this. y was 31.25."),)
    (shown,) = visible(report, told, (), sight, explain_hidden=True).explanations
    assert "31.25" not in shown.words
    open_only = reported(checked("two", passed=False), checked("hush", hidden=True))
    (shown,) = visible(open_only, told, (), sight, explain_hidden=True).explanations
    assert "31.25" in shown.words


@pytest.mark.parametrize("explain", [True, False])
@pytest.mark.parametrize("sight", [CheckVisibility.TITLES, CheckVisibility.COUNT, CheckVisibility.NOTHING])
def test_nothing_that_only_the_hidden_check_knows_is_in_what_is_left(sight: CheckVisibility, explain: bool) -> None:
    left = repr(visible(of_hidden(), TOLD, (trace("hush"),), sight, explain_hidden=explain))
    assert not [word for word in (SECRET, "41.25", "hush_hush", str(SEED)) if word in left]
    assert (TITLE in left) == (sight is CheckVisibility.TITLES)


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("The sign is wrong. x was 3.", "The sign is wrong."),
        ("At -2.5e-3 it is inf. It should not be.", "It should not be."),
        ("It gives nan.", ""),
        ("In `x * x` a factor is lost! A factor is lost.", "A factor is lost."),
        ("Information is left out.", "Information is left out."),
    ],
)
def test_sentences_with_values_or_code_are_removed_from_explanations(words: str, left: str) -> None:
    for checks in (("hush",), ("two", "hush")):
        seen = visible(of_hidden(), (Explanation("key", words, checks),), (), CheckVisibility.TITLES, explain_hidden=True)
        assert [explanations.words for explanations in seen.explanations] == [left]


@pytest.mark.parametrize("key", CATALOGUE)
def test_a_fixed_sentence_is_whole_although_it_has_a_number(key: str) -> None:
    for limited in (False, True):
        explanations = (Explanation(key, described(key, {}, limited=limited).text, ("two", "hush")),)
        assert (
            visible(of_hidden(), explanations, (), CheckVisibility.TITLES, explain_hidden=True).explanations == explanations
        )


def test_where_every_sentence_has_a_value_the_fixed_one_of_its_mistake_is_left() -> None:
    explanations = (Explanation("no-seed", "It begins with 41.25.", ("hush",)),)
    seen = visible(of_hidden(), explanations, (), CheckVisibility.COUNT, explain_hidden=True)
    assert [each.words for each in seen.hidden_explanations] == [described("no-seed", {}).text]


@pytest.mark.parametrize("check", ["hush", "two"])
def test_a_counterexample_is_shown_only_where_its_check_is(check: str) -> None:
    example = Counterexample(check, f"{SECRET}(x)", "x", {"x": shown("x")}, shown("expected"), shown("given"))
    explanations = (Explanation("no-seed", "It begins with 0.", ("two", "hush"), counterexample=example),)
    for sight in CheckVisibility:
        seen = visible(of_hidden(), explanations, (), sight, explain_hidden=True)
        left = [each.counterexample for each in (*seen.explanations, *seen.hidden_explanations)]
        expected = example if check == "two" or sight is CheckVisibility.ALL else None
        assert all(each in (None, expected) for each in left), sight
        assert sight is not CheckVisibility.ALL or left == [example]


def test_an_explanation_of_public_checks_alone_keeps_its_numbers() -> None:
    explanations = (Explanation("key", "The factor is 3.", ("two",)),)
    assert visible(of_hidden(), explanations, (), CheckVisibility.NOTHING, explain_hidden=True).explanations == explanations


@pytest.mark.parametrize("sight", CheckVisibility)
def test_what_was_printed_under_a_hidden_check_is_in_nothing_that_is_left(sight: CheckVisibility) -> None:
    assert PRINTED not in repr(visible(of_hidden(), TOLD, (), sight, explain_hidden=True))


@pytest.mark.parametrize("sight", [CheckVisibility.TITLES, CheckVisibility.COUNT, CheckVisibility.NOTHING])
def test_that_no_mistake_is_known_is_said_of_public_checks_alone(sight: CheckVisibility) -> None:
    unknown = (Explanation("", "No mistake that we know of."),)
    assert visible(of_hidden(), unknown, (), sight, explain_hidden=True).explanations == ()
    both_fail = reported(checked("one", passed=False), checked("hush", hidden=True, passed=False))
    assert visible(both_fail, unknown, (), sight, explain_hidden=True).explanations == unknown


@pytest.mark.parametrize("sight", CheckVisibility)
def test_a_public_check_that_ran_after_a_hidden_one_could_tell_what_that_asked(sight: CheckVisibility) -> None:
    kept = Detail("y", {}, shown("expected"), shown("given"))
    later = checked("later", passed=False, message=f"raised {SECRET}", stdout=SECRET, detail=kept)
    report = reported(checked("one"), checked("hush", hidden=True), later)
    seen = visible(report, (Explanation("", f"{SECRET}"),), (trace("later"),), sight, explain_hidden=True)
    assert (SECRET in repr(seen)) == (sight is CheckVisibility.ALL)
    assert [check.id for check in seen.public] == ["one", "later"]


def test_what_broke_on_our_side_is_never_told_in_detail() -> None:
    report = of_hidden(verdict="internal", message=f"{SECRET}: the check hush is broken, checks.py:12")
    for sight in CheckVisibility:
        assert visible(report, (), (), sight, explain_hidden=True).report.message == ""


def test_a_note_of_an_unsafe_sandbox_is_no_ending() -> None:
    report = reported(checked("one"), checked("hush", hidden=True), message="Graded without a sandbox.")
    assert visible(report, (), (), CheckVisibility.TITLES, explain_hidden=True).report.message == "Graded without a sandbox."


def test_a_run_has_no_hidden_checks_to_show(cast: Cast, signed: Signed) -> None:
    submission = cast.hands_in("ada", b"x = 1\n", Kind.RUN)
    grade(submission, reported(checked("one")))
    text = page(signed("ada"), reverse("outcome", args=(submission.pk,)))
    assert re.search(r"1 of 1 public checks pass; \d hidden checks run when you submit", text)
