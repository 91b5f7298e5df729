"""The Celery application: the engine of workers and scheduler. Messages are doorbells, the database holds the work."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")

app = Celery("gradus")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["autograder.submissions"])
app.conf.task_routes = {
    "autograder.submissions.tasks.regrade_waiting": {"queue": "regrading"},
    "autograder.gradebook.tasks.*": {"queue": "grades-out"},
}
app.conf.beat_schedule = {
    "reap": {"task": "autograder.submissions.tasks.reap", "schedule": 5.0, "options": {"expires": 5}},
    "sweep": {"task": "autograder.submissions.tasks.sweep", "schedule": 3600.0},
}
