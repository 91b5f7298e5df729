"""54 to 65: the kernel, the terminal, the control channel, the clock."""

from tests.hostile.catalogue.case import ATTEMPT, PASSED, SYSCALL, Case, error

NAMESPACES = (
    SYSCALL
    + r"""
for name, flag in dict(user=0x10000000, mount=0x20000, pid=0x20000000, net=0x40000000, ipc=0x08000000, uts=0x04000000,
                       cgroup=0x02000000, time=0x80).items():
    system_call(f"unshare {name}", 272, flag)
    system_call(f"clone {name}", 56, flag | 17, 0, 0, 0, 0)
    # a thread in a new namespace: the one flag makes it legal, the other must not
    system_call(f"clone thread {name}", 56, flag | 0x10D00, 0, 0, 0, 0)
system_call("clone", 56, 17, 0, 0, 0, 0)
system_call("clone3", 435, 0, 0, refusals=("ENOSYS",))
system_call("setns", 308, 0, 0)
system_call("mount", 165, b"x", b"/tmp", b"tmpfs", 0, 0)
system_call("umount2", 166, b"/proc", 2)
system_call("pivot_root", 155, b"/tmp", b"/tmp")
system_call("chroot", 161, b"/tmp")
system_call("open_tree", 428, -100, b"/", 1)
system_call("move_mount", 429, -100, b"/", -100, b"/tmp", 0)
system_call("fsopen", 430, b"tmpfs", 0)
system_call("mount_setattr", 442, -100, b"/", 0, 0, 0)
system_call("sethostname", 170, b"x", 1)
"""
)

KERNEL = (
    SYSCALL
    + r"""
for name, number in dict(io_uring_setup=425, io_uring_enter=426, io_uring_register=427, bpf=321, perf_event_open=298,
                         userfaultfd=323, keyctl=250, add_key=248, request_key=249, kexec_load=246, kexec_file_load=320,
                         init_module=175, finit_module=313, ptrace=101, process_vm_readv=310,
                         process_vm_writev=311, kcmp=312,
                         personality=135, quotactl=179, open_by_handle_at=304, name_to_handle_at=303, fanotify_init=300,
                         inotify_init1=294, pidfd_open=434, pidfd_getfd=438, process_madvise=440, memfd_secret=447,
                         landlock_create_ruleset=444, seccomp=317, modify_ldt=154, iopl=172, ioperm=173, syslog=103,
                         swapon=167, acct=163, reboot=169, vmsplice=278, splice=275, tee=276, timer_create=222, msgget=68,
                         semget=64, shmget=29, mq_open=240, timerfd_create=283, signalfd4=289, rt_sigqueueinfo=129,
                         pidfd_send_signal=424, set_mempolicy=238, move_pages=279, migrate_pages=256, mlock=149).items():
    system_call(name, number, 0, 0, 0, 0, 0, 0)
"""
)

PRCTL = (
    SYSCALL
    + r"""
for name, option in dict(dumpable=4, keep_caps=8, seccomp=22, bounding=24, securebits=28, pdeathsig=1, subreaper=36, mm=35,
                         ptracer=0x59616D61, timing=14, ambient=47, speculation=53, no_new_privs=38, core_sched=62,
                         syscall_user_dispatch=59, mdwe=65).items():
    system_call(f"prctl {name}", 157, option, 1, 0, 0, 0)
system_call("capset", 126, 0, 0)
for name, command in dict(setlk=6, setown=8, setsig=10, lease=1024, notify=1026, pipe_size=1031, seals=1033).items():
    system_call(f"fcntl {name}", 72, 1, command, 0)
"""
)

