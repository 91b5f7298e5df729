"""The Celery tasks. Every task may be lost, repeated or late, because the database is authoritative."""

from celery import shared_task
from celery.signals import worker_process_init, worker_ready, worker_shutdown
from django.db import close_old_connections, connections

from autograder.submissions import retention
from autograder.submissions.grader import Grader
from autograder.submissions.messages import doorbell, events
from autograder.submissions.models import Lane, Work
from autograder.submissions.scratch import queue as scratch_queue
from autograder.submissions.work import queue

_grader: Grader | None = None
LIVE = (Lane.RUN, Lane.SUBMIT)
EXPLAIN_SECONDS = 2.0  # per task


def grader() -> Grader:
    """Return this process's grader, created on first use, because a forked worker must not share its parent's sandboxes."""
    global _grader
    if _grader is None:
        _grader = Grader()
    return _grader


@worker_process_init.connect
def _warm_up(**_: object) -> None:
    """Warm up, so that the first submission does not have to wait for torch."""
    connections.close_all()
    grader().warm_up()


@worker_ready.connect
def _begin(**_: object) -> None:
    """Wake a worker for work whose notification was lost."""
    doorbell.ring()


@worker_shutdown.connect
def _close(**_: object) -> None:
    global _grader
    if _grader is not None:
        _grader.close()
        _grader = None


@shared_task
def grade_waiting() -> int:
    """Grade all live work that is waiting.

    After a while the task queues itself again, so that a worker can be stopped. It does not do so if it could do none of the
    waiting work, because it would repeat forever; the scheduler then notifies another worker.
    """
    close_old_connections()
    done = grader().work(LIVE)
    if done and live_work_waits():
        doorbell.ring()
    return done


@shared_task
def regrade_waiting() -> int:
    """Grade regrades for a while. Claims prefer live work, so that it always goes first.

    One message per regrade would cost more than a short grading and leave all but one worker idle.
    """
    close_old_connections()
    done = grader().work()
    if done and Work.objects.filter(state=Work.State.QUEUED).exists():
        doorbell.ring_for_regrades()
    return done


@shared_task
def reap() -> int:
    """Take back work of dead workers, delete old scratch runs, send lost notifications again, and explain unexplained gradings."""
    close_old_connections()
    taken = queue.gradings.reap()
    scratch_queue.runs.reap()
    scratch_queue.sweep()
    if live_work_waits():
        doorbell.ring()
    if Work.objects.filter(state=Work.State.QUEUED, lane=Lane.REGRADE).exists():
        doorbell.ring_for_regrades()
    grader().explain_later(EXPLAIN_SECONDS)
    return taken


def live_work_waits() -> bool:
    """Whether gradings or scratch runs are waiting."""
    return Work.objects.filter(state=Work.State.QUEUED, lane__in=LIVE).exists() or scratch_queue.waits()


@shared_task
def sweep() -> int:
    """Delete expired events and runs. Runs every hour."""
    close_old_connections()
    return events.sweep() + retention.sweep_runs()
