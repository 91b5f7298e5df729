"""The scratch cell on the exercise page: its initial content, the states of a run, and use without JavaScript."""

import re
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from autograder.judge.report import Reason
from autograder.library.models import VersionPage
from autograder.submissions.handing_in.run_limit import RUNS
from autograder.submissions.models import Event, ScratchRun, Submission, Worker
from autograder.submissions.scratch import queue
from autograder.submissions.scratch.answer import ScratchAnswer, ScratchLine
from autograder.web.results.scratch import scratch_result
from tests.cast import Cast, ago
from tests.web.conftest import Signed, change, page

pytestmark = pytest.mark.django_db
SCRIPT = {"HX-Request": "true"}
State = ScratchRun.State


def where(cast: Cast, name: str = "scratch") -> str:
    return reverse(name, args=(cast.course.slug, cast.assignment.slug))


def press(cast: Cast, browser: Client, calls: str = "double(2)", *, script: bool = True, **more: str) -> Any:
    sent = {"source": "def double(x): return x + x\n", "calls": calls} | more
    return browser.post(where(cast), sent, headers=SCRIPT if script else {})


def asked(cast: Cast, browser: Client) -> ScratchRun:
    assert press(cast, browser).status_code == 200
    return ScratchRun.objects.latest("pk")


def answered(cast: Cast, browser: Client, answer: ScratchAnswer) -> str:
    """Return the result part of the page after a worker has answered."""
    run = asked(cast, browser)
    claim = queue.claim("w")
    assert claim is not None
    assert queue.runs.finish(claim, answer=msgspec.to_builtins(answer))
    return page(browser, reverse("scratch-run", args=(run.pk,)))


def worker(**more: Any) -> Worker:
    now = timezone.now()
    return Worker.objects.create(name="box:1", version="1", started_at=now, seen_at=now, **more)


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


# -- initial content


def test_it_is_closed_and_holds_the_example_of_the_statement(cast: Cast, signed: Signed) -> None:
    shown = page(signed("ada"), where(cast, "exercise"))
    assert '<details class="scratch" id="scratch" data-scratch>' in shown
    assert "a, b = Value(2.0), Value(3.0)" in shown
    assert "a.grad, b.grad\n</textarea>" in shown
    assert f"share a limit of {RUNS} runs per minute" in shown


def test_a_page_made_before_there_were_examples_opens_with_an_empty_cell(cast: Cast, signed: Signed) -> None:
    VersionPage.objects.update(calls="")
    assert 'autocomplete="off">\n</textarea>' in page(signed("ada"), where(cast, "exercise"))


