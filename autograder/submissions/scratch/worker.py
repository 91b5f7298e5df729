"""Answers a claimed scratch run, in a sandbox of its exercise's profile and within the exercise's limits."""

import msgspec

from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.submissions.models import ScratchRun
from autograder.submissions.scratch import queue
from autograder.submissions.scratch.running import run_scratch
from autograder.submissions.work.leases import Claim


def answer(claim: Claim, run: ScratchRun, pack: Pack, judge: Judge) -> bool:
    """Return False if the lease was lost or the run deleted in the meantime."""
    box, source = judge.sandbox(pack.settings.profile), bytes(run.source)
    program = pack.program(source)
    several = None if isinstance(program, bytes) else program
    found = run_scratch(box, pack.limits(judge.ceiling), source, bytes(run.calls), several)
    return queue.runs.finish(claim, answer=msgspec.to_builtins(found))