IDENTITY = (
    ATTEMPT
    + r"""
import ctypes
import os

libc = ctypes.CDLL(None)

attempt("setuid", lambda: os.setuid(0))
attempt("setresuid", lambda: os.setresuid(0, 0, 0))
attempt("setgid", lambda: os.setgid(0))
attempt("setgroups", lambda: os.setgroups([0]))
attempt("setsid", lambda: os.setsid())
attempt("chown", lambda: os.chown("/tmp", 0, 0))
for name in ("su", "sudo", "mount", "passwd", "newuidmap", "bwrap"):
    attempt(f"run {name}", lambda: os.execv(f"/usr/bin/{name}", [name]))
with open("/tmp/file", "w") as file:
    pass
os.chmod("/tmp/file", 0o6777)
attempt("run a file of its own", lambda: os.execv("/tmp/file", ["file"]))
if 0 in (os.getuid(), os.geteuid(), os.getgid(), os.getegid()):
    print("BROKEN: root")
header, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
libc.syscall(125, header, sets)
print("capabilities", list(sets), "dumpable", libc.prctl(3, 0, 0, 0, 0), "no new privileges", libc.prctl(39, 0, 0, 0, 0))
print("users", os.getuid() == os.geteuid(), set(os.getgroups()) - {os.getgid(), 65534})
"""
)

TERMINAL = (
    ATTEMPT
    + r"""
import fcntl
import os
import pty

for n in range(5):
    attempt(f"TIOCSTI on {n}", lambda: fcntl.ioctl(n, 0x5412, b"x"))
    attempt(f"TIOCLINUX on {n}", lambda: fcntl.ioctl(n, 0x541C, b"\x02"))
    attempt(f"TIOCSCTTY on {n}", lambda: fcntl.ioctl(n, 0x540E, 0))
for path in ("/dev/tty", "/dev/console", "/dev/tty0", "/dev/mem", "/dev/kmsg", "/dev/fuse", "/dev/kvm", "/dev/ptmx"):
    attempt(f"open {path}", lambda: fcntl.ioctl(os.open(path, os.O_RDWR), 0x5412, b"x"))
attempt("pty", lambda: pty.openpty()[1] and fcntl.ioctl(pty.openpty()[1], 0x5412, b"x"))
"""
)

CGROUP = (
    ATTEMPT
    + r"""
import os

def see(path):
    if os.path.isdir(path) and not os.listdir(path):
        raise FileNotFoundError("an empty folder, as a container has one over what it hides")
    os.stat(path)

for path in ("/sys", "/sys/fs/cgroup", "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/release_agent", "/sys/kernel",
             "/proc/self/cgroup", "/proc/sys/kernel/core_pattern", "/sys/kernel/uevent_helper", "/run/docker.sock",
             "/var/run"):
    attempt(path, lambda: see(path))
"""
)

LINKS = (
    ATTEMPT
    + r"""
import os

for name in ("stdout", "stderr", "result.json", "report.json", "output.txt", "submission.py", ".env"):
    attempt(f"symlink {name}", lambda: os.symlink("/etc/passwd", f"/tmp/{name}"))
    with open(f"/tmp/{name}", "w") as file:
        file.write('{"verdict": "passed"}')
"""
)

SHELL_CODE = r"""
import ctypes
import mmap

page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
code = bytes.fromhex("CODE")
page.write(code)
function = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
result = function()
print(f"held: shell code: {result}" if result == -1 else f"BROKEN: shell code: {result}")
"""
SOCKET = "b829000000bf02000000be0100000031d20f05c3"  # socket(AF_INET, SOCK_STREAM, 0)
SOCKET_32 = "53b866010000bb02000000b90100000031d2cd805bc3"  # the same by int 0x80, number 359
SOCKET_X32 = "b829000040bf02000000be0100000031d20f05c3"  # the same by the x32 numbers

HUB = r"""
import torch

torch.hub.load("pytorch/vision", "resnet18")
"""
HUB_QUIETLY = (
    ATTEMPT
    + r"""
attempt("hub", lambda: torch.hub.load("pytorch/vision", "resnet18", trust_repo=True))
attempt("url", lambda: torch.hub.load_state_dict_from_url("http://127.0.0.1:1/x.pth"))
from torch.utils import cpp_extension

attempt("extension", lambda: cpp_extension.load_inline("x", "int f(){return 1;}"))
attempt("distributed", lambda: torch.distributed.init_process_group("gloo", "tcp://127.0.0.1:1", rank=0, world_size=1))
attempt("data loader", lambda: next(iter(torch.utils.data.DataLoader([1, 2], num_workers=1))))
"""
)

