"""Imports of the fork server of `tests.processes`: libraries, and modules of Gradus that read no settings.

It also computes the hashes of the code that every grading or proving command needs.
"""

import gc
from importlib import import_module
from pathlib import Path

from django.conf import settings

from autograder.explain.diagnosis import prediction
from autograder.judge import pack
from autograder.prove import stored_proofs

LIBRARIES = (
    *("celery.app.base", "celery.app.builtins", "celery.fixups.django", "celery.loaders.app", "celery.signals"),
    *("celery.worker.worker", "kombu.common", "redis"),
    *("django.contrib.admin.checks", "django.contrib.messages.storage.base", "django.core.handlers.asgi"),
    *("django.core.management.commands.migrate", "django.db.backends.sqlite3.base", "django.db.migrations.executor"),
    *("django.db.models", "django.forms", "django.middleware.cache", "django.middleware.csrf", "django.shortcuts"),
    *("django.template.defaulttags", "django.template.loader_tags", "django.urls", "django.views.decorators.csrf"),
    *("dj_database_url", "docker", "packaging.requirements", "prometheus_client", "structlog", "uvicorn", "xlsxwriter"),
    *("latex2mathml.converter", "markdown_it", "mdit_py_plugins.dollarmath", "nh3", "pygments.lexers.python"),
    *("numpy", "rich.progress", "torch", "yaml"),
)
OURS = (
    *("autograder.explain.batch", "autograder.explain.diagnosis.explain", "autograder.prove.linter"),
    *("sandbox.backends.container", "sandbox.packages"),
)

for name in (*LIBRARIES, *OURS):
    import_module(name)
prediction.code_hash()
exercise = pack.load(Path(__file__).resolve().parent.parent / "exercises" / "scalar-engine" / "value-engine")
stored_proofs.gradings_hash(exercise)
stored_proofs.diagnosis_hash(exercise)
assert not settings.configured, "a command could no longer choose its settings"
gc.freeze()
