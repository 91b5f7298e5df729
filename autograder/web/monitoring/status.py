"""Status page for staff of the site, with the numbers that Prometheus would show."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from autograder import __version__
from autograder.courses.mail import outbox
from autograder.submissions import counters, selectors
from autograder.submissions.counters import Counts
from autograder.submissions.models import Work
from autograder.submissions.selectors import LaneDepth
from autograder.web.access import SignedIn
from autograder.web.monitoring.dependencies import dependencies_now
from autograder.web.monitoring.site_figures import LANES, SiteFigures, figures
from autograder.web.timestamps import zone_of

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
GIVEN_UP = 10  # number of recent failures to list
WORDS = {
    "passed": "all checks passed",
    "partial": "some checks passed",
    "failed": "no check passed",
    "exception": "exception while the code was loaded",
    "missing-entry-point": "function or class missing",
    "timeout-cpu": "CPU time limit",
    "timeout-wall": "time limit",
    "memory": "memory limit",
    "output": "output limit",
    "crash": "process ended early",
    "protocol": "invalid reply",
    "source": "syntax error",
    "internal": "internal error",
}
GLYPHS = {"passed": "passed", "partial": "partial", "failed": "failed"}


@dataclass(frozen=True)
class RecentCounts:
    """A counter over the last hour, the last day, and all time."""

    name: str
    hour: int
    day: int
    ever: int
    glyph: str = ""


@dataclass(frozen=True)
class LaneStatus:
    """Current state of a lane, and how long its verdicts of the last hour took."""

    depth: LaneDepth
    oldest_seconds: float
    verdicts: int
    claim_median: float | None
    claim_p95: float | None
    submit_median: float | None
    submit_p95: float | None


@dataclass(frozen=True)
class Failure:
    """A work item that was given up, with a link to its admin page."""

    work: Work
    where: str


@dataclass(frozen=True)
class CounterWindows:
    """The counters of the last hour, the last day, and all time."""

    hour: Counts
    day: Counts
    ever: Counts

    def of(self, counter: str, label: str, name: str, glyph: str = "") -> RecentCounts:
        hour, day, ever = (round(counts.get(counter, {}).get(label, 0.0)) for counts in (self.hour, self.day, self.ever))
        return RecentCounts(name, hour, day, ever, glyph)


@login_required
@never_cache
@require_safe
def status(request: SignedIn) -> HttpResponse:
    if not request.user.is_staff:
        raise Http404("for the staff of the site")
    with timezone.override(zone_of(request, request.user)):
        return render(request, "web/monitoring/status.html", _page(timezone.now()))


def _page(now: datetime) -> dict[str, object]:
    found = figures()
    windows = CounterWindows(
        counters.counts_since(now - HOUR, found.counts), counters.counts_since(now - DAY, found.counts), found.counts
    )
    lanes = [_lane(name, depth, found, windows.hour) for name, depth in zip(LANES, found.depths, strict=True)]
    verdicts = _verdicts(windows)
    return {
        "now": now,
        "version": __version__,
        "found": found,
        "parts": dependencies_now(),
        "lanes": lanes,
        "verdicts": verdicts,
        "waiting": sum(depth.waiting for depth in found.depths),
        "oldest": max(lane.oldest_seconds for lane in lanes),
        "graded": sum(row.hour for row in verdicts),
        "layers": found.layers(),
        "zygotes": list(_zygotes(windows)),
        "retries": [windows.of(counters.RETRIES, label, words) for label, words in counters.CAUSES.items()],
        "errors": _errors(windows),
        "given_up": [_failure(work) for work in selectors.given_up()[:GIVEN_UP]],
        "workers": [*found.living, *found.silent],
        "mail": outbox.status(),
    }


def _lane(name: str, depth: LaneDepth, found: SiteFigures, hour: Counts) -> LaneStatus:
    claim, submit = (counters.times(hour, counter, name) for counter in (counters.FROM_CLAIM, counters.FROM_SUBMIT))
    return LaneStatus(
        depth,
        found.oldest_seconds(depth),
        claim.number,
        claim.quantile(0.5),
        claim.quantile(0.95),
        submit.quantile(0.5),
        submit.quantile(0.95),
    )


def _verdicts(windows: CounterWindows) -> list[RecentCounts]:
    """Verdicts by reason over all lanes, most frequent first."""
    rows: dict[str, RecentCounts] = {}
    for label in windows.ever.get(counters.VERDICTS, {}):
        _, verdict, reason = label.split(" ")
        more = windows.of(counters.VERDICTS, label, WORDS.get(reason, reason), GLYPHS.get(verdict, "failed"))
        rows[reason] = _together(rows[reason], more) if reason in rows else more
    return sorted(rows.values(), key=lambda row: (-row.ever, row.name))


def _together(count: RecentCounts, other: RecentCounts) -> RecentCounts:
    return RecentCounts(count.name, count.hour + other.hour, count.day + other.day, count.ever + other.ever, count.glyph)


def _zygotes(windows: CounterWindows) -> Iterator[tuple[str, RecentCounts, RecentCounts]]:
    for profile in sorted(windows.ever.get(counters.ZYGOTE_STARTS, {})):
        starts = windows.of(counters.ZYGOTE_STARTS, profile, profile)
        yield profile, starts, windows.of(counters.ZYGOTE_DEATHS, profile, profile)


def _errors(windows: CounterWindows) -> RecentCounts:
    rows = [windows.of(counters.FAILED, label, "") for label in counters.CAUSES]
    return RecentCounts("", sum(row.hour for row in rows), sum(row.day for row in rows), sum(row.ever for row in rows))


def _failure(work: Work) -> Failure:
    return Failure(work, reverse("admin:submissions_work_change", args=(work.pk,)))
