"""URLs for operators: probes, metrics and the status page."""

from django.urls import path

from autograder.web.monitoring import health, metrics, status

urlpatterns = [
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
    path("status/", status.status, name="status"),
]
