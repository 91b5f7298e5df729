"""Grades claimed work in one process, with its warm sandboxes and a thread that renews the lease.

The verdict is stored first; its explanation follows. A grading whose lease was lost is discarded.
"""

import logging
import os
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import msgspec
from django.db import Error as DatabaseTrouble
from django.db import close_old_connections, transaction
from django.utils import timezone

from autograder import __version__
from autograder.examiner.examiners import Examination, ExaminerError, Examiners
from autograder.judge.grade import never
from autograder.judge.pack import PackError
from autograder.judge.report import CheckResult, Report
from autograder.library.command import about_database
from autograder.library.versions import StoredExercise, exercise_of
from autograder.observability import spans
from autograder.observability.ids import bound
from autograder.submissions import counters, selectors
from autograder.submissions.messages import events
from autograder.submissions.models import Grading, Kind, Lane, ScratchRun, Submission, Worker, stored_verdict
from autograder.submissions.retention import kept_report
from autograder.submissions.scratch import queue as scratch_queue
from autograder.submissions.scratch import worker as scratch_worker
from autograder.submissions.work import explanations, queue
from autograder.submissions.work.lease_keeper import LeaseKeeper
from autograder.submissions.work.leases import Claim, Leases
from autograder.submissions.work.sandboxes import Sandboxes
from autograder.submissions.work.work_item import WorkItem, work_item_of
from sandbox.errors import Outage

log = logging.getLogger("gradus.grader")
SLOW_SECONDS = 1.0  # seconds after which a page receives an event for every check
HEARTBEAT_SECONDS = 5.0  # seconds between two heartbeats
MAX_STRETCH_SECONDS = 5.0  # seconds after which a worker can react to a request to stop


