"""What Celery runs. Every task may be lost, repeated or late: the database decides what is done."""

from celery import shared_task
from celery.signals import worker_process_init, worker_ready, worker_shutdown
from django.db import close_old_connections, connections

from autograder.submissions import doorbell, events, queue, retention
from autograder.submissions.grader import Grader
from autograder.submissions.models import Lane, Work
from autograder.submissions.scratch import queue as scratch_queue

_grader: Grader | None = None
LIVE = (Lane.RUN, Lane.SUBMIT)
EXPLAIN_SECONDS = 2.0  # at a stretch


def grader() -> Grader:
    """This process's own, made when it is first needed: a forked worker must not share its parent's sandboxes."""
    global _grader
    if _grader is None:
        _grader = Grader()
    return _grader


@worker_process_init.connect
def _warm_up(**_: object) -> None:
    """The first submission must not wait for torch."""
    connections.close_all()
    grader().warm_up()


@worker_ready.connect
def _begin(**_: object) -> None:
    """Work may wait whose bell nobody heard."""
    doorbell.ring()


@worker_shutdown.connect
def _close(**_: object) -> None:
    global _grader
    if _grader is not None:
        _grader.close()
        _grader = None


@shared_task
def grade_waiting() -> int:
    """Everything live that waits. It rings again instead of going on for long, so that a worker can be told to stop; and
    not if it can do nothing of what waits, or it would ring forever. Then the scheduler rings for another."""
    close_old_connections()
    done = grader().work(LIVE)
    if done and _live_work_waits():
        doorbell.ring()
    return done


@shared_task
def regrade_waiting() -> int:
    """Regrades, for a stretch. Before each, whatever is live goes first: that is how work is claimed. A bell for each would
    cost more than a short grading, and leave all but one worker idle."""
    close_old_connections()
    done = grader().work()
    if done and Work.objects.filter(state=Work.State.QUEUED).exists():
        doorbell.ring_for_regrades()
    return done


@shared_task
def reap() -> int:
    """Take back what died with its worker, delete old scratch runs, ring for whatever a lost bell left lying, and explain what
    is left unexplained."""
    close_old_connections()
    taken = queue.reap()
    scratch_queue.reap()
    scratch_queue.sweep()
    if _live_work_waits():
        doorbell.ring()
    if Work.objects.filter(state=Work.State.QUEUED, lane=Lane.REGRADE).exists():
        doorbell.ring_for_regrades()
    grader().explain_later(EXPLAIN_SECONDS)
    return taken


def _live_work_waits() -> bool:
    """Gradings or scratch runs."""
    return Work.objects.filter(state=Work.State.QUEUED, lane__in=LIVE).exists() or scratch_queue.waits()


@shared_task
def sweep() -> int:
    """Every hour: what is kept for a time, and is over."""
    close_old_connections()
    return events.sweep() + retention.sweep_runs()
