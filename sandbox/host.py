"""The trusted side: keeps a warmed zygote and one spare job per profile, and talks with a submission in it.

`Sandbox` owns processes, `Session` owns one submission. Every wait has an end, every buffer a cap, and whatever comes out of
a session is bytes that `wire` has parsed, nothing more.
"""

import contextlib
import fcntl
import os
import select
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any

import msgspec

from sandbox import seccomp
from sandbox.backends.base import Backend
from sandbox.errors import JobEnded, LayerMissing, OutOfTime, SandboxError, ZygoteDied
from sandbox.limits import CURES
from sandbox.wire import (
    BODY_LIMIT,
    HEADER_LIMIT,
    LENGTHS,
    Answer,
    Ask,
    Begin,
    Codec,
    Control,
    End,
    Exited,
    Fork,
    Frame,
    JailFailed,
    JailPlan,
    Limits,
    Load,
    Loaded,
    Raised,
    Ready,
    Warm,
    WireError,
    control_decode,
    control_encode,
    total,
)

WARM_SECONDS = 120.0
READY_SECONDS = 20.0
REAP_SECONDS = 5.0
OUTER_MARGIN = 2.0
RECYCLE_AFTER = 500
PIPE_BYTES = 1 << 20
CHUNK = 1 << 18
MESSAGE_BYTES = 1 << 16


@dataclass
class _Job:
    """The host's ends of one job's pipes, and what has been read from them so far."""

    number: int
    questions: int
    answers: int
    output: int
    codec: Codec = field(default_factory=Codec)
    buffer: bytearray = field(default_factory=bytearray)
    ready: bool = False

    def close(self) -> None:
        for descriptor in (self.questions, self.answers, self.output):
            os.close(descriptor)

    def next_frame(self) -> Frame | None:
        """A whole frame from the buffer, or None. Raises `WireError` for what can never become one."""
        if len(self.buffer) < LENGTHS.size:
            return None
        header, body = LENGTHS.unpack_from(self.buffer)
        if header > HEADER_LIMIT or body > BODY_LIMIT:
            raise WireError("a frame that claims to be over the limit")
        end = LENGTHS.size + header + body
        if len(self.buffer) < end:
            return None
        data = bytes(self.buffer[LENGTHS.size : end])
        del self.buffer[:end]
        view = memoryview(data)
        return self.codec.decode(view[:header], view[header:])


