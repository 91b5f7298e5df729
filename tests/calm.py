"""`python -m tests.calm [--submissions N]`: the embedded stack first without faults, then with its worker killed
repeatedly.

Two thousand submissions are graded without faults: no worker process may end. Then single processes and the whole
worker are killed, and the time until the next verdict is measured. Prints the results. Exits with 1 if a process ended
by itself or a submission was lost.
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from tests.chaos import below, children, kill
from tests.servers import wait_for
from tests.site import Site, running_site

WAITING = 20  # submissions in the queue at a time; each of them wakes the worker
KILLS = 5
WANTED_SECONDS = 3.0
STUDENTS = 24


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=2000)
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="gradus-calm-", ignore_cleanup_errors=True) as data,
        running_site(Path(data), "--workers", "2", GRADUS_LOG="json") as site,
    ):
        os.environ.update(site.environment | {"GRADUS_LOG": ""})
        import django

        django.setup()
        return 0 if calm(site, given.submissions) else 1


def calm(site: Site, count: int) -> bool:
    from autograder.submissions.models import Submission, Worker

    wait_for(lambda: Worker.objects.count() == 2, "the workers are not there")
    send = _sender()
    before = graders(site)
    for number in range(count):
        send(number)
        wait_for(lambda: _waiting() < WAITING, "nothing is graded any more")
    wait_for(lambda: not _waiting(), "the queue does not get empty")
    ended = len(before - graders(site))
    graded = Submission.objects.filter(gradings__current=True).count()
    print(f"embedded, {count} submissions in peace: {graded} graded, {ended} worker processes ended by themselves")
    restarts(site, send, "a process of the worker", lambda: [_one(graders(site))])
    restarts(site, send, "the whole worker", lambda: below(site.parts()["worker"]))
    lost = Submission.objects.exclude(gradings__current=True).count()
    print(f"submissions without a grading: {lost}")
    return not ended and graded == count and not lost


def restarts(site: Site, send: Callable[[int], None], what: str, victims: Callable[[], list[int]]) -> None:
    """Kill the processes, submit, and measure the time to the verdict."""
    seconds = []
    for number in range(KILLS):
        wait_for(lambda: graders(site) <= _warm() and len(graders(site)) == 2, "the worker does not come back")
        for pid in victims():
            kill(pid, signal.SIGKILL)
        begun = time.monotonic()
        send(number)
        wait_for(lambda: not _waiting(), "what was handed in after a kill is not graded")
        seconds.append(time.monotonic() - begun)
    missed = "" if max(seconds) < WANTED_SECONDS else "  MISSED"
    print(f"{what} killed {KILLS} times, next verdict after: median {median(seconds):.1f} s, longest {max(seconds):.1f} s"
          f" (under {WANTED_SECONDS:g} s){missed}")  # fmt: skip


def graders(site: Site) -> set[int]:
    """Pids of the grading processes of the worker."""
    worker = site.parts().get("worker")
    return set(children(worker)) if worker else set()


def _warm() -> set[int]:
    """Pids of the processes that have registered as ready to grade."""
    from autograder.submissions.models import Worker

    return {int(name.rpartition(":")[2]) for name in Worker.objects.values_list("name", flat=True)}


def _one(pids: set[int]) -> int:
    return min(pids)


def _waiting() -> int:
    from autograder.submissions.models import Work

    return Work.objects.filter(state__in=("queued", "running")).count()


def _sender() -> Callable[[int], None]:
    from tests.cast import Cast, source_of

    cast = Cast()
    sources = [source_of("value-engine"), source_of("value-engine", "wrong/missing-upstream")]

    def send(number: int) -> None:
        cast.hands_in(f"student-{number % STUDENTS}", sources[number % 2])

    return send


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
    sys.exit(main())
