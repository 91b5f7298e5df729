"""Wording of a scratch run for its owner, while it waits and after it ends."""

from dataclasses import dataclass
from datetime import datetime

import msgspec

from autograder.submissions.models import ScratchRun
from autograder.submissions.scratch.answer import ScratchAnswer
from autograder.submissions.scratch.queue import MAX_WAIT
from autograder.submissions.selectors import living_workers

State = ScratchRun.State
POLL = ((3, 400), (15, 1_000))  # poll interval: up to this many seconds after the start, this many milliseconds
POLL_LATER = 3_000
HEADINGS = {
    "exception": "Your calls raised an exception",
    "source": "Your calls have a syntax error",
    "timeout-wall": "Stopped at the time limit",
    "timeout-cpu": "Stopped at the CPU time limit",
    "memory": "Stopped at the memory limit",
    "output": "Stopped at the output limit",
    "crash": "The Python process ended early",
    "protocol": "No output to show",
}
BEFORE_THE_CALLS = {
    "exception": "Your code raised an exception before the calls ran",
    "source": "Your code has a syntax error",
}


@dataclass(frozen=True)
class ScratchResult:
    """While it is `live`, the page polls again after `poll` milliseconds."""

    run: ScratchRun
    heading: str
    line: str
    live: bool = False
    poll: int = 0
    answer: ScratchAnswer | None = None

    @property
    def glyph(self) -> str:
        if self.live:
            return "waiting"
        if self.run.state == State.FAILED:
            return "internal"
        if self.answer is None:
            return "idle"
        return "failed" if self.answer.reason else "run"


@dataclass(frozen=True)
class ScratchCell:
    """The initial content of the scratch cell. `kept` means that it holds the student's calls instead of the example."""

    calls: str
    result: ScratchResult | None = None
    kept: bool = False


def scratch_result(run: ScratchRun, now: datetime) -> ScratchResult:
    if run.state == State.RUNNING:
        return ScratchResult(run, "Running your calls", "Their output appears here.", True, _poll(run, now))
    if run.state == State.QUEUED:
        return _waiting(run, now)
    if run.state == State.SUPERSEDED:
        return ScratchResult(run, "Replaced by a newer run", "You started another run before this run began.")
    if run.state == State.FAILED:
        words = "An internal error occurred. The problem is not in your code. Run your calls again."
        return ScratchResult(run, "Your calls could not be run", words)
    answer = msgspec.convert(run.answer, ScratchAnswer)
    if answer.reason is None:
        return ScratchResult(run, "Output of your calls", _done(answer), answer=answer)
    headings = HEADINGS | BEFORE_THE_CALLS if answer.place == "code" else HEADINGS
    return ScratchResult(run, headings[answer.reason], answer.message, answer=answer)


def _waiting(run: ScratchRun, now: datetime) -> ScratchResult:
    minutes = round(MAX_WAIT.total_seconds() / 60)
    if now - run.asked_at > MAX_WAIT:
        words = f"All workers were busy or stopped for {minutes} minutes. Try again later."
        return ScratchResult(run, "Your calls were not run", words)
    if not living_workers().filter(trouble="").exists():
        words = f"If a worker starts within {minutes} minutes, your calls will run."
        return ScratchResult(run, "No worker is running", words, True, _poll(run, now))
    if ScratchRun.objects.filter(membership_id=run.membership_id, state=State.RUNNING).exists():
        words = "Your previous calls are still running. They will be stopped at the time limit."
        return ScratchResult(run, "Waiting for your previous calls", words, True, _poll(run, now))
    return ScratchResult(run, "Waiting for a free worker", "Runs and submissions have priority.", True, _poll(run, now))


def _poll(run: ScratchRun, now: datetime) -> int:
    age = (now - run.asked_at).total_seconds()
    return next((milliseconds for until, milliseconds in POLL if age < until), POLL_LATER)


def _done(answer: ScratchAnswer) -> str:
    took = f"{round(answer.seconds * 1000)} ms" if answer.seconds < 1 else f"{answer.seconds:.1f} s"
    empty = not answer.output and answer.value is None
    nothing = "Nothing was printed, and the last line has no value to show. " if empty else ""
    return f"{nothing}Finished in {took}. Not graded."
