"""Concurrent claims, verdicts and commits in separate processes, on both databases."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from autograder.submissions.handing_in.run_limit import RUNS
from tests.at_once import Crowd
from tests.servers import postgres_server

PIECES, WORKERS, STORED = 200, 4, 20_000


class Site(Crowd):
    """A database that every `fill` empties, and processes with settings for it."""

    def __init__(self, data: Path, database: str) -> None:
        self.kind = database.partition(":")[0]
        super().__init__({"GRADUS_DATA": str(data), "GRADUS_BROKER_URL": "filesystem://", "DATABASE_URL": database})

    def __enter__(self) -> "Site":
        self.python("from django.core.management import call_command; call_command('migrate', verbosity=0)")
        return self

    def ask(self, code: str) -> str:
        """Run the code inside the site and return its last line of output."""
        return self.python(code).strip().splitlines()[-1]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    data = tmp_path_factory.mktemp("site")
    with ExitStack() as opened:
        database = f"sqlite:///{data / 'gradus.sqlite3'}"
        if request.param == "postgres":
            database = opened.enter_context(postgres_server()).url
        yield opened.enter_context(Site(data, database))


FILL = """
from django.core.management import call_command
call_command("flush", interactive=False, verbosity=0)
from django.db import connection
from django.utils import timezone
from autograder.library import versions
from autograder.submissions.models import Submission, Work
from tests.cast import Cast
versions.forget()
cast, now = Cast(), timezone.now()
who = [cast.membership(f"student-{{n}}") for n in range(20)]
first = min(one.pk for one in who)
one = Submission.objects.create(assignment=cast.assignment, membership=who[0], source=b"x", submitted_at=now)
Work.objects.create(submission=one, version=cast.assignment.version, course=cast.course, membership=who[0], lane=1,
                    queued_at=now)
n = f"s.id - {{one.pk}}"
state = "CASE WHEN (" + n + ") % {queued_every} = 0 THEN 'queued' ELSE 'done' END"
changed = {{
    "submissions_submission": {{"membership_id": f"{{first}} + n % 20"}},
    "submissions_work": {{
        "submission_id": "s.id", "membership_id": "s.membership_id", "turn": "(" + n + ") / 20", "place": n, "state": state,
        "ended_at": "CASE WHEN (" + n + ") % {queued_every} = 0 THEN NULL ELSE queued_at END",
    }},
}}
with connection.cursor() as cursor:  # rows that the first one is copied to
    for model, rows in (
        (Submission, "submissions_submission, (WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k"
                     " WHERE n < {count} - 1) SELECT n FROM k) AS numbers WHERE {count} > 1"),
        (Work, "submissions_work CROSS JOIN submissions_submission s WHERE s.id > submissions_work.submission_id"),
    ):
        table = model._meta.db_table
        names = [f.column for f in model._meta.concrete_fields if not f.primary_key]
        values = [changed[table].get(name, table + "." + name) for name in names]
        cursor.execute(f"INSERT INTO {{table}} ({{', '.join(names)}}) SELECT {{', '.join(values)}} FROM {{rows}}")
assert Work.objects.count() == {count}
"""


def fill(count: int, queued_every: int = 1) -> str:
    """Return code that creates work items. Every n-th one is queued, where n is `queued_every`; the others are done."""
    return FILL.format(count=count, queued_every=queued_every)


def test_each_piece_is_claimed_exactly_once(site: Site) -> None:
    site.ask(fill(PIECES) + "print('filled')")
    claimed = site.at_once("claim", [()] * WORKERS)
    counted = Counter(work_id for mine in claimed for work_id in mine)
    assert len(counted) == PIECES, "none lost"
    assert set(counted.values()) == {1}, "none twice"
    assert sum(1 for mine in claimed if mine) > 1, "more than one of them got something, or nothing was tried here"
    states = "from autograder.submissions.selectors import states; import json; print(json.dumps(states()))"
    assert json.loads(site.ask(states)) == {"running": PIECES}


def test_of_two_finishers_with_one_lease_one_stores(site: Site) -> None:
    claim = "from autograder.submissions.work import queue; found = queue.claim('w'); print(found.pk, found.token)"
    work_id, token = site.ask(fill(1) + claim).split()
    stored = site.at_once("finish", [(work_id, token)] * 2)
    assert sorted(stored) == [False, True]
    count = "from autograder.submissions.models import Grading; print(Grading.objects.filter(current=True).count())"
    assert site.ask(count) == "1"


PREVIEW = """
from autograder.submissions import regrades
from autograder.submissions.work import queue
from tests.at_once import finish
batches = [regrades.start(course=cast.course, by=cast.staff, reason="a better check") for _ in range({batches})]
while (claim := queue.claim("w")) is not None:
    assert finish(str(claim.pk), claim.token)
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
    said = site.at_once("commit", [(batch,)] * 2)
    assert sorted(said) == ["This regrade is already applied.", "changed 20"]
    assert site.ask(COUNTS) == "20 20 20"


def test_two_batches_of_the_same_submissions_committed_at_once_leave_one_current_each(site: Site) -> None:
    first, second = site.ask(fill(20) + PREVIEW.format(batches=2)).split()
    said = site.at_once("commit", [(first,), (second,)])
    assert sorted(said) == ["changed 0", "changed 20"], "both find the same score: who comes second changes none"
    assert site.ask(COUNTS) == "20 20 20"


