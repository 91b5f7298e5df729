"""The system calls that a submission may make: an allow-list, compiled once by libseccomp and loaded in every job.

All other calls fail with EPERM, so that libraries degrade gracefully and a student sees `PermissionError`. `clone3` fails
with ENOSYS, so that glibc falls back to `clone`, whose flags a filter can inspect. Calls of a foreign architecture (x32,
i386) kill the process.

Measured: ordinary torch code needs thirteen of these calls after the fork; libraries occasionally use the others.
"""

import errno
import json
import resource
import tempfile
from functools import cache
from typing import TYPE_CHECKING

from sandbox.errors import LayerMissing

if TYPE_CHECKING:
    import pyseccomp

CLONE_THREAD = 0x00010000
CLONE_NAMESPACES = 0x7E020080  # NEWNS NEWCGROUP NEWUTS NEWIPC NEWUSER NEWPID NEWNET NEWTIME

FILES = """read readv write writev pread64 pwrite64 preadv pwritev open openat close close_range fstat stat lstat newfstatat
    statx statfs fstatfs lseek getdents64 readlink readlinkat access faccessat faccessat2 getcwd chdir umask
    mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 ftruncate truncate fallocate
    chmod fchmod fchmodat copy_file_range sendfile"""
DESCRIPTORS = """dup dup2 dup3 pipe pipe2 poll ppoll select pselect6 epoll_create1 epoll_ctl epoll_wait epoll_pwait
    eventfd2"""
MEMORY = "mmap munmap mprotect mremap madvise msync mincore brk membarrier"
THREADS = """futex set_robust_list get_robust_list rseq set_tid_address sched_yield sched_getaffinity getcpu
    get_mempolicy exit exit_group wait4 kill tgkill gettid getpid getppid getpgid getpgrp getsid arch_prctl"""
CLOCKS = """clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times getrusage getitimer setitimer
    alarm"""
IDENTITY = "getuid geteuid getgid getegid getresuid getresgid getgroups capget uname sysinfo getrandom"
SIGNALS = """rt_sigaction rt_sigprocmask rt_sigreturn rt_sigtimedwait rt_sigpending rt_sigsuspend sigaltstack pause
    restart_syscall"""
LIMITS = "getrlimit"
ALLOWED = " ".join((FILES, DESCRIPTORS, MEMORY, THREADS, CLOCKS, IDENTITY, SIGNALS, LIMITS)).split()

FCNTL = (0, 1, 2, 3, 4, 1030)  # DUPFD GETFD SETFD GETFL SETFL DUPFD_CLOEXEC: no locks, leases or notifications
IOCTL = (0x5401, 0x5450, 0x5451, 0x5421, 0x541B)  # TCGETS FIONCLEX FIOCLEX FIONBIO FIONREAD
QUESTIONS = 3  # the descriptor of a job's questions
PRCTL = (3, 15, 16, 39, 0x53564D41)  # GET_DUMPABLE SET_NAME GET_NAME GET_NO_NEW_PRIVS SET_VMA

# What a zygote in a container needs in addition to its jobs: to be started by the engine, import and warm up libraries,
# fork, put jobs into namespaces, start and end them. Excludes everything that concerns the machine: modules, keys, tracing,
# io_uring, bpf.
STARTING = """execve execveat set_tid_address setsid setpgid prctl personality memfd_create mlock munlock sysinfo getpriority
    setpriority sched_setaffinity sched_getscheduler sched_getparam waitid vfork fork pidfd_open pidfd_send_signal fcntl ioctl
    flock socketpair socket connect getsockname getpeername getsockopt setsockopt sendmsg recvmsg sendto recvfrom shutdown
    capset setgroups setuid setgid setresuid setresgid setrlimit symlink link fchdir fchown chown lchown inotify_init1
    eventfd timerfd_create timerfd_settime epoll_create clock_nanosleep rt_sigqueueinfo getxattr lgetxattr splice tee
    landlock_create_ruleset landlock_add_rule landlock_restrict_self"""
NESTING = "unshare setns clone mount sethostname seccomp"


@cache
def container_profile() -> str:
    """Return the seccomp profile of a whole container in the engine's format.

    It is an allow-list, too, and shorter than the engine's default except for what nested namespaces need. Inside, every job
    applies the narrower filter.
    """
    names = sorted({*ALLOWED, "prlimit64", *STARTING.split(), *NESTING.split()})
    architectures = ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"]
    return json.dumps(
        {
            "defaultAction": "SCMP_ACT_ERRNO",
            "defaultErrnoRet": errno.EPERM,
            "architectures": architectures,
            "syscalls": [
                {"names": names, "action": "SCMP_ACT_ALLOW"},
                {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS},
            ],
        }
    )


@cache
def program(receives: bool = False) -> bytes:
    """Return the filter as classic BPF, ready for prctl(PR_SET_SECCOMP). A job that `receives` can receive descriptors with
    its questions."""
    import pyseccomp  # needs a library of the system, which the sandbox of an examiner does not have

    try:
        rules = pyseccomp.SyscallFilter(defaction=pyseccomp.ERRNO(errno.EPERM))
    except (OSError, RuntimeError, AttributeError) as error:
        raise LayerMissing("seccomp", f"libseccomp does not work here: {error}") from error
    rules.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
    for name in ALLOWED:
        _allow(rules, name)
    for name, values in (("fcntl", FCNTL), ("ioctl", IOCTL), ("prctl", PRCTL)):
        for value in values:
            position = 0 if name == "prctl" else 1
            _allow(rules, name, pyseccomp.Arg(position, pyseccomp.EQ, value))
    own = pyseccomp.Arg(0, pyseccomp.EQ, 0)  # a process may read its own limits, but only change that of memory
    _allow(rules, "prlimit64", own, pyseccomp.Arg(2, pyseccomp.EQ, 0))
    _allow(rules, "prlimit64", own, pyseccomp.Arg(1, pyseccomp.EQ, resource.RLIMIT_AS))
    only_threads = pyseccomp.Arg(0, pyseccomp.MASKED_EQ, CLONE_THREAD | CLONE_NAMESPACES, CLONE_THREAD)
    _allow(rules, "clone", only_threads)
    if receives:
        _allow(rules, "recvmsg", pyseccomp.Arg(0, pyseccomp.EQ, QUESTIONS))
    rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _allow(rules: "pyseccomp.SyscallFilter", name: str, *arguments: "pyseccomp.Arg") -> None:
    import pyseccomp

    try:
        rules.add_rule(pyseccomp.ALLOW, name, *arguments)
    except (OSError, ValueError, RuntimeError) as error:
        if pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) >= 0:
            raise LayerMissing("seccomp", f"libseccomp refuses the rule for {name}: {error}") from error
        # this architecture does not have the call (open, stat, select on aarch64)
