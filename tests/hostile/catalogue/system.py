"""48 to 53: what can be seen, written, reached and started from inside."""

from tests.hostile.catalogue.case import ATTEMPT, SYSCALL, Case, error

PROC = (
    ATTEMPT
    + r"""
import os

for name in "1 self thread-self 2 sys sysrq-trigger kcore kallsyms meminfo mounts net cmdline".split():
    attempt(name, lambda: os.stat(f"/proc/{name}"))
for name in "environ maps mem fd root cwd exe oom_score_adj ns".split():
    attempt(f"self/{name}", lambda: os.stat(f"/proc/self/{name}"))
    attempt(f"1/{name}", lambda: open(f"/proc/1/{name}").read())
attempt("a file in /proc", lambda: open("/proc/gradus-hostile", "w"))
attempt("leaving /proc", lambda: os.stat("/proc/../proc/1"))
print("proc holds", os.listdir("/proc"))
"""
)

ENVIRONMENT = r"""
import ctypes
import os

KNOWN = {"TORCHDYNAMO_DISABLE", "PATH", "HOME", "TMPDIR", "LC_ALL", "LC_CTYPE", "PWD"}
for name, value in os.environ.items():
    print("variable", name, value)
    if name not in KNOWN:
        print("BROKEN: variable", name)
environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
n = 0
while environ and environ[n]:
    print("variable of C", environ[n].decode())
    if environ[n].decode().partition("=")[0] not in KNOWN:
        print("BROKEN: variable of C", environ[n].decode())
    n += 1
print("variables read", n)
"""

# The stack still holds the block the kernel put there at the start, whatever the interpreter forgot since.
STACK = r"""
import ctypes
import os

address = ctypes.c_void_p.in_dll(ctypes.CDLL(None), "__libc_stack_end").value
read, write = os.pipe()
text = b""
while len(text) < 1 << 20:
    try:
        os.writev(write, [(ctypes.c_char * 16).from_address(address + len(text))])
    except OSError:
        break  # the end of the stack: the kernel, asked to read there, refuses
    text += os.read(read, 16)
words = [word.decode("ascii", "replace") for word in text.split(b"\0") if b"=" in word]
print("stack read:", b"PATH=" in text, words)
for word in words:
    if word.startswith(("GRADUS", "VIRTUAL_ENV", "DJANGO", "PYTEST", "USER", "SSH")):
        print("BROKEN: stack", word)
"""

LEFT_OVER = r"""
import os
import sys

for folder in ("/tmp", "/dev/shm", os.getcwd(), os.path.expanduser("~")):
    if os.listdir(folder):
        print("BROKEN: left over in", folder, os.listdir(folder))
if os.getcwd() != "/tmp" or "__pycache__" in str(sys.path):
    print("BROKEN: working folder", os.getcwd())
print("nothing left over")
"""

WRITES = (
    ATTEMPT
    + r"""
import os
import sys

for folder in ("/", "/usr", "/usr/lib", "/opt", "/opt/python", "/opt/packages", "/opt/gradus", "/opt/gradus/sandbox", "/dev",
               "/dev/pts", "/proc", "/sys", "/etc", "/home", "/root", "/var/tmp", os.path.dirname(os.__file__)):
    attempt(f"write {folder}", lambda: open(f"{folder}/gradus-hostile.pth", "w"))
    attempt(f"folder {folder}", lambda: os.mkdir(f"{folder}/gradus-hostile"))
attempt("write the runner", lambda: open("/opt/gradus/sandbox/guest/runner.py", "a"))
attempt("write a module", lambda: open(os.__file__, "a"))
attempt("remove a module", lambda: os.remove(os.__file__))
attempt("rename a module", lambda: os.rename(os.__file__, "/tmp/os.py"))
attempt("mode of a module", lambda: os.chmod(os.__file__, 0o777))
attempt("write the interpreter", lambda: open(sys.executable, "r+b"))
attempt("link", lambda: os.link(os.__file__, "/tmp/os.py"))
attempt("device", lambda: os.mknod("/tmp/device", 0o060666, os.makedev(8, 0)))
attempt("named pipe", lambda: os.mkfifo("/tmp/pipe"))
attempt("attribute", lambda: os.setxattr("/tmp", "user.x", b"x"))
attempt("lock", lambda: __import__("fcntl").flock(os.open(os.__file__, os.O_RDONLY), 2))
attempt("record lock", lambda: __import__("fcntl").lockf(os.open("/tmp/x", os.O_RDWR | os.O_CREAT), 2))
attempt("execute from /tmp", lambda: __import__("mmap").mmap(os.open("/tmp/x", os.O_RDWR | os.O_CREAT), 0, prot=7))
"""
)

