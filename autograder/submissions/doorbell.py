"""Notifies workers through the broker that there is work, but not which. A lost message only causes a delay, because the
scheduler sends one regularly.
"""

import logging

from kombu.exceptions import OperationalError

from autograder.celery import app

log = logging.getLogger("gradus.doorbell")


def ring() -> None:
    try:
        app.send_task("autograder.submissions.tasks.grade_waiting", ignore_result=True, retry=False)
    except (OperationalError, OSError):
        log.warning("the broker cannot be reached; the scheduler will find the work", exc_info=True)


def ring_for_regrades() -> None:
    try:
        app.send_task("autograder.submissions.tasks.regrade_waiting", ignore_result=True, retry=False)
    except (OperationalError, OSError):
        log.warning("the broker cannot be reached; the scheduler will find the work", exc_info=True)
