"""Workers that claim, finish and commit at the same moment, as processes of their own, on both databases."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.at_once import ROOT, at_once
from tests.servers import postgres_server

PIECES, WORKERS, STORED = 200, 4, 20_000


@dataclass
class Site:
    """A database of its own, emptied by every `fill`, and the environment that points to it."""

    kind: str
    environment: dict[str, str]

    def manage(self, *arguments: str, stdin: str = "") -> str:
        command = [sys.executable, "manage.py", *arguments]
        environment = {**os.environ, **self.environment}
        done = subprocess.run(command, cwd=ROOT, env=environment, input=stdin, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def ask(self, code: str) -> str:
        """The last line that the code prints, run inside the site."""
        return self.manage("shell", "--no-imports", "-v", "0", "-c", code).strip().splitlines()[-1]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    tmp_path = tmp_path_factory.mktemp("site")
    environment = {"GRADUS_DATA": str(tmp_path), "GRADUS_BROKER_URL": "filesystem://"}
    if request.param == "sqlite":
        found = Site("sqlite", {**environment, "DATABASE_URL": f"sqlite:///{tmp_path / 'gradus.sqlite3'}"})
        found.manage("migrate", "-v", "0")
        yield found
        return
    with postgres_server() as server:
        found = Site("postgres", {**environment, "DATABASE_URL": server.url})
        found.manage("migrate", "-v", "0")
        yield found


FILL = """
from django.core.management import call_command
call_command("flush", interactive=False, verbosity=0)
from django.utils import timezone
from autograder.submissions.models import Submission, Work
from tests.cast import Cast
cast, now = Cast(), timezone.now()
who = [cast.membership(f"student-{{n}}") for n in range(20)]
handed_in = Submission.objects.bulk_create(
    Submission(assignment=cast.assignment, membership=who[n % 20], source=b"x", submitted_at=now) for n in range({count})
)
Work.objects.bulk_create(
    Work(submission=one, version=cast.assignment.version, course=cast.course, membership=one.membership, lane=1,
         turn=n // 20, place=n, state={state}, queued_at=now, ended_at=now if ({state}) == 'done' else None)
    for n, one in enumerate(handed_in)
)
"""


def fill(count: int, state: str = "'queued'") -> str:
    return FILL.format(count=count, state=state)


def test_each_piece_is_claimed_exactly_once(site: Site) -> None:
    site.ask(fill(PIECES) + "print('filled')")
    claimed = at_once("claim", [()] * WORKERS, site.environment)
    counted = Counter(work_id for mine in claimed for work_id in mine)
    assert len(counted) == PIECES, "none lost"
    assert set(counted.values()) == {1}, "none twice"
    assert sum(1 for mine in claimed if mine) > 1, "more than one of them got something, or nothing was tried here"
    states = "from autograder.submissions.selectors import states; import json; print(json.dumps(states()))"
    assert json.loads(site.ask(states)) == {"running": PIECES}


def test_of_two_finishers_with_one_lease_one_stores(site: Site) -> None:
    claim = "from autograder.submissions import queue; found = queue.claim('w'); print(found.work_id, found.token)"
    work_id, token = site.ask(fill(1) + claim).split()
    stored = at_once("finish", [(work_id, token)] * 2, site.environment)
    assert sorted(stored) == [False, True]
    count = "from autograder.submissions.models import Grading; print(Grading.objects.filter(current=True).count())"
    assert site.ask(count) == "1"


PREVIEW = """
from autograder.submissions import queue, regrades
from tests.at_once import finish
batches = [regrades.start(course=cast.course, by=cast.owner, reason="a better check") for _ in range({batches})]
while (claim := queue.claim("w")) is not None:
    assert finish(str(claim.work_id), claim.token)
from autograder.submissions.models import Grading
Grading.objects.filter(work__batch=None).update(score=5)
print(*[batch.pk for batch in batches])
"""
COUNTS = """
from autograder.courses.models import AuditEntry
from autograder.submissions.models import Grading
print(Grading.objects.filter(current=True).count(), Grading.objects.filter(current=True, why="regrade").count(),
      AuditEntry.objects.filter(action="score-changed").count())
"""


def test_of_two_who_commit_a_batch_at_once_one_does(site: Site) -> None:
    batch = site.ask(fill(20) + PREVIEW.format(batches=1))
    said = at_once("commit", [(batch,)] * 2, site.environment)
    assert sorted(said) == ["This regrade is committed already.", "changed 20"]
    assert site.ask(COUNTS) == "20 20 20"


def test_two_batches_of_the_same_submissions_committed_at_once_leave_one_current_each(site: Site) -> None:
    first, second = site.ask(fill(20) + PREVIEW.format(batches=2)).split()
    said = at_once("commit", [(first,), (second,)], site.environment)
    assert sorted(said) == ["changed 0", "changed 20"], "both find the same score: who comes second changes none"
    assert site.ask(COUNTS) == "20 20 20"


def test_of_two_who_take_a_regrade_back_at_once_one_does(site: Site) -> None:
    batch = site.ask(fill(20) + PREVIEW.format(batches=1))
    before = site.ask(COUNTS)
    at_once("commit", [(batch,)], site.environment)
    said = sorted(at_once("take_back", [(batch,)] * 2, site.environment))
    assert said[0] == "Only a regrade that counts can be taken back; this one is taken back."
    assert said[1].startswith("back ")
    assert site.ask(COUNTS).split()[:2] == before.split()[:2]


def test_a_regrade_taken_back_while_another_is_committed_leaves_one_current_each(site: Site) -> None:
    first, second = site.ask(fill(20) + PREVIEW.format(batches=2)).split()
    at_once("commit", [(first,)], site.environment)
    said = at_once("commit", [(second,)], site.environment, also=[("take_back", (first,))])
    assert said[0].startswith("changed")
    counts = site.ask(COUNTS)
    assert counts.split()[:2] == ["20", "20"], "the second regrade's, whoever came first"


EXPLAIN = """
from django.db import connection
from autograder.submissions import queue
from autograder.submissions.models import Work
with connection.cursor() as cursor:
    cursor.execute("ANALYZE")
seen = []
def explained(execute, sql, params, many, context):
    if sql.lstrip().startswith("UPDATE"):
        with connection.cursor() as cursor:
            cursor.execute(EXPLAIN_WORD + sql, params)
            seen.extend(" ".join(map(str, row)) for row in cursor.fetchall())
    return execute(sql, params, many, context)
with connection.execute_wrapper(explained):
    assert queue.claim("w") is not None
print(" | ".join(seen))
"""


@pytest.mark.parametrize("waiting", ["every", "few"])
def test_a_claim_goes_by_the_index_of_the_queue(site: Site, waiting: str) -> None:
    """With 20,000 stored, all of them waiting as in a storm, or nearly all of them done."""
    state = "'queued'" if waiting == "every" else "'done' if n % 400 else 'queued'"
    word = "EXPLAIN QUERY PLAN " if site.kind == "sqlite" else "EXPLAIN "
    plan = site.ask(fill(STORED, state) + EXPLAIN.replace("EXPLAIN_WORD", repr(word)))
    assert "the_queue" in plan
    if site.kind == "sqlite":
        assert "SCAN submissions_work |" not in plan
        assert "TEMP B-TREE" not in plan
    else:
        assert "Seq Scan" not in plan
        assert "Sort" not in plan
