"""The zygote process: imports and warms up libraries once, then forks a jailed job for every submission.

It never runs student code itself. The last command-line argument is the descriptor number of one end of a SOCK_SEQPACKET
pair to the host, or the path of a socket to connect to. The first message is the `JailPlan`. After that, the host requests
spare jobs, starts their timers and ends them. When the host goes away, the zygote and all its jobs end.
"""

import contextlib
import fcntl
import gc
import importlib
import io
import os
import resource
import select
import shutil
import signal
import socket
import sys
import time
from typing import NoReturn

import msgspec

from sandbox.guest import stack, warmup
from sandbox.guest.jail import (
    CLONE_NEWPID,
    Jail,
    JailError,
    die_with_parent,
    enter_namespace,
    hide_from_relatives,
    namespace_ids,
    unshare,
)
from sandbox.guest.runner import DescriptorChannel, FrameChannel, Operation, Runner, thaw
from sandbox.guest.values import Values, forget
from sandbox.wire import (
    Begin,
    End,
    Exited,
    Fork,
    JailFailed,
    JailPlan,
    Load,
    Progress,
    ProgressRequest,
    Ready,
    Warm,
    WireError,
    control_decode,
    control_encode,
)

MESSAGE_BYTES = 1 << 18
QUESTIONS, ANSWERS, STACK = 3, 4, 5
OUT_OF_THE_WAY = 100
EXIT_CHANNEL, EXIT_JAIL = 70, 71
CPU_CLOCK = 2  # kernel clock of another process: the CPU time of all its threads, as accounted by the scheduler
RESIDENT_PAGES = 21  # in /proc/PID/stat, counted from the state
PAGE_BYTES = resource.getpagesize()
STACK_SECONDS = 0.25  # how long a job whose time is over may take to write its stack


class ForkedJob:
    """One forked child: its number, its process, and its deadline."""

    __slots__ = ("asked", "by_timer", "deadline", "descriptor", "number", "pid")

    def __init__(self, number: int, pid: int) -> None:
        self.number, self.pid = number, pid
        self.descriptor = os.pidfd_open(pid)
        self.deadline: float | None = None
        self.by_timer = False  # ended because its wall time was over
        self.asked = False  # whether its stack was requested; it is killed at the deadline


class Zygote:
    def __init__(self, control: socket.socket, plan: JailPlan) -> None:
        self._control = control
        self._plan = plan
        self._jobs: dict[int, ForkedJob] = {}
        self._poll = select.poll()
        self._own_pid_namespace = os.open("/proc/self/ns/pid", os.O_RDONLY) if "namespaces" in plan.layers else -1
        self._values = Values(plan.profile)
        self._operations: dict[str, Operation] = warmup.operations(plan.profile)
        self._served = importlib.import_module(plan.serves) if plan.serves else None
        self._jail = Jail(plan, _memory("VmSize"))

    def run(self, private_paths: list[str]) -> None:
        versions = warmup.exercise(self._plan.profile, self._values, self._operations)
        if self._served is not None:
            self._served.warm_up()
        if "clean-zygote" in self._plan.layers:
            if self._served is None:
                _hide_our_modules(private_paths)
            _empty_environment()
            gc.collect()
            gc.freeze()
        gc.disable()
        self._jail.vm_bytes = _memory("VmSize")
        namespaces = namespace_ids()
        if self._plan.single_use:
            hide_from_relatives()
            _empty("/tmp")  # the job inherits it
        threads = len(os.listdir("/proc/self/task"))
        self._tell(Warm(os.getpid(), self._jail.vm_bytes, _memory("VmRSS"), threads, versions, namespaces))
        self._poll.register(self._control, select.POLLIN)
        while self._serve():
            pass

    def _serve(self) -> bool:
        """Run one iteration: messages from the host, ended jobs, expired deadlines. Returns False when the host is gone."""
        now = time.monotonic()
        deadlines = [job.deadline for job in self._jobs.values() if job.deadline is not None]
        timeout = max(0.0, min(deadlines) - now) * 1000 + 1 if deadlines else None
        for descriptor, _ in self._poll.poll(timeout):
            if descriptor == self._control.fileno():
                if not self._listen():
                    return False
            else:
                self._reap(next(job for job in self._jobs.values() if job.descriptor == descriptor))
        now = time.monotonic()
        for job in self._jobs.values():
            if job.deadline is not None and job.deadline <= now:
                if job.asked:
                    _kill(job)
                else:
                    job.by_timer = True
                    _ask_stack(job)
        return True

    def _listen(self) -> bool:
        data, descriptors, _, _ = socket.recv_fds(self._control, MESSAGE_BYTES, 4)
        if not data:
            return False
        message = control_decode(data)
        if isinstance(message, Fork):
            self._fork(message, descriptors)
        elif isinstance(message, Begin) and message.job in self._jobs:
            self._begin(self._jobs[message.job], message)
        elif isinstance(message, ProgressRequest) and message.job in self._jobs:
            with contextlib.suppress(OSError):  # the job has ended; `Exited` will report it
                self._tell(_progress(self._jobs[message.job], message.request))
        elif isinstance(message, End) and message.job in self._jobs:
            job = self._jobs[message.job]
            if not message.ask_stack:
                _kill(job)
            elif not job.asked:
                _ask_stack(job)
        return True

    def _begin(self, job: ForkedJob, message: Begin) -> None:
        with contextlib.suppress(ProcessLookupError):  # the job has ended; `Exited` will report it
            self._jail.limit_computing(job.pid, message.cpu_seconds)
        if "inner-timer" in self._plan.layers:
            job.deadline = time.monotonic() + message.wall_seconds

    def _fork(self, message: Fork, descriptors: list[int]) -> None:
        isolated = "namespaces" in self._plan.layers
        if isolated:
            unshare(CLONE_NEWPID)
        pid = os.fork()
        if pid == 0:
            if message.bare:
                os._exit(0)
            self._become_job(descriptors)
        if isolated:
            enter_namespace(self._own_pid_namespace, CLONE_NEWPID)
        for descriptor in descriptors:
            os.close(descriptor)
        job = self._jobs[message.job] = ForkedJob(message.job, pid)
        self._poll.register(job.descriptor, select.POLLIN)

    def _become_job(self, descriptors: list[int]) -> NoReturn:
        """In the child: drop the zygote's descriptors, apply the jail, wait for the submission and answer questions."""
        code = 1  # for any other failure here, the host sees a crash
        try:
            die_with_parent()
            _arrange(descriptors)
            channel = FrameChannel(QUESTIONS, ANSWERS) if self._served is None else DescriptorChannel(QUESTIONS, ANSWERS)
            try:
                namespaces = self._jail.enter()
                stack.write_when_ended(STACK)
                channel.send(Ready(namespaces))
            except JailError as error:
                channel.send(JailFailed(error.layer, error.message))
                os._exit(EXIT_JAIL)
            load = channel.receive()
            if isinstance(load, Load):
                self._jail.limit_memory(load.memory_bytes)
                thaw()
                served = self._served.operations(channel) if self._served is not None else {}
                Runner(channel, self._values, self._operations | served).serve(load)
                code = 0
        except (WireError, OSError):
            code = EXIT_CHANNEL  # the channel itself is broken, so the exit status reports it
        finally:
            os._exit(code)

    def _reap(self, job: ForkedJob) -> None:
        _, status, usage = os.wait4(job.pid, 0)
        self._poll.unregister(job.descriptor)
        os.close(job.descriptor)
        del self._jobs[job.number]
        cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
        self._tell(Exited(job.number, status, cpu, peak, job.by_timer))

    def _tell(self, message: Warm | Progress | Exited) -> None:
        self._control.send(control_encode(message))


