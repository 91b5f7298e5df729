"""`python -m bench.regrade [embedded|servers]... [--of N]`: a preview regrade beside live work, on real processes.

What is handed in arrives one by one, first alone and then while N submissions are graded again behind it. Prints how long it
waited for a worker, how fast the regrade went against slots that only grade, and how busy the machine was.
Gradings are of several lengths, so what 95 of 100 wait is held against what 95 of 100 gradings take.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from statistics import median, quantiles
from typing import Any

from bench.engine import row
from bench.service import MIX, NAMES, drained, paused, send, warm
from tests.chaos import ROOT, Stack, stack

LIVE, EVERY = 60, 0.35  # submissions, and seconds between two of them: far below what two workers can do
STUDENTS = 50
OF = 300


def main(kind: str, of: int) -> None:
    with stack(kind) as site:
        os.environ.update(site.environment)
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        print(f"{f'regrade of {of}: ' + NAMES[kind]:<66} {'measured':>18} {'must reach':>16}")
        from tests.cast import Cast

        cast = Cast(MIX[0])
        for slug in MIX[1:]:
            cast.assign(slug)
        site.start("worker")
        site.start("scheduler")
        warm(site)
        measure(cast, site, of)


def measure(cast: Any, site: Stack, of: int) -> None:
    with paused(site):
        stored = [send(cast, f"regraded-{n % STUDENTS}", MIX[n % len(MIX)]) for n in range(of)]
    drained()
    print(f"  load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    alone = waits(arrive(cast, lambda: False))
    batch = ask(cast, stored)
    beside = waits(arrive(cast, lambda: unfinished(batch)))
    drained()
    one = grading_of(batch)
    changed = late(beside) - late(alone)
    print(
        f"  {len(alone)} live ones alone: 95 of 100 waited at most {1000 * late(alone):.0f} ms, the median {1000 * median(alone):.0f}"
    )
    print(
        f"  {len(beside)} beside the regrade: at most {1000 * late(beside):.0f} ms, the median {1000 * median(beside):.0f}"
    )
    row("live beside a regrade: what 95 of 100 wait, changed by", f"{1000 * changed:+.0f} ms",
        f"under {1000 * one:.0f} ms", changed < one)  # fmt: skip
    throughput(batch, site)


def ask(cast: Any, stored: Sequence[int]) -> Any:
    from autograder.submissions import regrades
    from autograder.submissions.models import Submission

    wanted = Submission.objects.filter(pk__in=stored)
    return regrades.start(course=cast.course, by=cast.staff, reason="A check was wrong.", submissions=wanted)


def arrive(cast: Any, more: Callable[[], bool]) -> list[int]:
    """One by one, at uneven moments, so many or as long as there is more to stand beside; what they are by number."""
    chance = random.Random(1)
    sent: list[int] = []
    while len(sent) < LIVE or more():
        time.sleep(chance.expovariate(1 / EVERY))
        sent.append(send(cast, f"live-{len(sent) % STUDENTS}", MIX[len(sent) % len(MIX)]))
    return sent


def unfinished(batch: Any) -> bool:
    from autograder.submissions import regrades

    return not regrades.progress(batch).ready


def waits(sent: Sequence[int]) -> list[float]:
    """Seconds from handing in to the worker that took it."""
    from autograder.submissions.models import Work

    drained()
    works = Work.objects.filter(submission__in=sent, batch=None).values_list("queued_at", "started_at")
    return [(started - queued).total_seconds() for queued, started in works if started is not None]


def late(times: Sequence[float]) -> float:
    """What 95 of 100 stay under."""
    return quantiles(times, n=20)[-1]


def grading_of(batch: Any) -> float:
    """How long 95 of 100 of the regrade's gradings hold a worker at most."""
    works = batch.work.exclude(started_at=None).values_list("started_at", "ended_at")
    return late([(ended - started).total_seconds() for started, ended in works])


def throughput(batch: Any, site: Stack) -> None:
    """All that the two workers graded while the regrade ran, against two slots that grade the same mixture and do nothing else."""
    from django.db.models import Max, Min

    from autograder.submissions.models import Work

    span = batch.work.aggregate(begun=Min("started_at"), ended=Max("ended_at"))
    done = Work.objects.filter(started_at__gte=span["begun"], ended_at__lte=span["ended"]).count()
    service = done / (span["ended"] - span["begun"]).total_seconds()
    site.stop()
    bare = done / _bare(done)
    share = service / bare
    what = f"throughput with {done - batch.work.count()} live ones ({service:.0f}/s of {bare:.0f}/s bare)"
    row(what, f"{share:.0%}", "at least 85%", share >= 0.85)


def _bare(count: int) -> float:
    """Seconds."""
    from autograder.explain.batch import GradingRequest, Slots, grade
    from autograder.judge import pack
    from sandbox.backends.bubblewrap import Bubblewrap
    from tests.cast import source_of
    from tests.conftest import EXERCISES

    folders = [pack.find(EXERCISES, slug) for slug in MIX]
    jobs = [(folders[n % len(MIX)], GradingRequest(source_of(MIX[n % len(MIX)]))) for n in range(count)]
    with Slots(Bubblewrap(), folders, 2) as slots:
        list(slots.map(grade, jobs[:12]))
        start = time.perf_counter()
        list(slots.map(grade, jobs))
        return time.perf_counter() - start


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("kinds", nargs="*", help=f"of {', '.join(NAMES)}; both if none is named")
    asked.add_argument("--of", type=int, default=OF, help="how many submissions are graded again")
    options = asked.parse_args()
    kinds = options.kinds or list(NAMES)
    if len(kinds) == 1:
        main(kinds[0], options.of)
    else:
        for kind in kinds:  # each in a process of its own: settings are read once
            command = [sys.executable, "-m", "bench.regrade", kind, "--of", str(options.of)]
            subprocess.run(command, cwd=ROOT, check=True)
