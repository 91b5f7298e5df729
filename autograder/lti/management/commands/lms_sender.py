"""`manage.py lms_sender`: sends grades to the LMSs that are connected. One is enough; a second one does no harm."""

import signal
from threading import Event
from typing import Any

from autograder.library.command import GradusCommand
from autograder.lti.sending import sender


class Command(GradusCommand):
    help = "Sends grades to connected LMSs. On Ctrl-C or SIGTERM, it finishes what it is sending first."

    def handle(self, *args: Any, **options: Any) -> None:
        stop = Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stop.set())
        sender.run(stop)
