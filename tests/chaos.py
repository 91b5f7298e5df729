"""`python -m tests.chaos [--submissions N] [--stack embedded|servers|production]`: submissions under faults, with real
processes.

Students submit while workers, zygotes, scheduler and broker are killed, frozen, stopped or emptied at random. At the
end, every submission must have one current grading, none may be lost or counted twice, and each report must equal the
one that an undisturbed run produces for the same seed. Prints the faults and the results. Exits with 1 if anything is
missing.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.servers import Postgres, Redis, free_port, postgres_server, redis_server

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from autograder.submissions.models import Work

LEASE = 4.0
STUDENTS = 24
SLOWLY = b"\nimport time\ntime.sleep(0.5)\n"
SLOW_ONES = 0.5  # share of slow submissions, so that one is being graded at almost any time
PACE = 0.25  # seconds between two submissions, about as fast as they are graded
PATIENCE = 20.0
DRAIN_SECONDS = 900.0
MOST_LOST = 6  # a grading that lost its worker so often is left alone: its next tries wait for minutes
EXERCISES = ("value-engine", "vjp-unbroadcast", "fn-cubic")
ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Stack:
    """The processes of the site, its database and its broker."""

    data: Path
    environment: dict[str, str]
    redis: Redis | None = None
    postgres: Postgres | None = None
    parts: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict)
    port: int = field(default_factory=free_port)  # of the web process, if it is started

    def start(self, name: str, checkout: Path = ROOT) -> None:
        """Start a part by name, optionally from another checkout: `worker of VERSION`."""
        from autograder.submissions.management.commands.up import commands

        command = commands(host="127.0.0.1", port=self.port, workers=2)[name.partition(" ")[0]]
        log = (self.data / f"{name}.log").open("ab")
        environment = {**os.environ, **self.environment}
        self.parts[name] = subprocess.Popen(
            command, cwd=checkout, env=environment, stdout=log, stderr=log, start_new_session=True
        )

    def revive(self) -> None:
        """Restart parts that ended, as a supervisor does."""
        for name, process in list(self.parts.items()):
            if process.poll() is not None:
                self.start(name)

    def stop(self) -> None:
        for process in self.parts.values():
            for pid in below(process.pid):
                kill(pid, signal.SIGCONT)
            process.terminate()
        for process in self.parts.values():
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def graders(self, name: str = "worker") -> list[int]:
        """Pids of the grading processes of the worker."""
        return children(self.parts[name].pid) if self.parts[name].poll() is None else []


@contextmanager
def stack(kind: str, lease: float = LEASE) -> Iterator[Stack]:
    """`embedded`: SQLite and a folder as broker. `servers`: PostgreSQL and Redis. `production`: also containers as
    sandbox.
    """
    with ExitStack() as opened:
        data = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="gradus-chaos-", ignore_cleanup_errors=True)))
        environment = {
            "GRADUS_DATA": str(data),
            "GRADUS_LEASE_SECONDS": str(lease),
            "GRADUS_BROKER_URL": "filesystem://",
            "DATABASE_URL": f"sqlite:///{data / 'gradus.sqlite3'}",
        }
        made = Stack(data, environment)
        if kind == "production":
            run = data / "containers"
            environment |= {"GRADUS_SANDBOX": "container", "GRADUS_SANDBOX_RUN": str(run)}
            opened.callback(lambda: [container.remove(force=True) for container in _containers(run)])
        if kind in ("servers", "production"):
            made.postgres = opened.enter_context(postgres_server())
            made.redis = opened.enter_context(redis_server())
            environment |= {"DATABASE_URL": made.postgres.url, "GRADUS_BROKER_URL": made.redis.url}
        opened.callback(made.stop)
        yield made


# -- faults -----------------------------------------------------------------------------------------------------------


def faults(site: Stack, chance: random.Random) -> dict[str, Callable[[], int]]:
    """Return the possible faults by name. Each affects only the processes and servers of this run, and returns the number
    of gradings that it interrupted.
    """
    found: dict[str, Callable[[], int]] = {
        "worker process killed": lambda: _kill_grader(site, chance),
        "whole worker killed": lambda: _kill_worker(site, chance),
        "zygotes killed": lambda: _kill_zygotes(site, chance),
        "scheduler killed": lambda: _kill_scheduler(site),
        "worker process frozen past its lease": lambda: _freeze(site, chance),
        "broker emptied": lambda: _empty(site),
    }
    if site.redis is not None:
        found["broker stopped and started"] = lambda: _restart(site)
    if site.postgres is not None:
        found["database connections dropped"] = lambda: _drop(site, chance)
    return found


def grading(site: Stack, part: str = "worker") -> list[int]:
    """Pids of worker processes that are grading now."""
    from autograder.submissions.models import Work

    names = Work.objects.filter(state=Work.State.RUNNING).values_list("worker", flat=True)
    return [pid for pid in (int(name.rpartition(":")[2]) for name in names) if pid in site.graders(part)]


def caught(site: Stack, chance: random.Random) -> tuple[list[int], int]:
    """Stop one worker process, if possible in the middle of a grading, and return it with 1 if it was grading. Empty if no
    worker process is alive.
    """
    for left in range(100, -1, -1):
        pids = grading(site) or ([] if left else site.graders())
        if pids:
            pid = chance.choice(pids)
            kill(pid, signal.SIGSTOP)
            if pid in grading(site):
                return [pid], 1
            if not left:
                return [pid], 0
            kill(pid, signal.SIGCONT)
        time.sleep(0.02)
    return [], 0


def _kill_grader(site: Stack, chance: random.Random) -> int:
    pids, hit = caught(site, chance)
    for pid in pids:
        kill(pid, signal.SIGKILL)
    return hit


def _kill_worker(site: Stack, chance: random.Random) -> int:
    """Kill the worker with all of its processes."""
    caught(site, chance)
    for pid in site.graders():
        kill(pid, signal.SIGSTOP)
    hit = len(grading(site))
    _group(site, "worker")
    return hit


def _kill_zygotes(site: Stack, chance: random.Random) -> int:
    """Kill all zygotes of one process, which is grading in one of them. Containers are not child processes, so those of
    all processes are killed.
    """
    pids, hit = caught(site, chance)
    if "GRADUS_SANDBOX_RUN" in site.environment:
        hit = len(grading(site))
        _kill_containers(Path(site.environment["GRADUS_SANDBOX_RUN"]))
    for pid in pids:
        for zygote in children(pid):
            kill(zygote, signal.SIGKILL)
        kill(pid, signal.SIGCONT)
    return hit


def _kill_containers(run: Path) -> None:
    import docker

    for container in _containers(run):
        with suppress(docker.errors.APIError):  # already ended
            container.kill()


def _containers(run: Path) -> list[Any]:
    """The sandbox containers of this run, including those that have exited: nothing else removes them after the run."""
    import docker

    from sandbox.backends.ownership import RUN_LABEL

    filters: dict[str, str | list[str] | bool] = {"label": f"{RUN_LABEL}={(run / 'site').read_text()}"}
    return docker.from_env().containers.list(all=True, filters=filters)


def _kill_scheduler(site: Stack) -> int:
    _group(site, "scheduler")
    return 0


def _group(site: Stack, name: str) -> None:
    """Kill a part with all of its child processes, as if its machine had failed."""
    process = site.parts[name]
    for pid in below(process.pid):
        kill(pid, signal.SIGKILL)
    process.wait()


def _freeze(site: Stack, chance: random.Random) -> int:
    pids, hit = caught(site, chance)
    for pid in pids:
        time.sleep(LEASE * 1.6)
        kill(pid, signal.SIGCONT)
    return hit


def _empty(site: Stack) -> int:
    if site.redis is not None:
        site.redis.client.flushall()
        return 0
    for message in (site.data / "broker" / "messages").glob("[!.]*/*"):
        message.unlink(missing_ok=True)
    return 0


def _restart(site: Stack) -> int:
    assert site.redis is not None
    site.redis.stop()
    time.sleep(1.0)
    site.redis.start()
    return 0


def _drop(site: Stack, chance: random.Random) -> int:
    """Drop all database connections, including our own."""
    from django.db import connection

    assert site.postgres is not None
    pids, hit = caught(site, chance)
    connection.close()
    site.postgres.sql("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'gradus'")
    for pid in pids:
        kill(pid, signal.SIGCONT)
    return hit


def kill(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def below(pid: int) -> list[int]:
    found = [pid]
    for one in found:  # grows during the iteration
        found += children(one)
    return found


# -- the run ----------------------------------------------------------------------------------------------------------


def run(kind: str, submissions: int, every: float, rounds: int, seed: int) -> bool:
    with stack(kind) as site:
        os.environ.update(site.environment)
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        for name in ("worker", "scheduler"):
            site.start(name)
        sent, happened = hand_in(site, submissions, every, rounds, random.Random(seed))
        return judge(sent, happened, kind)


@dataclass
class Happened:
    """How often each fault was caused, and how many gradings it interrupted."""

    times: "Counter[str]" = field(default_factory=Counter)
    hits: "Counter[str]" = field(default_factory=Counter)

    def add(self, name: str, hits: int) -> None:
        self.times[name] += 1
        self.hits[name] += hits


def hand_in(site: Stack, count: int, every: float, rounds: int, chance: random.Random) -> tuple[list[int], Happened]:
    """Submit at intervals while faults are injected: at least `count` submissions, and until each fault was caused `rounds`
    times. Then let everything be graded: with more faults, the last gradings would be hit at every try.
    """
    from django.db import OperationalError, connection

    possible, happened, sent, send = faults(site, chance), Happened(), list[int](), _sender(chance)
    next_fault = time.monotonic() + every
    deadline = time.monotonic() + DRAIN_SECONDS + 2 * count
    while time.monotonic() < deadline:
        fewest = min(happened.times[name] for name in possible)
        over = fewest >= rounds and len(sent) >= count
        try:
            if len(sent) < count:
                time.sleep(PACE)
                sent.append(send(len(sent)))
            elif _unfinished().exists():
                time.sleep(0.1)
            elif over:
                break
            else:
                sent.append(send(len(sent)))
        except OperationalError:  # our own connection was dropped as well; a browser would repeat the request
            connection.close()
        if not over and _due(site, next_fault):
            name = chance.choice([name for name in possible if happened.times[name] == fewest])
            happened.add(name, possible[name]())
            next_fault = time.monotonic() + every * chance.uniform(0.5, 1.5)
        site.revive()
    return sent, happened


def _unfinished() -> "QuerySet[Work]":
    from autograder.submissions.models import Work

    return Work.objects.filter(state__in=("queued", "running"))


def _sender(chance: random.Random) -> Callable[[int], int]:
    """Return a function that submits the n-th submission: correct and wrong, fast and slow, with alternating exercises."""
    from tests.cast import Cast, source_of

    cast = Cast(EXERCISES[0])
    assignments = [cast.assignment, *(cast.assign(slug) for slug in EXERCISES[1:])]
    sources = [[source_of(slug), *_wrong(slug)] for slug in EXERCISES]

    def send(n: int) -> int:
        turn = n % len(EXERCISES)
        cast.assignment = assignments[turn]
        source = chance.choice(sources[turn]) + (SLOWLY if chance.random() < SLOW_ONES else b"")
        return cast.hands_in(f"student-{chance.randrange(STUDENTS)}", source).pk

    return send


def _due(site: Stack, moment: float) -> bool:
    """Whether to inject a fault now. It waits until a submission is being graded, which takes some seconds after a worker
    was killed, and leaves those alone that were hit at every try.
    """
    late = time.monotonic() - moment
    if late <= 0 or not (late > PATIENCE or grading(site)):
        return False
    return _unfinished().filter(lost__lt=MOST_LOST).exists()


def _wrong(slug: str) -> list[bytes]:
    from autograder.judge import pack
    from tests.conftest import EXERCISES as FOLDER

    return [path.read_bytes() for path in sorted((pack.find(FOLDER, slug) / "wrong").glob("*.py"))[:4]]


def judge(sent: list[int], happened: Happened, kind: str) -> bool:
    """Count the results, and grade every submission again without faults."""
    from django.db.models import Count, Q

    from autograder.submissions.models import Submission, Work
    from autograder.submissions.work.queue import MAX_TRIES

    stored = Submission.objects.filter(pk__in=sent).annotate(
        current=Count("gradings", filter=Q(gradings__current=True)), all=Count("gradings")
    )
    current = [row.current for row in stored]
    failed = list(Work.objects.filter(state=Work.State.FAILED))
    early = [work for work in failed if work.tries < MAX_TRIES]
    unfinished = _unfinished().count()
    different = _different(sent)
    tries = Counter(Work.objects.values_list("tries", flat=True))
    again = sum(times for number, times in tries.items() if number > 1)
    print(f"{kind}: {len(sent)} submissions, {happened.times.total()} faults")
    for name, times in sorted(happened.times.items()):
        print(f"  {times:3} x {name}, {happened.hits[name]} gradings hit")
    print(f"  gradings hit while they ran: {happened.hits.total()}; gradings that needed another try: {again}")
    print(f"  graded once: {current.count(1)}, never: {current.count(0)}, twice current: {sum(n > 1 for n in current)}")
    print(f"  tries needed: {', '.join(f'{n} for {times}' for n, times in sorted(tries.items()))}")
    print(f"  internal after {MAX_TRIES} tries: {len(failed) - len(early)}, earlier: {len(early)}; unfinished: {unfinished}")
    print(f"  reports that differ from a quiet machine's: {different}")
    return not (early or unfinished or different or current.count(1) + len(failed) != len(sent))


def _different(sent: list[int]) -> int:
    import msgspec

    from autograder.judge.grade import Judge
    from autograder.library.sandboxes import backend
    from autograder.library.versions import pack_of
    from autograder.submissions.models import Grading

    different = 0
    with Judge(backend()) as judge:
        for grading in Grading.objects.filter(submission__in=sent, current=True).select_related("submission"):
            report = judge.grade(pack_of(grading.version_id), bytes(grading.submission.source), grading.seed)
            again: dict[str, Any] = msgspec.to_builtins(report)
            kept = dict(grading.report)
            for one in (kept, again):
                one["seconds"] = 0
                for late in [one, *(check for check in one["checks"] if check["ending"] == "late")]:
                    late["stopped"] = None  # at the line that ran at that moment
            if msgspec.json.encode(kept, order="sorted") != msgspec.json.encode(again, order="sorted"):
                different += 1
                work = grading.work
                print(f"  submission {grading.submission_id} of {grading.submission.assignment}, tries: {work.tries}")
                print(
                    *(f"    {key}: {kept[key]}\n    and not {again[key]}" for key in kept if kept[key] != again[key]),
                    sep="\n",
                )
    return different


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=500, help="at least so many")
    parser.add_argument("--stack", choices=("embedded", "servers", "production"), default="embedded")
    parser.add_argument("--every", type=float, default=4.0, help="seconds between faults, on average")
    parser.add_argument("--rounds", type=int, default=4, help="cause each fault at least so often")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sys.exit(0 if run(given.stack, given.submissions, given.every, given.rounds, given.seed) else 1)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
    main()