def _arrange(descriptors: list[int]) -> None:
    """Set up the descriptors: stdin empty, stdout and stderr combined, questions on 3, answers on 4, the stack on 5, all
    others closed."""
    null = os.open("/dev/null", os.O_RDONLY)
    questions, answers, output, stack_out = descriptors
    sources = (null, output, output, questions, answers, stack_out)
    moved = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, OUT_OF_THE_WAY) for descriptor in sources]
    for target, source in enumerate(moved):
        os.dup2(source, target)
    os.closerange(STACK + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def _progress(job: ForkedJob, request: int) -> Progress:
    # /proc may belong to another pid namespace, in which the process has a different number
    with open(f"/proc/self/fdinfo/{job.descriptor}") as file:
        number = next(line.split()[1] for line in file if line.startswith("Pid:"))
    with open(f"/proc/{number}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    cpu_seconds = time.clock_gettime((~job.pid << 3) | CPU_CLOCK)
    return Progress(job.number, request, cpu_seconds, int(fields[RESIDENT_PAGES]) * PAGE_BYTES, fields[0] == b"S")


def _ask_stack(job: ForkedJob) -> None:
    """Send the signal that the kernel sends when CPU time is over. A job that ignores it is killed at the new deadline."""
    job.asked, job.deadline = True, time.monotonic() + STACK_SECONDS
    signal.pidfd_send_signal(job.descriptor, signal.SIGXCPU)


def _kill(job: ForkedJob) -> None:
    job.deadline = None
    signal.pidfd_send_signal(job.descriptor, signal.SIGKILL)


def _empty(folder: str) -> None:
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)


def _memory(field: str) -> int:
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    return 0


def _hide_our_modules(private_paths: list[str]) -> None:
    """Hide the guest and its packages from imports: a submission of profile `python` sees the standard library only."""
    forget("msgspec", "sandbox")
    sys.path[:] = [path for path in sys.path if path not in private_paths]


def _empty_environment() -> None:
    os.environ.clear()
    os.environ.update(PATH="/usr/bin", HOME="/tmp", TMPDIR="/tmp", LC_ALL="C.UTF-8")
    if "torch" in sys.modules:
        # read when torch.compile is first used: run eagerly, because there is no compiler
        os.environ["TORCHDYNAMO_DISABLE"] = "1"


def _control(where: str) -> socket.socket:
    """Return the socket to the host: an inherited descriptor, or a new connection to a path."""
    if where.isdigit():
        return socket.socket(fileno=int(where))
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    control.connect(where)
    return control


def main(private_paths: list[str]) -> None:
    control = _control(sys.argv[1])
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the kernel does not deliver unhandled signals to pid 1
    for stream in (sys.stdout, sys.stderr):
        assert isinstance(stream, io.TextIOWrapper)
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    plan = msgspec.msgpack.decode(control.recv(MESSAGE_BYTES), type=JailPlan)
    Zygote(control, plan).run(private_paths)
