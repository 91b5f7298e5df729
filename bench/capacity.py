"""`python -m bench.capacity [embedded|servers] [--submissions N] [--seconds S]`: is the simulated night the real one?

A real site takes in submissions at given moments, ever more of them, more than its two workers can do at the end. The
simulation gets the same moments and the service times that this site has written down; what students waited is compared.
Many submissions sleep, as slow ones do: two cores then carry two workers, and whoever hands in.
"""

import argparse
import os
import time
from dataclasses import dataclass
from random import Random
from typing import Any

from bench.engine import row
from bench.service import drained, warm
from tests.chaos import SLOWLY, stack

WORKERS = 2
STUDENTS = 40
EXERCISE = "value-engine"
DEVIATION = 0.2
SLOW = 0.5  # of all submissions


@dataclass(frozen=True)
class Seen:
    """What students waited for their verdicts, and verdicts a second from the first arrival to the last verdict."""

    median: float
    p95: float
    throughput: float


@dataclass(frozen=True)
class Compared:
    """`drawn`: as for a night that nobody has seen yet, where it is not known whom the slow moments of a machine hit."""

    real: Seen
    simulated: Seen
    drawn: Seen

    def deviations(self, of: Seen) -> dict[str, float]:
        names = ("median", "p95", "throughput")
        return {name: getattr(of, name) / getattr(self.real, name) - 1 for name in names}


def compare(kind: str, submissions: int, seconds: float, seed: int = 1) -> Compared:
    """Runs a site of its own, in this process's environment: once in a process."""
    with stack(kind) as site:
        os.environ.update(site.environment)
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        from tests.cast import Cast

        cast = Cast(EXERCISE)
        students = [cast.student(f"student-{n}") for n in range(STUDENTS)]
        for part in ("worker", "scheduler"):
            site.start(part)
        warm(site)
        random = Random(seed)
        for student in students[:8]:
            _send(cast, student, random)
        drained()
        moments = _rising(submissions, seconds)
        sent = _handed_in(cast, students, moments, random)
        drained()
        _explained()
        real, at = _seen(sent)
        return Compared(real, _simulated(at, sent, None), _simulated(at, sent, seed))


def _rising(count: int, seconds: float) -> list[float]:
    """Moments of arrival: at the end twice as many as on average, at the beginning none."""
    return [seconds * ((n + 0.5) / count) ** 0.5 for n in range(count)]


def _send(cast: Any, student: Any, random: Random) -> int:
    from autograder.submissions.handing_in.intake import submit
    from tests.cast import source_of

    name = random.choice(("solution", "wrong/missing-upstream"))
    source = source_of(EXERCISE, name) + (SLOWLY if random.random() < SLOW else b"")
    return submit(user=student, course=cast.course, assignment=cast.assignment.slug, source=source).pk


def _handed_in(cast: Any, students: list[Any], moments: list[float], random: Random) -> list[int]:
    began, sent = time.monotonic(), []
    for moment in moments:
        time.sleep(max(0.0, began + moment - time.monotonic()))
        sent.append(_send(cast, random.choice(students), random))
    return sent


def _explained() -> None:
    """A verdict is out before its worker is free again."""
    from autograder.submissions.models import Grading
    from tests.servers import wait_for

    wait_for(lambda: not Grading.objects.filter(explained_at=None).exists(), "a grading was never explained")


def _seen(sent: list[int]) -> tuple[Seen, list[tuple[float, int]]]:
    """What was real, and who came when."""
    from autograder.submissions.models import Grading

    rows = (
        Grading.objects.filter(submission__in=sent)
        .order_by("submission_id")
        .values_list("submission__submitted_at", "graded_at", "submission__membership_id")
    )
    came = [(arrived.timestamp(), who) for arrived, _, who in rows]
    waited = sorted((graded - arrived).total_seconds() for arrived, graded, _ in rows)
    assert len(waited) == len(sent)
    took = max(graded.timestamp() for _, graded, _ in rows) - came[0][0]
    return Seen(_at(waited, 0.5), _at(waited, 0.95), len(sent) / took), [(at - came[0][0], who) for at, who in came]


def _simulated(came: list[tuple[float, int]], sent: list[int], drawn: int | None) -> Seen:
    """With the time that each of them really took; or with times drawn of them, by this seed."""
    from autograder.submissions.models import Lane
    from tools.capacity.arrivals import Arrival
    from tools.capacity.service_times import GradingTimes, service_times
    from tools.capacity.simulation import Fleet, simulate
    from tools.capacity.site_times import ends_of, graded, wakeup_delay_of

    rows = [row for row in graded(10 * len(sent)) if row.submission_id in set(sent)]
    took = {
        row.submission_id: GradingTimes(row.ended - row.started, until - row.started)
        for row, until in zip(rows, ends_of(rows), strict=True)
    }
    usual = sorted(took.values(), key=lambda one: one.busy)[len(took) // 2]  # of what needed a second try
    times = [took.get(number, usual) for number in sorted(sent)]
    own = {"all": times} if drawn is not None else {f"{n:06}": [one] for n, one in enumerate(times)}
    measured = service_times("a real run", own, wakeup_delay=wakeup_delay_of(rows), warm_up=0.0)
    arrivals = [Arrival(at, who, 0, Lane.SUBMIT, n * (drawn is None)) for n, (at, who) in enumerate(came)]
    night = simulate(arrivals, Fleet(WORKERS, recycles=False), measured, drawn or 0)
    return Seen(night.percentile(0.5), night.percentile(0.95), len(sent) / night.ended)


def _at(values: list[float], share: float) -> float:
    return values[min(len(values) - 1, int(share * len(values)))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stack", nargs="?", choices=("embedded", "servers"), default="embedded")
    parser.add_argument("--submissions", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=75.0)
    parser.add_argument("--json", action="store_true", help="the numbers alone, for a program")
    given = parser.parse_args()
    found = compare(given.stack, given.submissions, given.seconds)
    if given.json:
        import msgspec

        print(msgspec.json.encode(found).decode())
        return
    print(
        f"{f'{given.submissions} submissions in {given.seconds:g} s, {given.stack}':<66} {'measured':>18} {'must reach':>16}"
    )
    for how, of, must in (("each one's own time", found.simulated, True), ("times drawn", found.drawn, False)):
        for name, deviation in found.deviations(of).items():
            unit = "/s" if name == "throughput" else " s"
            what = f"{how}, {name}: real {getattr(found.real, name):.2f}{unit}, simulated {getattr(of, name):.2f}{unit}"
            row(
                what, f"{deviation:+.1%}", f"within {DEVIATION:.0%}" if must else "", not must or abs(deviation) <= DEVIATION
            )


if __name__ == "__main__":
    main()