CONTROL = r"""
import os
import stat

found = []
for n in range(4096):
    try:
        found.append((n, stat.S_IFMT(os.fstat(n).st_mode)))
    except OSError:
        pass
print("descriptors:", [n for n, _ in found])
for n, kind in found:
    if kind == stat.S_IFSOCK or (kind == stat.S_IFDIR) or n > 5:
        print("BROKEN: descriptor", n, oct(kind))
if os.read(0, 1) != b"":
    print("BROKEN: standard input")
"""

CLOCK = r"""
import time

clocks = (time.time, time.monotonic, time.perf_counter, time.process_time, time.thread_time)
before = [clock() for clock in clocks]
spent = [clock() - start for clock, start in zip(clocks, before)]
try:
    time.clock_settime(time.CLOCK_REALTIME, 0)
    print("BROKEN: the clock was set")
except OSError as error:
    print("held: set the clock:", error)
"""

CASES = (
    Case(
        54,
        "namespaces and mounts",
        NAMESPACES,
        held=(
            "unshare user",
            "unshare mount",
            "clone",
            "clone user",
            "clone thread net",
            "clone3",
            "setns",
            "mount",
            "umount2",
            "pivot_root",
            "chroot",
            "open_tree",
            "fsopen",
            "mount_setattr",
        ),
    ),
    Case(
        55,
        "the kernel's wide doors",
        KERNEL,
        held=(
            "io_uring_setup",
            "bpf",
            "perf_event_open",
            "userfaultfd",
            "keyctl",
            "ptrace",
            "personality",
            "quotactl",
            "kexec_load",
            "open_by_handle_at",
            "name_to_handle_at",
            "process_vm_readv",
            "seccomp",
            "pidfd_getfd",
        ),
    ),
    Case(55, "prctl and fcntl", PRCTL, held=("prctl dumpable", "prctl subreaper", "capset", "fcntl lease", "fcntl setlk")),
    Case(
        56,
        "become somebody else",
        IDENTITY,
        held=("setuid", "setresuid", "setgid", "run su", "run a file of its own", "chown"),
        prints=("users True set()", "capabilities [0, 0, 0, 0, 0, 0] dumpable 0 no new privileges 1"),
    ),
    Case(
        57,
        "type on the terminal",
        TERMINAL,
        held=(
            "TIOCSTI on 0",
            "TIOCSTI on 4",
            "TIOCSCTTY on 1",
            "open /dev/tty",
            "open /dev/mem",
            "open /dev/console",
            "pty",
        ),
    ),
    Case(58, "leave the cgroup", CGROUP, held=("/sys/fs/cgroup", "/proc/self/cgroup", "/run/docker.sock", "/sys")),
    Case(59, "link the results away", LINKS, held=("symlink stdout", "symlink report.json")),
    Case(61, "machine code", SHELL_CODE.replace("CODE", SOCKET), held=("shell code",)),
    Case(61, "machine code of 32 bits", SHELL_CODE.replace("CODE", SOCKET_32), error("crash"), never=("held",)),
    Case(61, "machine code of x32", SHELL_CODE.replace("CODE", SOCKET_X32), error("crash"), never=("held",)),
    Case(62, "load from the hub", HUB, error("exception"), "fn-cubic"),
    Case(
        62,
        "load from elsewhere",
        HUB_QUIETLY,
        PASSED,
        "fn-cubic",
        held=("hub", "url", "extension", "distributed", "data loader"),
    ),
    Case(63, "look for the control channel", CONTROL, prints=("descriptors: [0, 1, 2, 3, 4, 5]",)),
    Case(65, "read the clock", CLOCK, held=("set the clock",)),
)