class Sandbox:
    """One slot of one profile: a zygote, a spare, and at most one session at a time."""

    def __init__(
        self,
        backend: Backend,
        profile: str,
        limits: Limits | None = None,
        *,
        recycle_after: int = RECYCLE_AFTER,
        without: frozenset[str] = frozenset(),
    ) -> None:
        self.backend, self.profile, self.limits = backend, profile, limits or Limits()
        self.layers = backend.layers - without
        self.starts = 0
        self.warm: Warm | None = None
        self._recycle_after = recycle_after
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._log: IO[bytes] | None = None
        self._spare: _Job | None = None
        self._jobs_started = 0
        self._jobs_since_start = 0
        self._exits: dict[int, Exited] = {}
        self._tainted = False

    # -- the zygote ---------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the zygote without waiting for it to be warm."""
        if self._process is not None:
            return
        launch = self.backend.launch(self.profile)
        plan = JailPlan(
            profile=self.profile,
            layers=self.layers,
            limits=self.limits,
            seccomp=seccomp.program() if "seccomp" in self.layers else b"",
        )
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        with theirs:
            self._process = subprocess.Popen(
                (*launch.command, str(theirs.fileno())),
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                env=launch.environment,
                pass_fds=(theirs.fileno(),),
            )
        self._control = ours
        self.starts += 1
        self._jobs_since_start = 0
        self._tainted = False
        ours.send(msgspec.msgpack.encode(plan))

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
        """End the zygote and everything below it."""
        if self._spare is not None:
            self._spare.close()
            self._spare = None
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        if self._log is not None:
            self._log.close()
            self._log = None
        self.warm = None
        self._exits.clear()

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def launcher_pid(self) -> int | None:
        """The process started by us; the zygote is a descendant of it."""
        return self._process.pid if self._process else None

    def taint(self) -> None:
        """Something happened that should not have: do not use this zygote again."""
        self._tainted = True

    def fork_bare(self) -> float:
        """Seconds for a fork of the zygote that exits at once, seen from here. The yardstick of the benchmark."""
        self.wait_until_warm()
        start = time.perf_counter()
        job = self._fork(bare=True)
        self._wait_for_exit(job.number, REAP_SECONDS)
        seconds = time.perf_counter() - start
        job.close()
        return seconds

    def _listen(self, deadline: float) -> Control | None:
        """The next message of the zygote, None when there is none until the deadline; raises when it died."""
        assert self._control is not None
        readable, _, _ = select.select([self._control], [], [], max(0.0, deadline - time.monotonic()))
        if not readable:
            return None
        try:
            data = self._control.recv(MESSAGE_BYTES)
        except OSError as error:
            raise self._died(str(error)) from error
        if not data:
            raise self._died("went away")
        return control_decode(data)

    def _hear(self, message: Control) -> None:
        if isinstance(message, Warm):
            if message.threads != 1:
                raise SandboxError(f"the zygote has {message.threads} threads, it must have one to fork safely")
            self.warm = message
        elif isinstance(message, Exited):
            self._exits[message.job] = message
        else:
            raise SandboxError(f"the zygote sent {type(message).__name__}")

    def _died(self, how: str) -> SandboxError:
        """The error for a zygote that is gone: while starting it is a broken layer, later an accident to recover from."""
        text, starting = self._last_words(), self.warm is None
        self.close()
        if starting:
            if any(tool in text for tool in ("bwrap", "unshare", "setpriv")):
                return LayerMissing("namespaces", f"the zygote did not start: {text}. To get it: {CURES['namespaces']}")
            return SandboxError(f"the zygote did not start: {text or how}")
        return ZygoteDied(f"the zygote {how}: {text}" if text else f"the zygote {how}")

    def _last_words(self) -> str:
        if self._log is None:
            return ""
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.2)
        self._log.seek(0)
        lines = self._log.read(MESSAGE_BYTES).decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""

    # -- jobs ---------------------------------------------------------------------------------------------------

    def _tell(self, message: Fork | Begin | End, descriptors: tuple[int, ...] = ()) -> None:
        if self._control is None:
            raise ZygoteDied("the zygote is not running")
        try:
            if descriptors:
                socket.send_fds(self._control, [control_encode(message)], descriptors)
            else:
                self._control.send(control_encode(message))
        except OSError as error:
            raise self._died(str(error)) from error

    def _fork(self, bare: bool = False) -> _Job:
        self._jobs_started += 1
        number = self._jobs_started
        (question_out, question_in), (answer_out, answer_in), (output_out, output_in) = os.pipe(), os.pipe(), os.pipe()
        theirs = (question_out, answer_in, output_in)
        job = _Job(number, question_in, answer_out, output_out)
        try:
            self._tell(Fork(number, bare), theirs)
        except SandboxError:
            job.close()
            raise
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        for descriptor in (question_in, answer_out, output_out):
            os.set_blocking(descriptor, False)
        with contextlib.suppress(OSError):  # a smaller pipe is slower, not wrong
            fcntl.fcntl(question_in, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
            fcntl.fcntl(answer_out, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        return job

    def _order_spare(self) -> None:
        self._spare = self._fork()

    def session(self, limits: Limits | None = None) -> "Session":
        """Take the spare for a submission. The next spare is made while this one works."""
        if self._tainted or self._jobs_since_start >= self._recycle_after:
            self.close()
        try:
            return self._take_spare(limits or self.limits)
        except ZygoteDied:  # it had died unseen since the last session: nobody was in it, so start another
            return self._take_spare(limits or self.limits)

    def _take_spare(self, limits: Limits) -> "Session":
        self._drain_control()
        self.wait_until_warm()
        assert self._spare is not None
        job, self._spare = self._spare, None
        session = Session(self, job, limits)
        try:
            session._wait_ready()
            self._jobs_since_start += 1
            self._tell(Begin(job.number, session.limits.wall_seconds))
            self._order_spare()
        except BaseException:
            session.close()
            raise
        return session

    def _drain_control(self) -> None:
        """Read what the zygote said since the last session, without waiting; forget exits nobody asks about."""
        self._exits.clear()
        while self._control is not None and self.warm is not None:
            try:
                message = self._listen(time.monotonic())
            except ZygoteDied:
                return  # `wait_until_warm` starts another
            if message is None:
                return
            self._hear(message)
            self._exits.clear()

    def _wait_for_exit(self, number: int, seconds: float) -> Exited | None:
        deadline = time.monotonic() + seconds
        while number not in self._exits:
            message = self._listen(deadline)
            if message is None:
                return None
            self._hear(message)
        return self._exits.pop(number)


class Session:
    """One submission in one job. Not reusable; closing it ends the job."""

    def __init__(self, sandbox: Sandbox, job: _Job, limits: Limits) -> None:
        self.limits = limits
        self.output_cut = False
        self._sandbox, self._job = sandbox, job
        self._asked = 0
        self._output = bytearray()
        self._output_total = 0
        self._closed = False
        self._ended: JobEnded | None = None
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
        if self._ended is None and self._sandbox._control is not None:
            with contextlib.suppress(SandboxError):
                self._sandbox._tell(End(self._job.number))

    @property
    def closed(self) -> bool:
        return self._closed

    def load(self, source: bytes, seed: int = 0, entry_points: tuple[str, ...] = ()) -> Loaded | Raised:
        """Send the student's file. Returns what it defines, or what it raised."""
        self._deadline = time.monotonic() + self.limits.wall_seconds + OUTER_MARGIN
        limits = self.limits
        self._send(Load(source, seed, limits.cpu_seconds, limits.memory_bytes, list(entry_points)))
        reply = self._receive(None)
        if not isinstance(reply, Loaded | Raised):
            raise self._end("protocol", "the submission wrote to the channel of its own accord")
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
    ) -> Answer | Raised:
        """One question, one reply. `seconds` ends the job with `OutOfTime` when the answer takes longer."""
        if self._ended is not None:
            raise self._ended
        self._asked += 1
        self._send(Ask(self._asked, what, name, args, options or {}, source, want_inputs))
        reply = self._receive(seconds)
        if not isinstance(reply, Answer | Raised) or reply.number != self._asked:
            raise self._end("protocol", "the submission wrote to the channel of its own accord")
        return reply

    def take_output(self) -> bytes:
        """What was printed since the last call, as far as it is kept."""
        self._read_output()
        taken = bytes(self._output)
        self._output.clear()
        return taken

    # -- moving bytes -------------------------------------------------------------------------------------------

    def _wait_ready(self) -> None:
        frame = self._receive(None)
        if isinstance(frame, JailFailed):
            raise LayerMissing(frame.layer, frame.message)
        if not isinstance(frame, Ready):
            raise SandboxError(f"a spare greeted with {type(frame).__name__}")
        self.namespaces = frame.namespaces

    def _send(self, frame: Frame) -> None:
        chunks = [memoryview(chunk) for chunk in self._job.codec.encode(frame) if len(chunk)]
        while chunks:
            try:
                sent = os.writev(self._job.questions, chunks[:64])
            except BlockingIOError:
                self._wait_for_room(total(chunks))
                continue
            except BrokenPipeError:
                raise self._explain_end() from None
            while chunks and sent >= len(chunks[0]):
                sent -= len(chunks.pop(0))
            if chunks and sent:
                chunks[0] = chunks[0][sent:]

    def _wait_for_room(self, waiting: int) -> None:
        remaining = self._deadline - time.monotonic()
        room = select.select([], [self._job.questions], [], max(0.0, remaining))[1]
        if not room:
            raise self._end("timeout-wall", f"the submission did not read {waiting} bytes sent to it")

    def _receive(self, seconds: float | None) -> Frame:
        """The next frame, while output is drained beside it."""
        until = self._deadline if seconds is None else min(self._deadline, time.monotonic() + seconds)
        until = until if "outer-timer" in self._sandbox.layers else float("inf")
        while True:
            try:
                frame = self._job.next_frame()
            except WireError as error:
                raise self._end("protocol", f"the submission's answer is no answer: {error}") from error
            if frame is not None:
                self._read_output()
                return frame
            remaining = until - time.monotonic()
            if remaining <= 0:
                raise self._out_of_time(seconds)
            for descriptor, _ in self._poll.poll(min(remaining, 3600.0) * 1000 + 1):
                if descriptor == self._job.output:
                    self._read_output()
                elif not self._read_answers():
                    raise self._explain_end()

    def _read_answers(self) -> bool:
        """Move bytes into the frame buffer; False when the job has closed its end."""
        try:
            data = os.read(self._job.answers, CHUNK)
        except BlockingIOError:
            return True
        self._job.buffer += data
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
            self.output_cut = self.output_cut or len(data) > room
            self._output += data[: max(0, room)]
            over = self._output_total > self.limits.output_bytes and "output" in self._sandbox.layers
            if over and self._ended is None:
                megabytes = self.limits.output_bytes / (1 << 20)
                raise self._end("output", f"the submission printed more than {megabytes:g} MB")

    # -- endings ------------------------------------------------------------------------------------------------

    def _out_of_time(self, seconds: float | None) -> Exception:
        if seconds is not None and time.monotonic() < self._deadline:
            self._end("timeout-wall", "")
            return OutOfTime(seconds)
        return self._end("timeout-wall", f"not finished after {self.limits.wall_seconds:g} s")

    def _end(self, reason: str, message: str) -> JobEnded:
        """End the job ourselves, and see that it is gone. Only the first reason counts."""
        if self._ended is not None:
            return self._ended
        self._sandbox._tell(End(self._job.number))
        exited = self._sandbox._wait_for_exit(self._job.number, REAP_SECONDS)
        if exited is None:
            self._sandbox.taint()
        elif exited.by_timer:
            reason, message = "timeout-wall", f"not finished after {self.limits.wall_seconds:g} s"
        self._ended = JobEnded(reason, message)
        return self._ended

    def _explain_end(self) -> JobEnded:
        """The job closed its channel: find out from its exit what became of it."""
        exited = self._sandbox._wait_for_exit(self._job.number, 1.0)
        if exited is None:
            return self._end("crash", "the submission closed its channel to the grader")
        reason, message = self._classify(exited)
        self._ended = JobEnded(reason, message)
        self._read_output()
        return self._ended

    def _classify(self, exited: Exited) -> tuple[str, str]:
        if exited.by_timer:
            return "timeout-wall", f"not finished after {self.limits.wall_seconds:g} s"
        if os.WIFSIGNALED(exited.status):
            number = os.WTERMSIG(exited.status)
            if number == signal.SIGKILL and exited.cpu_seconds >= 0.9 * self.limits.cpu_seconds:
                return "timeout-cpu", f"more than {self.limits.cpu_seconds:g} s of computing"
            if number == signal.SIGKILL:
                return "memory", "the machine ran out of memory and ended the submission"
            return "crash", f"the process died of {signal.Signals(number).name}"
        code = os.WEXITSTATUS(exited.status)
        return "crash", f"the process left with exit status {code} before it had answered"


@contextlib.contextmanager
def open_sandbox(backend: Backend, profile: str, limits: Limits | None = None) -> Iterator[Sandbox]:
    """A warm sandbox for a block of code."""
    with Sandbox(backend, profile, limits) as sandbox:
        sandbox.wait_until_warm()
        yield sandbox