def test_what_is_typed_is_escaped(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    nasty = "'</textarea><script>alert(1)</script>'"
    shown = press(cast, browser, nasty, script=False, source=nasty).url
    assert "<script>alert" not in page(browser, shown)


def test_the_button_is_off_where_nothing_can_be_run(cast: Cast, signed: Signed) -> None:
    button = re.compile(r'<button class="btn" id="run-calls"[^>]* disabled>')
    assert not button.search(page(signed("ada"), where(cast, "exercise")))
    change(cast, closes_at=ago(hours=1))
    assert button.search(page(signed("ada"), where(cast, "exercise")))


# -- waiting


def test_a_script_gets_the_part_that_asks_again_ever_less_often(cast: Cast, signed: Signed) -> None:
    worker()
    browser = signed("ada")
    first = press(cast, browser)
    run = ScratchRun.objects.get()
    address = reverse("scratch-run", args=(run.pk,))
    assert f'hx-get="{address}" hx-trigger="every 400ms"' in first.content.decode()
    for seconds, pause in ((5, "1000ms"), (60, "3000ms")):
        ScratchRun.objects.update(asked_at=ago(seconds=seconds))
        assert f'hx-trigger="every {pause}"' in page(browser, address)
    ScratchRun.objects.update(asked_at=timezone.now() - queue.MAX_WAIT - timedelta(seconds=1))
    over = page(browser, address)
    assert "hx-trigger" not in over
    assert "Your calls were not run" in over
    assert "All workers were busy or stopped for 3 minutes." in over


def test_it_says_what_it_waits_for(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    run = asked(cast, browser)
    assert scratch_result(run, timezone.now()).heading == "No worker is running"
    box = worker(trouble="a layer does not hold")
    assert scratch_result(run, timezone.now()).heading == "No worker is running"
    box.trouble = ""
    box.save()
    assert scratch_result(run, timezone.now()).line == "Runs and submissions have priority."
    assert queue.claim("w") is not None
    run.refresh_from_db()
    assert scratch_result(run, timezone.now()).heading == "Running your calls"
    second = asked(cast, browser)
    assert scratch_result(second, timezone.now()).heading == "Waiting for your previous calls"


def test_a_failed_one_is_our_fault_and_a_replaced_one_is_nobodys(cast: Cast, signed: Signed) -> None:
    run = asked(cast, signed("ada"))
    run.state = State.FAILED
    failed = scratch_result(run, timezone.now())
    assert (failed.glyph, failed.live) == ("internal", False)
    assert "The problem is not in your code." in failed.line
    run.state = State.SUPERSEDED
    assert scratch_result(run, timezone.now()).heading == "Replaced by a newer run"


# -- results


def test_what_was_printed_and_the_last_value(cast: Cast, signed: Signed) -> None:
    shown = answered(cast, signed("ada"), ScratchAnswer(output="one <b>\n", value="[1, 2]", seconds=0.012))
    assert "one &lt;b&gt;" in shown
    assert "hx-trigger" not in shown
    told = text_of(shown)
    assert "Output of your calls Finished in 12 ms. Not graded." in told
    assert "Value of the last line [1, 2]" in told


def test_nothing_to_see_is_said(cast: Cast, signed: Signed) -> None:
    assert "Nothing was printed, and the last line has no value to show." in answered(cast, signed("ada"), ScratchAnswer())


def test_what_was_cut_is_said(cast: Cast, signed: Signed) -> None:
    shown = answered(cast, signed("ada"), ScratchAnswer(output="x", output_cut=True, value="y", value_cut=True))
    assert "Printed output, the first 64 KB" in shown
    assert "Value of the last line (truncated)" in shown


def test_an_exception_links_to_lines_of_the_code_and_of_the_calls(cast: Cast, signed: Signed) -> None:
    lines = (ScratchLine("scratch", 2, "<module>", "inverse(0)"), ScratchLine("code", 7, "inverse", "return 1 / <x>"))
    shown = answered(
        cast, signed("ada"), ScratchAnswer("exception", "scratch", "ZeroDivisionError: division by <zero>", lines)
    )
    assert '<a href="#S2">Line 2 of the calls</a>' in shown
    assert '<a href="#L7">Line 7 of your code</a>' in shown
    assert "return 1 / &lt;x&gt;" in shown
    assert "ZeroDivisionError: division by &lt;zero&gt;" in shown
    assert "Your calls raised an exception" in shown


@pytest.mark.parametrize("reason", ["timeout-wall", "timeout-cpu", "memory", "output", "crash", "protocol", "source"])
def test_every_end_has_a_heading(cast: Cast, signed: Signed, reason: Reason) -> None:
    shown = text_of(answered(cast, signed("ada"), ScratchAnswer(reason, None, "The reason.")))
    assert re.match(r"(Stopped|The Python process|No output to show|Your (calls|code)).* The reason\.", shown)


def test_code_that_raises_is_told_from_calls_that_raise(cast: Cast, signed: Signed) -> None:
    shown = answered(cast, signed("ada"), ScratchAnswer("exception", "code", "NameError: x"))
    assert "Your code raised an exception before the calls ran" in shown


# -- without JavaScript, and errors


def test_without_a_script_the_answer_is_on_the_page_with_what_was_typed(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    answer = press(cast, browser, "double(21)", script=False)
    assert answer.status_code == 302
    address = answer.url
    assert address.endswith("#scratch")
    waiting = page(browser, address)
    assert f'http-equiv="refresh" content="3; url={address.partition("#")[0]}"' in waiting
    claim = queue.claim("w")
    assert claim is not None
    queue.runs.finish(claim, answer=msgspec.to_builtins(ScratchAnswer(value="42")))
    shown = page(browser, address)
    assert "http-equiv" not in shown
    assert "double(21)</textarea>" in shown
    assert "def double(x): return x + x\n</textarea>" in shown
    assert "data-scratch open data-kept" in shown
    assert ">42</pre>" in shown


def test_a_run_is_shown_at_its_own_exercise_alone(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    run = asked(cast, browser)
    other = cast.assign("value-unary")
    for named in (run.pk, "²", "x", run.pk + 1):
        address = reverse("scratch", args=(cast.course.slug, other.slug))
        assert browser.get(address, {"run": named}).status_code == 404


@pytest.mark.parametrize("script", [True, False])
def test_what_is_refused_is_said_and_nothing_typed_is_lost(cast: Cast, signed: Signed, script: bool) -> None:
    answer = press(cast, signed("ada"), " ", script=script, source="x = 'mine'")
    assert answer.status_code == (422 if script else 409)
    shown = answer.content.decode()
    assert "There is nothing to run." in shown
    assert script or "x = &#x27;mine&#x27;" in shown
    assert not ScratchRun.objects.exists()


def test_too_often_says_when_again(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    for _ in range(RUNS):
        press(cast, browser)
    answer = press(cast, browser)
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 60
    assert f"{RUNS} runs per minute" in answer.content.decode()


# -- ownership and expiry


def test_a_scratch_run_is_hidden_after_an_hour_even_before_cleanup(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    run = asked(cast, browser)
    ScratchRun.objects.update(asked_at=ago(minutes=61))
    page(browser, reverse("scratch-run", args=(run.pk,)), 404)


def test_who_leaves_the_course_sees_it_no_more(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    run = asked(cast, browser)
    membership = cast.membership("ada")
    membership.removed_at = ago()
    membership.save()
    page(browser, reverse("scratch-run", args=(run.pk,)), 404)


def test_it_is_in_no_history_and_no_count(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    answered(cast, browser, ScratchAnswer(value="'nothing to see'"))
    assert not Submission.objects.exists()
    assert not Event.objects.exists()
    for name in ("history", "exercise"):
        assert "nothing to see" not in page(browser, where(cast, name))