SOCKETS = (
    ATTEMPT
    + SYSCALL
    + r"""
import socket
import urllib.request

for family in "UNIX INET INET6 NETLINK PACKET VSOCK BLUETOOTH CAN ALG TIPC QIPCRTR".split():
    number = getattr(socket, f"AF_{family}", 40)
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        attempt(f"socket {family} {kind}", lambda: socket.socket(number, kind))
attempt("pair", socket.socketpair)
attempt("loopback", lambda: socket.create_connection(("127.0.0.1", 6379), 1))
attempt("web", lambda: urllib.request.urlopen("http://127.0.0.1:8000/", timeout=1))
attempt("metadata", lambda: urllib.request.urlopen("http://169.254.169.254/latest/meta-data/", timeout=1))
attempt("names", lambda: socket.getaddrinfo("localhost.invalid", 80))
for name, number in dict(connect=42, accept=43, sendto=44, recvfrom=45, sendmsg=46, recvmsg=47, bind=49, listen=50).items():
    system_call(name, number, 3, 0, 0, 0, 0, 0)
"""
)

STARTING = (
    ATTEMPT
    + SYSCALL
    + r"""
import multiprocessing
import subprocess
import sys

attempt("subprocess", lambda: subprocess.run([sys.executable or "/bin/true", "-c", "1"]))
attempt("shell", lambda: subprocess.check_output("id", shell=True))
attempt("system", lambda: 1 / (os.system("true") + 1 == 0 or os.system("true") == 0))
attempt("execve", lambda: os.execve("/usr/bin/unshare", ["x"], {}))
attempt("posix_spawn", lambda: os.posix_spawn("/usr/bin/unshare", ["x"], {}))
attempt("popen", lambda: os.popen("true").read())
attempt("multiprocessing", lambda: multiprocessing.get_context("fork").Process(target=print).start())
attempt("a pool", lambda: __import__("concurrent.futures").futures.ProcessPoolExecutor(1).submit(print).result(1))
system_call("vfork", 58)
system_call("execveat", 322, -100, 0, 0, 0, 0)
"""
)

CASES = (
    Case(
        48,
        "look into /proc",
        PROC,
        held=("1", "self", "2", "self/environ", "1/mem", "self/ns", "sys"),
        prints=("proc holds []",),
    ),
    Case(49, "read the environment", ENVIRONMENT, prints=("variables read",), never=("GRADUS_HOSTILE",)),
    Case(49, "read the environment where the kernel put it", STACK, prints=("stack read: True",), never=("GRADUS_HOSTILE",)),
    Case(50, "what others left over", LEFT_OVER, prints=("nothing left over",)),
    Case(
        51,
        "write everywhere",
        WRITES,
        held=(
            "write /",
            "write /usr/lib",
            "write /opt/packages",
            "write the runner",
            "write a module",
            "link",
            "device",
            "named pipe",
            "lock",
            "record lock",
            "mode of a module",
            "write /dev",
            "folder /dev",
        ),
    ),
    Case(
        52,
        "open sockets",
        SOCKETS,
        held=(
            "socket UNIX 1",
            "socket INET 2",
            "socket VSOCK 1",
            "socket NETLINK 3",
            "pair",
            "loopback",
            "web",
            "metadata",
            "names",
            "connect",
            "recvmsg",
        ),
    ),
    Case(
        53,
        "start programs",
        STARTING,
        held=("subprocess", "shell", "system", "execve", "posix_spawn", "multiprocessing", "a pool", "vfork", "execveat"),
    ),
    Case(
        53,
        "start a program and let it raise",
        "import subprocess\nsubprocess.run(['true'])\n",
        error("exception"),
        says=("PermissionError",),
    ),
)