def test_of_two_who_take_a_regrade_back_at_once_one_does(site: Site) -> None:
    batch = site.ask(fill(20) + PREVIEW.format(batches=1))
    before = site.ask(COUNTS)
    site.at_once("commit", [(batch,)])
    said = sorted(site.at_once("take_back", [(batch,)] * 2))
    assert said[0] == "Only an applied regrade can be undone; this one is undone."
    assert said[1].startswith("back ")
    assert site.ask(COUNTS).split()[:2] == before.split()[:2]


def test_a_regrade_taken_back_while_another_is_committed_leaves_one_current_each(site: Site) -> None:
    first, second = site.ask(fill(20) + PREVIEW.format(batches=2)).split()
    site.at_once("commit", [(first,)])
    said = site.at_once("commit", [(second,)], also=[("take_back", (first,))])
    assert said[0].startswith("changed")
    counts = site.ask(COUNTS)
    assert counts.split()[:2] == ["20", "20"], "the second regrade's, whoever came first"


MARKED = """
from decimal import Decimal
from autograder.courses.models import Membership
from autograder.gradebook.decisions.criteria import NewCriterion, criteria_set
from autograder.submissions.work import queue
from tests.at_once import finish
claim = queue.claim("w")
assert finish(str(claim.pk), claim.token)
criteria_set(assignment=cast.assignment, by=Membership.objects.get(user=cast.owner), criteria=[NewCriterion("Style", Decimal(3))])
print("there")
"""
MARK = """
from decimal import Decimal
from autograder.courses.errors import Conflict
from autograder.courses.models import Membership, Role
from autograder.gradebook.decisions.marking import mark
from autograder.submissions.models import Submission
submission = Submission.objects.select_related("assignment__course", "membership").get()
owner, criterion = Membership.objects.select_related("course").get(role=Role.OWNER), submission.assignment.criteria.get()
try:
    mark(submission=submission, by=owner, points={{criterion.pk: Decimal({points})}}, seen=0)
    print("saved")
except Conflict:
    print("conflict")
"""
MARKINGS = """
from autograder.courses.models import AuditEntry
from autograder.gradebook.models import Marking
print(Marking.objects.count(), AuditEntry.objects.filter(action="marked").count())
"""


def test_of_two_who_mark_a_submission_at_once_one_does(site: Site) -> None:
    site.ask(fill(1) + MARKED)
    said = site.at_once("python", [(MARK.format(points=1),), (MARK.format(points=2),)])
    assert sorted(each.strip() for each in said) == ["conflict", "saved"]
    assert site.ask(MARKINGS) == "1 1"


EXPLAIN = """
from django.db import connection
from autograder.submissions.work import queue
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
    """With 20,000 items, either all of them waiting, as in a storm, or nearly all of them done."""
    queued_every = 1 if waiting == "every" else 400
    word = "EXPLAIN QUERY PLAN " if site.kind == "sqlite" else "EXPLAIN "
    plan = site.ask(fill(STORED, queued_every) + EXPLAIN.replace("EXPLAIN_WORD", repr(word)))
    assert "the_queue" in plan
    if site.kind == "sqlite":
        assert "SCAN submissions_work |" not in plan
        assert "TEMP B-TREE" not in plan
    else:
        assert "Seq Scan" not in plan
        assert "Sort" not in plan


SCRATCH = """
import time
from autograder.submissions.scratch import queue
mine = []
while queue.waits():
    claim = queue.claim("w")
    if claim is None:
        time.sleep(0.005)
    elif queue.runs.finish(claim):
        mine.append(claim.pk)
print(*mine)
"""
ASK_FOR_SCRATCH = """
from autograder.submissions.scratch.intake import scratch_ask
for n in range({count}):
    scratch_ask(assignment=cast.assignment, membership=cast.membership(f"student-{{n}}"), source=b"x = 1", calls=b"x")
print("asked")
"""
RUN_AT_THE_LIMIT = """
from autograder.courses.errors import TooOften
from autograder.courses.models import Assignment, Membership
from autograder.submissions.scratch.intake import scratch_ask
found, who, let = Assignment.objects.select_related("course").get(), Membership.objects.get(user__username="student-0"), 0
for n in range(6):
    try:
        scratch_ask(assignment=found, membership=who, source=b"x = 1", calls=b"x")
        let += 1
    except TooOften:
        pass
print(let)
"""


def test_each_scratch_run_is_answered_exactly_once(site: Site) -> None:
    site.ask(fill(1, 2) + ASK_FOR_SCRATCH.format(count=20))
    answered = [number for mine in site.at_once("python", [(SCRATCH,)] * WORKERS) for number in mine.split()]
    assert len(answered) == len(set(answered)) == 20


def test_presses_at_the_same_moment_do_not_pass_the_limit_of_runs(site: Site) -> None:
    site.ask(fill(1, 2) + "print('filled')")
    assert sum(int(let) for let in site.at_once("python", [(RUN_AT_THE_LIMIT,)] * WORKERS)) == RUNS
