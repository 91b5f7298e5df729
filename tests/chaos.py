"""`python -m tests.chaos [--submissions N] [--stack embedded|servers]`: submissions under faults, with real processes.

Students hand in while workers, zygotes, scheduler and broker are killed, frozen, stopped or emptied at random. At the end
every submission has one current grading, none is lost or counted twice, and each report is the one that a quiet machine
writes for the same seed. Prints the count of faults and of what was seen; exits with 1 if anything is missing.
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
from typing import Any

from tests.servers import Postgres, Redis, free_port, postgres_server, redis_server

LEASE = 4.0
STUDENTS = 24
SLOWLY = b"import time\ntime.sleep(0.5)\n"
PACE = 0.1  # seconds between two submissions: slower than they are graded, so that faults meet all sorts of work
DRAIN_SECONDS = 240.0
EXERCISES = ("value-engine", "vjp-unbroadcast", "fn-cubic")
ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Stack:
    """The site's processes, and where their database and broker are."""

    data: Path
    environment: dict[str, str]
    redis: Redis | None = None
    postgres: Postgres | None = None
    parts: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict)
    port: int = field(default_factory=free_port)  # of the web, where it is started

    def start(self, name: str) -> None:
        from autograder.submissions.management.commands.up import commands

        command = commands(host="127.0.0.1", port=self.port, workers=2)[name]
        log = (self.data / f"{name}.log").open("ab")
        environment = {**os.environ, **self.environment}
        self.parts[name] = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
        )

    def revive(self) -> None:
        """What a supervisor does: a part that ended is started again."""
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

    def graders(self) -> list[int]:
        """The worker's processes that grade."""
        return children(self.parts["worker"].pid) if self.parts["worker"].poll() is None else []


@contextmanager
def stack(kind: str) -> Iterator[Stack]:
    """`embedded`: SQLite and a folder as broker. `servers`: PostgreSQL and Redis."""
    with ExitStack() as opened:
        data = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="gradus-chaos-", ignore_cleanup_errors=True)))
        environment = {
            "GRADUS_DATA": str(data),
            "GRADUS_LEASE_SECONDS": str(LEASE),
            "GRADUS_BROKER_URL": "filesystem://",
            "DATABASE_URL": f"sqlite:///{data / 'gradus.sqlite3'}",
        }
        made = Stack(data, environment)
        if kind == "servers":
            made.postgres = opened.enter_context(postgres_server())
            made.redis = opened.enter_context(redis_server())
            environment |= {"DATABASE_URL": made.postgres.url, "GRADUS_BROKER_URL": made.redis.url}
        opened.callback(made.stop)
        yield made


# -- faults -----------------------------------------------------------------------------------------------------------


def faults(site: Stack, chance: random.Random) -> dict[str, Callable[[], None]]:
    """What can go wrong, by name. Each acts on the processes and servers of this run alone."""
    found: dict[str, Callable[[], None]] = {
        "worker process killed": lambda: _one(chance, busy(site), signal.SIGKILL),
        "whole worker killed": lambda: _group(site, "worker"),
        "zygote killed": lambda: _one(
            chance, [zygote for grader in busy(site) for zygote in children(grader)], signal.SIGKILL
        ),
        "scheduler killed": lambda: _group(site, "scheduler"),
        "worker process frozen past its lease": lambda: _freeze(chance, busy(site)),
        "broker emptied": lambda: _empty(site),
    }
    if site.redis is not None:
        found["broker stopped and started"] = lambda: _restart(site)
    if site.postgres is not None:
        found["database connections dropped"] = lambda: _drop(site)
    return found


def busy(site: Stack) -> list[int]:
    """Worker processes in the middle of a grading, if one comes up soon; else any."""
    from autograder.submissions.models import Work

    for _ in range(100):
        names = Work.objects.filter(state=Work.State.RUNNING).values_list("worker", flat=True)
        found = [pid for pid in (int(name.rpartition(":")[2]) for name in names) if pid in site.graders()]
        if found:
            return found
        time.sleep(0.02)
    return site.graders()


def _one(chance: random.Random, pids: list[int], number: int) -> None:
    if pids:
        kill(chance.choice(pids), number)


def _group(site: Stack, name: str) -> None:
    """The part with everything below it, as when its machine goes."""
    process = site.parts[name]
    for pid in below(process.pid):
        kill(pid, signal.SIGKILL)
    process.wait()


def _freeze(chance: random.Random, pids: list[int]) -> None:
    if not pids:
        return
    pid = chance.choice(pids)
    kill(pid, signal.SIGSTOP)
    time.sleep(LEASE * 1.6)
    kill(pid, signal.SIGCONT)


