"""Keeps one warm zygote of a profile and one spare job, and hands out sessions.

A zygote is replaced after a fixed number of submissions, after anything unexpected, and when it dies.
"""

import contextlib
import fcntl
import os
import select
import socket
import time

import msgspec

from sandbox import oom, seccomp
from sandbox.backends.base import Backend, Zygote
from sandbox.errors import LayerMissing, SandboxError, SpareDied, ZygoteDied
from sandbox.job import Job
from sandbox.limits import CURES
from sandbox.session import REAP_SECONDS, Session
from sandbox.wire import (
    Begin,
    Control,
    End,
    Exited,
    Fork,
    JailPlan,
    Limits,
    Progress,
    ProgressRequest,
    Warm,
    control_decode,
    control_encode,
)

WARM_SECONDS = 120.0
RECYCLE_AFTER = 500
PIPE_BYTES = 1 << 20
MESSAGE_BYTES = 1 << 16


class Sandbox:
    """One slot of one profile: a zygote, a spare job, and at most one session at a time."""

    def __init__(
        self,
        backend: Backend,
        profile: str,
        limits: Limits | None = None,
        *,
        recycle_after: int = RECYCLE_AFTER,
        without: frozenset[str] = frozenset(),
        serves: str = "",
    ) -> None:
        self.backend, self.profile, self.limits = backend, profile, limits or Limits()
        self.layers = backend.layers - without
        self.serves = serves
        self.starts = 0
        self.deaths = 0  # of zygotes that died without being ended by the host
        self.warm: Warm | None = None
        self.libraries: dict[str, str] = {}  # and their versions, as the last warm zygote had them
        self._recycle_after = 1 if backend.pool else recycle_after
        self._zygote: Zygote | None = None
        self._spare: Job | None = None
        self._jobs_started = 0
        self._jobs_since_start = 0
        self._exits: dict[int, Exited] = {}
        self._tainted = False
        self._oom_kills = oom.kills()
        self._requests = 0  # for the progress of a job

    # -- the zygote ---------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the zygote without waiting for it to be warm."""
        if self._zygote is not None:
            return
        plan = JailPlan(
            profile="torch" if self.serves else self.profile,
            layers=self.layers - self.backend.around,
            limits=self.limits,
            seccomp=seccomp.program(receives=bool(self.serves)) if "seccomp" in self.layers else b"",
            single_use=self.backend.pool > 0,
            serves=self.serves,
        )
        self._zygote = self.backend.start(self.profile, self.limits)
        self.starts += 1
        self._jobs_since_start = 0
        self._tainted = False
        try:
            self._zygote.control.send(msgspec.msgpack.encode(plan))
        except OSError as error:
            raise self._died(str(error)) from error

    def wait_until_warm(self) -> Warm:
        self.start()
        deadline = time.monotonic() + WARM_SECONDS
        while self.warm is None:
            message = self._listen(deadline)
            if message is None:
                raise self._died(f"was not warm after {WARM_SECONDS:g} s")
            self._hear(message)
        if self._spare is None:
            self._order_spare()
        return self.warm

    def close(self) -> None:
        """Kill the zygote and all its descendants."""
        if self._spare is not None:
            self._spare.close()
            self._spare = None
        if self._zygote is not None:
            self._zygote.close()
            self._zygote = None
        self.warm = None
        self._exits.clear()

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def launcher_pid(self) -> int | None:
        """The process that the backend started; the zygote is its descendant."""
        return self._zygote.pid if self._zygote else None

    @property
    def kernel_uid(self) -> int | None:
        """The zygote's user id as the kernel reports it, if it cannot be read from the launcher process."""
        return self._zygote.uid if self._zygote else None

    @property
    def alive(self) -> bool:
        return self._zygote is not None

    def taint(self) -> None:
        """Mark this zygote as unusable for further sessions, after something unexpected happened."""
        self._tainted = True

    def fork_bare(self) -> float:
        """Return the seconds that a fork of the zygote takes if the child exits at once. The baseline of the benchmark."""
        self.wait_until_warm()
        start = time.perf_counter()
        job = self._fork(bare=True)
        self.wait_for_exit(job.number, REAP_SECONDS)
        seconds = time.perf_counter() - start
        job.close()
        return seconds

    def _listen(self, deadline: float) -> Control | None:
        """Return the zygote's next message, or None if there is none before the deadline. Raises an error if the zygote died."""
        assert self._zygote is not None
        control = self._zygote.control
        readable, _, _ = select.select([control], [], [], max(0.0, deadline - time.monotonic()))
        if not readable:
            return None
        try:
            data = control.recv(MESSAGE_BYTES)
        except OSError as error:
            raise self._died(str(error)) from error
        if not data:
            raise self._died("went away")
        return control_decode(data)

    def _hear(self, message: Control) -> None:
        if isinstance(message, Warm):
            if message.threads != 1:
                raise SandboxError(f"the zygote has {message.threads} threads, it must have one to fork safely")
            self.warm, self.libraries = message, dict(message.versions)
        elif isinstance(message, Exited):
            self._exits[message.job] = message
        elif not isinstance(message, Progress):  # a progress message that arrives too late is ignored
            raise SandboxError(f"the zygote sent {type(message).__name__}")

    def _died(self, how: str) -> SandboxError:
        """Return the error for a dead zygote: during start a missing layer or a broken sandbox, later a failure to recover from."""
        text, starting = self._zygote.last_words() if self._zygote else "", self.warm is None
        self.deaths += 1
        self.close()
        if starting:
            if any(tool in text for tool in ("bwrap", "unshare", "setpriv")):
                return LayerMissing("namespaces", f"the zygote did not start: {text}. To get it: {CURES['namespaces']}")
            return SandboxError(f"the zygote did not start: {text or how}")
        return ZygoteDied(f"the zygote {how}: {text}" if text else f"the zygote {how}")

    # -- jobs ---------------------------------------------------------------------------------------------------

    def tell(self, message: Fork | Begin | ProgressRequest | End, descriptors: tuple[int, ...] = ()) -> None:
        if self._zygote is None:
            raise ZygoteDied("the zygote is not running")
        try:
            if descriptors:
                socket.send_fds(self._zygote.control, [control_encode(message)], descriptors)
            else:
                self._zygote.control.send(control_encode(message))
        except OSError as error:
            raise self._died(str(error)) from error

    def _fork(self, bare: bool = False) -> Job:
        self._jobs_started += 1
        number = self._jobs_started
        (output_out, output_in), (stack_out, stack_in) = os.pipe(), os.pipe()
        if self.serves:  # it receives descriptors
            (question_out, question_in), (answer_out, answer_in) = _connected()
        else:
            (question_out, question_in), (answer_out, answer_in) = os.pipe(), os.pipe()
        theirs = (question_out, answer_in, output_in, stack_in)
        job = Job(number, question_in, answer_out, output_out, stack_out)
        try:
            self.tell(Fork(number, bare), theirs)
        except SandboxError:
            job.close()
            raise
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        for descriptor in (question_in, answer_out, output_out, stack_out):
            os.set_blocking(descriptor, False)
        with contextlib.suppress(OSError):  # a smaller pipe is slower, but correct
            fcntl.fcntl(question_in, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
            fcntl.fcntl(answer_out, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        return job

    def _order_spare(self) -> None:
        self._spare = self._fork()

    def session(self, limits: Limits | None = None) -> Session:
        """Use the spare job for a submission. The next spare is forked while this one works."""
        if self._tainted or self._jobs_since_start >= self._recycle_after:
            self.close()
        try:
            return self._take_spare(limits or self.limits)
        # it died unnoticed since the last session; it held no submission, so take another one
        except (ZygoteDied, SpareDied):
            return self._take_spare(limits or self.limits)

    def _take_spare(self, limits: Limits) -> Session:
        self._drain_control()
        self.wait_until_warm()
        assert self._spare is not None
        job, self._spare = self._spare, None
        session = Session(self, job, limits)
        try:
            session.wait_ready()
            self._jobs_since_start += 1
            self.tell(Begin(job.number, session.limits.wall_seconds, session.limits.cpu_seconds))
            if not self.backend.pool:
                self._order_spare()
        except BaseException:
            session.close()
            raise
        return session

    def _drain_control(self) -> None:
        """Read the messages sent since the last session, without waiting, and discard exits of earlier jobs."""
        self._exits.clear()
        while self._zygote is not None and self.warm is not None:
            try:
                message = self._listen(time.monotonic())
            except ZygoteDied:
                return  # `wait_until_warm` starts another one
            if message is None:
                return
            self._hear(message)
            self._exits.clear()

    def progress(self, number: int, seconds: float) -> Progress | None:
        """Return the job's progress, or None if it has ended or the zygote does not answer in time."""
        self._requests += 1
        self.tell(ProgressRequest(number, self._requests))
        deadline = time.monotonic() + seconds
        while number not in self._exits:
            message = self._listen(deadline)
            if message is None:
                return None
            self._hear(message)
            if isinstance(message, Progress) and message.request == self._requests:  # not one that was given up
                return message
        return None

    def memory_ran_out(self) -> bool:
        """Return whether the kernel has killed a process for lack of memory since the last call. True if the kernel does not
        report it."""
        before, self._oom_kills = self._oom_kills, oom.kills()
        return before is None or before != self._oom_kills

    def wait_for_exit(self, number: int, seconds: float) -> Exited | None:
        deadline = time.monotonic() + seconds
        while number not in self._exits:
            message = self._listen(deadline)
            if message is None:
                return None
            self._hear(message)
        return self._exits.pop(number)


def _connected() -> tuple[tuple[int, int], tuple[int, int]]:
    """Two pairs like those of two pipes, for questions and for answers, over one connection that can carry descriptors."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        return (os.dup(theirs.fileno()), os.dup(ours.fileno())), (os.dup(ours.fileno()), os.dup(theirs.fileno()))
