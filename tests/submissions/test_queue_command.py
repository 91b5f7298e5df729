"""`manage.py queue`: the output for operators."""

import json
from datetime import datetime

import pytest
from django.utils import timezone

from autograder.submissions.grader import Grader
from autograder.submissions.models import Kind, Worker
from autograder.submissions.work import queue
from tests.cast import Cast, ago
from tests.commands import Shell

pytestmark = pytest.mark.django_db


def worker(name: str, seen: datetime) -> None:
    Worker.objects.create(name=name, version="1", started_at=ago(days=1), seen_at=seen, graded=7, sandboxes={"python": 2})


def test_an_empty_queue(shell: Shell) -> None:
    out = shell("queue").out
    assert [line.split() for line in out.splitlines()[1:4]] == [
        ["Run", "0", "0"],
        ["Submit", "0", "0"],
        ["Regrade", "0", "0"],
    ]
    assert "0 queued, 0 running, 0 done, 0 failed, 0 superseded, 0 dropped" in out
    assert "No workers found." in out


def test_lanes_states_rates_and_workers(cast: Cast, grader: Grader, shell: Shell) -> None:
    cast.hands_in("ada")
    grader.work_once()
    cast.hands_in("ada", kind=Kind.RUN)
    for name in ("ben", "cy"):
        cast.hands_in(name)
    queue.claim("w", [1])
    worker("box:1", timezone.now())
    worker("box:2", ago(minutes=5))
    out = shell("queue").out
    lines = {line.split()[0]: line.split() for line in out.splitlines() if line}
    assert lines["Run"][1:3] == ["1", "0"]
    assert lines["Submit"][1:3] == ["1", "1"]
    assert "2 queued, 1 running, 1 done, 0 failed" in out
    assert "1 graded in the last minute, 1 in the last hour" in out
    assert lines["box:1"][-3:-1] == ["python", "(2)"]
    assert "5 min ago, not responding" in out


def test_json_is_one_line(cast: Cast, shell: Shell) -> None:
    cast.hands_in("ada")
    worker("box:1", timezone.now())
    (line,) = shell("queue", "--json").out.splitlines()
    told = json.loads(line)
    assert list(told) == ["lanes", "states", "graded", "workers"]
    assert [(lane["lane"], lane["waiting"]) for lane in told["lanes"]] == [("Run", 0), ("Submit", 1), ("Regrade", 0)]
    assert told["lanes"][1]["oldest"].endswith("Z")
    assert (told["states"]["queued"], told["graded"]) == (1, {"minute": 0, "hour": 0})
    assert (told["workers"][0]["alive"], told["workers"][0]["sandboxes"]) == (True, {"python": 2})
