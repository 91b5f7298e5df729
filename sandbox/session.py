"""The host's side of one submission: loads it, asks it questions and determines how it ended.

Every wait has a timeout and every buffer a limit. A session returns only data that `wire` has parsed.
"""

import contextlib
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from typing import Any, Protocol

from sandbox import stack
from sandbox.errors import Cause, JobEnded, JobKilled, KilledFromOutside, LayerMissing, OutOfTime, SandboxError, SpareDied
from sandbox.job import Job
from sandbox.wire import (
    Answer,
    Ask,
    Begin,
    Call,
    End,
    Exited,
    Fork,
    Frame,
    JailFailed,
    Limits,
    Line,
    Load,
    Loaded,
    Program,
    Progress,
    ProgressRequest,
    Raised,
    Ready,
    Returned,
    WireError,
    nothing_else,
    seal,
    total,
)

READY_SECONDS = 20.0
REAP_SECONDS = 5.0
OUTER_MARGIN = 2.0
MIN_POLL_SECONDS, MAX_POLL_SECONDS = 0.1, 1.0  # between two progress checks of a job
MAX_ASLEEP_SECONDS = 3.0  # a job asleep for this long, with nothing that could wake it, is ended
LOOSE_SECONDS = 0.1  # the time without an exact figure after which a bound of the CPU time used so far is made exact
ASLEEP_CPU_SHARE = 0.01  # of a core: a job that wakes up only to sleep again makes no progress either
CHUNK = 1 << 18
CONTAINER_BYTES = 64
# jobs interrupted by the host, for which the running line is worth a short wait
INTERRUPTED = ("timeout-cpu", "timeout-wall", "output")


class SessionOwner(Protocol):
    """What a session needs of the sandbox that it runs in."""

    layers: frozenset[str]

    @property
    def alive(self) -> bool: ...

    def tell(self, message: Fork | Begin | ProgressRequest | End) -> None: ...

    def progress(self, number: int, seconds: float) -> Progress | None: ...

    def wait_for_exit(self, number: int, seconds: float) -> Exited | None: ...

    def memory_ran_out(self) -> bool: ...

    def taint(self) -> None: ...