class Grader:
    """The grader of a process. Close it at the end, so that no sandbox is left behind."""

    def __init__(self) -> None:
        self.name = Worker.name_of(os.getpid())
        self.sandboxes = Sandboxes()
        self.keeper = LeaseKeeper()
        self._unreadable: set[int] = set()  # exercise versions left to workers of another code version
        self._graded = 0
        self._started = timezone.now()
        self._seen = 0.0
        self._told = ""  # the trouble that the last heartbeat told

    @property
    def examiners(self) -> Examiners:
        return self.sandboxes.examiners

    def warm_up(self) -> None:
        """Prepare for the first piece of work, and begin to send heartbeats.

        If a layer of a sandbox does not hold, nothing is claimed: the work stays in the queue for a safe worker, and
        `manage.py queue` shows why this one is idle.
        """
        self.sandboxes.warm_up()
        self.keeper.beat = self._beat
        try:
            self._beat()
        except DatabaseTrouble as error:  # retried at the next wake-up; the sandboxes are warm and checked
            close_old_connections()
            log.error("%s", about_database(error))

    def close(self) -> None:
        self.keeper.stop()
        self.sandboxes.close()
        Worker.objects.filter(name=self.name).delete()

    def work(self, lanes: Collection[int] = tuple(Lane), seconds: float = MAX_STRETCH_SECONDS) -> int:
        """Grade until the queue is empty or the time is over. Returns the number of items done."""
        deadline, done = time.monotonic() + seconds, 0
        while time.monotonic() < deadline:
            if self.work_once(lanes):
                done += 1
            elif self._may_warm_up() and (selectors.waits(lanes) or scratch_queue.waits()):
                self.sandboxes.warm_next_profile()
            else:
                self.sandboxes.use_the_pause()  # nothing is waiting now
                break
        return done

    def _may_warm_up(self) -> bool:
        return bool(self.sandboxes.cold) and not self.sandboxes.trouble

    def work_once(self, lanes: Collection[int] = tuple(Lane)) -> bool:
        """Claim and do one piece of work. Returns False if there is none."""
        self._beat()
        if self.sandboxes.trouble:
            if not self.sandboxes.recovers():
                return False
            self._beat()
        begun = spans.now()
        claimed = self._claimed(lanes)
        if claimed is None:
            return False
        leases, claim = claimed
        is_grading = leases is queue.gradings
        with (
            bound(request=claim.request, **{"work" if is_grading else "scratch_run": claim.pk}),
            spans.span("work", parent=claim.traceparent, since=begun),
            self.keeper.keeping(partial(leases.renew, claim), f"{leases.name} {claim.pk}"),
        ):
            with spans.span("claim", since=begun):
                log.info("claimed")
            try:
                if is_grading:
                    self._grade(claim)
                else:
                    self._answer(claim)
            # an internal error: the work is tried again, and somebody is notified if that fails
            except Exception as error:
                log.exception("%s %s failed", leases.name, claim.pk)
                self._give_back(leases, claim, error)
        return True

    def _claimed(self, lanes: Collection[int]) -> tuple[Leases[Any], Claim] | None:
        """Claim what comes next. Scratch runs come after live gradings and before regrades."""
        unreadable = self._unreadable | selectors.versions_of(self.sandboxes.cold)
        live = [lane for lane in lanes if lane != Lane.REGRADE]
        regrades = len(live) < len(lanes)
        if regrades and not scratch_queue.waits():
            live, regrades = list(lanes), False  # one claim instead of two
        if live and (claim := queue.claim(self.name, live, unreadable=unreadable)):
            return queue.gradings, claim
        if scratch_queue.waits() and (claim := scratch_queue.claim(self.name, unreadable=unreadable)):
            return scratch_queue.runs, claim
        if regrades and (claim := queue.claim(self.name, lanes, unreadable=unreadable)):
            return queue.gradings, claim
        return None

    def _answer(self, claim: Claim) -> None:
        run = ScratchRun.objects.filter(pk=claim.pk).first()
        if run is not None:
            with self._readable(run.version_id, scratch_queue.runs, claim):
                scratch_worker.answer(claim, run, exercise_of(run.version_id).content, self.examiners)

    @contextmanager
    def _readable(self, version_id: int, leases: Leases[Any], claim: Claim) -> Iterator[None]:
        """Leave the work to workers of another code version if this one cannot read the exercise.

        During a deployment, an exercise may be newer or older than this code. If no worker of another version is alive, the
        exercise itself is broken.
        """
        try:
            yield
        except PackError as error:
            if not _other_versions_grade():
                raise
            log.warning("version %s is left to workers of another version: %s", version_id, error)
            self._unreadable.add(version_id)  # otherwise it would be claimed again at once
            leases.give_back(claim, f"workers of version {__version__} cannot read it: {error}"[:2000], tried=False)

    def _give_back(self, leases: Leases[Any], claim: Claim, error: Exception) -> None:
        """Return the work to the queue. A missing layer or an engine outage is the machine's fault and does not use up a try."""
        outage = isinstance(error, Outage)
        if isinstance(error, DatabaseTrouble):
            close_old_connections()  # the connection may be the cause
        try:
            leases.give_back(claim, f"{type(error).__name__}: {error}"[:2000], tried=not outage)
        except DatabaseTrouble:
            what = f"{leases.name} {claim.pk}"
            log.exception("%s could not be given back; it returns to the queue when its lease expires", what)
        self.sandboxes.pause_if_outage(error)

    def _grade(self, claim: Claim) -> None:
        item = work_item_of(claim)
        with bound(submission=item.submission_id), self._readable(item.version_id, queue.gradings, claim):
            exercise = exercise_of(item.version_id)
            only_public = item.kind == Kind.RUN
            with self.examiners.examination(exercise.content, exercise.checks, only_public=only_public) as examination:
                self._grade_item(item, exercise, examination)
        self._graded += 1

    def _grade_item(self, item: WorkItem, exercise: StoredExercise, examination: Examination) -> None:
        if not item.regrade:  # a preview is visible to staff only
            events.tell(item.submission_id, "running")
        tell = never if item.regrade else _check_publisher(item.submission_id)

        def enough(result: CheckResult) -> bool:
            self.keeper.progress()
            return tell(result)

        try:
            with spans.span("grade", exercise=exercise.slug, tries=item.tries):
                report = examination.grade(item.source, enough=enough)
            trouble = report.message if report.verdict == "internal" else ""
        except ExaminerError as error:
            trouble = str(error)
        if trouble:
            queue.gradings.give_back(item.claim, trouble)
            return
        with spans.span("finish", verdict=report.verdict):
            grading = store(item, report, self.name)
        if grading is None:
            log.warning("lost the lease of job %s while grading it; the verdict is discarded", item.claim.pk)
            return
        facts = {"verdict": report.verdict, "reason": report.reason or "", "seconds": round(report.seconds, 4)}
        log.info("graded", extra=facts)
        self.keeper.progress()
        explanations.explain_grading(examination, grading, exercise, item.source, report)

    def explain_later(self, seconds: float) -> int:
        """Explain gradings that could not be explained at first, while no student waits for a verdict. Returns how many."""
        if self._may_warm_up() and not selectors.waits((Lane.RUN, Lane.SUBMIT)):
            self.sandboxes.warm_next_profile()
        if not self.sandboxes.are_warm:
            return 0
        deadline, done = time.monotonic() + seconds, 0
        for grading in explanations.unexplained():
            if time.monotonic() > deadline or selectors.waits((Lane.RUN, Lane.SUBMIT)):
                break
            done += self._explain_stored(grading)
        return done

    def _explain_stored(self, grading: Grading) -> bool:
        with self.keeper.keeping(lambda: None, f"the explanation of grading {grading.pk}"):
            return explanations.explain_stored(self.examiners, grading)

    def _beat(self) -> None:
        """Send a heartbeat and do periodic maintenance, both between and during gradings.

        An idle process is alive, too, and under heavy load no worker is free for the scheduler's tasks.
        """
        if time.monotonic() < self._seen + HEARTBEAT_SECONDS and self._told == self.sandboxes.trouble:
            return
        self._seen, self._told = time.monotonic(), self.sandboxes.trouble
        self._record_heartbeat()
        self.sandboxes.count()
        counters.take_snapshot()
        queue.gradings.reap()
        scratch_queue.runs.reap()
        if self._unreadable and not _other_versions_grade():
            self._unreadable = set()

    def _record_heartbeat(self) -> None:
        Worker.objects.update_or_create(
            name=self.name,
            defaults={
                "version": __version__,
                "started_at": self._started,
                "seen_at": timezone.now(),
                "graded": self._graded,
                "sandboxes": self.sandboxes.starts,
                "trouble": self.sandboxes.trouble,
                "layers": self.sandboxes.layers,
            },
        )


