"""The worker's side of an examination: starts an examiner, passes the submission's sandbox on to it, and reads what it found.

Nothing that an examiner sends is trusted. What it may cause is limited to its own exercise: a check that loops, crashes or
returns nonsense ends the examination with an `ExaminerError`, which is an internal error for this submission.
"""

import logging
import re
import secrets
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import msgspec

from autograder.examiner.messages import MIN_SECONDS, Opened, Refusal, exercise_of, packed, seconds_of, unpacked
from autograder.explain.diagnosis import Explanation
from autograder.explain.diagnosis.dictionary import Dictionary
from autograder.judge import words
from autograder.judge.grade import CEILING, Slot, never, report_of
from autograder.judge.outcome import ListedCheck, Outcome
from autograder.judge.pack import Content, PackError, public_points, with_points
from autograder.judge.report import CheckResult, Endings, Report
from autograder.judge.text import neutralise_output
from autograder.observability.spans import now, span
from autograder.prove.findings import Proof
from autograder.trace.model import Trace
from sandbox.backends.base import Backend
from sandbox.errors import JobEnded, LayerMissing, Outage, OutOfTime, SandboxError
from sandbox.packages import EXAMINER, EXAMINER_FILES
from sandbox.pool import AnySandbox, open_sandbox
from sandbox.session import REAP_SECONDS, Session
from sandbox.wire import Array, Call, Callback, End, Limits, Raised, Returned, nothing_else, seal

log = logging.getLogger("gradus.examiner")
SERVES = "autograder.examiner.inside"
LEARNING_SECONDS, PROVING_SECONDS = 600.0, 600.0
MAX_SESSIONS = 100_000  # of the submission's sandbox in one examination: learning opens thousands
MAX_RESTARTS = 10
NOTHING_KNOWN = msgspec.msgpack.encode({})
LIMITS = Limits(cpu_seconds=60, wall_seconds=900.0, memory_bytes=2048 << 20, files=EXAMINER_FILES)
WHOLE_LIMITS = msgspec.structs.replace(LIMITS, cpu_seconds=1200, wall_seconds=7200.0)  # to learn or to prove an exercise
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
Decoded = TypeVar("Decoded")
Enough = Callable[[CheckResult], bool]
Progress = Callable[[int, int], None]


class ExaminerError(Exception):
    """The checks of an exercise could not be run to their end. The message says why, for the author."""


class Examiners(Slot):
    """One slot: the sandboxes of submissions, one for each profile, and that of examiners."""

    def __init__(self, backend: Backend, ceiling: Limits = CEILING) -> None:
        super().__init__(backend, ceiling)
        self._last: Content | None = None
        self._prepared: Examiner | None = None

    def open_sandbox(self, profile: str) -> AnySandbox:
        if profile == EXAMINER:
            return open_sandbox(self.backend, EXAMINER, WHOLE_LIMITS, serves=SERVES)
        return super().open_sandbox(profile)

    def examination(
        self, exercise: Content, checks: Sequence[ListedCheck], *, only_public: bool = False, whole: bool = False
    ) -> "Examination":
        """An examination of one submission to an exercise, to be used as a context. `whole` sends the wrong solutions as well."""
        return Examination(self, exercise, checks, only_public=only_public, whole=whole)

    def checks_of(self, exercise: Content) -> tuple[ListedCheck, ...]:
        """Runs an exercise's `checks.py` and returns the checks that it declares. Raises `PackError` if they do not fit it."""
        with self.examination(exercise, ()) as examination:
            return examination.found

    def prepare(self) -> None:
        """Starts an examiner for the exercise that was examined last, whose next submission will not have to wait for it.

        For a moment in which nothing waits: if another exercise comes next, it was in vain.
        """
        if self._last is not None and self._prepared is None:
            self._prepared = Examiner(self, self._last, whole=False)

    def examiner(self, exercise: Content, *, whole: bool) -> "Examiner":
        """The prepared examiner if it is for this exercise; otherwise a new one."""
        self._last, prepared, self._prepared = exercise, self._prepared, None
        if prepared is not None and not whole and prepared.version == exercise.version and prepared.alive:
            return prepared
        if prepared is not None:
            prepared.close()
        return Examiner(self, exercise, whole=whole)

    def close(self) -> None:
        if self._prepared is not None:
            self._prepared.close()
            self._prepared = None
        super().close()


class Examiner:
    """A process in which an exercise is being opened, for one submission."""

    def __init__(self, slot: Examiners, exercise: Content, *, whole: bool) -> None:
        self.version = exercise.version
        self.folder = f"/tmp/gradus-{secrets.token_hex(8)}"
        self._leaves_files = "tmpfs" not in slot.backend.layers
        folder = f"{self.folder}/{exercise.slug}"
        self.session = slot.sandbox(EXAMINER).session(WHOLE_LIMITS if whole else LIMITS)
        self.session.may_sleep = True  # while the submission computes
        try:
            self.session.load(b"")
            self.session.watch(f"{folder}/checks.py")
            self.session.put("op", "examiner.open", [packed(exercise_of(exercise, folder, whole=whole)), Callback(0)])
        except BaseException:
            self.close()
            raise

    @property
    def alive(self) -> bool:
        return self.session.owner.alive

    def close(self) -> None:
        self.session.close()
        if self._leaves_files:
            shutil.rmtree(self.folder, ignore_errors=True)


