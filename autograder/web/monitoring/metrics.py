"""`/metrics` in the Prometheus text format.

Site-wide numbers are read from the database on each scrape, so every process returns the same. Request durations are
those of this web process. Access requires the metrics token or a staff account; everyone else gets 404.
"""

import hmac
import time
from collections.abc import Iterator

from django.conf import settings
from django.db import Error
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from autograder import __version__
from autograder.courses.models import User
from autograder.lti.launch import refused_counts
from autograder.submissions import counters
from autograder.web.monitoring import durations
from autograder.web.monitoring.dependencies import database_answers, dependencies_now
from autograder.web.monitoring.site_figures import LANES, SiteFigures, figures

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
TIMED = {
    "gradus_claim_to_verdict_seconds": (counters.FROM_CLAIM, "Seconds from a worker's claim to the stored verdict."),
    "gradus_submit_to_verdict_seconds": (
        counters.FROM_SUBMIT,
        "Seconds from submission to stored verdict, including time in the queue.",
    ),
}
COUNTED: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "gradus_verdicts": (counters.VERDICTS, "Verdicts stored.", ("lane", "verdict", "reason")),
    "gradus_retries": (counters.RETRIES, "Jobs returned to the queue.", ("cause",)),
    "gradus_internal_errors": (
        counters.FAILED,
        "Jobs that failed after the last retry because of an internal error.",
        ("cause",),
    ),
    "gradus_lms_refused": (refused_counts.COUNTER, "Launches and registrations of an LMS that were refused.", ("what",)),
    "gradus_zygote_starts": (counters.ZYGOTE_STARTS, "Zygotes started.", ("profile",)),
    "gradus_zygote_deaths": (counters.ZYGOTE_DEATHS, "Zygotes that exited unexpectedly.", ("profile",)),
}
FROM_ZERO: dict[tuple[str, ...], tuple[str, ...]] = {  # labels whose values are all known
    ("cause",): tuple(counters.CAUSES),
    ("what",): (refused_counts.LAUNCH, refused_counts.REGISTRATION),
}


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    if not _may_read(request):
        raise Http404("not without the token")
    registry = CollectorRegistry()
    registry.register(_Site())
    return HttpResponse(durations.exposed() + generate_latest(registry), content_type=CONTENT_TYPE)


def _may_read(request: HttpRequest) -> bool:
    """Check the token first: that needs no session, and so no database."""
    scheme, _, shown = request.headers.get("Authorization", "").partition(" ")
    if settings.METRICS_TOKEN and scheme.lower() == "bearer":
        return hmac.compare_digest(shown.strip().encode(), settings.METRICS_TOKEN.encode())
    return isinstance(request.user, User) and request.user.is_staff


class _Site(Collector):
    """Collects the numbers in the database, and whether the dependencies answer."""

    def collect(self) -> Iterator[Metric]:
        begun = time.perf_counter()
        yield InfoMetricFamily("gradus", "The version of this web process.", {"version": __version__})
        ready = GaugeMetricFamily("gradus_part_ready", "1 if this component is ready.", labels=["part"])
        for part in dependencies_now():
            ready.add_metric([part.name], float(part.fine))
        yield ready
        if database_answers():
            try:
                found = figures()
            except Error:  # the database failed after the check; the next scrape reports it
                return
            yield from _of_now(found)
            yield from _lms(found)
            yield from _counted(found)
            yield from _timed(found)
        seconds = time.perf_counter() - begun
        yield GaugeMetricFamily("gradus_scrape_seconds", "Time taken to collect these metrics, in seconds.", value=seconds)


def _of_now(found: SiteFigures) -> Iterator[Metric]:
    waiting = GaugeMetricFamily("gradus_queue_waiting", "Queued jobs.", labels=["lane"])
    running = GaugeMetricFamily("gradus_queue_running", "Jobs being graded.", labels=["lane"])
    oldest = GaugeMetricFamily(
        "gradus_queue_oldest_seconds", "Age of the oldest queued job in seconds; 0 if the queue is empty.", labels=["lane"]
    )
    for lane, depth in zip(LANES, found.depths, strict=True):
        waiting.add_metric([lane], depth.waiting)
        running.add_metric([lane], depth.running)
        oldest.add_metric([lane], found.oldest_seconds(depth))
    yield from (waiting, running, oldest)
    alive = GaugeMetricFamily("gradus_workers_alive", "Workers seen recently, by version.", labels=["version"])
    versions = [worker.version for worker in found.living]
    for version in sorted({*versions, __version__}):
        alive.add_metric([version], versions.count(version))
    yield alive
    yield GaugeMetricFamily(
        "gradus_workers_idle", "Running workers that cannot grade because of a problem.", value=len(found.idle)
    )
    yield GaugeMetricFamily(
        "gradus_workers_silent", "Workers that stopped responding without shutting down.", value=len(found.silent)
    )
    layers = GaugeMetricFamily(
        "gradus_sandbox_layer", "1 if this layer is active in every running worker.", labels=["layer"]
    )
    for layer, holds in found.layers().items():
        layers.add_metric([layer], float(holds))
    yield layers


def _lms(found: SiteFigures) -> Iterator[Metric]:
    scores = GaugeMetricFamily("gradus_lms_scores", "Scores that an LMS should have and does not have.", labels=["state"])
    scores.add_metric(["waiting"], found.outgoing.waiting)
    scores.add_metric(["failed"], found.outgoing.failed)
    yield scores
    yield GaugeMetricFamily(
        "gradus_lms_scores_oldest_seconds",
        "Seconds since the oldest score that waits should have been in an LMS; 0 if none waits.",
        value=found.oldest_score_seconds,
    )


def _counted(found: SiteFigures) -> Iterator[Metric]:
    """Yield the counters. Where all label values are known, missing series are reported as 0, so that an alert sees the
    first event.
    """
    for name, (counter, words, labels) in COUNTED.items():
        family = CounterMetricFamily(name, words, labels=labels)
        counts = dict.fromkeys(FROM_ZERO.get(labels, ()), 0.0)
        for label, value in (counts | found.counts.get(counter, {})).items():
            family.add_metric(label.split(" "), value)
        yield family


def _timed(found: SiteFigures) -> Iterator[Metric]:
    for name, (counter, words) in TIMED.items():
        family = HistogramMetricFamily(name, words, labels=["lane"])
        for lane in LANES:
            took = counters.times(found.counts, counter, lane)
            buckets = [(f"{bound:g}", float(upto)) for bound, upto in took.at_most]
            family.add_metric([lane], [*buckets, ("+Inf", float(took.number))], took.seconds)
        yield family
