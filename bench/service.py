"""`python -m bench.service [embedded|servers]... [--queue]`: what the service adds to a grading, on real processes.

`--queue` measures the queue alone, without workers.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from django.utils import timezone

from bench.engine import row
from tests.chaos import ROOT, Stack, kill, stack

SENT, MIXED = 40, 240
STORM_STUDENTS, EACH = 300, 3
STORED, DEEP, SHALLOW = 100_000, 5_000, 50
MIX = ("value-engine", "vjp-unbroadcast", "fn-cubic")
ALLOWED = {"embedded": 120, "servers": 60}
NAMES = {"embedded": "SQLite and a folder", "servers": "PostgreSQL and Redis"}


def main(kind: str, queue_alone: bool) -> None:
    with stack(kind) as site:
        os.environ.update(site.environment)
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        print(f"{'service: ' + NAMES[kind]:<66} {'measured':>18} {'must reach':>16}")
        from tests.cast import Cast

        cast = Cast(MIX[0])
        for slug in MIX[1:]:
            cast.assign(slug)
        if not queue_alone:
            site.start("worker")
            site.start("scheduler")
            warm(site)
            over_bare(cast, kind)
            storm(cast, site)
            throughput(cast, site)
            site.stop()
        queue_depths(cast)


def warm(site: Stack) -> None:
    from autograder.submissions.models import Worker

    while Worker.objects.count() < 2:
        time.sleep(0.1)


def send(cast: Any, name: str, slug: str) -> int:
    from autograder.submissions.handing_in.intake import submit
    from tests.cast import source_of

    return submit(user=cast.student(name), course=cast.course, assignment=slug, source=source_of(slug)).pk


@contextmanager
def paused(site: Stack) -> Iterator[None]:
    """The worker's processes stand still, so that a queue can grow."""
    for pid in site.graders():
        kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in site.graders():
            kill(pid, signal.SIGCONT)


def drained() -> None:
    from autograder.submissions.models import Work

    while Work.objects.filter(state__in=("queued", "running")).exists():
        time.sleep(0.05)


def over_bare(cast: Any, kind: str) -> None:
    """From the call of submit() to the stored verdict, less what the judge itself took."""
    from autograder.submissions.models import Grading

    extra = []
    for n in range(SENT + 6):
        start = time.perf_counter()
        pk = send(cast, f"patient-{n % 5}", MIX[n % len(MIX)])
        while (grading := Grading.objects.filter(submission=pk).values("seconds").first()) is None:
            time.sleep(0.001)
        extra.append(time.perf_counter() - start - grading["seconds"])
    found = 1000 * median(extra[6:])
    row("submit to stored verdict, more than the bare grading (median)", f"{found:.0f} ms", f"at most {ALLOWED[kind]} ms",
        found <= ALLOWED[kind])  # fmt: skip


def storm(cast: Any, site: Stack) -> None:
    """Everybody at once before the deadline. The third try of one waits behind the first of another."""
    from autograder.submissions.models import Work

    names = [f"storm-{n}" for n in range(STORM_STUDENTS) for _ in range(EACH)]
    random.Random(1).shuffle(names)
    with paused(site):
        sent = [send(cast, name, MIX[0]) for name in names]
    drained()
    waits: dict[int, list[float]] = {}
    for turn, queued, started in Work.objects.filter(submission__in=sent).values_list("turn", "queued_at", "started_at"):
        assert started is not None
        waits.setdefault(turn, []).append((started - queued).total_seconds())
    first, third = max(waits[0]), max(waits[2])
    row(f"storm of {len(sent)}: longest wait of a first submission", f"{first:.1f} s", f"below {third:.1f} s", first < third)


