"""The Celery application: the engine of workers and scheduler. Messages are doorbells, the database holds the work."""

import os

from celery import Celery
from celery.signals import setup_logging
from django.conf import settings
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")

if settings.BROKER_URL.startswith("filesystem"):  # kombu's own transport of this name reads half-written messages
    (settings.BROKER / "messages").mkdir(parents=True, exist_ok=True)
    TRANSPORT_ALIASES["filesystem"] = "autograder.submissions.messages.folder_broker:Transport"

app = Celery("gradus")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["autograder.authoring", "autograder.courses", "autograder.submissions"])
app.conf.task_routes = {
    "autograder.submissions.tasks.regrade_waiting": {"queue": "regrading"},
    "autograder.courses.tasks.send_mail": {"queue": "mail"},
}


@setup_logging.connect  # type: ignore[untyped-decorator]
def _as_django_does(**_: object) -> None:
    """That somebody listens keeps Celery from setting up logging of its own: Django has done it, see `observability.logs`."""


REAP_EVERY = min(5.0, settings.LEASE.total_seconds() / 3)
app.conf.beat_schedule = {
    "reap": {"task": "autograder.submissions.tasks.reap", "schedule": REAP_EVERY, "options": {"expires": REAP_EVERY}},
    "prove": {
        "task": "autograder.authoring.tasks.prove_drafts",
        "schedule": REAP_EVERY,
        "options": {"expires": REAP_EVERY},
    },
    "sweep": {"task": "autograder.submissions.tasks.sweep", "schedule": 3600.0},
    "send-mail": {"task": "autograder.courses.tasks.send_mail", "schedule": 60.0, "options": {"expires": 60.0}},
}