def _empty(site: Stack) -> None:
    if site.redis is not None:
        site.redis.client.flushall()
        return
    for message in (site.data / "broker" / "messages").glob("*"):
        message.unlink(missing_ok=True)


def _restart(site: Stack) -> None:
    assert site.redis is not None
    site.redis.stop()
    time.sleep(1.0)
    site.redis.start()


def _drop(site: Stack) -> None:
    assert site.postgres is not None
    site.postgres.sql("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'gradus'")


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
    for one in found:  # grows while we walk
        found += children(one)
    return found


# -- the run ----------------------------------------------------------------------------------------------------------


def run(kind: str, submissions: int, every: float, seed: int) -> bool:
    with stack(kind) as site:
        os.environ.update(site.environment)
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        for name in ("worker", "scheduler"):
            site.start(name)
        sent, happened = hand_in(site, submissions, every, random.Random(seed))
        return judge(site, sent, happened, kind)


def hand_in(site: Stack, count: int, every: float, chance: random.Random) -> tuple[list[int], "Counter[str]"]:
    """Submissions one after the other while things go wrong; then faults until everything is graded."""
    from django.db import OperationalError, connection

    from autograder.submissions.models import Work
    from tests.cast import Cast, source_of

    cast = Cast(EXERCISES[0])
    assignments = [cast.assignment, *(cast.assign(slug) for slug in EXERCISES[1:])]
    sources = {slug: [source_of(slug), SLOWLY + source_of(slug), *_wrong(slug)] for slug in EXERCISES}
    possible, happened, sent = faults(site, chance), Counter[str](), list[int]()
    next_fault = time.monotonic() + every
    deadline = time.monotonic() + DRAIN_SECONDS + 2 * count
    while True:
        try:
            if len(sent) < count:
                time.sleep(PACE)
                cast.assignment = assignments[len(sent) % len(assignments)]
                source = chance.choice(sources[EXERCISES[len(sent) % len(EXERCISES)]])
                sent.append(cast.hands_in(f"student-{chance.randrange(STUDENTS)}", source).pk)
            elif not Work.objects.filter(state__in=("queued", "running")).exists():
                return sent, happened
            else:
                time.sleep(0.1)
        except OperationalError:  # our own connection was dropped, too: a page would be asked for again
            connection.close()
        if time.monotonic() > next_fault and (len(sent) < count or happened.total() < len(possible)):
            name = chance.choice([name for name in possible if happened[name] == min(happened[n] for n in possible)])
            possible[name]()
            happened[name] += 1
            next_fault = time.monotonic() + every * chance.uniform(0.5, 1.5)
        site.revive()
        if time.monotonic() > deadline:
            return sent, happened


def _wrong(slug: str) -> list[bytes]:
    from autograder.judge import pack
    from tests.conftest import EXERCISES as FOLDER

    files = sorted((pack.find(FOLDER, slug) / "wrong").glob("*.py"))[:4]
    return [SLOWLY + files[0].read_bytes(), *(path.read_bytes() for path in files)]


def judge(site: Stack, sent: list[int], happened: "Counter[str]", kind: str) -> bool:
    """Count what came of it, and grade every submission again in peace."""
    from django.db.models import Count, Q

    from autograder.submissions.models import Submission, Work
    from autograder.submissions.queue import TRIES

    stored = Submission.objects.filter(pk__in=sent).annotate(
        current=Count("gradings", filter=Q(gradings__current=True)), all=Count("gradings")
    )
    current = [row.current for row in stored]
    failed = list(Work.objects.filter(state=Work.State.FAILED))
    early = [work for work in failed if work.tries < TRIES]
    unfinished = Work.objects.filter(state__in=("queued", "running")).count()
    different = _different(sent)
    tries = Counter(Work.objects.values_list("tries", flat=True))
    print(f"{kind}: {len(sent)} submissions, {happened.total()} faults")
    for name, times in sorted(happened.items()):
        print(f"  {times:3} x {name}")
    print(f"  graded once: {current.count(1)}, never: {current.count(0)}, twice current: {sum(n > 1 for n in current)}")
    print(f"  tries needed: {', '.join(f'{n} for {times}' for n, times in sorted(tries.items()))}")
    print(f"  internal after {TRIES} tries: {len(failed) - len(early)}, earlier: {len(early)}; unfinished: {unfinished}")
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
            kept["seconds"] = again["seconds"] = 0
            different += msgspec.json.encode(kept, order="sorted") != msgspec.json.encode(again, order="sorted")
    return different


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=500)
    parser.add_argument("--stack", choices=("embedded", "servers"), default="embedded")
    parser.add_argument("--every", type=float, default=4.0, help="seconds between faults, on average")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sys.exit(0 if run(given.stack, given.submissions, given.every, given.seed) else 1)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
    main()