class Session:
    """One submission in one job. Not reusable; closing it ends the job."""

    def __init__(self, owner: SessionOwner, job: Job, limits: Limits) -> None:
        self.limits = limits
        self.output_cut = False  # whether the output that was last taken is truncated
        self.may_sleep = False  # whether it may wait for something else than a question
        self.owner = owner
        self._bytes_read = 0
        self._cut = False
        self._job = job
        self._asked = 0
        self._output = bytearray()
        self._output_total = 0
        self._closed = False
        self._dump = b""
        self._carried: tuple[int, ...] = ()  # descriptors that the next frame carries
        self._files: tuple[str, ...] = ()  # the paths of a program of several files
        self._ended: JobEnded | None = None
        self.cpu_seconds: float | None = None  # CPU time used; known when the job has ended
        self._begun = self._next_poll = float("inf")
        self._allowed = float("inf")
        self._used_before = 0.0  # an upper bound of the CPU time used before the allowance was set
        self._known = (float("inf"), 0.0)  # a moment, and the CPU time used by then
        # when it was first seen asleep, and its CPU time by then
        self._asleep_since: tuple[float, float] | None = None
        self._deadline = time.monotonic() + READY_SECONDS
        self._poll = select.poll()
        for descriptor in (job.answers, job.output):
            self._poll.register(descriptor, select.POLLIN)

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._job.close()
        if self._ended is None and self.owner.alive:
            with contextlib.suppress(SandboxError):
                self.owner.tell(End(self._job.number))

    def finish(self) -> float:
        """Close the session and return the CPU time of the job in seconds."""
        if self._ended is None:
            self._end("crash", "closed")
        self.close()
        return self.seconds if self.cpu_seconds is None else self.cpu_seconds

    @property
    def seconds(self) -> float:
        """Wall time since the file was sent."""
        return time.monotonic() - self._begun

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def number(self) -> int:
        """The number of its job in its zygote."""
        return self._job.number

    @property
    def descriptors(self) -> tuple[int, int, int, int]:
        """The host's ends of the job's pipes, in the order of `Job`, for a process that is to use the session instead."""
        return self._job.questions, self._job.answers, self._job.output, self._job.stack

    @property
    def answered(self) -> int:
        """The approximate size of all answers so far: the bytes read and the containers built from them."""
        return self._bytes_read + CONTAINER_BYTES * self._job.codec.opened

    def load(
        self,
        source: bytes | Program,
        seed: int = 0,
        entry_points: tuple[str, ...] = (),
        cpu_seconds: float = float("inf"),
    ) -> Loaded | Raised:
        """Send the student's code. Returns what it defines, or what it raised."""
        self._files = tuple(source.files) if isinstance(source, Program) else ()
        self._begun = time.monotonic()
        self._known = self._begun, 0.0
        self._deadline = self._begun + self.limits.wall_seconds + OUTER_MARGIN
        self.allow(cpu_seconds)
        load = Load(source, seed, self.limits.memory_bytes, list(entry_points))
        try:
            self._send(load)
        except JobEnded as ended:  # the job ended before it read the file, so the submission is not the cause
            raise SpareDied(f"a spare was gone before it was used: {ended}") from ended
        reply = self._receive(None)
        if not isinstance(reply, Loaded | Raised):
            raise self._end("protocol", "unasked")
        return reply

    def ask(
        self,
        what: str,
        name: str,
        args: list[Any],
        *,
        options: dict[str, Any] | None = None,
        source: str = "",
        want_inputs: bool = False,
        seconds: float | None = None,
        called: Callable[[Call], Returned] | None = None,
    ) -> Answer | Raised:
        """Ask one question and return the reply. If it takes longer than `seconds`, the job ends with `OutOfTime`.

        `called` runs the functions for which `wire.Callback` values among the arguments stand, with the arguments that the
        submission gives them.
        """
        self.put(what, name, args, options=options, source=source, want_inputs=want_inputs)
        return self.take_answer(seconds, called)

    def put(
        self,
        what: str,
        name: str,
        args: list[Any],
        *,
        options: dict[str, Any] | None = None,
        source: str = "",
        want_inputs: bool = False,
    ) -> None:
        """Ask a question whose reply `take_answer` waits for."""
        if self._ended is not None:
            raise self._ended
        self._asked += 1
        self._asleep_since = None  # a job that answers, however slowly, is not asleep
        given = {key: seal(value, nothing_else) for key, value in (options or {}).items()}
        self._send(Ask(self._asked, what, name, [seal(arg, nothing_else) for arg in args], given, source, want_inputs))

    def take_answer(self, seconds: float | None = None, called: Callable[[Call], Returned] | None = None) -> Answer | Raised:
        since = time.monotonic()
        reply = self._receive(seconds, since)
        while isinstance(reply, Call) and called is not None:
            self._send(called(reply))
            reply = self._receive(seconds, since)
        if not isinstance(reply, Answer | Raised) or reply.number != self._asked:
            raise self._end("protocol", "unasked")
        return reply

    def allow(self, cpu_seconds: float) -> None:
        """Set the CPU time allowed from now on, over all questions; beyond it, the job ends with `OutOfTime`.

        The first progress check happens when the allowance could be used up, or after MAX_POLL_SECONDS. Jobs that answer in
        time cost none, except one here after a wait.
        """
        self._allowed, self._asleep_since = cpu_seconds, None
        if cpu_seconds < float("inf"):
            self._used_before = self._used_at_most()
        self._next_poll = time.monotonic() + max(min(cpu_seconds, MAX_POLL_SECONDS), MIN_POLL_SECONDS)

    def _used_at_most(self) -> float:
        """An upper bound of the CPU time used so far: exact after a wait, which may have passed without computing."""
        since, used = self._known
        if time.monotonic() - since > LOOSE_SECONDS and self._ended is None and self._seen(MAX_POLL_SECONDS) is not None:
            since, used = self._known
        return used + time.monotonic() - since

    def _seen(self, seconds: float) -> Progress | None:
        """The progress of the job now, or None if it has ended or its zygote does not answer in time."""
        before = time.monotonic()
        progress = self.owner.progress(self._job.number, seconds)
        if progress is not None:
            self._known = before, progress.cpu_seconds
        return progress

    def progress(self) -> Progress:
        """The CPU time and the memory of the job now, as the kernel counts them: between two questions, or in a callback."""
        progress = self._seen(REAP_SECONDS) if self._ended is None else None
        if progress is None:
            raise self._ended or self._explain_end()
        return progress

    def take_output(self) -> bytes:
        """Return what was printed since the last call, up to the limit. An output flood is reported at the next question."""
        with contextlib.suppress(JobEnded):
            self._read_output()
        taken = bytes(self._output)
        self._output.clear()
        self.output_cut, self._cut = self._cut, False
        return taken

    def watch(self, path: str) -> None:
        """Say where the job was interrupted only if it was in this file."""
        self._files = (path,)

    def stack(self) -> tuple[Line, ...]:
        """Return the stack that the job recorded if it was interrupted."""
        return stack.lines_in(self._job.stack, self._dump, self._files)

    # -- moving bytes -------------------------------------------------------------------------------------------

    def wait_ready(self) -> None:
        try:
            frame = self._receive(None)
        except JobEnded as ended:
            raise SpareDied(f"a spare was gone before it was used: {ended}") from ended
        if isinstance(frame, JailFailed):
            raise LayerMissing(frame.layer, frame.message)
        if not isinstance(frame, Ready):
            raise SandboxError(f"a spare greeted with {type(frame).__name__}")
        self.namespaces = frame.namespaces

    def carry(self, descriptors: tuple[int, ...]) -> None:
        """Send descriptors with the next frame, to a job that can receive them."""
        self._carried = descriptors

    def _send(self, frame: Frame) -> None:
        chunks = [memoryview(chunk) for chunk in self._job.codec.encode(frame) if len(chunk)]
        while chunks:
            try:
                sent = self._write(chunks[:64])
            except BlockingIOError:
                self._wait_for_room(total(chunks))
                continue
            except (BrokenPipeError, ConnectionResetError):
                raise self._explain_end() from None
            while chunks and sent >= len(chunks[0]):
                sent -= len(chunks.pop(0))
            if chunks and sent:
                chunks[0] = chunks[0][sent:]

    def _write(self, chunks: list[memoryview]) -> int:
        if not self._carried:
            return os.writev(self._job.questions, chunks)
        with socket.socket(fileno=os.dup(self._job.questions)) as channel:
            sent = socket.send_fds(channel, chunks[:1], self._carried)
        self._carried = ()
        return sent

    def _wait_for_room(self, waiting: int) -> None:
        remaining = self._deadline - time.monotonic()
        room = select.select([], [self._job.questions], [], max(0.0, remaining))[1]
        if not room:
            raise self._end("timeout-wall", "unread", waiting)

    def _receive(self, seconds: float | None, since: float = 0.0) -> Frame:
        """Return the next frame, and drain the output meanwhile. `seconds` begin at `since`.

        The clock is read before the channel: an answer that arrived while the host stood still is not late.
        """
        until = self._deadline if seconds is None else min(self._deadline, since + seconds)
        until = until if "outer-timer" in self.owner.layers else float("inf")
        now = float("-inf")
        while True:
            try:
                frame = self._job.next_frame()
            except WireError as error:
                raise self._end("protocol", "unreadable", str(error)) from error
            if frame is not None:
                self._read_output()
                return frame
            if now >= until:
                raise self._out_of_time(seconds)
            if now >= self._next_poll:
                self._check_progress(now)
            now = time.monotonic()
            left = min(until, self._next_poll) - now
            for descriptor, _ in self._poll.poll(min(left, 3600.0) * 1000 + 1 if left > 0 else 0):
                if descriptor == self._job.output:
                    self._read_output()
                elif not self._read_answers():
                    raise self._explain_end()

    def _read_answers(self) -> bool:
        """Move bytes into the frame buffer. Returns False when the job has closed its end."""
        try:
            data = os.read(self._job.answers, CHUNK)
        except BlockingIOError:
            return True
        except ConnectionResetError:  # of a socket whose other end is gone, with something unread
            return False
        self._job.buffer += data
        self._bytes_read += len(data)
        return bool(data)

    def _read_output(self) -> None:
        while True:
            try:
                data = os.read(self._job.output, CHUNK)
            except BlockingIOError:
                return
            if not data:
                with contextlib.suppress(KeyError):
                    self._poll.unregister(self._job.output)
                return
            self._output_total += len(data)
            room = self.limits.output_kept - len(self._output)
            self._cut = self._cut or len(data) > room
            self._output += data[: max(0, room)]
            over = self._output_total > self.limits.output_bytes and "output" in self.owner.layers
            if over and self._ended is None:
                raise self._end("output", "output", self.limits.output_bytes)

    # -- endings ------------------------------------------------------------------------------------------------

    def _check_progress(self, now: float) -> None:
        """End a job that has used up its CPU allowance or sleeps indefinitely. A busy machine causes neither."""
        self._next_poll = now + MAX_POLL_SECONDS
        progress = self._seen(MAX_POLL_SECONDS)
        if progress is None:
            return
        used = progress.cpu_seconds - self._used_before
        if used >= self._allowed:
            raise self._over_allowance(self._end("timeout-cpu", "cpu", self._allowed))
        since, computed = self._asleep_since or (now, progress.cpu_seconds)
        if not progress.asleep or self.may_sleep:
            self._asleep_since = None
        elif progress.cpu_seconds - computed > ASLEEP_CPU_SHARE * (now - since):
            self._asleep_since = now, progress.cpu_seconds
        elif now - since < MAX_ASLEEP_SECONDS:
            self._asleep_since = since, computed
        else:
            raise self._end("timeout-wall", "asleep", MAX_ASLEEP_SECONDS)
        self._next_poll = now + max(MIN_POLL_SECONDS, min(self._allowed - used, MAX_POLL_SECONDS))

    def _out_of_time(self, seconds: float | None) -> Exception:
        if seconds is not None and time.monotonic() < self._deadline:
            return OutOfTime(seconds, self._end("timeout-wall", "wall", seconds).stack)
        return self._end("timeout-wall", "wall", self.limits.wall_seconds)

    def _end(self, reason: str, cause: Cause, figure: float | str = "") -> JobEnded:
        """End the job and wait until it is gone. Only the first reason counts."""
        if self._ended is not None:
            return self._ended
        self.owner.tell(End(self._job.number, ask_stack=reason in INTERRUPTED))
        if reason in INTERRUPTED:
            self._dump = stack.wait_for_dump(self._job.stack, REAP_SECONDS)  # or until its zygote kills it
            self.owner.tell(End(self._job.number))
        exited = self.owner.wait_for_exit(self._job.number, REAP_SECONDS)
        if exited is None:
            self.owner.taint()
            return self._over(reason, cause, figure)
        self.cpu_seconds = exited.cpu_seconds
        if exited.by_timer:
            reason, cause, figure = "timeout-wall", "wall", self.limits.wall_seconds
        return self._over(reason, cause, figure)

    def _over(self, reason: str, cause: Cause, figure: float | str) -> JobEnded:
        self._ended = JobEnded(reason, cause, figure, self.stack())
        return self._ended

    def _over_allowance(self, ended: JobEnded) -> OutOfTime:
        """The ending of a job that used up its allowance. What it used beyond, until the host looked, does not count: how a
        submission is graded must not depend on how busy the host is."""
        if self.cpu_seconds is not None:
            self.cpu_seconds = min(self.cpu_seconds, self._used_before + self._allowed)
        return OutOfTime(self._allowed, ended.stack)

    def _explain_end(self) -> JobEnded | OutOfTime:
        """Determine from the exit status why the job closed its channel."""
        exited = self.owner.wait_for_exit(self._job.number, 1.0)
        if exited is None:
            return self._end("crash", "closed")
        self.cpu_seconds = exited.cpu_seconds
        ended = self._ended = self._classify(exited)
        self._read_output()
        if ended.reason == "timeout-cpu" and exited.cpu_seconds - self._used_before >= self._allowed:
            return self._over_allowance(ended)  # the host did not look in time
        return ended

    def _classify(self, exited: Exited) -> JobEnded:
        if exited.by_timer:
            return JobEnded("timeout-wall", "wall", self.limits.wall_seconds, self.stack())
        if os.WIFSIGNALED(exited.status):
            number = os.WTERMSIG(exited.status)
            over = exited.cpu_seconds >= 0.9 * self.limits.cpu_seconds
            if number == signal.SIGXCPU or (number == signal.SIGKILL and over):
                return JobEnded("timeout-cpu", "cpu", self.limits.cpu_seconds, self.stack())
            if number == signal.SIGKILL and not self.owner.memory_ran_out():
                raise KilledFromOutside("something outside the sandbox ended the submission")
            if number == signal.SIGKILL:
                return JobKilled("memory", "machine")
            return JobEnded("crash", "signal", signal.Signals(number).name, self.stack())
        return JobEnded("crash", "exit", os.WEXITSTATUS(exited.status))
