"""Notifies workers through the broker that there is work, but not which. A lost message only causes a delay, because the
scheduler sends one regularly.
"""

import logging

from kombu.exceptions import OperationalError

from autograder.celery import app

log = logging.getLogger("gradus.doorbell")


def ring() -> None:
    _send("autograder.submissions.tasks.grade_waiting")


def ring_for_regrades() -> None:
    _send("autograder.submissions.tasks.regrade_waiting")


def ring_for_proofs() -> None:
    _send("autograder.authoring.tasks.prove_drafts")


def _send(task: str) -> None:
    try:
        app.send_task(task, ignore_result=True, retry=False)
    except (OperationalError, OSError):
        log.warning("the broker cannot be reached; the scheduler will find the job", exc_info=True)
