"""The Celery task that proves drafts. It may be lost, repeated or late, because the database says what is to be proved."""

from celery import shared_task
from django.db import close_old_connections

from autograder.authoring import proofs
from autograder.submissions import tasks

YIELD_SECONDS = 1.0  # of live work between two gradings of a proof


@shared_task
def prove_drafts() -> int:
    """Prove all drafts that wait. Students' work goes first, also between the gradings of a proof."""
    close_old_connections()
    grader, done = tasks.grader(), 0
    if not grader.sandboxes.are_warm:
        return 0
    while not tasks.live_work_waits() and proofs.prove_next(grader.name, grader.examiners, _let_students_pass):
        done += 1
    return done


def _let_students_pass() -> None:
    if tasks.live_work_waits():
        tasks.grader().work(tasks.LIVE, YIELD_SECONDS)
