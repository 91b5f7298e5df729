"""Grades claimed work in one process, with its warm sandboxes and a thread that renews the lease.

The verdict is stored first; its explanation follows. A grading whose lease was lost is discarded.
"""

import logging
import math
import os
import secrets
import threading
import time
from collections.abc import Callable, Collection
from functools import partial
from importlib import import_module
from typing import get_args

import msgspec
from django.db import Error as DatabaseTrouble
from django.db import close_old_connections, transaction
from django.utils import timezone

from autograder import __version__
from autograder.explain.batch import layers_not_in_effect
from autograder.explain.diagnosis import prepare
from autograder.judge.grade import Judge, never
from autograder.judge.pack import Pack, PackError, Profile
from autograder.judge.report import CheckResult, Report
from autograder.library.command import about_database
from autograder.library.public_checks import public
from autograder.library.sandboxes import backend
from autograder.library.versions import pack_of
from autograder.observability import spans
from autograder.observability.ids import bound
from autograder.submissions import counters, selectors
from autograder.submissions.messages import events
from autograder.submissions.models import Grading, Kind, Lane, Submission, Worker, stored_verdict
from autograder.submissions.retention import kept_report
from autograder.submissions.scratch import queue as scratch_queue
from autograder.submissions.scratch import worker as scratch_worker
from autograder.submissions.scratch.queue import ScratchClaim
from autograder.submissions.work import cpu_limit, explanations, queue
from autograder.submissions.work.lease_keeper import LeaseKeeper
from autograder.submissions.work.queue import Claim
from autograder.submissions.work.work_item import WorkItem, work_item_of
from autograder.submissions.work.zygotes import Zygotes
from sandbox.errors import EngineTrouble, LayerMissing, Outage, SandboxError
from sandbox.selfcheck import QUICK, canary

log = logging.getLogger("gradus.grader")
SLOW_SECONDS = 1.0  # seconds after which a page receives an event for every check
HEARTBEAT_SECONDS = 5.0  # seconds between two heartbeats
RECONNECT_SECONDS = 5.0  # seconds between two attempts to reach a container engine that failed
CHECKS_WITH_TORCH = "autograder.judge.checks.functions"  # takes longer to import than the first sandbox to start
IMPORT_SECONDS = 30.0  # of CPU time, while slow modules are imported
MAX_STRETCH_SECONDS = 5.0  # seconds after which a worker can react to a request to stop


