"""Answers a claimed scratch run, in a sandbox of its exercise's profile and within the exercise's limits."""

from autograder.judge.grade import Judge
from autograder.library.versions import pack_of
from autograder.submissions.models import ScratchRun
from autograder.submissions.scratch import queue
from autograder.submissions.scratch.queue import ScratchClaim
from autograder.submissions.scratch.running import run_scratch


def answer(claim: ScratchClaim, judge: Judge) -> bool:
    """Return False if the lease was lost or the run deleted in the meantime. Raises PackError for an unreadable version."""
    run = ScratchRun.objects.filter(pk=claim.run_id).first()
    if run is None:
        return False
    pack = pack_of(run.version_id)
    box, source = judge.sandbox(pack.settings.profile), bytes(run.source)
    program = pack.program(source)
    several = None if isinstance(program, bytes) else program
    return queue.finish(claim, run_scratch(box, pack.limits(judge.ceiling), source, bytes(run.calls), several))
