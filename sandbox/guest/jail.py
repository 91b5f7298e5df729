"""Confines a forked job before it reads a submission: namespaces, mounts, limits, capabilities and system-call filter.

The order matters for security: the uid map is written before the process becomes non-dumpable, mounts happen while the
process still has capabilities, and the system-call filter comes last. If a layer cannot be applied, the job ends; a layer is
never skipped silently.
"""

import ctypes
import os
import resource
import signal

from sandbox.wire import JailPlan

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
JOB_NAMESPACES = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_NEWNET
NAMESPACE_NAMES = ("user", "pid", "net", "ipc", "uts", "mnt", "cgroup")

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 16384, 1 << 18

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 38, 47, 4
SECCOMP_MODE_FILTER = 2
CAPABILITY_VERSION_3 = 0x20080522
LAST_CAPABILITY = 63

_libc = ctypes.CDLL(None, use_errno=True)


class JailError(Exception):
    """A layer could not be applied."""

    def __init__(self, layer: str, message: str) -> None:
        super().__init__(f"{layer}: {message}")
        self.layer, self.message = layer, message


def _check(layer: str, call: str, result: int) -> None:
    if result != 0:
        raise JailError(layer, f"{call}: {os.strerror(ctypes.get_errno())}")


def unshare(flags: int, layer: str = "namespaces") -> None:
    _check(layer, "unshare", _libc.unshare(flags))


def enter_namespace(descriptor: int, flags: int) -> None:
    _check("namespaces", "setns", _libc.setns(descriptor, flags))


def die_with_parent() -> None:
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def hide_from_relatives() -> None:
    """Make the process non-dumpable, so that a job of the same user in the same namespaces cannot trace it or read its memory."""
    _libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def namespace_ids() -> dict[str, int]:
    return {name: os.stat(f"/proc/self/ns/{name}").st_ino for name in NAMESPACE_NAMES}


class Jail:
    """Applies the layers of a plan to a job. Built once in the zygote, so that a forked job allocates and compiles as little
    as possible."""

    def __init__(self, plan: JailPlan, zygote_vm_bytes: int) -> None:
        self.plan = plan
        self.vm_bytes = zygote_vm_bytes
        self._program = ctypes.create_string_buffer(plan.seccomp, len(plan.seccomp))
        # struct sock_fprog { unsigned short len; struct sock_filter *filter; }
        self._filter = (ctypes.c_uint64 * 2)(len(plan.seccomp) // 8, ctypes.addressof(self._program))

    def enter(self) -> dict[str, int]:
        """Apply every layer of the plan in order. Returns the ids of the job's namespaces."""
        layers = self.plan.layers
        os.setsid()  # otherwise kill(0, 9) from a pid namespace would reach the zygote's process group
        self._set_oom_score()
        if "namespaces" in layers:
            self._enter_namespaces()
        namespaces = namespace_ids()
        if "tmpfs" in layers:
            self._mount_tmpfs("/tmp")
            self._mount_tmpfs("/dev/shm")
            os.chdir("/tmp")
        if "proc" in layers:
            self._mount(b"/proc", b"size=4k,nr_inodes=2,mode=555", MS_RDONLY)
        if "rlimits" in layers:
            self._limit()
        if "capabilities" in layers:
            self._drop_capabilities()
        if "seccomp" in layers:
            self._filter_system_calls()
        return namespaces

    def limit_memory(self, memory_bytes: int) -> None:
        """Lower the memory limit of the current job to what this submission's exercise allows. Never raises it."""
        if "rlimits" in self.plan.layers:
            value = min(self.vm_bytes + memory_bytes, resource.getrlimit(resource.RLIMIT_AS)[1])
            resource.setrlimit(resource.RLIMIT_AS, (value, value))

    def limit_computing(self, pid: int, seconds: int) -> None:
        """Set the CPU limit of a job from the zygote. A job that lowered its own limit could make it look as if the machine
        had killed it."""
        if "rlimits" in self.plan.layers:
            hard = resource.prlimit(pid, resource.RLIMIT_CPU)[1]
            # the soft limit sends SIGXCPU, which identifies the cause; the hard limit is for jobs that ignore the signal
            resource.prlimit(pid, resource.RLIMIT_CPU, (min(seconds, hard), min(seconds + 1, hard)))

    def _set_oom_score(self) -> None:
        # set on the container already; besides, this process is not dumpable, so the file belongs to root
        if self.plan.single_use:
            return
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")

    def _enter_namespaces(self) -> None:
        uid, gid = os.getuid(), os.getgid()
        unshare(JOB_NAMESPACES)
        try:
            for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
                with open(f"/proc/self/{name}", "w") as file:
                    file.write(text)
        except OSError as error:
            raise JailError("namespaces", f"writing the uid map: {error}") from error
        _check("namespaces", "sethostname", _libc.sethostname(b"gradus", 6))
        _check("namespaces", "making mounts private", _libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None))

    def _mount_tmpfs(self, path: str) -> None:
        limits = self.plan.limits
        options = f"size={limits.file_bytes},nr_inodes={limits.files},mode=1777"
        self._mount(path.encode(), options.encode(), 0)

    def _mount(self, path: bytes, options: bytes, flags: int) -> None:
        flags |= MS_NOSUID | MS_NODEV | MS_NOEXEC
        _check("tmpfs", f"mounting {path.decode()}", _libc.mount(b"gradus", path, b"tmpfs", flags, options))

    def _limit(self) -> None:
        limits = self.plan.limits
        for what, value in (
            (resource.RLIMIT_AS, self.vm_bytes + limits.memory_bytes),
            (resource.RLIMIT_CPU, limits.cpu_seconds + 1),
            (resource.RLIMIT_NPROC, limits.processes),
            (resource.RLIMIT_FSIZE, limits.file_bytes),
            (resource.RLIMIT_NOFILE, limits.descriptors),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_MEMLOCK, 0),
            (resource.RLIMIT_STACK, limits.stack_bytes),
        ):
            hard = resource.getrlimit(what)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(what, (value, value))

    def _drop_capabilities(self) -> None:
        _libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
        for capability in range(LAST_CAPABILITY + 1):
            if _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
                break  # beyond the last capability that this kernel knows
        header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
        _check("capabilities", "capset", _libc.capset(header, (ctypes.c_uint32 * 6)()))
        _check("capabilities", "no_new_privs", _libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        _check("capabilities", "dumpable", _libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))

    def _filter_system_calls(self) -> None:
        _check("seccomp", "no_new_privs", _libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        _check("seccomp", "prctl", _libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, self._filter, 0, 0))
