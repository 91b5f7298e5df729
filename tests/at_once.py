"""`at_once("claim", [()] * 4)`: real processes, each with its own database connection, that begin at the same moment.

As a module it is one of them: it gets ready, says so, waits for its signal, acts, and prints what came of it.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 120.0


def at_once(
    action: str,
    calls: Sequence[Sequence[object]],
    environment: Mapping[str, str],
    also: Sequence[tuple[str, Sequence[object]]] = (),
) -> list[Any]:
    """What each of them found: a process for each call, with its arguments; `also` are other actions, with theirs."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.at_once", deed, *(str(argument) for argument in arguments)],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for deed, arguments in (*((action, call) for call in calls), *also)
    ]
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("now\n")
            process.stdin.flush()
        found = [process.communicate(timeout=SECONDS)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    return [json.loads(text) for text in found]


def claim() -> list[int]:
    """Everything that it can get, with a breath after each, so that on few cores the others get a turn."""
    from autograder.submissions import queue

    mine = []
    while (claimed := queue.claim(f"worker {os.getpid()}")) is not None:
        mine.append(claimed.work_id)
        time.sleep(0.005)
    return mine


def finish(work_id: str, token: str) -> bool:
    """With a report, as a grader does it."""
    from autograder.judge.report import Report
    from autograder.submissions.grader import store
    from autograder.submissions.queue import Claim
    from autograder.submissions.wanted import wanted_of

    report = Report(
        *("value-engine", "0" * 16, "passed", None, "", 10.0, 10.0, 0.1, 1, (), "", "python", "none", "test"),
    )
    return store(wanted_of(Claim(int(work_id), token)), report, f"worker {os.getpid()}") is not None


def commit(batch_id: str) -> str:
    from autograder.courses.errors import Refused
    from autograder.submissions import regrades
    from autograder.submissions.models import Batch

    batch = Batch.objects.select_related("created_by").get(pk=batch_id)
    try:
        return f"changed {len(regrades.commit(batch, by=batch.created_by))}"
    except Refused as refusal:
        return refusal.message


def take_back(batch_id: str) -> str:
    from autograder.courses.errors import Refused
    from autograder.gradebook.taking_back import take_back
    from autograder.submissions.models import Batch

    batch = Batch.objects.select_related("created_by", "course").get(pk=batch_id)
    try:
        return f"back {len(take_back(batch, by=batch.created_by, reason='a slip'))}"
    except Refused as refusal:
        return refusal.message


def lay_out(slug: str, content: str, archive: str) -> str:
    from autograder.library.models import Exercise, ExerciseVersion
    from autograder.library.versions import folder_of

    return str(folder_of(ExerciseVersion(exercise=Exercise(slug=slug), hash=content, archive=Path(archive).read_bytes())))


def press(login: str, where: str) -> list[Any]:
    """The button of the page, as a browser presses it."""
    from django.test import Client

    from autograder.courses.models import User

    browser = Client(SERVER_NAME="localhost")
    browser.force_login(User.objects.get(username=login))
    answer = browser.post(where, {"kind": "submit", "source": "x = 1", "once": "press"})
    return [answer.status_code, answer.get("Location", "")]


def ask(times: str, at_once: str) -> int:
    """How many of so many requests are let through."""
    from autograder.courses.errors import TooOften
    from autograder.web import pace

    let = 0
    for _ in range(int(times)):
        try:
            pace._keep(pace.Rate(int(at_once), 0.001), "key", "No.")
            let += 1
        except TooOften:
            pass
    return let


def guess(name: str, times: str) -> int:
    """How many of so many passwords are looked at, all at one moment of the clock."""
    from types import SimpleNamespace

    from django.test import RequestFactory
    from django.utils import timezone

    from autograder.courses.errors import TooOften
    from autograder.web import guesses

    moment = timezone.now().replace(minute=0, second=0, microsecond=0)
    guesses.timezone = SimpleNamespace(now=lambda: moment)  # type: ignore[assignment, attr-defined]
    request, looked = RequestFactory().get("/", REMOTE_ADDR="203.0.113.9"), 0
    for _ in range(int(times)):
        try:
            guesses.begin(request, None, name)
            looked += 1
        except TooOften:
            pass
    return looked


ACTIONS: dict[str, Callable[..., Any]] = {
    "claim": claim,
    "finish": finish,
    "commit": commit,
    "take_back": take_back,
    "lay_out": lay_out,
    "press": press,
    "ask": ask,
    "guess": guess,
}


def main() -> None:
    import django

    django.setup()
    from django.db import connection

    connection.ensure_connection()
    print("ready", flush=True)
    sys.stdin.readline()
    print(json.dumps(ACTIONS[sys.argv[1]](*sys.argv[2:])), flush=True)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
    main()
