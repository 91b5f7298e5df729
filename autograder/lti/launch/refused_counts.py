"""Logs and counts launches and registrations that were refused, so that operators see when an LMS stops working."""

import logging

from autograder.lti.errors import LaunchRefused, RegistrationRefused
from autograder.submissions import counters
from autograder.submissions.counters import Increment

log = logging.getLogger("gradus.lti")
COUNTER = "lms-refused"
LAUNCH, REGISTRATION = "launch", "registration"


def refused_count(what: str, refused: LaunchRefused | RegistrationRefused) -> None:
    """Log the reason, which names no person, and count it."""
    log.warning("%s refused: %s", what, refused.reason)
    counters.add([Increment(COUNTER, what)])