def _other_versions_grade() -> bool:
    """Return whether workers of another code version are alive and able to grade."""
    return selectors.living_workers().filter(trouble="").exclude(version=__version__).exists()


def store(item: WorkItem, report: Report, worker: str) -> Grading | None:
    """Finish the work and store its grading in one transaction. Returns None if the lease was lost."""
    with transaction.atomic():
        if not queue.gradings.finish(item.claim):
            return None
        # a regrade may be committed at the same time
        Submission.objects.select_for_update().only("pk").get(pk=item.submission_id)
        current = not item.regrade and not Grading.objects.filter(submission_id=item.submission_id, current=True).exists()
        first = Grading.Why.RETRY if item.tries > 1 else Grading.Why.FIRST
        grading = Grading.objects.create(
            submission_id=item.submission_id,
            work_id=item.claim.pk,
            version_id=item.version_id,
            current=current,
            why=Grading.Why.REGRADE if item.regrade else first,
            explanation_tries=1,  # the first try follows at once
            seed=report.seed,
            verdict=stored_verdict(report),
            score=report.score,
            max_score=report.max_score,
            seconds=report.seconds,
            judge_version=report.judge_version,
            libraries=report.libraries,
            report=msgspec.to_builtins(kept_report(report)),
            worker=worker,
            graded_at=timezone.now(),
        )
        counters.count_verdict(
            item.lane, report.verdict, report.reason, queued_at=item.queued_at, claimed_at=item.claimed_at
        )
        if current:
            events.tell(item.submission_id, "graded", verdict=report.verdict)
    return grading


def _check_publisher(submission_id: int) -> Callable[[CheckResult], bool]:
    """Return a callback that publishes an event for every public check once the grading takes long. It never stops the
    grading. When a hidden check ends is part of its result.
    """
    begun = time.monotonic()

    def tell(result: CheckResult) -> bool:
        if not result.hidden and time.monotonic() > begun + SLOW_SECONDS:
            events.tell(submission_id, "check", title=result.title, hidden=False, passed=result.passed)
        return False

    return tell