def throughput(cast: Any, site: Stack) -> None:
    """Two worker processes against two slots that only grade."""
    from django.db.models import Max, Min

    from autograder.explain.batch import GradingRequest, Slots, grade
    from autograder.judge import pack
    from autograder.library.sandboxes import backend
    from autograder.submissions.models import Work
    from tests.cast import source_of
    from tests.conftest import EXERCISES

    with paused(site):
        sent = [send(cast, f"mixed-{n % 60}", MIX[n % len(MIX)]) for n in range(MIXED)]
    drained()
    took = Work.objects.filter(submission__in=sent).aggregate(begun=Min("started_at"), ended=Max("ended_at"))
    service = MIXED / (took["ended"] - took["begun"]).total_seconds()
    folders = [pack.find(EXERCISES, slug) for slug in MIX]
    jobs = [(folders[n % len(MIX)], GradingRequest(source_of(MIX[n % len(MIX)]))) for n in range(MIXED)]
    with Slots(backend(), folders, 2) as slots:
        list(slots.map(grade, jobs[:12]))
        start = time.perf_counter()
        list(slots.map(grade, jobs))
        bare = MIXED / (time.perf_counter() - start)
    share = service / bare
    row(f"throughput of two workers ({service:.0f}/s of {bare:.0f}/s bare)", f"{share:.0%}", "at least 85%", share >= 0.85)


def queue_depths(cast: Any) -> None:
    """Claim and finish, hand in, and ask for the place, with few and many waiting; a claim with many stored.

    The database takes stock of its table when nobody waits, and not again: a queue grows faster than statistics.
    """
    from django.db import connection

    from autograder.submissions import selectors
    from autograder.submissions.models import Work
    from autograder.submissions.work import queue

    fill(cast, 10 * SHALLOW)
    claims(10 * SHALLOW)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE submissions_work")

    def measure() -> tuple[float, float, float]:
        last = Work.objects.filter(state=queue.State.QUEUED).latest("id")
        place = timed(lambda: selectors.place_of(last), SHALLOW)
        handed_in = timed(lambda: send(cast, "patient-1", MIX[0]), SHALLOW)
        return claims(SHALLOW)[1], handed_in, place

    fill(cast, SHALLOW)
    few = measure()
    fill(cast, DEEP)
    many = measure()
    for what, shallow, deep in zip(("claim and finish", "hand in", "a place in the queue"), few, many, strict=True):
        times = deep / shallow
        row(f"{what} at {DEEP:,} queued against {SHALLOW}", f"{times:.1f} x", "at most 2 x", times <= 2)
    fill(cast, STORED, "done")
    claim, _ = claims(100)
    row(f"a claim with {STORED:,} submissions stored", f"{1000 * claim:.1f} ms", "under 5 ms", claim < 0.005)


def fill(cast: Any, count: int, state: str = "queued") -> None:
    from autograder.submissions.models import Submission, Work

    membership, assignment, at = cast.membership("patient-0"), cast.assignment, timezone.now()
    rows = [Submission(assignment=assignment, membership=membership, source=b"x", submitted_at=at) for _ in range(count)]
    made = Submission.objects.bulk_create(rows, batch_size=2000)
    works = [
        Work(submission=one, version=assignment.version, course=cast.course, membership=membership, lane=1,
             place=n, queued_at=at, state=state, ended_at=None if state == "queued" else at)
        for n, one in enumerate(made)
    ]  # fmt: skip
    Work.objects.bulk_create(works, batch_size=2000)


def claims(count: int) -> tuple[float, float]:
    """How long a claim takes, and a claim with its finish."""
    from autograder.submissions.work import queue

    took, whole = [], []
    for _ in range(count):
        start = time.perf_counter()
        claim = queue.claim("bench")
        took.append(time.perf_counter() - start)
        assert claim is not None
        queue.gradings.finish(claim)
        whole.append(time.perf_counter() - start)
    return median(took), median(whole)


def timed(action: Callable[[], object], times: int) -> float:
    took = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        took.append(time.perf_counter() - start)
    return median(took)


if __name__ == "__main__":
    options = [word for word in sys.argv[1:] if word == "--queue"]
    kinds = [word for word in sys.argv[1:] if word not in options] or list(NAMES)
    if len(kinds) == 1:
        main(kinds[0], bool(options))
    else:
        for kind in kinds:  # each in a process of its own: settings are read once
            subprocess.run([sys.executable, "-m", "bench.service", kind, *options], cwd=ROOT, check=True)