class Grader:
    """The grader of a process. Close it at the end, so that no sandbox is left behind."""

    def __init__(self) -> None:
        self.name = Worker.name_of(os.getpid())
        self._judge: Judge | None = None
        self.keeper = LeaseKeeper()
        self.trouble = ""
        self._next_try = math.inf  # when to retry after an outage
        self.layers: dict[str, bool] | None = None  # which layers hold; None until known
        self._zygotes = Zygotes()
        self._unreadable: set[int] = set()  # exercise versions left to workers of another code version
        self._graded = 0
        self._started = timezone.now()
        self._seen = 0.0
        self._cold: list[Profile] = []  # profiles whose sandboxes are not warm yet; work that needs them stays in the queue
        self._starts_others = False
        self._imports: threading.Thread | None = None

    def warm_up(self) -> None:
        """Start and check the sandbox of the first profile; the others are started when no work is waiting.

        If a layer does not hold, nothing is claimed: the work stays in the queue for a safe worker, and `manage.py queue`
        shows why this one is idle.
        """
        self._cold, self._starts_others = list(get_args(Profile)), False
        try:
            self._start(self._cold[:1])
            self._use_next_profile()
        except SandboxError as error:
            self._pause(error)
        self.keeper.beat = self._beat
        try:
            self._beat()
        except DatabaseTrouble as error:  # retried at the next wake-up; the sandboxes are warm and checked
            close_old_connections()
            log.error("%s", about_database(error))

    @property
    def judge(self) -> Judge:
        """The judge, created on first use and again after an outage. Creating it checks whether a sandbox backend is available."""
        if self._judge is None:
            self._judge = Judge(backend())
        return self._judge

    def _start(self, profiles: Collection[Profile]) -> None:
        with canary():
            for profile in profiles:
                self.judge.sandbox(profile).start()

    def _use_next_profile(self) -> None:
        """Wait until the next profile's sandbox is warm, and check that every layer holds."""
        judge = self.judge
        missing = list(layers_not_in_effect(judge, self._cold[:1]))
        del self._cold[0]
        self.layers = self.layers or dict.fromkeys(sorted(QUICK & judge.backend.layers), True)
        for finding in missing:
            self.layers[finding.layer] = False
        if missing:
            raise LayerMissing(missing[0].layer, f"{missing[0].seen}. To enable it: {missing[0].cure}")

    def close(self) -> None:
        self.keeper.stop()
        if self._imports is not None:
            self._imports.join()
        self._end_sandboxes()
        Worker.objects.filter(name=self.name).delete()

    def work(self, lanes: Collection[int] = tuple(Lane), seconds: float = MAX_STRETCH_SECONDS) -> int:
        """Grade until the queue is empty or the time is over. Returns the number of items done."""
        deadline, done = time.monotonic() + seconds, 0
        while time.monotonic() < deadline:
            if self.work_once(lanes):
                done += 1
            elif self._cold and not self.trouble and (selectors.waits(lanes) or scratch_queue.waits()):
                self._warm_next_profile()
            else:
                self._start_others()  # nothing is waiting now
                break
        return done

    def _start_others(self) -> None:
        """Start slow operations in the background of grading: the other sandboxes, and the import of torch."""
        if self._imports is None:
            self._imports = threading.Thread(target=_import_slow_modules, name="imports", daemon=True)
            self._imports.start()
        if self._cold and not self._starts_others and not self.trouble:
            self._starts_others = True
            try:
                self._start(self._cold)
            except SandboxError as error:
                self._pause(error)

    def _warm_next_profile(self) -> None:
        self._start_others()
        try:
            self._use_next_profile()
        except SandboxError as error:
            self._pause(error)

    def work_once(self, lanes: Collection[int] = tuple(Lane)) -> bool:
        """Claim and do one piece of work. Returns False if there is none.

        Scratch runs come after live gradings and before regrades.
        """
        self._beat()
        if self.trouble and not self._recovers():
            return False
        live = [lane for lane in lanes if lane != Lane.REGRADE]
        regrades = len(live) < len(lanes)
        if regrades and not scratch_queue.waits():
            return self._grade_once(lanes)  # one claim instead of two
        return (bool(live) and self._grade_once(live)) or self._run_scratch() or (regrades and self._grade_once(lanes))

    def _run_scratch(self) -> bool:
        if not scratch_queue.waits():
            return False
        claim = scratch_queue.claim(self.name, unreadable=self._unreadable | selectors.versions_of(self._cold))
        if claim is None:
            return False
        with (
            bound(request=claim.request),
            self.keeper.keeping(partial(scratch_queue.renew, claim), f"scratch run {claim.run_id}"),
        ):
            try:
                scratch_worker.answer(claim, self.judge)
            except PackError as error:
                self._leave_scratch_to_others(claim, error)
            # an internal error: the run is tried again, and the student is notified if that fails
            except Exception as error:
                log.exception("scratch run %s could not be run", claim.run_id)
                self._give_scratch_back(claim, error)
        return True

    def _leave_scratch_to_others(self, claim: ScratchClaim, error: PackError) -> None:
        log.warning("scratch run %s is left to workers of another version: %s", claim.run_id, error)
        others = _other_versions_grade()
        if others:
            self._unreadable.add(claim.version_id)  # otherwise it would be claimed again at once
        scratch_queue.give_back(claim, tried=not others)

    def _give_scratch_back(self, claim: ScratchClaim, error: Exception) -> None:
        if isinstance(error, DatabaseTrouble):
            close_old_connections()
        try:
            scratch_queue.give_back(claim, tried=not isinstance(error, Outage))
        except DatabaseTrouble:
            log.exception("scratch run %s returns to the queue when its lease expires", claim.run_id)
        self._pause_if_outage(error)

    def _grade_once(self, lanes: Collection[int]) -> bool:
        begun = spans.now()
        claim = queue.claim(self.name, lanes, unreadable=self._unreadable | selectors.versions_of(self._cold))
        if claim is None:
            return False
        with bound(request=claim.request, work=claim.work_id), spans.span("work", parent=claim.traceparent, since=begun):
            with spans.span("claim", since=begun):
                log.info("claimed")
            self._do(claim)
        self._graded += 1
        return True

    def _do(self, claim: Claim) -> None:
        with self.keeper.keeping(partial(queue.renew, claim), f"job {claim.work_id}"):
            try:
                item = work_item_of(claim)
                with bound(submission=item.submission_id):
                    self._grade(item)
            # an internal error: the submission is tried again, and staff are notified if that fails
            except Exception as error:
                log.exception("job %s failed", claim.work_id)
                self._give_back(claim, error)

    def _give_back(self, claim: Claim, error: Exception) -> None:
        """Return the work to the queue. A missing layer or an engine outage is the machine's fault and does not use up a try."""
        outage = isinstance(error, Outage)
        if isinstance(error, DatabaseTrouble):
            close_old_connections()  # the connection may be the cause
        try:
            queue.give_back(claim, f"{type(error).__name__}: {error}"[:2000], tried=not outage)
        except DatabaseTrouble:
            log.exception("job %s could not be given back; it returns to the queue when its lease expires", claim.work_id)
        self._pause_if_outage(error)

    def _pause_if_outage(self, error: Exception) -> None:
        if isinstance(error, LayerMissing):
            self.layers = (self.layers or {}) | {error.layer: False}
        if isinstance(error, Outage):
            self._pause(error)

    def _leave_to_others(self, item: WorkItem, error: PackError) -> None:
        """Return work whose exercise version this code cannot read, without using up a try.

        During a deployment, an exercise may be newer or older than this code. If no worker of another version is alive, the
        exercise itself is broken, and this method is not used.
        """
        log.warning("version %s is left to workers of another version: %s", item.version_id, error)
        self._unreadable.add(item.version_id)
        queue.give_back(item.claim, f"workers of version {__version__} cannot read it: {error}"[:2000], tried=False)

    def _pause(self, error: SandboxError) -> None:
        self.trouble, self._seen = str(error), 0.0
        self._next_try = time.monotonic() + RECONNECT_SECONDS if isinstance(error, EngineTrouble) else math.inf
        log.error("this worker is not grading: %s", error)

    def _recovers(self) -> bool:
        """Try again after an engine outage, and return whether it is over. A container engine may come back at any time."""
        if time.monotonic() < self._next_try:
            return False
        self._end_sandboxes()
        self.trouble, self._seen = "", 0.0
        self.warm_up()
        if not self.trouble:
            log.info("the container engine is available again; this worker has resumed grading")
        return not self.trouble

    def _end_sandboxes(self) -> None:
        if self._judge is not None:
            self._zygotes.count(self._judge)
            self._judge.close()
            self._judge, self._zygotes, self._cold, self.layers = None, Zygotes(), [], None

    def _grade(self, item: WorkItem) -> None:
        try:
            pack = pack_of(item.version_id)
        except PackError as error:
            if not _other_versions_grade():
                raise
            self._leave_to_others(item, error)
            return
        if item.kind == Kind.RUN:
            pack = public(pack)
        if not item.regrade:  # a preview is visible to staff only
            events.tell(item.submission_id, "running")
        tell = never if item.regrade else _check_publisher(item.submission_id)

        def enough(result: CheckResult) -> bool:
            self.keeper.progress()
            return tell(result)

        with (
            spans.span("grade", exercise=pack.slug, tries=item.tries),
            cpu_limit.at_most(self._seconds_to_compute(pack)),
        ):
            report = self.judge.grade(pack, item.source, secrets.randbits(32), enough=enough)
        if report.verdict == "internal":
            queue.give_back(item.claim, report.message)
            return
        with spans.span("finish", verdict=report.verdict):
            grading = store(item, report, self.name)
        if grading is None:
            log.warning("lost the lease of job %s while grading it; the verdict is discarded", item.claim.work_id)
            return
        facts = {"verdict": report.verdict, "reason": report.reason or "", "seconds": round(report.seconds, 4)}
        log.info("graded", extra=facts)
        self.keeper.progress()
        with cpu_limit.at_most(self._seconds_to_compute(pack)):
            explanations.explain_grading(self.judge, grading, pack, item.source, report)

    def _seconds_to_compute(self, pack: Pack) -> float:
        """The CPU limit for one submission. A background thread that imports torch counts as well."""
        imports = IMPORT_SECONDS if self._imports is not None and self._imports.is_alive() else 0.0
        return cpu_limit.share(pack.limits(self.judge.ceiling)) + imports

    def explain_later(self, seconds: float) -> int:
        """Explain gradings that could not be explained at first, while no student waits for a verdict. Returns how many."""
        if self._cold and not self.trouble and not selectors.waits((Lane.RUN, Lane.SUBMIT)):
            self._warm_next_profile()
        if self.trouble or self._cold or self._judge is None:
            return 0
        deadline, done = time.monotonic() + seconds, 0
        for grading in explanations.unexplained():
            if time.monotonic() > deadline or selectors.waits((Lane.RUN, Lane.SUBMIT)):
                break
            done += self._explain_stored(grading)
        return done

    def _explain_stored(self, grading: Grading) -> bool:
        pack = explanations.pack_to_explain(grading)
        with (
            self.keeper.keeping(lambda: None, f"the explanation of grading {grading.pk}"),
            cpu_limit.at_most(self._seconds_to_compute(pack)),
        ):
            return explanations.explain_stored(self.judge, grading, pack)

    def _beat(self) -> None:
        """Send a heartbeat and do periodic maintenance, both between and during gradings.

        An idle process is alive, too, and under heavy load no worker is free for the scheduler's tasks.
        """
        if time.monotonic() < self._seen + HEARTBEAT_SECONDS:
            return
        self._seen = time.monotonic()
        self._record_heartbeat()
        if self._judge is not None:
            self._zygotes.count(self._judge)
        counters.keep()
        queue.reap()
        scratch_queue.reap()
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
                "sandboxes": self._judge.starts() if self._judge else {},
                "trouble": self.trouble,
                "layers": self.layers,
            },
        )


def _import_slow_modules() -> None:
    import_module(CHECKS_WITH_TORCH)
    prepare()


def _other_versions_grade() -> bool:
    """Return whether workers of another code version are alive and able to grade."""
    return selectors.living_workers().filter(trouble="").exclude(version=__version__).exists()


def store(item: WorkItem, report: Report, worker: str) -> Grading | None:
    """Finish the work and store its grading in one transaction. Returns None if the lease was lost."""
    with transaction.atomic():
        if not queue.finish(item.claim):
            return None
        # a regrade may be committed at the same time
        Submission.objects.select_for_update().only("pk").get(pk=item.submission_id)
        current = not item.regrade and not Grading.objects.filter(submission_id=item.submission_id, current=True).exists()
        first = Grading.Why.RETRY if item.tries > 1 else Grading.Why.FIRST
        grading = Grading.objects.create(
            submission_id=item.submission_id,
            work_id=item.claim.work_id,
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