class Examination:
    """An examiner at work on one submission. Everything is asked of the same process; it ends with the context."""

    def __init__(
        self, slot: Examiners, exercise: Content, checks: Sequence[ListedCheck], *, only_public: bool, whole: bool
    ) -> None:
        self._slot, self._content, self._exercise, self._checks = slot, exercise, exercise, tuple(checks)
        self._only_public, self._whole = only_public, whole
        if only_public:
            points = public_points(checks)
            self._checks = tuple(
                msgspec.structs.replace(check, points=points[check.id]) for check in checks if check.id in points
            )
            self._exercise = replace(exercise, settings=with_points(exercise.settings, points))
        self._profile = exercise.settings.profile
        self._examiner: Examiner | None = None
        self._lent: Session | None = None  # of the submission, which the examiner asks
        self._outage: Outage | None = None
        self._enough: Enough = never
        self._progress: Progress = lambda done, of: None
        self._sessions = self._restarts = 0
        self._grading = False
        self._lent_at = self._check_at = 0  # for spans, which an examiner cannot send
        self.found: tuple[ListedCheck, ...] = ()

    def __enter__(self) -> "Examination":
        try:
            self._examiner = self._slot.examiner(self._content, whole=self._whole)
            self.found = self._answered(tuple[ListedCheck, ...], MIN_SECONDS)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._take_back()
        if self._examiner is not None:
            self._examiner.close()
            self._examiner = None

    # -- what is asked of the examiner ----------------------------------------------------------------------------------

    def grade(
        self, source: bytes, seed: int | None = None, ceiling: Limits | None = None, *, enough: Enough = never
    ) -> Report:
        """Grades a submission. Raises `ExaminerError` if its checks cannot be run to their end."""
        seed, begun = secrets.randbits(32) if seed is None else seed, time.perf_counter()
        self._enough = enough
        limits = None if ceiling is None else msgspec.to_builtins(ceiling)
        self._grading = True
        try:
            outcome = self._asked("grade", Outcome, _body(source), seed, limits, self._only_public, seconds=self._seconds)
        finally:
            self._take_back()
            self._grading = False
        return report_of(
            self._exercise,
            self._checks,
            source,
            outcome,
            seed=seed,
            seconds=time.perf_counter() - begun,
            sandbox=self._slot.backend.name,
            libraries=self._slot.libraries(self._profile),
        )

    def trace(self, source: bytes, report: Report) -> tuple[Trace, ...]:
        return self._asked("trace", tuple[Trace, ...], *self._graded(source, report), seconds=self._seconds)

    def explain(self, source: bytes, report: Report, known: bytes) -> tuple[Explanation, ...]:
        """Explains a report with the dictionary of the exercise."""
        graded = self._graded(source, report)
        return self._asked("explain", tuple[Explanation, ...], *graded, _body(known), seconds=self._seconds)

    def _graded(self, source: bytes, report: Report) -> tuple[Array, Array, bool]:
        return _body(source), packed(report), self._only_public

    def learn(self, endings: Mapping[str, Endings], progress: Progress) -> Dictionary:
        self._progress = progress
        return self._asked("learn", Dictionary, msgspec.to_builtins(endings), seconds=LEARNING_SECONDS)

    def prove(self, progress: Progress, before: bytes = NOTHING_KNOWN) -> tuple[Proof, bytes]:
        """Applies the rules of the linter to what takes code of the author, in one process.

        Returns what the next proof of this exercise may take as `before`, so that it repeats only what has changed.
        """
        self._progress = progress
        return self._asked("prove", tuple[Proof, bytes], _body(before), seconds=PROVING_SECONDS)

    @property
    def _seconds(self) -> float:
        return seconds_of(self._exercise.limits(self._slot.ceiling))

    def _asked(self, name: str, kind: type[Decoded], *args: Any, seconds: float) -> Decoded:
        assert self._examiner is not None
        try:
            self._examiner.session.put("op", f"examiner.{name}", list(args))
        except JobEnded as ended:
            raise ExaminerError(words.checks_ended(ended)) from ended
        return self._answered(kind, seconds)

    def _answered(self, kind: type[Decoded], seconds: float) -> Decoded:
        """The examiner's answer. Raises what the worker's own sandboxes raised meanwhile, or `ExaminerError`."""
        assert self._examiner is not None
        session = self._examiner.session
        session.allow(seconds)
        try:
            reply = session.take_answer(self._wall_seconds(seconds), self._called)
        except OutOfTime as late:
            raise ExaminerError(words.checks_took_too_long(late)) from late
        except JobEnded as ended:
            raise ExaminerError(words.checks_ended(ended)) from ended
        finally:
            self._log_output(session)
        if self._outage is not None:
            raise self._outage
        if isinstance(reply, Raised):
            error = PackError if reply.type_name.endswith(".PackError") else ExaminerError
            raise error(words.checks_file_raised(reply).replace(f"{self._examiner.folder}/", ""))
        try:
            found = unpacked(reply.value, kind)
        except msgspec.DecodeError as error:
            raise ExaminerError(words.checks_unreadable(error)) from error
        if _NUL.search(msgspec.json.encode(found)):
            raise ExaminerError(words.checks_unreadable("a text with a NUL character"))
        return found

    def _wall_seconds(self, cpu_seconds: float) -> float:
        """What the checks may take in all: their own time, and the submission's, which may be asked twice."""
        return cpu_seconds + 2 * self._exercise.limits(self._slot.ceiling).wall_seconds

    def _log_output(self, session: Session) -> None:
        printed = neutralise_output(session.take_output(), session.output_cut)
        if printed:
            log.info("the checks of %s printed: %s", self._exercise.slug, printed)

    # -- what the examiner asks -----------------------------------------------------------------------------------------

    def _called(self, call: Call) -> Returned:
        """Does what the examiner asks for. An error of a sandbox goes to the examiner, which decides what it means for the
        grading; an outage is raised here as well, whatever the examiner says."""
        try:
            answer = self._answer(*call.args)
        except (msgspec.ValidationError, TypeError) as error:
            raise ExaminerError(words.checks_unreadable("an unknown request")) from error
        except SandboxError as error:
            if isinstance(error, Outage):
                self._outage = error
            layer = error.layer if isinstance(error, LayerMissing) else ""
            answer = Refusal(type(error).__name__, error.message if isinstance(error, LayerMissing) else str(error), layer)
        return Returned(seal(msgspec.msgpack.encode(answer), nothing_else))

    def _answer(self, what: str, *args: Any) -> Any:
        if what == "session":
            return self._lend(*args)
        if what == "check":
            return self._check_ended(*args)
        if what == "done":
            self._take_back()  # `progress` may grade something more urgent
            return self._progress(*msgspec.convert(args, tuple[int, int]))
        if what == "restart":
            return self._restart()
        lent = self._lent
        if lent is None:
            return None
        if what == "end":
            return lent.owner.tell(End(lent.number, *msgspec.convert(args[1:], tuple[bool])))
        if what == "progress":
            return lent.owner.progress(lent.number, _seconds(*args))
        if what == "exit":
            return lent.owner.wait_for_exit(lent.number, _seconds(*args))
        if what == "memory":
            return lent.owner.memory_ran_out()
        if what == "taint":
            return lent.owner.taint()
        raise ExaminerError(words.checks_unreadable("an unknown request"))

    def _lend(self, limits: Any) -> Opened:
        """Opens a session in the submission's sandbox, and sends its descriptors with the answer."""
        assert self._examiner is not None
        self._sessions += 1
        if self._sessions > MAX_SESSIONS:
            raise ExaminerError(words.checks_unreadable("a request for too many sessions"))
        self._take_back()
        wanted, ceiling = msgspec.convert(limits, Limits), self._slot.ceiling
        limits = msgspec.structs.replace(
            self._exercise.limits(ceiling),
            cpu_seconds=min(wanted.cpu_seconds, ceiling.cpu_seconds),
            wall_seconds=min(wanted.wall_seconds, ceiling.wall_seconds),
        )
        self._lent_at = self._check_at = now()
        lent = self._lent = self._slot.sandbox(self._profile).session(limits)
        self._examiner.session.carry(lent.descriptors)
        return Opened(lent.number, lent.owner.layers)

    def _take_back(self) -> None:
        if self._lent is not None:
            if self._grading:
                with span("session", since=self._lent_at, profile=self._profile):
                    self._lent.close()
            self._lent.close()
            self._lent = None

    def _restart(self) -> None:
        self._take_back()
        self._restarts += 1
        if self._restarts > MAX_RESTARTS:
            raise ExaminerError(words.checks_unreadable("a request for too many restarts"))
        self._slot.sandbox(self._profile).close()

    def _check_ended(self, identity: Any, passed: Any) -> bool:
        check = next((check for check in self._checks if check.id == identity), None)
        if check is None:
            return False
        with span("check", since=self._check_at, id=check.id):
            self._check_at = now()
        result = CheckResult(check.id, check.title, check.hidden, passed is True, 0.0, check.points)
        return self._enough(result)


def _body(data: bytes) -> Array:
    return Array("numpy", "uint8", (len(data),), data)


def _seconds(_: Any, seconds: Any) -> float:
    """How long the examiner wants to wait for its job, whose number the worker knows better."""
    return min(msgspec.convert(seconds, float), REAP_SECONDS)
