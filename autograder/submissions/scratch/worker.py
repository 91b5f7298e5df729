"""Answers a claimed scratch run, in a sandbox of its exercise's profile and within the exercise's limits."""

import msgspec

from autograder.judge.grade import Slot
from autograder.judge.pack import Content
from autograder.submissions.models import ScratchRun
from autograder.submissions.scratch import queue
from autograder.submissions.scratch.running import run_scratch
from autograder.submissions.work.leases import Claim


def answer(claim: Claim, run: ScratchRun, exercise: Content, slot: Slot) -> bool:
    """Return False if the lease was lost or the run deleted in the meantime."""
    box, source = slot.sandbox(exercise.settings.profile), bytes(run.source)
    program = exercise.program(source)
    several = None if isinstance(program, bytes) else program
    found = run_scratch(box, exercise.limits(slot.ceiling), source, bytes(run.calls), several)
    return queue.runs.finish(claim, answer=msgspec.to_builtins(found))
